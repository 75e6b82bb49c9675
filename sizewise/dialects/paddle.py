"""Paddle's paddle.nn.functional.interpolate, CPU: coordinates in float32, and in float64 for some cases of float64.

`align_mode` is Paddle's: 0 for half-pixel centers, 1 for none; it applies to `bilinear` without align_corners.
`nearest` never uses half-pixel centers. Without antialiasing, an output of one pixel has a step of 0: `bilinear` reads
the first pixel, `bicubic` half a pixel before it. `area` is adaptive average pooling. Given `scale`, coordinates are
divided by it, not by the ratio of the sizes; an image that keeps its size is copied.

(o + 0.5) * step - 0.5 rounds once or twice depending on how the wheel of 3.3 was compiled, which changes the last bit
of a coordinate: once for `bicubic`, for one axis and for the first of two. Paddle's own gradients always round twice.

Integers are rounded half to even. Paddle truncates uint8 `bilinear`, and rejects all other integers except in
`nearest`.
"""

from __future__ import annotations

import numpy as np

from .. import filters, sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Dialect, Request, _formula, standard
from ._contract import Contract
from ._formula import Formula


def _taps(request: Request) -> tuple[Taps, ...]:
    if request.option("align_corners") and request.method == "nearest":
        raise UnsupportedError("paddle: align_corners is not for nearest; leave it out (Paddle rejects it too)")
    if request.method == "area" and request.scale is not None:
        raise UnsupportedError("paddle: area needs a size, not a scale (Paddle rejects it too)")
    if request.input_size == request.output_size:
        return tuple(sampling.identity(n) for n in request.input_size)
    return tuple(_axis(axis, *lengths, request) for axis, lengths in enumerate(request.axes))


def _axis(axis: int, n_in: int, n_out: int, scale: float | None, request: Request) -> Taps:
    step = _step(n_in, n_out, scale, request)
    if request.method == "area":
        return sampling.adaptive_mean(n_in, n_out)
    if request.method == "nearest":
        return sampling.nearest(n_in, np.floor(sampling.grid(n_out, step)).astype(np.int64))
    if request.antialias:
        real = np.float64 if request.precision == "float64" else np.float32
        kernel, stretch = filters.get(request.method), np.maximum(real(step), real(1.0))
        return sampling.filter_edges(
            n_in, sampling.grid(n_out, real(step), offset=0.5), kernel.support, stretch, kernel
        )
    x = _coordinates(axis, n_out, step, request)
    if request.method == "bilinear":
        x = np.maximum(x, 0.0)
        low = np.floor(x)
        return sampling.linear(n_in, low, low + 1, x - low)
    low = np.floor(x.astype(np.float32))  # always that of a float32
    return sampling.cubic(n_in, low, x - low, a=-0.75)


def _step(n_in: int, n_out: int, scale: float | None, request: Request) -> np.float32:
    """Return input pixels per output pixel."""
    corners = bool(request.option("align_corners"))
    if n_out == 1 and (corners or not request.antialias):
        return np.float32(0.0)
    if corners or scale is None:
        return np.float32(sampling.step_size(n_in, n_out, corners=corners, real=np.float32))
    return np.float32(1.0 / scale)


def _coordinates(axis: int, n_out: int, step: np.float32, request: Request) -> np.ndarray:
    axes, cubic = len(request.input_size), request.method == "bicubic"
    if request.option("align_corners") or (request.option("align_mode") == 1 and not cubic):
        return sampling.grid(n_out, step)
    if request.precision == "float64" and (cubic or axes == 1):
        return sampling.fma_grid(n_out, np.float64(step))
    if cubic or (axes, axis) in ((1, 0), (2, 0)):
        return sampling.fma_grid(n_out, step)
    return sampling.grid(n_out, step, offset=0.5) - np.float32(0.5)


def _precision(dtype: np.dtype, request: Request) -> str:
    return "float64" if dtype == np.float64 else "float32"


def _formula_of(request: Request) -> Formula:
    corners, one_tap = bool(request.option("align_corners")), "0 if n_out == 1 else 1 / scale"
    step = _formula.BY_CORNERS if corners else _formula.BY_SCALE if request.antialias else one_tap
    if request.method == "area":
        return _formula.adaptive_mean()
    if request.method == "nearest":
        return Formula(step, _formula.UNDER_EDGE)
    if request.antialias:
        return _formula.filter_inside(step, request.method, antialias=True)
    plain = corners or (request.option("align_mode") == 1 and request.method == "bilinear")
    kernel = "linear" if request.method == "bilinear" else _formula.cubic(-0.75)
    return Formula(step, _formula.ASYMMETRIC if plain else _formula.HALF_PIXEL, kernel)


DIALECT = Dialect(
    name="paddle",
    versions="PaddlePaddle 3.3, paddle.nn.functional.interpolate, CPU",
    methods={"nearest": (False,), "bilinear": (False, True), "bicubic": (False, True), "area": (False,)},
    aliases={"linear": "bilinear", "trilinear": "bilinear"},
    options={"align_corners": (False, True), "align_mode": (0, 1)},
    taps=_taps,
    arithmetic=standard.DIALECT.arithmetic,
    formula=_formula_of,
    length=lambda n_in, scale: int(np.float32(n_in) * np.float32(scale)),
    precision=_precision,
    contract=Contract(
        "paddlepaddle",
        ulp={"nearest": 0, "area": 2, "bilinear": 4, "bicubic": 20},
        # Paddle's gradients round coordinates twice, its forward once.
        gradient_ulp={"nearest": 4, "area": 4, "bilinear": 200, "bicubic": 200},
    ),
)
