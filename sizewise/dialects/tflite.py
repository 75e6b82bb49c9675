"""LiteRT (TensorFlow Lite), ops RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.

Coordinates are those of TensorFlow's original ops (dialect tensorflow1), float32, except that `bilinear` of int8 and
int16 uses integers in units of 1/1024 pixel. Integers keep their dtype, rounded once, half to even: LiteRT rounds
halves away from zero (uint8: up, after float32), a difference of 1 in less than 1 of 100 pixels.

If its integer coordinates round up past the last pixel of int8 or int16 (1 -> 58), LiteRT reads memory behind the row;
here it is the last pixel.
"""

from __future__ import annotations

import numpy as np

from .. import sampling
from ..taps import Taps
from . import Dialect, Request, standard, tensorflow1
from ._contract import Contract

_UNITS = 1024  # per pixel, in integer coordinates


def _taps(request: Request) -> tuple[Taps, ...]:
    taps = tensorflow1.DIALECT.taps(request)
    if request.precision != "int32":
        return taps
    return tuple(_integer_axis(n_in, n_out, request) for n_in, n_out, _ in request.axes)


def _integer_axis(n_in: int, n_out: int, request: Request) -> Taps:
    less = int(bool(request.option("align_corners")) and n_out > 1)
    step = (_UNITS * (n_in - less) + (n_out - less) // 2) // (n_out - less)
    x = np.arange(n_out) * step
    if request.option("half_pixel_centers"):
        x = x + step // 2 - _UNITS // 2
    low = np.maximum(x // _UNITS, 0)
    return sampling.linear(n_in, low, -(-x // _UNITS), (x - low * _UNITS) / _UNITS)


def _precision(dtype: np.dtype, request: Request) -> str:
    is_integer = dtype in (np.int8, np.int16) and request.method == "bilinear"
    return "int32" if is_integer else "float64"


DIALECT = Dialect(
    name="tflite",
    versions="LiteRT 2.3, float32, uint8, int8 and int16",
    methods={"bilinear": (False,), "nearest": (False,)},
    options=tensorflow1.DIALECT.options,
    taps=_taps,
    arithmetic=standard.DIALECT.arithmetic,
    formula=tensorflow1.DIALECT.formula,
    precision=_precision,
    contract=Contract("ai-edge-litert", ulp={"nearest": 0, "bilinear": 4}),
)
