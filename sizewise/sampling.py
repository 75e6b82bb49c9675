"""The bricks that dialects are built from: coordinates, and the ways to turn them into taps.

Each brick does one thing for one axis. A dialect with a habit of its own writes it in its own file; no brick
grows a flag for one framework.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .filters import Filter
from .filters import cubic as convolution
from .memory_limits import require_memory
from .taps import Taps

if TYPE_CHECKING:
    from numpy.typing import NDArray

Real = type[np.float32] | type[np.float64]

# Building a table of weights holds up to this many numbers at once: for each tap distances, weights, masks, places and
# copies of some; and for each output its coordinates.
_NUMBERS_PER_TAP = 12
_NUMBERS_PER_OUTPUT = 16


def require_room(n_out: int, width: int) -> None:
    """Refuses a table of weights that cannot fit in memory while it is made.

    >>> require_room(1000, 4)
    """
    n_bytes = 8 * n_out * (width * _NUMBERS_PER_TAP + _NUMBERS_PER_OUTPUT)
    require_memory(n_bytes, "a table of {:,} weights for each of {:,} outputs", width, n_out)


def identity(n: int) -> Taps:
    """Taps that copy an axis of length n.

    >>> identity(3).is_identity
    True
    """
    return pick(n, np.arange(n))


def pick(n_in: int, index: NDArray[np.integer]) -> Taps:
    """Taps that read one input each; indices outside the axis read its nearest end.

    >>> pick(3, np.array([-1, 1, 7])).start
    array([0, 1, 2])
    """
    return Taps(n_in, np.minimum(np.maximum(index, 0), n_in - 1), np.ones((len(index), 1)))


def ratio(n_in: int, n_out: int, *, corners: bool, real: Real) -> np.floating:
    """Input pixels per output pixel, in one division of the given precision.

    With `corners` the first and last pixel centres fall on each other (an output of one pixel has no corners).

    >>> float(ratio(4, 7, corners=True, real=np.float64))
    0.5
    """
    if corners and n_out > 1:
        return real(real(n_in - 1) / real(n_out - 1))
    return real(real(n_in) / real(n_out))


def grid(n_out: int, step: np.floating, *, offset: float = 0.0) -> NDArray[np.floating]:
    """(o + offset) * step for each output index o, every step rounded to the precision of `step`.

    >>> grid(3, np.float64(2.0), offset=0.5)
    array([1., 3., 5.])
    """
    real = type(step)
    coordinates: NDArray[np.floating] = (np.arange(n_out).astype(real) + real(offset)) * step
    return coordinates


def fused(n_out: int, step: np.floating) -> NDArray[np.floating]:
    """(o + 0.5) * step - 0.5 for each output index o, rounded once, as a fused multiply-add does.

    >>> fused(3, np.float64(2.0))
    array([0.5, 2.5, 4.5])
    """
    o = np.arange(n_out) + 0.5
    high = np.float64(np.float32(step))  # step in two parts, whose products with o are exact
    coordinates: NDArray[np.floating] = ((o * high - 0.5) + o * (np.float64(step) - high)).astype(type(step))
    return coordinates


def walked(n_out: int, step: float, *, start: float = 0.0) -> NDArray[np.float64]:
    """The centres of the output pixels from `start` on, as a loop finds them that adds `step` again and again.

    >>> float(walked(7, 2 / 7)[3]), 3.5 * (2 / 7)  # where the border of two pixels lies, and another one is picked
    (0.9999999999999999, 1.0)
    """
    steps = np.full(n_out, step)
    steps[0] = start + 0.5 * step
    return np.cumsum(steps)


def half_up(x: NDArray[np.floating]) -> NDArray[np.int64]:
    """The nearest whole number, ties up: JavaScript's Math.round, and C's roundf where x is not negative.

    Never floor(x + 0.5): the sum rounds, and the number just below one half would become 1.

    >>> half_up(np.array([0.49999999999999994, 0.5, 1.5]))
    array([0, 1, 2])
    """
    low = np.floor(x)
    nearest: NDArray[np.int64] = (low + (x - low >= 0.5)).astype(np.int64)
    return nearest


def between(n_in: int, low: NDArray, high: NDArray, fraction: NDArray) -> Taps:
    """Linear interpolation: 1 - fraction of `low` and fraction of `high`, both clamped to the axis.

    >>> between(2, np.array([0, 1]), np.array([1, 2]), np.array([0.25, 0.5])).dense()
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    n_out = len(low)
    require_room(n_out, 2)
    t = fraction.astype(np.float64)
    row = np.arange(n_out)
    column = np.clip(np.concatenate([low, high]).astype(np.int64), 0, n_in - 1)
    return Taps.from_entries(n_in, n_out, np.tile(row, 2), column, np.concatenate([1.0 - t, t]))


