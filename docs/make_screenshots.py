"""Writer of the documentation's screenshots, in a real browser: `python docs/make_screenshots.py`.

Needs Playwright and an installed Chromium (CHROMIUM names another one). Fonts differ between machines, so the tests do
not compare the pictures.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from sizewise.insight.explanation import explain
from sizewise.report.explain.html import explanation_page

IMAGES = Path(__file__).parent / "images"
WIDTH = 1200
MAX_BYTES = 300_000


def explain_screenshot(browser: Any, folder: Path) -> bytes:
    """Return the top of `sizewise explain 16x16 4x4 --html`, with the pointer on a pixel."""
    path = folder / "explain.html"
    path.write_text(explanation_page(explain((16, 16), (4, 4))), encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": 1600}, color_scheme="light")
    page.goto(path.as_uri())
    box = page.locator(".heat img").nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] * 6.5 / 16, box["y"] + box["height"] * 6.5 / 16)
    bottom = page.locator("h2", has_text="Which pixels feed which output").bounding_box()["y"]
    return page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": bottom - 10})


def write(name: str, picture: bytes) -> None:
    """Write a screenshot as an optimized PNG."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.save(IMAGES / name, optimize=True)
    size = (IMAGES / name).stat().st_size
    assert size < MAX_BYTES, f"{name} has {size:,} bytes"
    print(f"{name}: {image.width} x {image.height}, {size:,} bytes")


if __name__ == "__main__":
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        write("explain-page.png", explain_screenshot(browser, Path(folder)))
        browser.close()
