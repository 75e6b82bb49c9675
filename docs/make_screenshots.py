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

from sizewise.insight.comparison import compare
from sizewise.insight.explanation import explain
from sizewise.insight.identify import identify
from sizewise.report.compare.html import comparison_page
from sizewise.report.explain.html import explanation_page
from sizewise.report.identify.html import identification_page

IMAGES = Path(__file__).parent / "images"
WIDTH = 1200
MAX_BYTES = 400_000


def open_page(browser: Any, folder: Path, text: str) -> Any:
    """Return a browser's view of a page."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": 3000}, color_scheme="light")
    page.goto(path.as_uri())
    return page


def screenshot(page: Any, heading: str) -> bytes:
    """Return the top of a page, down to a heading."""
    bottom = page.locator("h2", has_text=heading).bounding_box()["y"]
    return page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": bottom - 20})


def explain_screenshot(browser: Any, folder: Path) -> bytes:
    """Return the top of `sizewise explain 16x16 4x4 --html`, with the pointer on a pixel."""
    page = open_page(browser, folder, explanation_page(explain((16, 16), (4, 4))))
    box = page.locator(".heat img").nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] * 6.5 / 16, box["y"] + box["height"] * 6.5 / 16)
    return screenshot(page, "Taps")


def compare_screenshot(browser: Any, folder: Path) -> bytes:
    """Return the top of `sizewise compare scene.png 60x80 --dialects pillow,opencv,torch --html`."""
    facts = compare(IMAGES / "scene.png", (60, 80), ["pillow", "opencv", "torch"])
    return screenshot(open_page(browser, folder, comparison_page(facts)), "Values")


def identify_screenshot(browser: Any, folder: Path) -> bytes:
    """Return the top of `sizewise identify scene.png scene-small.png --html`."""
    files = IMAGES / "scene.png", IMAGES / "scene-small.png"
    return screenshot(open_page(browser, folder, identification_page(identify(*files), *files)), "Terms")


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
        write("compare-page.png", compare_screenshot(browser, Path(folder)))
        write("identify-page.png", identify_screenshot(browser, Path(folder)))
        browser.close()