def cubic(n_in: int, low: NDArray, fraction: NDArray, a: float) -> Taps:
    """Cubic convolution over four taps from low - 1 on, clamped to the axis.

    >>> cubic(4, np.array([0]), np.array([0.5]), -0.75).dense()
    array([[ 0.5    ,  0.59375, -0.09375,  0.     ]])
    """
    return clamped(n_in, low.astype(np.int64) - 1, cubic_weights(fraction, a))


def cubic_weights(fraction: NDArray, a: float) -> NDArray[np.float64]:
    """The four weights of cubic convolution (Keys, 1981) with slope `a`; the last is what the others leave of 1.

    >>> cubic_weights(np.array([0.5]), -0.75)
    array([[-0.09375,  0.59375,  0.59375, -0.09375]])
    """
    require_room(len(fraction), 4)
    t = fraction.astype(np.float64)
    near, middle, far = (convolution(0.0, -a)(distance) for distance in (t + 1.0, t, 1.0 - t))
    return np.stack([near, middle, far, 1.0 - near - middle - far], axis=1)


def clamped(n_in: int, first: NDArray[np.integer], weights: NDArray[np.float64]) -> Taps:
    """Taps from `first` on, one column of weights after the other; those outside the axis read its nearest end.

    >>> clamped(3, np.array([-1, 1]), np.array([[0.25, 0.75], [0.5, 0.5]])).dense()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0.5]])
    """
    n_out, width = weights.shape
    require_room(n_out, width)
    column = np.clip(np.asarray(first, np.int64)[:, None] + np.arange(width), 0, n_in - 1)
    place = column - column[:, :1] + width * np.arange(n_out)[:, None]  # in the table of weights, row after row
    table = np.bincount(place.ravel(), weights.ravel(), n_out * width)
    return Taps(n_in, column[:, 0], table.reshape(n_out, width))


