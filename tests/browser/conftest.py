"""Fixtures for pages in a real browser: Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def require_browser(missing: str) -> None:
    """Skip the test; fail in CI, where a skip would go unnoticed."""
    reason = f"{missing}; install Debian's chromium and the test extra, or set CHROMIUM"
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests: the one in CHROMIUM, or the first that is installed."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None or not Path(path).exists():
        require_browser(f"no browser at {path}" if path else "no Chromium is installed")
    if importlib.util.find_spec("playwright") is None:
        require_browser("Playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def faults() -> list[str]:
    """Errors, warnings and foreign requests of the pages of this test; controls empty the list."""
    return []


@pytest.fixture
def open_page(browser: Any, faults: list[str]) -> Iterator[Callable[..., Any]]:
    """`open_page(html_path, width=1200, dark=False)`: a Playwright page of that file, loaded.

    The test fails if the page logs an error or a warning, throws, or requests anything but itself, at any time.
    """
    contexts = []

    def open_one(html_path: Path, width: int = 1200, dark: bool = False, height: int = 900) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", offline=True
        )
        contexts.append(context)
        page = context.new_page()
        address = Path(html_path).resolve().as_uri()
        page.on("console", lambda log: faults.append(log.text) if log.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: None if is_own(request.url, address) else faults.append(request.url))
        page.goto(address)
        assert faults == []
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert faults == []


def is_own(url: str, address: str) -> bool:
    """Return whether an address is the page itself, or data inside it."""
    return url.startswith(("data:", "blob:")) or url.partition("#")[0] == address
