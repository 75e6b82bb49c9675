"""The pixels that a way to resize makes of an image, whole or in windows of it."""

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
from .scores import ULP, Windows, cut
from .ways import Way


@dataclass(frozen=True)
class Picture:
    """An image that ways are tried on: (height, width, channels), of the dtype that its results have to be of, too.

    `alpha` says that the last of its channels is one, which Pillow multiplies the others by.
    """

    x: NDArray
    wanted: np.dtype
    alpha: bool = False

    @cached_property
    def floats(self) -> NDArray:
        """The same numbers in the floats that people resize them in."""
        return self.x if is_floating(self.x.dtype) else self.x.astype(np.float32)

    @cached_property
    def range(self) -> float:
        """The range of its numbers: of all that the wanted dtype has, or of those there are if they are floats."""
        if not is_floating(self.wanted):
            limits = np.iinfo(self.wanted)
            return float(limits.max) - float(limits.min)
        return float(self.x.max()) - float(self.x.min()) or 1.0

    @cached_property
    def premultiplied(self) -> NDArray[np.uint8]:
        """Colours times alpha, as Pillow rounds them."""
        alpha = self.x[..., -1:].astype(np.int32)
        product = self.x[..., :-1] * alpha + 128
        return np.concatenate([((product >> 8) + product) >> 8, alpha], axis=-1).astype(np.uint8)


def results(way: Way, plan: Plan, picture: Picture, windows: Windows | None = None) -> Iterator[tuple[Way, NDArray]]:
    """What a way gives, or windows of that, for every finish that makes the wanted dtype of it, the usual first.

    Floats that are to be made whole are given as they are: `whole` does that.

    >>> from .ways import all_ways
    >>> way, plan = list(all_ways((2, 2), (1, 1), ["skimage"]))[1]
    >>> picture = Picture(np.array([[[0], [3]], [[1], [5]]], np.uint8), np.dtype(np.uint8))
    >>> [(one.finish, made.item()) for one, made in results(way, plan, picture)]
    [('rounded', 2.25), ('cut', 2.25)]
    """
    x, wanted = picture.x, picture.wanted
    if _has_mode_of_its_own(way, x):
        yield replace(way, finish="mode"), _in_mode(way, plan, x, windows)
        return
    own = plan.arithmetic(x.dtype).result
    if picture.alpha and way.dialect.startswith("pillow") and x.dtype == np.uint8 and not plan.is_masked_selection:
        yield replace(way, finish="premultiplied"), divided(_applied(plan, picture.premultiplied, windows))
    if plan.is_masked_selection or is_floating(wanted) or (own == wanted and not way.in_floats):
        yield way, _applied(plan, x, windows).astype(wanted, copy=False)
    if plan.is_masked_selection or is_floating(wanted):
        return
    floats = _applied(plan, x if is_floating(own) else picture.floats, windows)
    yield replace(way, finish="rounded"), floats
    yield replace(way, finish="cut"), floats


def whole(way: Way, made: NDArray, dtype: np.dtype, theirs: NDArray | None = None) -> NDArray:
    """What a way gave as pixels of a dtype: floats as its finish makes them whole, and kept in range.

    Frameworks of one formula differ in the last bits of floats. Where these decide between two whole numbers, and
    one of them is what `theirs` has, it is taken.

    >>> cut_off = Way("jax", "linear", True, finish="cut")
    >>> whole(cut_off, np.array([-3.0, 2.7, 99.99999]), np.dtype(np.uint8)).tolist()
    [0, 2, 99]
    >>> whole(cut_off, np.array([-3.0, 2.7, 99.99999]), np.dtype(np.uint8), np.uint8([0, 3, 100])).tolist()
    [0, 2, 100]
    """
    if way.finish not in ("rounded", "cut"):
        return made
    limits, round_ = np.iinfo(dtype), np.rint if way.finish == "rounded" else np.trunc
    kept: NDArray = np.clip(round_(made), limits.min, limits.max).astype(dtype)
    if theirs is not None:
        slack = ULP * float(np.finfo(np.float32).eps) * limits.max
        low, high = round_(made - slack), round_(made + slack)
        unsure = (low != high) & ((theirs == low) | (theirs == high))
        np.copyto(kept, theirs, where=unsure)
    return kept


def divided(premultiplied: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colours over alpha, cut off, as Pillow does where alpha is neither 0 nor full.

    >>> divided(np.array([[[50, 128]]], np.uint8))
    array([[[ 99, 128]]], dtype=uint8)
    """
    alpha = premultiplied[..., -1:].astype(np.int32)
    colours = premultiplied[..., :-1]
    plain = (alpha == 0) | (alpha == 255)
    quotient = np.minimum(255 * colours.astype(np.int32) // np.maximum(alpha, 1), 255)
    return np.concatenate([np.where(plain, colours, quotient), alpha], axis=-1).astype(np.uint8)


def _applied(plan: Plan, x: NDArray, windows: Windows | None) -> NDArray:
    seen = plan.for_dtype(x.dtype)
    if windows is None or plan.arithmetic(x.dtype).needs_full_image:
        return cut(np.asarray(seen.apply(x, (0, 1))), windows)
    tiles = [seen.tile(window) for window in windows]
    return np.concatenate([tile.apply(x[inputs], (0, 1), threads=1).reshape(-1, x.shape[-1]) for inputs, tile in tiles])


def _has_mode_of_its_own(way: Way, x: NDArray) -> bool:
    """Whether it takes Pillow's own rules for a mode, which the dialect does not have."""
    return way.dialect.startswith("pillow") and x.dtype in (np.uint16, np.int32)


def _in_mode(way: Way, plan: Plan, x: NDArray, windows: Windows | None) -> NDArray:
    method, gap = pillow.Resampling[way.method.upper()], dict(way.options)["reducing_gap"]
    words: dict[str, Any] = {"reducing_gap": gap, "dialect": way.dialect}
    return cut(pillow.resize(x, plan.output_size[::-1], method, **words), windows)