def inside(n_in: int, first: NDArray[np.integer], weights: NDArray[np.float64]) -> Taps:
    """Taps from `first` on, like `clamped`; those outside the axis are left out, and the others divided by their sum.

    A row of which nothing is left is empty.

    >>> inside(3, np.array([-1, 1, 3]), np.array([[0.25, 0.5], [0.5, 0.5], [0.5, 0.5]])).dense()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0.5],
           [0. , 0. , 0. ]])
    """
    require_room(*weights.shape)
    v = np.asarray(first, np.int64)[:, None] + np.arange(weights.shape[1])
    kept = np.where((v >= 0) & (v < n_in), weights, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    return clamped(n_in, first, np.divide(kept, total, out=np.zeros_like(kept), where=total != 0))


def only(taps: Taps, rows: NDArray[np.bool_]) -> Taps:
    """The same taps where `rows` is True; the other outputs read nothing.

    >>> only(identity(2), np.array([False, True])).dense()
    array([[0., 0.],
           [0., 1.]])
    """
    return taps if rows.all() else Taps(taps.n_in, taps.start, np.where(rows[:, None], taps.weights, 0.0))


def mirrored(n_in: int, first: NDArray, weights: NDArray[np.float64], *, repeat: bool) -> Taps:
    """Taps from `first` on, one column of weights after the other; outside the axis they read its mirror image.

    With `repeat` the mirror stands behind the last pixel, which is read again; without it, on that pixel.

    >>> mirrored(3, np.array([-1]), np.array([[0.25, 0.75]]), repeat=False).dense()
    array([[0.75, 0.25, 0.  ]])
    >>> mirrored(3, np.array([-1]), np.array([[0.25, 0.75]]), repeat=True).dense()
    array([[1., 0., 0.]])
    """
    n_out, width = weights.shape
    require_room(n_out, width)
    last = 2 * n_in - 1 if repeat else 2 * n_in - 2  # of there and back
    place = (first.astype(np.int64)[:, None] + np.arange(width)) % max(last + repeat, 1)
    column = np.minimum(place, last - place)
    return Taps.from_entries(n_in, n_out, np.repeat(np.arange(n_out), width), column.ravel(), weights.ravel())


def convolved(weights: NDArray[np.float64], kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of weights, each convolved with a kernel: what reads a signal that the kernel has smoothed before.

    >>> convolved(np.array([[0.5, 0.5]]), np.array([0.25, 0.5, 0.25]))
    array([[0.125, 0.375, 0.375, 0.125]])
    """
    n_out, width = weights.shape
    require_room(n_out, width + len(kernel) - 1)
    table = np.zeros((n_out, width + len(kernel) - 1))
    for column in range(width):
        table[:, column : column + len(kernel)] += weights[:, column : column + 1] * kernel
    return table


def centred(n_in: int, n_out: int) -> NDArray[np.int64]:
    """The input pixel that holds the centre of each output pixel, in exact integers.

    A centre on the border between two pixels belongs to the upper one.

    >>> centred(5, 3)
    array([0, 2, 4])
    """
    o = np.arange(n_out, dtype=np.int64)
    return (2 * o + 1) * n_in // (2 * n_out)


def windowed(n_in: int, n_out: int, kernel: Filter, *, antialias: bool) -> Taps:
    """A filter centred on each output pixel, cut off at the image and normalised to sum 1.

    With `antialias` an axis that shrinks widens the filter by n_in / n_out. Distances are whole numbers over a
    common denominator, rounded once, so that the two ends of an axis mirror each other exactly.

    >>> from sizewise import filters
    >>> windowed(4, 2, filters.get("bilinear"), antialias=True).dense().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429]])
    """
    wide = antialias and n_out < n_in
    half = kernel.support * (n_in / n_out if wide else 1.0)  # half the window, in input pixels
    width = min(int(np.ceil(2 * half)) + 2, n_in)
    require_room(n_out, width)
    o = np.arange(-(-n_out // 2), dtype=np.int64)  # the first half: the other one is its mirror image
    centre = (2 * o + 1) * n_in / (2 * n_out)  # in pixel edges: pixel v covers v .. v + 1
    start = np.clip(np.floor(centre - half).astype(np.int64), 0, n_in - width)
    first = (2 * start + 1) * n_out - (2 * o + 1) * n_in  # times 2 * n_out input pixels
    distance = first[:, None] + 2 * n_out * np.arange(width)
    weights = kernel(distance / (2.0 * (n_in if wide else n_out)))
    weights /= weights.sum(axis=1, keepdims=True)
    others = slice(n_out // 2 - 1, None, -1) if n_out > 1 else slice(0)
    start = np.append(start, n_in - width - start[others])
    return Taps(n_in, start, np.concatenate([weights, weights[others, ::-1]]))


def around(
    n_in: int,
    centre: NDArray[np.floating],
    support: float,
    stretch: np.floating,
    kernel: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Taps:
    """A filter of that support, `stretch` times as wide, around each centre (in pixel edges), normalised to sum 1.

    Reads the pixels inside the image whose own centre lies within the filter. Each step rounds as a C loop does whose
    variables have the precision of `stretch` and whose halves are doubles.

    >>> from sizewise import filters
    >>> around(4, np.array([1.0, 3.0]), 1.0, np.float64(2.0), filters.get("bilinear")).dense().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429]])
    """
    real = type(stretch)
    reach = real(support) * stretch
    first = np.maximum(((centre - reach) + np.float64(0.5)).astype(np.int64), 0)  # the cast cuts off, as in C
    stop = np.minimum(((centre + reach) + np.float64(0.5)).astype(np.int64), n_in)
    width = int((stop - first).max())
    require_room(len(centre), width)
    v = first[:, None] + np.arange(width)
    distance = ((v.astype(real) - centre[:, None]) + np.float64(0.5)) * np.float64(real(1.0) / stretch)
    weights = np.where(v < stop[:, None], kernel(distance.astype(real).astype(np.float64)), 0.0)
    start = np.minimum(first, n_in - width)
    total = np.cumsum(weights, axis=1)[:, -1:]  # added from left to right, as a loop does
    return Taps(n_in, start, _moved(weights / total, first - start))


def spread(n_in: int, x: NDArray[np.floating], kernel: Filter, stretch: np.floating) -> Taps:
    """A filter, `stretch` times as wide, around each coordinate x (0 is the first pixel's centre), normalised to sum 1.

    Reads the pixels inside the image. An output whose coordinate lies outside the image reads nothing. Distances have
    the precision of `stretch`.

    >>> from sizewise import filters
    >>> spread(4, np.array([0.5, 2.5, 4.5]), filters.get("bilinear"), np.float64(2.0)).dense().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429],
           [0.   , 0.   , 0.   , 0.   ]])
    """
    real = type(stretch)
    half = kernel.support * float(stretch)
    width = min(int(np.ceil(2 * half)) + 2, n_in)
    require_room(len(x), width)
    exact = np.asarray(x, np.float64)[:, None]
    start = np.clip(np.floor(exact - half), 0, n_in - width).astype(np.int64)
    distance = (start + np.arange(width) - exact).astype(real) * (real(1.0) / stretch)
    inside = (exact >= -0.5) & (exact <= n_in - 0.5)
    weights = np.where(inside, kernel(distance.astype(np.float64)), 0.0)
    total = np.where(inside, weights.sum(axis=1, keepdims=True), 1.0)
    return Taps(n_in, start[:, 0], weights / total)


def window(
    centre: NDArray[np.floating],
    support: float,
    stretch: np.floating,
    kernel: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A filter of that support, `stretch` times as wide, around each centre (in pixel edges), normalised to sum 1.

    Gives the first pixel of each output, which may lie outside the image, and its weights, for `clamped` and `inside`.
    Each step rounds to the precision of `stretch`.

    >>> from sizewise import filters
    >>> first, weights = window(np.array([1.0]), 1.0, np.float64(2.0), filters.get("bilinear"))
    >>> first, weights
    (array([-1]), array([[0.125, 0.375, 0.375, 0.125]]))
    """
    real = type(stretch)
    reach, half = real(support) * stretch, real(0.5)
    first = np.floor((centre - reach) + half).astype(np.int64)
    stop = np.floor((centre + reach) + half).astype(np.int64)
    width = int((stop - first).max())
    require_room(len(centre), width)
    v = first[:, None] + np.arange(width)
    distance = ((v.astype(real) - centre[:, None]) + half) * (real(1.0) / stretch)
    weights = np.where(v < stop[:, None], kernel(distance.astype(np.float64)), 0.0)
    return first, weights / weights.sum(axis=1, keepdims=True)


