"""Variant: one resize, and all that is known of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..plan import Plan
from .axis import Axis, axis
from .coverage import Coverage, coverage
from .findings import Finding, findings
from .notebook import notebook_html


@dataclass(frozen=True, repr=False)
class Variant(Coverage):
    """One resize and its facts: its coverage, those of each axis, and what stands out.

    >>> import sizewise as sw
    >>> sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").explain()
    tensorflow1 bilinear, 16x16 -> 4x4, antialias=False, align_corners=False, half_pixel_centers=False
    reached  6.25 %, 16 of 256 pixels
    total    16, at most 1 at one pixel
    uneven   some get none, variation 3.873
    shift    0.375 output pixels
    alias    100 % at most
    high     240 of 256 pixels get no gradient; dialect=standard, antialias=True reaches all
    high     an attacker controls the output through 6.25 % of the pixels
    high     waves shorter than 8 pixels alias: 75 % of what noise becomes
    medium   the image moves by 0.375 output pixel down and right against half-pixel centres
    """

    axes: tuple[Axis, ...]
    findings: tuple[Finding, ...]

    @property
    def words(self) -> str:
        """The request in words: dialect, method, antialias and options."""
        options = [f"{name}={in_words(value)}" for name, value in self.options]
        return ", ".join([f"{self.dialect} {self.method}", f"antialias={self.antialias}", *options])

    @property
    def shifts(self) -> tuple[float, ...]:
        """For each axis, how far the image moves towards larger indices, in pixels of the output."""
        return tuple(one.placement.shift_out for one in self.axes)

    @property
    def aliases(self) -> tuple[float, ...]:
        """For each axis, the largest strength of an alias."""
        return tuple(one.response.alias for one in self.axes)

    def __repr__(self) -> str:
        first, _, rest = self.words.partition(", ")
        sizes = " -> ".join("x".join(map(str, size)) for size in (self.input_size, self.output_size))
        lines = [f"{first}, {sizes}, {rest}"]
        lines += [f"{name:<7}  {value}" for name, value in self.lines()]
        lines += [f"{one.severity or 'fine':<7}  {one.words}" for one in self.findings]
        return "\n".join(lines)

    def lines(self) -> list[tuple[str, str]]:
        """The numbers that say most, as names and words."""
        uneven = f"largest {self.ratio:.4g} times the smallest" if math.isfinite(self.ratio) else "some get none"
        alias = once(f"{100 * one:.3g} %" if one else "none" for one in self.aliases)
        return [
            ("reached", f"{self.percent:.4g} %, {self.reached:,} of {self.pixels:,} pixels"),
            ("total", f"{self.total:,.10g}, at most {self.largest:.4g} at one pixel"),
            ("uneven", f"{uneven}, variation {self.variation:.4g}"),
            ("shift", f"{once(f'{one:.4g}' for one in self.shifts)} output pixels"),
            ("alias", alias if alias == "none" else f"{alias} at most"),
        ]

    def _repr_html_(self) -> str | None:
        return notebook_html((self,))


def in_words(value: object) -> str:
    """The value of an option as it is written on the command line.

    >>> in_words((0.0, 0.10000000149011612, 1.0)), in_words(True)
    ('0,0.1,1', 'True')
    """
    if isinstance(value, tuple):
        return ",".join(map(in_words, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def once(words: Iterable[str]) -> str:
    """What is said of each axis, or once where it is the same of all.

    >>> once(["1", "1"]), once(["1", "2"])
    ('1', '1, 2')
    """
    each = list(words)
    return each[0] if len(set(each)) == 1 else ", ".join(each)


def variant(plan: Plan, label: str = "") -> Variant:
    """All that is known of a plan, under a label for people (by default the dialect and method).

    >>> import sizewise as sw
    >>> variant(sw.make_plan((1024, 1024), (224, 224), antialias=False)).findings[1].words
    'an attacker controls the output through 19.1 % of the pixels'
    """
    facts = coverage(plan, label)
    axes = tuple(map(axis, plan.taps))
    # A gradient, of a transposed plan, is no image: it has no place, and its weights need not sum to 1.
    return Variant(**vars(facts), axes=axes, findings=findings(facts, () if plan.transposed else axes))
