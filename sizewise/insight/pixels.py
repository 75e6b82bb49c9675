"""Pixels that candidates make of an image, as a whole or in windows of the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compat import pillow
from ..dialects import is_floating
from ..plan import Plan
from .candidates import Candidate
from .pixel_error import ULP, Windows, crop


@dataclass(frozen=True)
class Source:
    """An image to resize: (height, width, channels), and the dtype that results must have.

    `alpha` says that the last channel is alpha, by which Pillow multiplies the others.
    """

    x: NDArray
    wanted: np.dtype
    alpha: bool = False

    @cached_property
    def floats(self) -> NDArray:
        """The pixels as float32, unless they are floats already."""
        return self.x if is_floating(self.x.dtype) else self.x.astype(np.float32)

    @cached_property
    def range(self) -> float:
        """The range of the wanted integer dtype, or of the values that a float image has."""
        if not is_floating(self.wanted):
            limits = np.iinfo(self.wanted)
            return float(limits.max) - float(limits.min)
        return float(self.x.max()) - float(self.x.min()) or 1.0

    @cached_property
    def premultiplied(self) -> NDArray[np.uint8]:
        """The colors times alpha, rounded as Pillow does."""
        alpha = self.x[..., -1:].astype(np.int32)
        product = self.x[..., :-1] * alpha + 128
        return np.concatenate([((product >> 8) + product) >> 8, alpha], axis=-1).astype(np.uint8)


def results(
    candidate: Candidate, plan: Plan, source: Source, windows: Windows | None = None
) -> Iterator[tuple[Candidate, NDArray]]:
    """Yield what a candidate returns, or windows of it, with every finish that leads to the wanted dtype.

    Floats that are to become integers are returned unconverted: `finished` converts them.
    """
    x, wanted = source.x, source.wanted
    is_pillow = candidate.dialect.startswith("pillow")
    if is_pillow and x.dtype in (np.uint16, np.int32):  # modes with rules that the dialect does not cover
        yield replace(candidate, finish="mode"), _in_mode(candidate, plan, x, windows)
        return
    own = plan.arithmetic(x.dtype).result
    if source.alpha and is_pillow and x.dtype == np.uint8 and not plan.is_masked_selection:
        yield replace(candidate, finish="premultiplied"), divide_alpha(_apply(plan, source.premultiplied, windows))
    if plan.is_masked_selection or is_floating(wanted) or (own == wanted and not candidate.in_floats):
        yield candidate, _apply(plan, x, windows).astype(wanted, copy=False)
    if plan.is_masked_selection or is_floating(wanted):
        return
    floats = _apply(plan, x if is_floating(own) else source.floats, windows)
    yield replace(candidate, finish="rounded"), floats
    yield replace(candidate, finish="cut"), floats


def finished(candidate: Candidate, values: NDArray, dtype: np.dtype, theirs: NDArray | None = None) -> NDArray:
    """Return a candidate's values as pixels of a dtype: floats rounded or truncated as its finish says, and clipped.

    Frameworks with the same formula differ in the last bits of floats. Where these decide between two integers, one
    of which is in `theirs`, that one is taken.
    """
    if candidate.finish not in ("rounded", "cut"):
        return values
    limits, round_ = np.iinfo(dtype), np.rint if candidate.finish == "rounded" else np.trunc
    integers: NDArray = np.clip(round_(values), limits.min, limits.max).astype(dtype)
    if theirs is not None:
        slack = ULP * float(np.finfo(np.float32).eps) * limits.max
        low, high = round_(values - slack), round_(values + slack)
        ambiguous = (low != high) & ((theirs == low) | (theirs == high))
        np.copyto(integers, theirs, where=ambiguous)
    return integers


def divide_alpha(premultiplied: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the colors over alpha, truncated, as Pillow does where alpha is neither 0 nor 255."""
    alpha = premultiplied[..., -1:].astype(np.int32)
    colors = premultiplied[..., :-1]
    unchanged = (alpha == 0) | (alpha == 255)
    quotient = np.minimum(255 * colors.astype(np.int32) // np.maximum(alpha, 1), 255)
    return np.concatenate([np.where(unchanged, colors, quotient), alpha], axis=-1).astype(np.uint8)


def _apply(plan: Plan, x: NDArray, windows: Windows | None) -> NDArray:
    typed = plan.for_dtype(x.dtype)
    if windows is None or plan.arithmetic(x.dtype).needs_full_image:
        return crop(np.asarray(typed.apply(x, (0, 1))), windows)
    tiles = [typed.tile(window) for window in windows]
    return np.concatenate([tile.apply(x[inputs], (0, 1), threads=1).reshape(-1, x.shape[-1]) for inputs, tile in tiles])


def _in_mode(candidate: Candidate, plan: Plan, x: NDArray, windows: Windows | None) -> NDArray:
    method, gap = pillow.Resampling[candidate.method.upper()], dict(candidate.options)["reducing_gap"]
    arguments: dict[str, Any] = {"reducing_gap": gap, "dialect": candidate.dialect}
    return crop(pillow.resize(x, plan.output_size[::-1], method, **arguments), windows)
