"""ONNX's Resize as onnxruntime computes it on a CPU: coordinates in float32.

The precision decides which pixel is read: 14 -> 2 with `asymmetric` and `floor` reads pixels 0 and 6, not 7. `size` is
the operator's `sizes`, `scale` its `scales`: an output then has floor(n * scale) pixels, and coordinates are divided by
the scale itself. `roi` is as in ONNX, all starts and then all ends; the default is the full axes. Weights are computed
in float64, onnxruntime's in float32. `tf_half_pixel_for_nn` is part of opsets 11 and 12; onnxruntime accepts it in all.

Where onnxruntime contradicts the operator, this follows ONNX. A crop to the size of the input crops; in onnxruntime it
is a copy, like any resize that keeps all sizes, whatever its scale, or an axis with scale 1. Antialiasing with a scale
other than 1 that keeps the length of an axis resizes it. An antialiased crop with channels last has its extrapolation
values in the right place. Integers are rounded half to even and saturate; onnxruntime truncates them, and int8 loses
its sign with antialiasing. Antialiased uint8 is 22-bit fixed point, width first, uint8 between the passes, as in
onnxruntime.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, FixedPoint, Request, _onnx, float_arithmetic
from ._contract import Contract
from ._onnx import Axis

_MAX_AXES = {"linear": 3, "cubic": 2}
_TIE = 1e-6  # maximal distance of a tie from the midpoint of two pixels


def _taps(request: Request) -> tuple[Taps, ...]:
    method, max_axes = request.method, _MAX_AXES.get(request.method, len(request.input_size))
    if request.option("exclude_outside") and not (method == "cubic" or request.antialias):
        raise UnsupportedError(
            f"onnx: exclude_outside is for cubic and antialiased linear, not {method!r} (onnxruntime rejects it too); "
            "dialect 'onnx-reference' takes it"
        )
    if len(request.input_size) > max_axes:
        raise UnsupportedError(
            f"onnx: {method!r} resizes at most {max_axes} axes, not {len(request.input_size)} "
            "(onnxruntime rejects it too); dialect 'onnx-reference' takes more"
        )
    return _onnx.taps(request, np.float32, _coordinates, _TIE)


def _coordinates(axis: Axis) -> np.ndarray:
    """Return the coordinate of each output, each operation rounded to float32."""
    single = np.float32
    n, m, half, one = single(axis.n_in), single(axis.n_out), single(0.5), single(1)
    o = np.arange(axis.n_out, dtype=single)
    if axis.mode == "asymmetric":
        return o / axis.scale
    if axis.mode == "align_corners":
        return o if m == 1 else o * (n - one) / (m - one)
    if axis.mode == _onnx.CROP and m == 1:
        middle = 0.5 * float(axis.start + axis.end) * float(n - one)
        return np.full(1, middle).astype(single)
    if axis.mode == _onnx.CROP:
        return axis.start * (n - one) + o * (axis.end - axis.start) * (n - one) / (m - one)
    if axis.mode == "half_pixel_symmetric":  # the last step is in float64
        offset = n / single(2) * (one - m / (axis.scale * n))
        exact = np.float64(offset) + (o.astype(np.float64) + 0.5) / np.float64(axis.scale) - 0.5
        return exact.astype(single)
    if axis.mode == "pytorch_half_pixel" and m == 1:
        return o
    if axis.mode == _onnx.EDGES:
        return (o + half) / axis.scale
    return (o + half) / axis.scale - half


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    if dtype == np.uint8 and request.antialias:
        order = tuple(reversed(range(len(request.input_size))))
        return Arithmetic(np.dtype(np.int32), dtype, intermediate=dtype, order=order, fixed_point=FixedPoint(bits=22))
    return float_arithmetic(dtype) or Arithmetic(np.dtype(np.float64), dtype)


DIALECT = Dialect(
    name="onnx",
    versions="onnxruntime 1.31, Resize of opset 19, CPU",
    methods=_onnx.METHODS,
    aliases=_onnx.ALIASES,
    options={**_onnx.OPTIONS, "coordinate_transformation_mode": (*_onnx.MODES, _onnx.EDGES)},
    taps=_taps,
    fill=partial(_onnx.fill, real=np.float32, coordinates=_coordinates),
    arithmetic=_arithmetic,
    formula=partial(_onnx.formula, length="n_out", alone="0"),
    scale=_onnx.scale,
    length=lambda n_in, scale: math.floor(np.float32(scale) * np.float32(n_in)),
    fit=partial(_onnx.fit, real=np.float32),
    # onnxruntime computes the weights in float32 too, and sums products of them.
    contract=Contract("onnxruntime", ulp={"nearest": 0, "linear": 4, "cubic": 24}),
)
