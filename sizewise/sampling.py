"""Building blocks of dialects: coordinates of outputs along one axis, and taps at these coordinates.

Behavior of a single framework belongs in the file of its dialect, not in a flag here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .filters import Filter
from .filters import cubic as convolution
from .memory_limits import MIN_CHECKED_BYTES, require_memory
from .taps import Taps

if TYPE_CHECKING:
    from numpy.typing import NDArray

Real = type[np.float32] | type[np.float64]

# Peak number of 8-byte elements while a table of weights is built: distances, weights, masks, indices and copies for
# each tap, coordinates for each output.
_ELEMENTS_PER_TAP = 12
_ELEMENTS_PER_OUTPUT = 16


def require_weights_memory(n_out: int, width: int) -> None:
    """Raise ArgumentError if building a table of weights does not fit in memory.

    >>> require_weights_memory(1000, 4)
    """
    n_bytes = 8 * n_out * (width * _ELEMENTS_PER_TAP + _ELEMENTS_PER_OUTPUT)
    if n_bytes > MIN_CHECKED_BYTES:
        require_memory(n_bytes, "a table of {:,} weights for each of {:,} outputs", width, n_out)


def identity(n: int) -> Taps:
    """Return taps that copy an axis of length n.

    >>> identity(3).is_identity
    True
    """
    return nearest(n, np.arange(n))


def nearest(n_in: int, index: NDArray[np.integer]) -> Taps:
    """Return taps that copy one input each; indices outside the axis are clamped to it.

    >>> nearest(3, np.array([-1, 1, 7])).start
    array([0, 1, 2])
    """
    return Taps(n_in, np.minimum(np.maximum(index, 0), n_in - 1), np.ones((len(index), 1)))


def step_size(n_in: int, n_out: int, *, corners: bool, real: Real) -> np.floating:
    """Return input pixels per output pixel, from one division in the given precision.

    With `corners` the centers of the first and last pixels are aligned, unless the output has only one pixel.

    >>> float(step_size(4, 7, corners=True, real=np.float64))
    0.5
    """
    if corners and n_out > 1:
        return real(real(n_in - 1) / real(n_out - 1))
    return real(real(n_in) / real(n_out))


def grid(n_out: int, step: np.floating, *, offset: float = 0.0) -> NDArray[np.floating]:
    """Return (o + offset) * step for each output o; each operation rounds to the precision of `step`.

    >>> grid(3, np.float64(2.0), offset=0.5)
    array([1., 3., 5.])
    """
    real = type(step)
    coordinates: NDArray[np.floating] = (np.arange(n_out).astype(real) + real(offset)) * step
    return coordinates


def fma_grid(n_out: int, step: np.floating) -> NDArray[np.floating]:
    """Return (o + 0.5) * step - 0.5 for each output o, rounded once like a fused multiply-add.

    >>> fma_grid(3, np.float64(2.0))
    array([0.5, 2.5, 4.5])
    """
    o = np.arange(n_out) + 0.5
    high = np.float64(np.float32(step))  # split the step: products of its parts with o are exact
    coordinates: NDArray[np.floating] = ((o * high - 0.5) + o * (np.float64(step) - high)).astype(type(step))
    return coordinates


def accumulated_grid(n_out: int, step: float, *, start: float = 0.0) -> NDArray[np.float64]:
    """Return the centers of output pixels from `start` on, as a loop that accumulates `step` rounds them.

    >>> float(accumulated_grid(7, 2 / 7)[3]), 3.5 * (2 / 7)  # on the border of two pixels
    (0.9999999999999999, 1.0)
    """
    steps = np.full(n_out, step)
    steps[0] = start + 0.5 * step
    return np.cumsum(steps)


def round_half_up(x: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the nearest integers, ties up: JavaScript's Math.round, and C's roundf for x >= 0.

    floor(x + 0.5) is not the same: the sum rounds, so that the float just below one half would become 1.

    >>> round_half_up(np.array([0.49999999999999994, 0.5, 1.5]))
    array([0, 1, 2])
    """
    low = np.floor(x)
    rounded: NDArray[np.int64] = (low + (x - low >= 0.5)).astype(np.int64)
    return rounded


