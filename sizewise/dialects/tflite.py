"""LiteRT (TensorFlow Lite), ops RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.

The coordinates are those of TensorFlow's original ops (dialect tensorflow1), float32, except that `bilinear` of int8
and int16 has whole numbers of 1/1024 pixel. Integers stay what they are, rounded once, half to even: LiteRT rounds a
half away from zero (uint8: up, after float32), which differs by 1 in less than 1 of 100 pixels.

Where its whole numbers round up past the last pixel of int8 or int16 (1 -> 58), LiteRT reads what lies behind the row;
here it is the last pixel.
"""

from __future__ import annotations

import numpy as np

from .. import sampling
from ..taps import Taps
from . import Arithmetic, Dialect, Request, float_arithmetic, tensorflow1

_PARTS = 1024  # of a pixel, in whole-number coordinates


def _taps(request: Request) -> tuple[Taps, ...]:
    taps = tensorflow1.DIALECT.taps(request)
    if request.precision != "int32":
        return taps
    return tuple(_in_parts(one.n_in, one.n_out, request) for one in taps)


def _in_parts(n_in: int, n_out: int, request: Request) -> Taps:
    less = int(bool(request.option("align_corners")) and n_out > 1)
    step = (_PARTS * (n_in - less) + (n_out - less) // 2) // (n_out - less)
    x = np.arange(n_out) * step
    if request.option("half_pixel_centers"):
        x = x + step // 2 - _PARTS // 2
    low = np.maximum(x // _PARTS, 0)
    return sampling.linear(n_in, low, -(-x // _PARTS), (x - low * _PARTS) / _PARTS)


def _precision(dtype: np.dtype, request: Request) -> str:
    whole = dtype in (np.int8, np.int16) and request.method == "bilinear"
    return "int32" if whole else "float64"


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    return float_arithmetic(dtype) or Arithmetic(np.dtype(np.float64), dtype)


DIALECT = Dialect(
    name="tflite",
    versions="LiteRT 2.3, float32, uint8, int8 and int16",
    methods={"bilinear": (False,), "nearest": (False,)},
    options=tensorflow1.DIALECT.options,
    taps=_taps,
    arithmetic=_arithmetic,
    formula=tensorflow1.DIALECT.formula,
    precision=_precision,
)
