"""Writer of the documentation's pictures, from the library's reports: `python docs/make_images.py`."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from sizewise.insight.explanation import explain
from sizewise.report.explain.text import ExplanationText

IMAGES = Path(__file__).parent / "images"

# A fixed background and foreground, readable on light and dark pages.
RED, GREEN, YELLOW, CYAN = (255, 122, 112), (126, 206, 146), (243, 192, 95), (116, 200, 230)
INK, GROUND = (222, 224, 230), (22, 24, 29)
THEME = TerminalTheme(GROUND, INK, [GROUND, RED, GREEN, YELLOW, INK, INK, CYAN, INK])

# rich's frame without its web font: the picture needs no network.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" class="rich-terminal" viewBox="0 0 {width} {height}" role="img">
<title>DESCRIPTION</title>
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: ui-sans-serif, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 18px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def explain_picture() -> str:
    """Return the output of `sizewise explain 16x16 4x4` as an SVG picture."""
    facts = explain((16, 16), (4, 4))
    console = Console(
        record=True, file=io.StringIO(), width=108, force_terminal=True, color_system="truecolor", no_color=False
    )
    console.print(ExplanationText(facts))
    counts = "; ".join(f"{one.label}: {one.reached} of {one.pixels} pixels" for one in facts.variants)
    frame = FRAME.replace("DESCRIPTION", f"Pixels that get a gradient from a 16x16 to 4x4 bilinear resize. {counts}.")
    title = "sizewise explain 16x16 4x4"
    return console.export_svg(title=title, theme=THEME, code_format=frame, unique_id="sizewise")


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "explain.svg").write_text(explain_picture(), encoding="utf-8")
