"""Coverage: which input pixels a resize reads, and the gradient of each.

A resize is one matrix per axis, so everything follows from one profile per axis; only `gradient` builds an image.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import make_plan
from ..errors import ArgumentError
from ..memory_limits import require_memory
from ..plan import Plan

# Per pixel of the longest axis, while its taps are built and transposed: 353 measured (lanczos5, 2 million -> 4).
_BYTES_PER_PIXEL = 360


@dataclass(frozen=True)
class Coverage:
    """The gradient of one resize.

    `reached` of the `pixels` are read with a nonzero weight, `percent` of all. `total` is the gradient of sum(output)
    summed over all pixels, `largest` its largest magnitude at one pixel. `ratio` is its largest magnitude over its
    smallest (infinite where a pixel gets none), and `variation` its standard deviation over its mean. `profiles` holds
    the gradient along each axis; their outer product is `gradient`. `finding` is a sentence on the most notable fact.
    """

    label: str
    dialect: str
    method: str
    antialias: bool
    options: tuple[tuple[str, object], ...]
    input_size: tuple[int, ...]
    output_size: tuple[int, ...]
    reached: int
    pixels: int
    percent: float
    total: float
    largest: float
    ratio: float
    variation: float
    finding: str
    profiles: tuple[NDArray[np.float64], ...] = field(repr=False, compare=False)

    @property
    def gradient(self) -> NDArray[np.float64]:
        """The gradient of sum(output) with respect to each input pixel, as in `plan.coverage()`."""
        require_memory(2 * 8 * self.pixels, "the gradient of {:,} pixels", self.pixels)
        return reduce(np.multiply.outer, self.profiles)


def coverage(plan: Plan, label: str = "") -> Coverage:
    """Return the coverage of a plan, with a label (by default the dialect and method)."""
    request = plan.request
    profiles = tuple(one.column_sums for one in plan.taps)
    reached, pixels = _reached(plan), math.prod(plan.input_size)
    ends = [(float(size.min()), float(size.max())) for size in map(np.abs, profiles)]
    largest = math.prod(high for _, high in ends)
    # The standard deviation over the mean follows from the moments of each axis.
    means = [float(profile.mean()) for profile in profiles]
    squares = [1 + float(profile.var()) / (mean**2 or 1.0) for profile, mean in zip(profiles, means, strict=True)]
    return Coverage(
        label=label or f"{request.dialect} {request.method}",
        dialect=request.dialect,
        method=request.method,
        antialias=request.antialias,
        options=request.options,
        input_size=plan.input_size,
        output_size=plan.output_size,
        reached=reached,
        pixels=pixels,
        percent=100 * reached / pixels,
        total=math.prod(float(profile.sum()) for profile in profiles),
        largest=largest,
        ratio=math.prod(high / low if low else math.inf for low, high in ends) if largest else 1.0,
        variation=math.sqrt(math.prod(squares) - 1) if math.prod(means) else math.inf,
        finding=_lost(plan, pixels - reached, pixels) if reached < pixels else _spread(profiles),
        profiles=profiles,
    )


def require_coverage_memory(input_size: tuple[int, ...], output_size: tuple[int, ...]) -> None:
    """Raise, before any plan is built, where the coverage of an axis does not fit in memory."""
    longest = max(*input_size, *output_size)
    require_memory(_BYTES_PER_PIXEL * longest, f"the coverage of an axis of {longest:,} pixels")


def _reached(plan: Plan) -> int:
    # Counted from the taps: negative lobes can cancel the gradient of a pixel that is read.
    return math.prod(int(one.is_read.sum()) for one in plan.taps)


def _lost(plan: Plan, lost: int, pixels: int) -> str:
    """Return the finding on pixels that are never read, with the smallest change of arguments that reads more."""
    finding = f"{lost:,} of {pixels:,} pixels {'gets' if lost == 1 else 'get'} no gradient"
    request = plan.request
    if plan.transposed:
        return finding
    own: tuple[str, str, dict[str, Any]] = (request.dialect, request.method, dict(request.options))
    for dialect, method, options in (own, ("standard", request.method, {}), ("standard", "bilinear", {})):
        try:
            other = make_plan(
                request.input_size, request.output_size, method, antialias=True, dialect=dialect, **options
            )
        except ArgumentError:
            continue
        if (reached := _reached(other)) > _reached(plan):
            change = {"dialect": (request.dialect, dialect), "method": (request.method, method)}
            arguments = [f"{name}={new}" for name, (old, new) in change.items() if new != old]
            extent = "all" if reached == math.prod(plan.input_size) else f"{reached:,}"
            return f"{finding}; {', '.join([*arguments, 'antialias=True'])} reaches {extent}"
    return finding


def _spread(profiles: tuple[NDArray[np.float64], ...]) -> str:
    """Return the finding where every pixel is read: the range of the gradient."""
    low = high = 1.0
    for profile in profiles:
        corners = [end * float(edge) for end in (low, high) for edge in (profile.min(), profile.max())]
        low, high = min(corners), max(corners)
    if math.isclose(low, high, rel_tol=1e-9):
        return f"every pixel gets the same gradient, {high:.4g}"
    verb = "gets a gradient," if low > 0 else "is read, with gradients"
    return f"every pixel {verb} from {low:.4g} to {high:.4g}"
