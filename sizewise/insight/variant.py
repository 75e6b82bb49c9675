"""Variant: one resize with all its facts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..plan import Plan
from ..resize_spec import format_value
from .axis import Axis, axis
from .coverage import Coverage, coverage
from .findings import Finding, findings
from .notebook import notebook_html


@dataclass(frozen=True, repr=False)
class Variant(Coverage):
    """One resize with its coverage, the facts of each axis, and its findings.

    >>> import sizewise as sw
    >>> sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").explain()
    tensorflow1 bilinear, 16x16 -> 4x4, antialias=False, align_corners=False, half_pixel_centers=False
    reached  6.25 %, 16 of 256 pixels
    total    16, at most 1 at one pixel
    uneven   some get none, variation 3.873
    shift    0.375 output pixels
    alias    100 % at most
    high     240 of 256 pixels get no gradient; dialect=standard, antialias=True reaches all
    high     only 6.25 % of the pixels affect the output (open to image-scaling attacks)
    high     wavelengths below 8 px alias (75 % of white-noise output power)
    medium   the image shifts by 0.375 output pixel down and right relative to half-pixel centers
    medium   boxes scaled by n_out / n_in are off by up to 0.375 output pixel; use plan.map_boxes
    """

    axes: tuple[Axis, ...]
    findings: tuple[Finding, ...]

    @property
    def description(self) -> str:
        """The dialect, the method, antialias and all options."""
        options = [f"{name}={format_value(value)}" for name, value in self.options]
        return ", ".join([f"{self.dialect} {self.method}", f"antialias={self.antialias}", *options])

    @property
    def shifts(self) -> tuple[float, ...]:
        """The shift of the image along each axis towards larger indices, in output pixels."""
        return tuple(one.placement.shift_out for one in self.axes)

    @property
    def aliases(self) -> tuple[float, ...]:
        """The largest strength of an alias along each axis."""
        return tuple(one.response.alias for one in self.axes)

    def __repr__(self) -> str:
        first, _, rest = self.description.partition(", ")
        sizes = " -> ".join("x".join(map(str, size)) for size in (self.input_size, self.output_size))
        lines = [f"{first}, {sizes}, {rest}"]
        lines += [f"{name:<7}  {value}" for name, value in self.lines()]
        lines += [f"{one.severity or 'fine':<7}  {one.message}" for one in self.findings]
        return "\n".join(lines)

    def lines(self) -> list[tuple[str, str]]:
        """Return the most important values as names and texts."""
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


def once(texts: Iterable[str]) -> str:
    """Return the texts of all axes, or one where they are the same."""
    each = list(texts)
    return each[0] if len(set(each)) == 1 else ", ".join(each)


def variant(plan: Plan, label: str = "") -> Variant:
    """Return all facts of a plan, with a label (by default the dialect and method)."""
    facts = coverage(plan, label)
    axes = tuple(map(axis, plan.taps))
    # The output of a transposed plan is a gradient, not an image: no shift, and no sums of weights to check.
    found = findings(facts, ()) if plan.transposed else findings(facts, axes, plan.geometry)
    return Variant(**vars(facts), axes=axes, findings=found)
