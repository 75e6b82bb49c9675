"""What plans say and show of themselves: insight and report, imported when they are asked for, and no earlier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import above

if TYPE_CHECKING:
    from .insight.variant import Variant
    from .plan import Plan


def explain(plan: Plan) -> Variant:
    """The facts of a plan.

    >>> import sizewise as sw
    >>> explain(sw.make_plan((16, 16), (4, 4))).percent
    100.0
    """
    from .insight.variant import variant

    return variant(plan)


def html(variants: Sequence[Variant]) -> str | None:
    """What a notebook shows of the facts of plans; None, for words alone, without the packages that draw.

    >>> import sizewise as sw
    >>> html([explain(sw.make_plan((16, 16), (4, 4)))])[:20]
    '<div class="sizewise'
    """
    try:
        from .report.inline import inline

        return inline(variants)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("sizewise"):
            raise
        return None


above.hand_down(explain=explain, html=html)
