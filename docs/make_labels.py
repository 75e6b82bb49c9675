"""Writer of the pictures and the table of docs/how-to/labels.md: `python docs/make_labels.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import label_faults
import numpy as np
from label_faults import Row
from make_images import CYAN, GREEN, GROUND, INK, RED

import sizewise as sw

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "how-to" / "labels.md"
PIXEL, GAP, TOP = 22, 28, 64  # of the pictures, in their units
FONT = "font-family=\"ui-sans-serif, 'Segoe UI', 'DejaVu Sans', sans-serif\""
TABLE = re.compile(r"(<!-- table: written by docs/make_labels.py -->\n).*?(<!-- end of table -->)", re.DOTALL)

BLOB_SIZE, BLOB_RESULT, BLOB_CENTER = (24, 24), (8, 8), (8.0, 15.0)


@dataclass(frozen=True)
class Panel:
    """One resize of the blob; the formula is applied to `indices` of pixels, or to coordinates from the edge."""

    title: str
    method: str
    options: dict[str, object]
    indices: bool = False


PANELS = (
    Panel("bilinear", "bilinear", {"dialect": "torch"}),
    Panel("bilinear, indices of pixels", "bilinear", {"dialect": "torch"}, indices=True),
    Panel("nearest, as for masks", "nearest", {"dialect": "torch"}),
    Panel("aligned corners", "bilinear", {"dialect": "torch", "align_corners": True}),
)


def color(rgb: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def svg(width: int, height: int, title: str, parts: list[str]) -> str:
    """Return a picture on a ground that is readable on light and dark pages."""
    ground = f'<rect width="{width}" height="{height}" rx="8" fill="{color(GROUND)}"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" {FONT}>'
    return "\n".join([head, f"<title>{title}</title>", ground, *parts, "</svg>\n"])


def text(
    x: float, y: float, words: str, fill: tuple[int, int, int] = INK, size: int = 13, anchor: str = "start"
) -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{color(fill)}" font-size="{size}" text-anchor="{anchor}">{words}</text>'


def cross(x: float, y: float, stroke: tuple[int, int, int], turned: bool = False) -> str:
    """Return a plus, or turned a cross, so that both are seen at one point."""
    r = 8.0
    path = f"M{x - r:g} {y - r:g}L{x + r:g} {y + r:g}M{x - r:g} {y + r:g}L{x + r:g} {y - r:g}" if turned else (
        f"M{x - r:g} {y:g}H{x + r:g}M{x:g} {y - r:g}V{y + r:g}"
    )  # fmt: skip
    return f'<path d="{path}" stroke="{color(stroke)}" stroke-width="2.5" fill="none"/>'


def blob_picture() -> str:
    """Return the picture of a blob in four resizes, with map_points and the usual formula."""
    side = BLOB_RESULT[0] * PIXEL
    width, height = GAP + len(PANELS) * (side + GAP), TOP + side + 62
    source = label_faults.blob(BLOB_SIZE, BLOB_CENTER, 2.6)
    parts = [
        text(
            GAP, 24, f"A blob with its center at x = {BLOB_CENTER[0]:g}, y = {BLOB_CENTER[1]:g}, 24x24 to 8x8", size=15
        ),
        text(width - GAP, 24, "+ plan.map_points: the centroid", GREEN, anchor="end"),
        text(width - GAP, 42, "x the usual formula", RED, anchor="end"),
    ]
    for number, panel in enumerate(PANELS):
        left = GAP + number * (side + GAP)
        plan = sw.make_plan(BLOB_SIZE, BLOB_RESULT, panel.method, **panel.options)
        parts += panel_parts(panel, plan, source, left)
    names = "; ".join(panel.title for panel in PANELS)
    return svg(width, height, f"The center of a blob after four resizes, and by the usual formula: {names}", parts)


def panel_parts(panel: Panel, plan: sw.Plan, source: np.ndarray, left: float) -> list[str]:
    """Return the pixels of a panel, both points, and how far the formula is off."""
    pixels, side = plan(source), BLOB_RESULT[0] * PIXEL
    gray = np.rint(40 + 130 * pixels / pixels.max()).astype(int)
    parts = [
        f'<rect x="{left + column * PIXEL:g}" y="{TOP + row * PIXEL:g}" width="{PIXEL - 1}" height="{PIXEL - 1}" '
        f'fill="#{value:02x}{value:02x}{value:02x}"/>'
        for (row, column), value in np.ndenumerate(gray)
    ]
    truth = plan.map_points([BLOB_CENTER])[0]
    offset = 0.5 if panel.indices else 0.0
    formula = (np.array(BLOB_CENTER) - offset) * BLOB_RESULT[0] / BLOB_SIZE[0] + offset
    off = float(np.abs(formula - truth).max())
    words, ink = (f"off by {off:.2f} output pixel", RED) if off >= 0.005 else ("right", GREEN)
    parts += [
        cross(left + truth[0] * PIXEL, TOP + truth[1] * PIXEL, GREEN),
        cross(left + formula[0] * PIXEL, TOP + formula[1] * PIXEL, RED, turned=True),
        text(left, TOP + side + 18, panel.title),
        text(left, TOP + side + 36, "index * n_out / n_in" if panel.indices else "x * n_out / n_in", CYAN, 12),
        text(left, TOP + side + 52, words, ink, 12),
    ]
    return parts


def convention_picture() -> str:
    """Return the picture of one point in both origins and both orders."""
    cell, left, top = 64, 150, 96
    columns, rows = 4, 3
    width, height = left + columns * cell + 300, top + rows * cell + 70
    parts = [text(24, 30, "One point, in each convention", size=15)]
    parts += [
        f'<rect x="{x}" y="{y}" width="{cell - 2}" height="{cell - 2}" fill="#3a3e48"/>'
        for y in range(top, top + rows * cell, cell)
        for x in range(left, left + columns * cell, cell)
    ]
    for column in range(columns + 1):
        parts.append(text(left + column * cell - 1, top - 8, str(column), GREEN, 13, "middle"))
    for row in range(rows + 1):
        parts.append(text(left - 10, top + row * cell + 4, str(row), GREEN, 13, "end"))
    for column in range(columns):
        parts.append(text(left + (column + 0.5) * cell - 1, top - 30, str(column), CYAN, 13, "middle"))
    for row in range(rows):
        parts.append(text(left - 44, top + (row + 0.5) * cell + 4, str(row), CYAN, 13, "end"))
    parts += [
        text(left + columns * cell + 10, top - 8, 'origin="edge": pixel 0 covers 0 to 1', GREEN),
        text(left + columns * cell + 10, top - 30, 'origin="center": the center of pixel 0 is 0', CYAN),
        cross(left + 2.5 * cell - 1, top + 1.5 * cell - 1, RED, turned=True),
    ]
    lines = (
        ("(2.5, 1.5)", 'order="xy", origin="edge": the default', GREEN),
        ("(1.5, 2.5)", 'order="ij", origin="edge"', GREEN),
        ("(2, 1)", 'order="xy", origin="center"', CYAN),
        ("(1, 2)", 'order="ij", origin="center": x[1, 2] of an array', CYAN),
    )
    x = left + columns * cell + 10
    for number, (point, name, ink) in enumerate(lines):
        parts.append(text(x, top + 34 + number * 44, point, RED, 14))
        parts.append(text(x, top + 52 + number * 44, name, ink, 12))
    parts.append(text(left, top + rows * cell + 34, "x, columns: to the right; y, rows: down"))
    title = "A point at the center of pixel column 2, row 1: (2.5, 1.5) from the edge, (2, 1) from the center"
    return svg(width, height, title, parts)


def table(rows: list[Row]) -> str:
    """Return the measured rows as a table in Markdown."""
    lines = ["| rule | labels | formula | off by | Sizewise |", "|---|---|---|---|---|"]
    for row in rows:
        off = f"**{row.error:.2f} px**" if row.error >= 0.05 else f"{row.error:.2f} px"
        lines.append(f"| {row.library} | {row.labels} | `{row.formula}` | {off} | {row.ours:.2f} px |")
    return "\n".join(lines) + "\n"


def page(rows: list[Row]) -> str:
    """Return the page with the table of these rows."""
    return TABLE.sub(lambda found: found[1] + table(rows) + found[2], PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    (FOLDER / "images" / "labels-blob.svg").write_text(blob_picture(), encoding="utf-8")
    (FOLDER / "images" / "labels-convention.svg").write_text(convention_picture(), encoding="utf-8")
    PAGE.write_text(page(label_faults.measure()), encoding="utf-8")