def _moved(weights: NDArray[np.float64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each row moved to the right by so many columns; what leaves the table is 0."""
    column = np.arange(weights.shape[1]) - right[:, None]
    return np.where(column >= 0, np.take_along_axis(weights, np.maximum(column, 0), 1), 0.0)


def pooled(n_in: int, n_out: int) -> Taps:
    """Adaptive average pooling: the mean of all pixels that an output pixel touches, however little.

    >>> pooled(3, 2).dense()
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0.5]])
    """
    o = np.arange(n_out, dtype=np.int64)
    start, stop = o * n_in // n_out, -(-(o + 1) * n_in // n_out)
    count = stop - start
    width = int(count.max())
    require_room(n_out, width)
    share = (np.arange(width) < count[:, None]) / count[:, None]
    moved = np.minimum(start, n_in - width)
    return Taps(n_in, moved, _moved(share, start - moved))


def blocks(n_in: int, first: int, stop: int, length: int) -> Taps:
    """The means of blocks of that length from pixel `first` on; the one that holds pixel stop - 1 may be shorter.

    >>> blocks(6, 1, 6, 2).dense()
    array([[0. , 0.5, 0.5, 0. , 0. , 0. ],
           [0. , 0. , 0. , 0.5, 0.5, 0. ],
           [0. , 0. , 0. , 0. , 0. , 1. ]])
    """
    start = np.arange(first, stop, length)
    count = np.minimum(stop - start, length)[:, None]
    return Taps(n_in, start, (np.arange(length) < count) / count)


def overlap(n_in: int, n_out: int) -> Taps:
    """The share of each output pixel's area that each input pixel covers, in exact integers until one division.

    >>> overlap(3, 2).dense().round(3)
    array([[0.667, 0.333, 0.   ],
           [0.   , 0.333, 0.667]])
    """
    o = np.arange(n_out, dtype=np.int64)
    left, right = o * n_in, (o + 1) * n_in  # edges of the output pixel, in units of 1 / n_out input pixel
    start = left // n_out
    width = int((-(-right // n_out) - start).max())
    require_room(n_out, width)
    start = np.clip(start, 0, n_in - width)
    v = start[:, None] + np.arange(width)
    covered = np.minimum((v + 1) * n_out, right[:, None]) - np.maximum(v * n_out, left[:, None])
    common = np.gcd(n_in, n_out)
    return Taps(n_in, start, np.maximum(covered, 0) / n_in, np.full(n_out, n_in // common))
