"""The HTML by which facts show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .variant import Variant


def notebook_html(variants: Sequence[Variant]) -> str | None:
    """Return the HTML of the facts of plans; None, for text alone, without the packages that draw.

    >>> import sizewise as sw
    >>> notebook_html([sw.make_plan((16, 16), (4, 4)).explain()])[:20]
    '<div class="sizewise'
    """
    try:
        from ..report.inline import inline  # reports are above facts, and imported only where one is shown

        return inline(variants)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("sizewise"):
            raise
        return None
