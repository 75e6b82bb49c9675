"""The pixels that a way to resize makes of an image, whole or in windows, and how far they are from others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..compat import pillow
from ..dialects import is_floating
from ..errors import ArgumentError, UnsupportedError
from ..plan import Plan
from .ways import Way

Windows = list[tuple[slice, slice]]
_ULP = 64  # of the largest number: how far frameworks of one formula are apart in floats, which round on the way


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
    if picture.alpha and way.dialect.startswith("pillow") and x.dtype == np.uint8 and not plan.copies:
        yield replace(way, finish="premultiplied"), divided(_applied(plan, picture.premultiplied, windows))
    if plan.copies or is_floating(wanted) or (own == wanted and not way.in_floats):
        yield way, _applied(plan, x, windows).astype(wanted, copy=False)
    if plan.copies or is_floating(wanted):
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
        slack = _ULP * float(np.finfo(np.float32).eps) * limits.max
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


def cut(image: NDArray, windows: Windows | None) -> NDArray:
    """The pixels of an image, or of windows of it one after the other: an array with channels last.

    >>> cut(np.arange(6).reshape(2, 3, 1), [(slice(0, 1), slice(0, 2)), (slice(1, 2), slice(2, 3))]).ravel()
    array([0, 1, 5])
    """
    if windows is None:
        return image
    return np.concatenate([image[window].reshape(-1, image.shape[-1]) for window in windows])


def _applied(plan: Plan, x: NDArray, windows: Windows | None) -> NDArray:
    seen = plan.at(x.dtype)
    if windows is None or plan.arithmetic(x.dtype).stepwise:  # which goes whole rows only
        return cut(np.asarray(seen.apply(x, (0, 1))), windows)
    tiles = [seen.tile(window) for window in windows]
    return np.concatenate([tile.apply(x[inputs], (0, 1)).reshape(-1, x.shape[-1]) for inputs, tile in tiles])


def _has_mode_of_its_own(way: Way, x: NDArray) -> bool:
    """Whether it takes Pillow's own rules for a mode, which the dialect does not have."""
    if way.dialect == "pillow" and x.dtype == np.uint8:
        return dict(way.options)["reducing_gap"] is not None
    return way.dialect.startswith("pillow") and x.dtype in (np.uint16, np.int32)


def _in_mode(way: Way, plan: Plan, x: NDArray, windows: Windows | None) -> NDArray:
    method, gap = pillow.Resampling[way.method.upper()], dict(way.options)["reducing_gap"]
    newer = replace(way, dialect="pillow").plan(plan.input_size, plan.output_size)  # type: ignore[arg-type]
    if newer.arithmetic(np.dtype(np.float32)).order != plan.arithmetic(np.dtype(np.float32)).order:
        raise UnsupportedError(f"{way.dialect}: {x.dtype} is known with the passes of Pillow 13 only")
    made: NDArray = pillow.resize(x, plan.output_size[::-1], method, reducing_gap=gap)  # type: ignore[arg-type]
    return cut(made, windows)


@dataclass(frozen=True)
class Score:
    """How far two images are apart: pixels that are identical, of how many, the largest difference, and the residual,
    the root of the mean square of the differences. Floats are identical that are as close as rounding leaves them.
    """

    identical: int
    pixels: int
    largest: float
    residual: float

    @property
    def exact(self) -> bool:
        """Whether all pixels are identical."""
        return self.identical == self.pixels

    @property
    def key(self) -> tuple[float, float, float]:
        """What scores are sorted by, the nearest first; a few identical pixels are chance, and do not count."""
        if 100 * self.identical < self.pixels:
            return 0, self.residual, self.largest
        return -self.identical, self.largest, self.residual

    def __add__(self, other: Score) -> Score:
        pixels = self.pixels + other.pixels
        square = (self.residual**2 * self.pixels + other.residual**2 * other.pixels) / pixels
        largest = max(self.largest, other.largest)
        return Score(self.identical + other.identical, pixels, largest, math.sqrt(square))


def score(ours: NDArray, theirs: NDArray, tolerance: float = 0.0) -> Score:
    """How far images of the same shape, channels last, are apart.

    >>> score(np.array([[[1], [2]]], np.uint8), np.array([[[1], [5]]], np.uint8))
    Score(identical=1, pixels=2, largest=3.0, residual=2.1213203435596424)
    """
    kind = np.float64 if is_floating(theirs.dtype) or theirs.dtype.itemsize > 2 else np.int32
    difference = np.abs(ours.astype(kind) - theirs.astype(kind))
    largest = float(difference.max())
    if not math.isfinite(largest):
        raise ArgumentError("the images hold NaN or Inf, which cannot be compared; replace them first")
    identical = int((difference <= tolerance).all(axis=-1).sum())
    square = float(np.square(difference, dtype=np.float64).mean())
    return Score(identical, math.prod(difference.shape[:-1]), largest, math.sqrt(square))


def tolerance(x: NDArray, y: NDArray) -> float:
    """How far floats of one formula may be apart, in images of this range and the coarser of these dtypes: integers 0.

    >>> tolerance(np.ones((2, 2)), np.ones((1, 1), np.float32)) > 1e-6
    True
    """
    if not is_floating(y.dtype):
        return 0.0
    coarser = max(float(np.finfo(one.dtype).eps) for one in (x, y) if one.dtype.kind == "f")
    return _ULP * coarser * max(float(np.abs(x).max()), float(np.abs(y).max()))


def telling(theirs: NDArray, *, side: int = 32, most: int = 4096) -> Windows:
    """Parts of an image that tell ways apart: all of it if it is small, else where it varies most, and a corner.

    They begin at multiples of 16 pixels, as the blocks of JPEG do.

    >>> telling(np.zeros((8, 8, 1))), telling(np.zeros((100, 100, 1)))[1]
    ([(slice(0, 8, None), slice(0, 8, None))], (slice(0, 32, None), slice(64, 100, None)))
    """
    height, width = theirs.shape[:2]
    if height * width <= most:
        return [(slice(0, height), slice(0, width))]
    rows, columns = _spans(height, side), _spans(width, side)

    def variance(window: tuple[slice, slice]) -> float:
        return float(theirs[window].astype(np.float32).var())

    inner = max(itertools.product(rows, columns), key=variance)
    corners = [
        window for window in itertools.product((rows[0], rows[-1]), (columns[0], columns[-1])) if window != inner
    ]
    return [inner, max(corners, key=variance)] if corners else [inner]


def _spans(n: int, side: int) -> list[slice]:
    """An axis in parts of `side`, the last of which is longer."""
    starts = range(0, max(n - side, 0) + 1, side)
    return [slice(start, n if start == starts[-1] else start + side) for start in starts]
