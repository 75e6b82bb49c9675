"""TensorFlow.js, CPU backend: coordinates in float64, as JavaScript computes them.

Reproduces the forward kernels ResizeBilinear and ResizeNearestNeighbor. Gradients are their transpose, which the
framework's own gradient kernels are not for half-pixel centers, batches or non-square images: see
docs/explanation/framework-faults.md.
"""

from __future__ import annotations

import numpy as np

from .. import sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, Request, float_arithmetic, per_axis, tensorflow1
from ._contract import Contract


def _taps(n_in: int, n_out: int, request: Request) -> Taps:
    corners, half = bool(request.option("align_corners")), bool(request.option("half_pixel_centers"))
    if corners and half:
        raise UnsupportedError("tfjs: align_corners and half_pixel_centers cannot both be True (TF.js rejects it too)")
    step = sampling.step_size(n_in, n_out, corners=corners, real=np.float64)
    x = sampling.grid(n_out, step, offset=0.5 if half else 0.0)
    if request.method == "nearest":  # half_pixel_centers, too, is the floor of the unshifted coordinate
        return sampling.nearest(n_in, sampling.round_half_up(x) if corners else np.floor(x).astype(np.int64))
    if half:
        x = x - 0.5
    low = np.maximum(np.floor(x), 0.0)
    return sampling.linear(n_in, low, np.ceil(x), x - low)


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    # JavaScript sums in float64 and stores float32; bilinear returns float32 for integers, nearest keeps the dtype.
    exact = np.dtype(np.float64)
    keeps_dtype = float_arithmetic(dtype) is not None or request.method == "nearest"
    return Arithmetic(exact, dtype if keeps_dtype else np.dtype(np.float32))


DIALECT = Dialect(
    name="tfjs",
    versions="@tensorflow/tfjs 4.22",
    methods={"bilinear": (False,), "nearest": (False,)},
    options={"align_corners": (False, True), "half_pixel_centers": (False, True)},
    taps=per_axis(_taps),
    arithmetic=_arithmetic,
    formula=tensorflow1.DIALECT.formula,
    # Both sum in float64 and round once, but in another order. For gradients see docs/explanation/framework-faults.md.
    contract=Contract("@tensorflow/tfjs", ulp={"nearest": 0, "bilinear": 1}),
)
