"""TensorFlow's original ops, ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic and ResizeArea.

Coordinates are float32, and the precision decides which pixel is read: 26 -> 22 reads another one in float32 than in
exact arithmetic. TensorFlow 2 calls the same ops with half_pixel_centers=True.

`bicubic` rounds the fraction of a coordinate to 1/1024, as in TensorFlow's table of weights. With half_pixel_centers
its slope is -0.5 and pixels outside the image are dropped; otherwise it is -0.75, and the edge pixel repeats. `area`
divides by the step, not by the distance of the float32 edges of an output: rows sum to 1 within about 1e-7 times n_out.

`area` has a gradient, unlike in TensorFlow, and so do float16 and bfloat16 with `bicubic`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, Request, _formula, float_arithmetic, per_axis
from ._contract import Contract
from ._formula import Formula

_TABLE = np.float32(1024.0)  # entries of the table of cubic weights, per pixel


def _taps(n_in: int, n_out: int, request: Request) -> Taps:
    corners, half = bool(request.option("align_corners")), bool(request.option("half_pixel_centers"))
    if corners and half:
        raise UnsupportedError(
            f"{request.dialect}: align_corners and half_pixel_centers cannot both be True (TensorFlow rejects it too)"
        )
    if request.method == "area":
        if half:
            raise UnsupportedError("tensorflow1: area has no half_pixel_centers (nor has ResizeArea); leave it out")
        return _area(n_in, n_out, sampling.step_size(n_in, n_out, corners=corners and n_in > 1, real=np.float32))
    step = sampling.step_size(n_in, n_out, corners=corners, real=np.float32)
    x = sampling.grid(n_out, step, offset=0.5 if half else 0.0)
    if request.method == "nearest":  # half_pixel_centers, too, is the floor of the unshifted coordinate
        return sampling.nearest(n_in, sampling.round_half_up(x) if corners else np.floor(x).astype(np.int64))
    if half:
        x = x - np.float32(0.5)
    low = np.floor(x)
    if request.method == "bicubic":
        return _bicubic(n_in, low, x - low, half)
    return sampling.linear(n_in, low, np.ceil(x), x - low)


def _bicubic(n_in: int, low: np.ndarray, fraction: np.ndarray, half: bool) -> Taps:
    t = np.rint(fraction * _TABLE) / _TABLE
    if half:
        return sampling.drop_outside(n_in, low - 1, sampling.cubic_weights(t, a=-0.5))
    return sampling.cubic(n_in, low, t, a=-0.75)


def _area(n_in: int, n_out: int, step: np.floating) -> Taps:
    """Return the share of each output, o * step .. (o + 1) * step, that each pixel covers; the last pixel repeats."""
    left, right = (sampling.grid(n_out, step, offset=offset)[:, None] for offset in (0.0, 1.0))
    first, stop = np.floor(left), np.ceil(right)
    width = int((stop - first).max())
    sampling.require_weights_memory(n_out, width)
    v = first + np.arange(width, dtype=np.float32)
    before, after = v < left, v + 1 > right
    beside = np.where(before, v + 1 - left, np.where(after, right - v, np.float32(1.0)))
    covered = np.where(v < stop, np.where(before & after, step, beside), 0.0)
    return sampling.clamp_outside(n_in, first[:, 0], covered.astype(np.float64) / np.float64(step))


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    # Integers become float32; nearest keeps the dtype. TensorFlow returns float32 also for other floats;
    # here they keep their dtype, so that gradients have the dtype of the array and can be checked in float64.
    single = np.dtype(np.float32)
    return float_arithmetic(dtype) or Arithmetic(single, dtype if request.method == "nearest" else single)


def _formula_of(request: Request) -> Formula:
    corners, half = bool(request.option("align_corners")), bool(request.option("half_pixel_centers"))
    if request.method == "area":
        between = "(n_in - 1) / (n_out - 1) if min(n_in, n_out) > 1 else n_in / n_out"
        area = _formula.area(between if corners else _formula.BY_SIZE)
        return replace(area, edges=_formula.REPEATED)
    step = _formula.BY_CORNERS if corners else _formula.BY_SIZE
    if request.method == "nearest":
        aligned = "floor(o * step + 0.5)" if corners else _formula.UNDER_EDGE
        return Formula(step, _formula.UNDER_CENTER if half else aligned)
    x = _formula.HALF_PIXEL if half else _formula.ASYMMETRIC
    if request.method == "bilinear":
        return Formula(step, x, "linear")
    kernel = f"{_formula.cubic(-0.5 if half else -0.75)}, x in 1/1024"
    return Formula(step, x, kernel, edges=_formula.LEFT_OUT if half else _formula.REPEATED)


DIALECT = Dialect(
    name="tensorflow1",
    versions="TensorFlow 1.14 to 2.21, tf.raw_ops",
    methods={"bilinear": (False,), "nearest": (False,), "bicubic": (False,), "area": (False,)},
    options={"align_corners": (False, True), "half_pixel_centers": (False, True)},
    taps=per_axis(_taps),
    arithmetic=_arithmetic,
    formula=_formula_of,
    contract=Contract(
        "tensorflow",
        ulp={"nearest": 0, "bilinear": 4, "bicubic": 6, "area": 10},
        gradient_ulp={"nearest": 8, "bilinear": 16, "bicubic": 16},  # `area` has no gradient
    ),
)
