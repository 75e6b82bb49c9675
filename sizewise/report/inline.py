"""What a notebook shows of a plan: a small picture, its numbers, and what stands out; no script, no page around it."""

from __future__ import annotations

from collections.abc import Sequence

from ..insight.explanation import Explanation
from ..insight.variant import Variant
from .explain_page import pictures
from .page import fragment

_MOST_CELLS = 32  # a side


def inline(variants: Sequence[Variant]) -> str:
    """The facts of resizes of one size as a piece of HTML.

    >>> import sizewise as sw
    >>> "16 of 256 pixels" in inline([sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").explain()])
    True
    """
    first = variants[0]
    shown, _, _ = pictures(Explanation(first.input_size, first.output_size, tuple(variants)), _MOST_CELLS)
    return fragment("inline.html", shown=shown)
