"""OpenCV's cv2.resize, without Intel's IPP (cv2.ipp.setUseIPP(False)), which changes its last bits.

Coordinates are computed in float64 and rounded to float32. So are OpenCV's weights, also for float64 images; here
weights keep their precision, a difference of about 1e-7. fx and fy are `scale`: coordinates are then divided by it, not
by the ratio of the sizes. `nearest_exact` accumulates its step pixel by pixel, as Pillow does; in OpenCV 4 (`opencv@4`,
otherwise the same) the step is an integer multiple of 1/65536 pixel.

`area` depends on all axes: if none of them grows it is the mean of the pixels that an output covers, without slivers
narrower than a thousandth of a pixel; otherwise it is a special two-tap rule along every axis.

uint8 images (two axes) are OpenCV's bit for bit: in fixed point, except for `area` with a non-integer factor, which is
float32, width first, rounded half to even. Means of 2 x 2 pixels round halves up for images of 1, 3 and 4 channels, and
to even for all others; the option `channels` is the number of channels of a pixel. Other integers, and uint8 along one
axis or three, which OpenCV does not have, are the exact result, rounded once, half to even.

IPP is the default of opencv-python on x86 (cv2.ipp.useIPP()). With it, images of 1, 3 and 4 channels differ: `cubic` of
uint8 by 1 in about 4 % of bytes, `linear` and `cubic` of 16 bits by 1 in about 1 %; `linear`, `linear_exact` and
`cubic` of floats (not `cubic` of float64) by about 1e-5 of their range. All other results are the same. IPP's `cubic`
of uint8, if no axis is shorter than 4, is close to the exact result: resize float32, round half to even and clip to
0 .. 255, and about 99.99 % of bytes equal IPP's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from .. import filters, sampling
from ..taps import Taps
from . import Arithmetic, Dialect, OpenOption, Request, _formula, _opencv_uint8, float_arithmetic
from ._contract import Contract
from ._formula import BY_SCALE, Formula

Exact = Callable[[int, int], np.ndarray]

_LANCZOS = filters.get("lanczos4")
_SLIVER = 1e-3  # of a pixel: means exclude parts up to this
# OpenCV's weights are float32 for float64 images too, and its cubic is accurate to about 1e-6.
_ULP = {"nearest": 0, "nearest_exact": 0, "linear": 4, "linear_exact": 4, "cubic": 24, "area": 2, "lanczos4": 12}


def _taps(exact: Exact, request: Request) -> tuple[Taps, ...]:
    if request.input_size == request.output_size:
        return tuple(sampling.identity(n) for n in request.input_size)
    if request.method == "nearest_exact":
        return tuple(sampling.nearest(n_in, exact(n_in, n_out)) for n_in, n_out, _ in request.axes)
    shrinks = _shrinks(request)
    return tuple(
        _axis(n_in, n_out, scale or n_out / n_in, request.method, shrinks) for n_in, n_out, scale in request.axes
    )


def _accumulated(n_in: int, n_out: int) -> np.ndarray:
    return sampling.accumulated_grid(n_out, n_in / n_out).astype(np.int64)


def _in_65536ths(n_in: int, n_out: int) -> np.ndarray:
    step = ((n_in << 16) + n_out // 2) // n_out
    index: np.ndarray = (step * np.arange(n_out) + (step // 2 - n_in % 2)) >> 16
    return index


def _shrinks(request: Request) -> bool:
    """Return whether no axis grows."""
    return all(1.0 / scale >= 1.0 for scale in request.scales)


def _axis(n_in: int, n_out: int, growth: float, method: str, shrinks: bool) -> Taps:
    step = np.float64(1.0 / growth)
    if method == "nearest":
        return sampling.nearest(n_in, np.floor(sampling.grid(n_out, step)).astype(np.int64))
    if method == "area":
        return _area_shrinking(n_in, n_out, float(step)) if shrinks else _area_growing(n_in, n_out, growth)
    x = ((np.arange(n_out) + 0.5) * step - 0.5).astype(np.float32)
    low = np.floor(x)
    t = (x - low).astype(np.float64)
    if method == "cubic":
        return sampling.cubic(n_in, low, t, a=-0.75)
    if method == "lanczos4":
        sampling.require_weights_memory(n_out, 8)
        weights = _LANCZOS(t[:, None] + np.arange(3.0, -5.0, -1.0))
        return sampling.clamp_outside(n_in, low - 3, weights / weights.sum(axis=1, keepdims=True))
    return sampling.linear(n_in, low, low + 1, t)


def _area_growing(n_in: int, n_out: int, growth: float) -> Taps:
    """Return taps of `area` if an axis grows: one pixel, or two if an output overlaps their border."""
    o = np.arange(n_out)
    low = np.floor(o * (1.0 / growth))
    t = ((o + 1) - (low + 1) * growth).astype(np.float32)
    return sampling.linear(n_in, low, low + 1, np.where(t <= 0, 0.0, t - np.floor(t)))


def _area_shrinking(n_in: int, n_out: int, step: float) -> Taps:
    """Return taps of `area` if no axis grows: the share of each output that each pixel covers."""
    left = np.arange(n_out)[:, None] * step
    right = left + step
    cell = np.minimum(step, n_in - left)
    last = np.minimum(np.floor(right), n_in - 1)  # the pixel under the right edge
    first = np.minimum(np.ceil(left), last)  # the first fully covered pixel
    before = np.maximum(first - left, 0.0)
    after = np.minimum(cell - before - (last - first), 1.0)  # the rest of the cell: rows sum to 1
    width = int((last - first).max()) + 2
    sampling.require_weights_memory(n_out, width)
    v = first - 1 + np.arange(width)
    covered = np.where(v < first, before, np.where(v < last, 1.0, np.where(v == last, after, 0.0)))
    return sampling.clamp_outside(n_in, first[:, 0] - 1, np.where(covered > _SLIVER, covered, 0.0) / cell)


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    interpolates = request.input_size != request.output_size and request.method not in ("nearest", "nearest_exact")
    if dtype == np.uint8 and len(request.input_size) == 2 and interpolates:
        return _opencv_uint8.arithmetic(request)
    return float_arithmetic(dtype) or Arithmetic(np.dtype(np.float64), dtype)


def _formula_of(request: Request) -> Formula:
    if request.method == "nearest":
        return Formula(BY_SCALE, _formula.UNDER_EDGE)
    if request.method == "nearest_exact":
        return Formula(_formula.BY_SIZE, _formula.UNDER_CENTER)
    if request.method == "area" and _shrinks(request):
        return _formula.area(BY_SCALE)
    if request.method == "area":
        across = "max(o + 1 - (floor(o * step) + 1) / step, 0) % 1"
        return Formula(BY_SCALE, f"floor(o * step) + {across}", "linear")
    kernel = {"cubic": _formula.cubic(-0.75), "lanczos4": "lanczos4"}.get(request.method, "linear")
    return Formula(BY_SCALE, _formula.HALF_PIXEL, kernel)


DIALECT = Dialect(
    name="opencv",
    versions="OpenCV 5.0, cv2.resize, without IPP",
    methods={**dict.fromkeys(_ULP, (False,)), "area": (True,)},
    aliases={"bilinear": "linear", "bicubic": "cubic"},
    options={"channels": OpenOption((None,), _opencv_uint8.parse_channels)},
    taps=partial(_taps, _accumulated),
    arithmetic=_arithmetic,
    formula=_formula_of,
    contract=Contract("opencv-python", _ULP, bit_exact=("linear", "linear_exact", "cubic", "area", "lanczos4")),
)
_OPENCV_4 = "OpenCV 4.14, cv2.resize, without IPP"
OLDER = (replace(DIALECT, name="opencv@4", versions=_OPENCV_4, taps=partial(_taps, _in_65536ths)),)
