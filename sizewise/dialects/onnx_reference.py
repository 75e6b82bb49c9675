"""ONNX's Resize as onnx's own ReferenceEvaluator computes it: coordinates and sums in float64.

`size` is the operator's `sizes`, `scale` its `scales` (rounded to float32): an output then has floor(n * scale) pixels,
and coordinates are divided by the scale itself. With `align_corners` and `tf_crop_and_resize` they depend on n * scale
as well, where onnxruntime uses the number of pixels. `exclude_outside` is for all methods: an output of `nearest` whose
pixel is outside the image is 0.

If a coordinate is an integer except for its last bit, the evaluator reads one pixel too far to the left; this dialect
does not. Its `cubic` weights are computed in float32; here in float64.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, Request, _onnx
from ._contract import Contract
from ._onnx import Axis


def _taps(request: Request) -> tuple[Taps, ...]:
    if request.option("coordinate_transformation_mode") == _onnx.CROP and request.option("roi") is None:
        raise UnsupportedError(
            "onnx-reference: tf_crop_and_resize needs roi (onnx rejects it without roi too); "
            "0 and 1 are the start and end of a full axis"
        )
    return _onnx.taps(request, np.float64, _coordinates, 0.0)


def _coordinates(axis: Axis) -> np.ndarray:
    """Return the coordinate of each output. Products of roi and lengths are float32, like roi."""
    n, scale = axis.n_in, np.float64(axis.scale)
    length = scale * n  # not always an integer
    o = np.arange(axis.n_out, dtype=np.float64)
    if axis.mode == "asymmetric":
        return o / scale
    if axis.mode == "align_corners":
        return o if length == 1 else o * (n - 1) / (length - 1)
    if axis.mode == _onnx.CROP:
        part, first = axis.end - axis.start, np.float64(axis.start * np.float32(n - 1))
        if length == 1:
            return np.full(axis.n_out, part * np.float32(n - 1) / np.float32(2), np.float64) + first
        return o * np.float64(part) * (n - 1) / (length - 1) + first
    if axis.mode == "half_pixel_symmetric":
        return n / 2 * (1 - axis.n_out / length) + (o + 0.5) / scale - 0.5
    if axis.mode == "pytorch_half_pixel" and length == 1:
        return np.full(axis.n_out, -0.5)
    return (o + 0.5) / scale - 0.5


DIALECT = Dialect(
    name="onnx-reference",
    versions="onnx 1.23, ReferenceEvaluator, Resize of opset 19",
    methods=_onnx.METHODS,
    aliases=_onnx.ALIASES,
    options=_onnx.OPTIONS,
    taps=_taps,
    fill=partial(_onnx.fill, real=np.float64, coordinates=_coordinates),
    arithmetic=lambda dtype, request: Arithmetic(np.dtype(np.float64), dtype),
    formula=partial(_onnx.formula, length="scale * n_in", alone="-0.5"),
    scale=_onnx.scale,
    length=lambda n_in, scale: math.floor(n_in * scale),
    fit=partial(_onnx.fit, real=np.float64),
    # The evaluator computes in float64, except the weights of cubic, which are float32.
    contract=Contract("onnx", ulp={"nearest": 0, "linear": 1, "cubic": 64}),
)
