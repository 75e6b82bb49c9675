"""TensorFlow's original ops, ResizeBilinear and ResizeNearestNeighbor: coordinates in float32.

The precision decides which pixel is picked: 26 -> 22 reads another one in float32 than in exact arithmetic.
TensorFlow 2 calls the same ops with half_pixel_centers=True.
"""

from __future__ import annotations

import numpy as np

from .. import sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, Request, floating, per_axis


def _taps(n_in: int, n_out: int, request: Request) -> Taps:
    corners, half = bool(request.option("align_corners")), bool(request.option("half_pixel_centers"))
    if corners and half:
        raise UnsupportedError(
            "tensorflow1: align_corners and half_pixel_centers cannot both be True (TensorFlow refuses it too)"
        )
    step = sampling.ratio(n_in, n_out, corners=corners, real=np.float32)
    x = sampling.grid(n_out, step, offset=0.5 if half else 0.0)
    if request.method == "nearest":  # the half-pixel rule, too, takes the floor, of the unshifted coordinate
        return sampling.pick(n_in, sampling.half_up(x) if corners else np.floor(x).astype(np.int64))
    if half:
        x = x - np.float32(0.5)
    low = np.floor(x)
    return sampling.between(n_in, low, np.ceil(x), x - low)


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    # Bilinear gives float32 for integers; nearest keeps the dtype. TensorFlow gives float32 for float16 and float64
    # too: here they stay what they are, so that gradients can be checked in float64.
    single = np.dtype(np.float32)
    return floating(dtype) or Arithmetic(single, dtype if request.method == "nearest" else single)


DIALECT = Dialect(
    name="tensorflow1",
    versions="TensorFlow 1.14 to 2.21, tf.raw_ops",
    methods={"bilinear": (False,), "nearest": (False,)},
    options={"align_corners": (False, True), "half_pixel_centers": (False, True)},
    taps=per_axis(_taps),
    arithmetic=_arithmetic,
)
