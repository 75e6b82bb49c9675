"""Plans in a notebook: a small picture, values and findings as HTML, without scripts."""

from __future__ import annotations

from collections.abc import Sequence

from ...insight.explanation import Explanation
from ...insight.variant import Variant
from ..page import fragment
from .html import pictures

_MAX_CELLS = 32  # a side


def notebook_html(variants: Sequence[Variant]) -> str:
    """Return the facts of resizes of one size as a piece of HTML."""
    first = variants[0]
    facts = Explanation(first.input_size, first.output_size, tuple(variants))
    views, peak, heaviest = pictures(facts, _MAX_CELLS)
    return fragment("notebook.html", views=views, peak=peak, heaviest=heaviest)
