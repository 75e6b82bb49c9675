"""HTML of facts for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .variant import Variant


def notebook_html(variants: Sequence[Variant]) -> str | None:
    """Return the facts of plans as HTML; None without the packages that draw, for text alone."""
    return _render("explain.notebook_html", "notebook_html", variants)


def notebook_page(command: str, function: str, facts: object) -> str | None:
    """Return the page of a command's report in a frame; None without the packages that draw it."""
    page = _render(f"{command}.html", function, facts)
    return page and f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 40em; border: 0"></iframe>'


def _render(module: str, function: str, facts: object) -> str | None:
    try:  # reports are above insight, and imported only where one is shown
        rendered: str = getattr(import_module(f"sizewise.report.{module}"), function)(facts)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("sizewise"):
            raise
        return None
    return rendered
