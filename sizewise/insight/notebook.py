"""The HTML by which facts show themselves in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .variant import Variant


def notebook_html(variants: Sequence[Variant]) -> str | None:
    """Return the HTML of the facts of plans; None, for text alone, without the packages that draw.

    >>> import sizewise as sw
    >>> notebook_html([sw.make_plan((16, 16), (4, 4)).explain()])[:20]
    '<div class="sizewise'
    """
    return _drawn("inline", "inline", variants)


def notebook_page(module: str, function: str, facts: object) -> str | None:
    """Return the page that a function of a report makes of facts, in a frame; None without the packages that draw.

    >>> from sizewise.insight.audit import Audit
    >>> notebook_page("audit_page", "page_of", Audit("m.onnx", "ONNX, opset 19", ()))[:15]
    '<iframe srcdoc='
    """
    page = _drawn(module, function, facts)
    return page and f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 40em; border: 0"></iframe>'


def _drawn(module: str, function: str, facts: object) -> str | None:
    try:
        # Reports are above facts, and imported only where one is shown.
        drawn: str = getattr(import_module(f"sizewise.report.{module}"), function)(facts)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("sizewise"):
            raise
        return None
    return drawn
