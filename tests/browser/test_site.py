"""The site in a browser: every page fits a phone and a desk, asks no other host, logs nothing, and can be read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from page_checks import assert_fits

ROOT = Path(__file__).parents[2]
WIDTHS = (390, 1280)
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a line on stderr for each."""

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site that was just built; a warning fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Return the address of a server of the site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=site))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def pages_of(site: Path) -> list[str]:
    """Return the addresses of all pages, relative to the home page."""
    found = sorted(path.relative_to(site).parent.as_posix() for path in site.rglob("index.html"))
    return ["" if name == "." else f"{name}/" for name in found]


def watch(page: Any, address: str, faults: list[str]) -> None:
    """Note errors, warnings and requests of other hosts of a page."""
    page.on("console", lambda log: faults.append(log.text) if log.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(f"failed: {request.url}"))
    is_own = (address, "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(is_own) else faults.append(request.url))


def faults_of(page: Any, name: str) -> Iterator[str]:
    """Yield the faults of an open page: if it does not fit a width, and texts without contrast, light and dark."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        try:
            assert_fits(page)
        except AssertionError as error:
            yield f"{name}: {error}"
    if page.locator("main h1").count() != 1:
        yield f"{name}: not one h1"
    for scheme in ("default", "slate"):
        page.evaluate("(scheme) => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
        yield from (f"{name}, {scheme}: {fault}" for fault in page.evaluate(CONTRAST))


def test_every_page_fits_and_can_be_read(browser: Any, site: Path, address: str, faults: list[str]) -> None:
    context = browser.new_context(viewport={"width": WIDTHS[0], "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    watch(page, address, faults)
    names = pages_of(site)
    assert len(names) > 50
    for name in names:
        page.goto(address + name)
        faults += faults_of(page, name)
    context.close()
    assert faults == []


@pytest.mark.parametrize(("dark", "scheme"), [(False, "default"), (True, "slate")])
def test_the_reader_s_scheme_is_used(browser: Any, address: str, faults: list[str], dark: bool, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if dark else "light")
    page = context.new_page()
    watch(page, address, faults)
    page.goto(address)
    assert page.locator("body").get_attribute("data-md-color-scheme") == scheme
    context.close()
    assert faults == []


def test_paper_is_white(browser: Any, address: str, faults: list[str]) -> None:
    context = browser.new_context(color_scheme="dark", reduced_motion="reduce")
    page = context.new_page()
    watch(page, address, faults)
    page.goto(address + "how-to/labels/")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(CONTRAST) == []
    context.close()
    assert faults == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("resize_grad", "sizewise\nresize_grad"),
        ("map_boxes", "sizewise\nmap_boxes"),
        ("align_corners", "Translate a call"),  # not the tables of measurements
        ("F.interpolate", "Translate a call"),
        ("opencv uint8", "Dialects"),
        ("accuracy dropped", "My accuracy dropped after export"),
    ],
)
def test_search_finds(browser: Any, address: str, faults: list[str], query: str, expected: str) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    watch(page, address, faults)
    page.goto(address)
    page.locator("input.md-search__input").click()
    page.keyboard.type(query)
    first = page.locator(".md-search-result__item").first
    first.wait_for()
    assert first.inner_text().startswith(expected)
    assert faults == []
    page.context.close()


def test_the_drawer_of_a_phone_has_every_page(browser: Any, site: Path, address: str) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 900}, reduced_motion="reduce").new_page()
    page.goto(address)
    page.locator(".md-header__button[for=__drawer]").click()
    links = page.locator(".md-nav--primary a").evaluate_all("links => links.map((link) => link.href)")
    assert {address + name for name in pages_of(site)} <= set(links)
    page.locator(".md-nav--primary").get_by_text("Tutorials", exact=True).first.click()
    page.locator(".md-nav--primary").get_by_text("A loss through a resize").click()
    page.wait_for_url("**/tutorials/loss-through-a-resize/")
    page.context.close()


def test_every_page_has_a_title_a_description_and_an_address(site: Path) -> None:
    def heads(pattern: str) -> dict[str, str]:
        found = {name: re.findall(pattern, (site / name / "index.html").read_text("utf-8")) for name in pages_of(site)}
        assert [name for name, texts in found.items() if len(texts) != 1] == []
        return {name: texts[0] for name, texts in found.items()}

    titles = heads(r"<title>([^<]{8,})</title>")
    assert len(set(titles.values())) == len(titles)
    descriptions = heads(r'<meta name="description" content="([^"]{20,})"')
    assert len(set(descriptions.values())) >= len(descriptions) - 1  # the home page begins as the overview
    assert heads(r'<link rel="canonical" href="([^"]+)"')["roadmap/"].endswith("/sizewise/roadmap/")
    missing = (site / "404.html").read_text("utf-8")
    assert "Page not found" in missing and 'href="/sizewise/reference/"' in missing


def test_no_page_has_emphasis_inside_of_a_word(site: Path) -> None:
    """As `2**31 and 2**32` outside of code."""
    for path in site.rglob("index.html"):
        assert re.findall(r"\w<(?:em|strong)>[^<]*<", path.read_text("utf-8")) == [], path


def test_every_public_name_and_command_is_on_the_site(site: Path) -> None:
    import sizewise

    text = (site / "reference" / "api" / "sizewise" / "index.html").read_text(encoding="utf-8")
    modules = {"dialects", "errors", "filters", "testing"}
    missing = [name for name in {*sizewise.__all__} - modules if f'id="sizewise.{name}"' not in text]
    assert missing == []
    steps = (site / "reference" / "api" / "sizewise.preprocess" / "index.html").read_text(encoding="utf-8")
    assert "max_aspect" in steps  # a field of a dataclass, named in its signature alone
    commands = (site / "reference" / "commands" / "index.html").read_text(encoding="utf-8")
    assert 'id="sizewise-preprocess-compare"' in commands


def test_no_page_shows_markdown_as_text(site: Path) -> None:
    """Lists and tables that need an empty line before them, and docstrings' examples outside of code."""
    for path in site.rglob("index.html"):
        paragraphs = path.read_text(encoding="utf-8").split("<p>")[1:]
        starts = [one.partition("</p>")[0].replace("\n", "\n ").split("\n ") for one in paragraphs]
        faulty = [
            line for lines in starts for line in lines[1:] if line.startswith(("- ", "| ", "```", "&gt;&gt;&gt; "))
        ]
        assert faulty == [], path


def test_control_faults_are_found(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<main style='background:#fff'><p style='color:#aaa'>pale</p><p style='width:2000px;color:#000'>wide</p></main>"
    )
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto((tmp_path / "a.html").as_uri())
    assert ["pale" in one for one in page.evaluate(CONTRAST)] == [True]
    with pytest.raises(AssertionError, match="pixels wide"):
        assert_fits(page)
    context.close()