def linear(n_in: int, low: NDArray, high: NDArray, fraction: NDArray) -> Taps:
    """Return taps of linear interpolation: (1 - fraction) * low + fraction * high, both clamped to the axis.

    >>> linear(2, np.array([0, 1]), np.array([1, 2]), np.array([0.25, 0.5])).dense()
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    n_out = len(low)
    require_weights_memory(n_out, 2)
    t = fraction.astype(np.float64)
    row = np.arange(n_out)
    column = np.clip(np.concatenate([low, high]).astype(np.int64), 0, n_in - 1)
    return Taps.from_entries(n_in, n_out, np.tile(row, 2), column, np.concatenate([1.0 - t, t]))


def cubic(n_in: int, low: NDArray, fraction: NDArray, a: float) -> Taps:
    """Return the four taps of cubic convolution from low - 1 on, clamped to the axis.

    >>> cubic(4, np.array([0]), np.array([0.5]), -0.75).dense()
    array([[ 0.5    ,  0.59375, -0.09375,  0.     ]])
    """
    return clamp_outside(n_in, low.astype(np.int64) - 1, cubic_weights(fraction, a))


def cubic_weights(fraction: NDArray, a: float) -> NDArray[np.float64]:
    """Return the four weights of cubic convolution (Keys, 1981) with slope `a`; the last is 1 minus the others.

    >>> cubic_weights(np.array([0.5]), -0.75)
    array([[-0.09375,  0.59375,  0.59375, -0.09375]])
    """
    require_weights_memory(len(fraction), 4)
    t = fraction.astype(np.float64)
    near, middle, far = (convolution(0.0, -a)(distance) for distance in (t + 1.0, t, 1.0 - t))
    return np.stack([near, middle, far, 1.0 - near - middle - far], axis=1)


def clamp_outside(n_in: int, first: NDArray[np.integer], weights: NDArray[np.float64]) -> Taps:
    """Return taps at first, first + 1, ..., one per column of weights; those outside the axis read its nearest end.

    >>> clamp_outside(3, np.array([-1, 1]), np.array([[0.25, 0.75], [0.5, 0.5]])).dense()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0.5]])
    """
    n_out, width = weights.shape
    require_weights_memory(n_out, width)
    column = np.clip(np.asarray(first, np.int64)[:, None] + np.arange(width), 0, n_in - 1)
    index = column - column[:, :1] + width * np.arange(n_out)[:, None]  # into the flat table of weights
    table = np.bincount(index.ravel(), weights.ravel(), n_out * width)
    return Taps(n_in, column[:, 0], table.reshape(n_out, width))


def drop_outside(n_in: int, first: NDArray[np.integer], weights: NDArray[np.float64]) -> Taps:
    """Return taps like `clamp_outside`, but drop those outside the axis and divide the others by their sum.

    A row without taps inside the axis is empty.

    >>> drop_outside(3, np.array([-1, 1, 3]), np.array([[0.25, 0.5], [0.5, 0.5], [0.5, 0.5]])).dense()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0.5],
           [0. , 0. , 0. ]])
    """
    require_weights_memory(*weights.shape)
    v = np.asarray(first, np.int64)[:, None] + np.arange(weights.shape[1])
    inside = np.where((v >= 0) & (v < n_in), weights, 0.0)
    total = inside.sum(axis=1, keepdims=True)
    return clamp_outside(n_in, first, np.divide(inside, total, out=np.zeros_like(inside), where=total != 0))


def mask_rows(taps: Taps, rows: NDArray[np.bool_]) -> Taps:
    """Return the taps with the outputs where `rows` is False emptied.

    >>> mask_rows(identity(2), np.array([False, True])).dense()
    array([[0., 0.],
           [0., 1.]])
    """
    return taps if rows.all() else Taps(taps.n_in, taps.start, np.where(rows[:, None], taps.weights, 0.0))


def mirror_outside(n_in: int, first: NDArray, weights: NDArray[np.float64], *, repeat: bool) -> Taps:
    """Return taps like `clamp_outside`, but reflect those outside the axis.

    With `repeat` the edge pixel is read again (NumPy's "symmetric"); without, it is not ("reflect").

    >>> mirror_outside(3, np.array([-1]), np.array([[0.25, 0.75]]), repeat=False).dense()
    array([[0.75, 0.25, 0.  ]])
    >>> mirror_outside(3, np.array([-1]), np.array([[0.25, 0.75]]), repeat=True).dense()
    array([[1., 0., 0.]])
    """
    n_out, width = weights.shape
    require_weights_memory(n_out, width)
    last = 2 * n_in - 1 if repeat else 2 * n_in - 2  # of the axis followed by its mirror image
    index = (first.astype(np.int64)[:, None] + np.arange(width)) % max(last + repeat, 1)
    column = np.minimum(index, last - index)
    return Taps.from_entries(n_in, n_out, np.repeat(np.arange(n_out), width), column.ravel(), weights.ravel())


def convolve_rows(weights: NDArray[np.float64], kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row of weights convolved with a kernel, which blurs the input before it is read.

    >>> convolve_rows(np.array([[0.5, 0.5]]), np.array([0.25, 0.5, 0.25]))
    array([[0.125, 0.375, 0.375, 0.125]])
    """
    n_out, width = weights.shape
    require_weights_memory(n_out, width + len(kernel) - 1)
    table = np.zeros((n_out, width + len(kernel) - 1))
    for column in range(width):
        table[:, column : column + len(kernel)] += weights[:, column : column + 1] * kernel
    return table


def center_index(n_in: int, n_out: int) -> NDArray[np.int64]:
    """Return the input pixel that contains the center of each output pixel, in exact integers.

    A center on the border between two pixels belongs to the upper one.

    >>> center_index(5, 3)
    array([0, 2, 4])
    """
    o = np.arange(n_out, dtype=np.int64)
    return (2 * o + 1) * n_in // (2 * n_out)


def filter_exact(n_in: int, n_out: int, kernel: Filter, *, antialias: bool) -> Taps:
    """Return a filter centered on each output pixel, cropped to the image and normalized to sum 1.

    With `antialias`, downscaling widens the filter by n_in / n_out. Distances are integers over a common denominator,
    rounded once, so that the two ends of an axis mirror each other exactly.

    >>> from sizewise import filters
    >>> filter_exact(4, 2, filters.get("bilinear"), antialias=True).dense().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429]])
    """
    wide = antialias and n_out < n_in
    half = kernel.support * (n_in / n_out if wide else 1.0)  # half the width, in input pixels
    width = min(int(np.ceil(2 * half)) + 2, n_in)
    require_weights_memory(n_out, width)
    o = np.arange(-(-n_out // 2), dtype=np.int64)  # the first half, of which the second is the mirror image
    center = (2 * o + 1) * n_in / (2 * n_out)  # pixel v covers v .. v + 1
    start = np.clip(np.floor(center - half).astype(np.int64), 0, n_in - width)
    first = (2 * start + 1) * n_out - (2 * o + 1) * n_in  # distance times 2 * n_out
    distance = first[:, None] + 2 * n_out * np.arange(width)
    weights = kernel(distance / (2.0 * (n_in if wide else n_out)))
    weights /= weights.sum(axis=1, keepdims=True)
    others = slice(n_out // 2 - 1, None, -1) if n_out > 1 else slice(0)
    start = np.append(start, n_in - width - start[others])
    return Taps(n_in, start, np.concatenate([weights, weights[others, ::-1]]))


def filter_edges(
    n_in: int,
    center: NDArray[np.floating],
    support: float,
    stretch: np.floating,
    kernel: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Taps:
    """Return a filter, widened by `stretch`, around each center, where pixel v covers v .. v + 1; normalized to sum 1.

    Reads the pixels inside the image whose centers lie within the filter. Rounds like a C loop with variables of the
    precision of `stretch` and 0.5 as a double.

    >>> from sizewise import filters
    >>> filter_edges(4, np.array([1.0, 3.0]), 1.0, np.float64(2.0), filters.get("bilinear")).dense().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429]])
    """
    real = type(stretch)
    reach = real(support) * stretch
    first = np.maximum(((center - reach) + np.float64(0.5)).astype(np.int64), 0)  # the cast truncates, as in C
    stop = np.minimum(((center + reach) + np.float64(0.5)).astype(np.int64), n_in)
    width = int((stop - first).max())
    require_weights_memory(len(center), width)
    v = first[:, None] + np.arange(width)
    distance = ((v.astype(real) - center[:, None]) + np.float64(0.5)) * np.float64(real(1.0) / stretch)
    weights = np.where(v < stop[:, None], kernel(distance.astype(real).astype(np.float64)), 0.0)
    start = np.minimum(first, n_in - width)
    total = np.cumsum(weights, axis=1)[:, -1:]  # summed from left to right, like a loop
    return Taps(n_in, start, _shift_rows(weights / total, first - start))


def filter_centers(n_in: int, x: NDArray[np.floating], kernel: Filter, stretch: np.floating) -> Taps:
    """Return a filter, widened by `stretch`, around each x, where pixel v is centered at v; normalized to sum 1.

    Reads the pixels inside the image. Outputs outside the image are empty. Distances have the precision of `stretch`.

    >>> from sizewise import filters
    >>> filter_centers(4, np.array([0.5, 2.5, 4.5]), filters.get("bilinear"), np.float64(2.0)).dense().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429],
           [0.   , 0.   , 0.   , 0.   ]])
    """
    real = type(stretch)
    half = kernel.support * float(stretch)
    width = min(int(np.ceil(2 * half)) + 2, n_in)
    require_weights_memory(len(x), width)
    exact = np.asarray(x, np.float64)[:, None]
    start = np.clip(np.floor(exact - half), 0, n_in - width).astype(np.int64)
    distance = (start + np.arange(width) - exact).astype(real) * (real(1.0) / stretch)
    inside = (exact >= -0.5) & (exact <= n_in - 0.5)
    weights = np.where(inside, kernel(distance.astype(np.float64)), 0.0)
    total = np.where(inside, weights.sum(axis=1, keepdims=True), 1.0)
    return Taps(n_in, start[:, 0], weights / total)


def filter_window(
    center: NDArray[np.floating],
    support: float,
    stretch: np.floating,
    kernel: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return first pixels and weights of a filter, widened by `stretch`, around each center; normalized to sum 1.

    Pixel v covers v .. v + 1. Pixels may lie outside the image: for `clamp_outside` and `drop_outside`. Each operation
    rounds to the precision of `stretch`.

    >>> from sizewise import filters
    >>> first, weights = filter_window(np.array([1.0]), 1.0, np.float64(2.0), filters.get("bilinear"))
    >>> first, weights
    (array([-1]), array([[0.125, 0.375, 0.375, 0.125]]))
    """
    real = type(stretch)
    reach, half = real(support) * stretch, real(0.5)
    first = np.floor((center - reach) + half).astype(np.int64)
    stop = np.floor((center + reach) + half).astype(np.int64)
    width = int((stop - first).max())
    require_weights_memory(len(center), width)
    v = first[:, None] + np.arange(width)
    distance = ((v.astype(real) - center[:, None]) + half) * (real(1.0) / stretch)
    weights = np.where(v < stop[:, None], kernel(distance.astype(np.float64)), 0.0)
    return first, weights / weights.sum(axis=1, keepdims=True)


def _shift_rows(weights: NDArray[np.float64], shift: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each row shifted to the right, filled with 0."""
    column = np.arange(weights.shape[1]) - shift[:, None]
    return np.where(column >= 0, np.take_along_axis(weights, np.maximum(column, 0), 1), 0.0)


def adaptive_mean(n_in: int, n_out: int) -> Taps:
    """Return taps of adaptive average pooling: the mean of all pixels that an output pixel overlaps.

    >>> adaptive_mean(3, 2).dense()
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0.5]])
    """
    o = np.arange(n_out, dtype=np.int64)
    start, stop = o * n_in // n_out, -(-(o + 1) * n_in // n_out)
    count = stop - start
    width = int(count.max())
    require_weights_memory(n_out, width)
    share = (np.arange(width) < count[:, None]) / count[:, None]
    clamped = np.minimum(start, n_in - width)
    return Taps(n_in, clamped, _shift_rows(share, start - clamped))


def block_means(n_in: int, first: int, stop: int, length: int) -> Taps:
    """Return means of blocks of `length` pixels from `first` on; the last, which ends at `stop`, may be shorter.

    >>> block_means(6, 1, 6, 2).dense()
    array([[0. , 0.5, 0.5, 0. , 0. , 0. ],
           [0. , 0. , 0. , 0.5, 0.5, 0. ],
           [0. , 0. , 0. , 0. , 0. , 1. ]])
    """
    start = np.arange(first, stop, length)
    count = np.minimum(stop - start, length)[:, None]
    return Taps(n_in, start, (np.arange(length) < count) / count)


def area(n_in: int, n_out: int) -> Taps:
    """Return the share of each output pixel that each input pixel covers: exact integers, then one division.

    >>> area(3, 2).dense().round(3)
    array([[0.667, 0.333, 0.   ],
           [0.   , 0.333, 0.667]])
    """
    o = np.arange(n_out, dtype=np.int64)
    left, right = o * n_in, (o + 1) * n_in  # edges of the output pixel, times n_out
    start = left // n_out
    width = int((-(-right // n_out) - start).max())
    require_weights_memory(n_out, width)
    start = np.clip(start, 0, n_in - width)
    v = start[:, None] + np.arange(width)
    covered = np.minimum((v + 1) * n_out, right[:, None]) - np.maximum(v * n_out, left[:, None])
    common = np.gcd(n_in, n_out)
    return Taps(n_in, start, np.maximum(covered, 0) / n_in, np.full(n_out, n_in // common))
