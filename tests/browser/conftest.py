"""Pages in a real browser: Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def absent(what: str) -> None:
    """Where nobody would notice a skip, what is missing is a failure."""
    words = f"{what}; install Debian's chromium and the test extra, or set CHROMIUM"
    (pytest.fail if os.environ.get("CI") else pytest.skip)(words)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests: that of CHROMIUM, or whichever is installed."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None or not Path(path).exists():
        absent(f"no browser at {path}" if path else "no Chromium is installed")
    if importlib.util.find_spec("playwright") is None:
        absent("Playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def faults() -> list[str]:
    """What went wrong in the pages of this test; for controls, which empty it."""
    return []


@pytest.fixture
def open_page(browser: Any, faults: list[str]) -> Iterator[Callable[..., Any]]:
    """`open_page(html_path, width=1200, dark=False)`: a Playwright page of that file, loaded.

    The test fails if the page writes an error or a warning to the console, throws, or asks for anything but itself,
    then or later.
    """
    contexts = []

    def open_one(html_path: Path, width: int = 1200, dark: bool = False, height: int = 900) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", offline=True
        )
        contexts.append(context)
        page = context.new_page()
        address = Path(html_path).resolve().as_uri()
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asked: faults.append(asked.url) if not is_own(asked.url, address) else None)
        page.goto(address)
        assert faults == []
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert faults == []


def is_own(url: str, address: str) -> bool:
    """Whether an address is the page itself, or held in it."""
    return url.startswith(("data:", "blob:")) or url.partition("#")[0] == address
