"""PyTorch's torch.nn.functional.interpolate, CPU.

Coordinates have the precision of the tensor: float64 for float64 and for the weights of uint8, float32 for all others.
`nearest` and `nearest-exact` are always in float32, as torch's own gradients are; its float64 forward is not.
(o + 0.5) * step - 0.5 rounds once (fused multiply-add), as in its builds for AVX2 and AVX512.

Given `scale`, an output has floor(n * scale) pixels and coordinates are divided by the scale itself, not by the ratio
of the sizes, unless `recompute_scale_factor`. uint8 is 15-bit fixed point, width first, uint8 between the passes. Other
integers, which torch rejects, are rounded half to even.

float16 and bfloat16 have float32 weights and sums, rounded once, like torch's `bilinear` for small images and for
larger ones with four or more channels in channels_last. Its other kernels round weights to 16 bits first, a difference
of one unit in the last place of the largest value. torch rejects antialiasing of 16-bit floats.

Where torch is inconsistent, this is its forward formula, and the gradient is the transpose of it: `nearest` with a
scale that gives n or 2n pixels, `nearest-exact` where fusing matters (2 -> 41), `bicubic` with a scale that keeps the
size, antialiasing with a scale that keeps an axis or to a width of 1.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .. import filters, sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, FixedPoint, Request, _formula, float_arithmetic
from ._contract import Contract
from ._formula import Formula

_ANTIALIASED = {"bilinear": "bilinear", "bicubic": "bicubic", "lanczos": "lanczos3"}


def _taps(request: Request) -> tuple[Taps, ...]:
    method, recompute = request.method, request.option("recompute_scale_factor")
    if request.option("align_corners") and method not in ("bilinear", "bicubic"):
        raise UnsupportedError(
            f"torch: align_corners is for bilinear and bicubic, not {method!r} (torch rejects it too)"
        )
    if recompute and request.scale is None:
        raise UnsupportedError("torch: recompute_scale_factor needs scale, not size (torch rejects it too)")
    request = replace(request, scale=None) if recompute else request
    return tuple(_axis(*axis, request) for axis in request.axes)


def _axis(n_in: int, n_out: int, scale: float | None, request: Request) -> Taps:
    is_nearest = request.method.startswith("nearest")
    real = np.float32 if is_nearest or request.precision == "float32" else np.float64
    step = _step(n_in, n_out, scale, bool(request.option("align_corners")), real)
    if is_nearest:
        return sampling.nearest(n_in, _nearest(n_out, step, request.method))
    if request.method == "area":
        return sampling.adaptive_mean(n_in, n_out)
    if n_in == n_out and (request.antialias or request.method == "bilinear"):
        return sampling.identity(n_in)
    if request.antialias:
        kernel = filters.get(_ANTIALIASED[request.method])
        center = sampling.grid(n_out, step, offset=0.5)  # also with align_corners
        return sampling.filter_edges(n_in, center, kernel.support, np.maximum(step, real(1.0)), kernel)
    return _interpolate(n_in, n_out, step, request)


def _step(n_in: int, n_out: int, scale: float | None, corners: bool, real: sampling.Real) -> np.floating:
    """Return input pixels per output pixel."""
    if corners:
        return real(0.0) if n_out == 1 else sampling.step_size(n_in, n_out, corners=True, real=real)
    return sampling.step_size(n_in, n_out, corners=False, real=real) if scale is None else real(1.0 / scale)


def _nearest(n_out: int, step: np.floating, method: str) -> np.ndarray:
    """Return the input pixel of each output."""
    x = sampling.grid(n_out, step)
    if method == "nearest-exact":  # 0.5 is subtracted and added again, in float32
        x = np.maximum(sampling.fma_grid(n_out, step), 0.0) + type(step)(0.5)
    index: np.ndarray = np.floor(x).astype(np.int64)
    return index


def _interpolate(n_in: int, n_out: int, step: np.floating, request: Request) -> Taps:
    """Return two or four taps around each coordinate, weighted by its fraction."""
    real = type(step)
    x = sampling.grid(n_out, step) if request.option("align_corners") else sampling.fma_grid(n_out, step)
    if request.method == "bilinear":
        x = np.maximum(x, real(0.0))
    low = np.minimum(np.floor(x.astype(np.float32)).astype(np.int64), n_in - 1)  # the floor is always that of a float32
    t = np.clip(x - low.astype(real), 0.0, 1.0)
    if request.method == "bilinear":
        return sampling.linear(n_in, low, low + 1, t)
    return sampling.cubic(n_in, low, t, a=-0.75)  # with antialiasing, torch uses -0.5


def _precision(dtype: np.dtype, request: Request) -> str:
    return "float64" if dtype in (np.float64, np.uint8) else "float32"


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    if dtype == np.uint8 and request.method in _ANTIALIASED:
        order = tuple(reversed(range(len(request.input_size))))
        fixed = FixedPoint(bits=22, weight_limit=2**15)
        return Arithmetic(np.dtype(np.int32), dtype, intermediate=dtype, order=order, fixed_point=fixed)
    return float_arithmetic(dtype) or Arithmetic(np.dtype(np.float64), dtype)


def _formula_of(request: Request) -> Formula:
    corners = bool(request.option("align_corners"))
    step = _formula.BY_SIZE if request.option("recompute_scale_factor") else _formula.BY_SCALE
    step = _formula.BY_CORNERS if corners else step
    if request.method == "area":
        return _formula.adaptive_mean()
    if request.method.startswith("nearest"):
        exact = request.method == "nearest-exact"
        return Formula(step, _formula.UNDER_CENTER if exact else _formula.UNDER_EDGE)
    if request.antialias:
        return _formula.filter_inside(step, request.method, antialias=True, copied=True)
    kernel = "linear" if request.method == "bilinear" else _formula.cubic(-0.75)
    x = _formula.ASYMMETRIC if corners else _formula.HALF_PIXEL
    return Formula(step, x, kernel, copied=request.method == "bilinear")


DIALECT = Dialect(
    name="torch",
    versions="PyTorch 2.13, torch.nn.functional.interpolate, CPU",
    methods={
        "nearest": (False,),
        "nearest-exact": (False,),
        "bilinear": (False, True),
        "bicubic": (False, True),
        "area": (False,),
        "lanczos": (True,),
    },
    aliases={"linear": "bilinear", "trilinear": "bilinear"},
    options={"align_corners": (False, True), "recompute_scale_factor": (False, True)},
    taps=_taps,
    arithmetic=_arithmetic,
    formula=_formula_of,
    length=lambda n_in, scale: math.floor(n_in * scale),
    precision=_precision,
    contract=Contract(
        "torch",
        # torch computes the weights in the tensor's precision too: its cubic is accurate to about 1e-6 in float32.
        ulp={"nearest": 0, "nearest-exact": 0, "area": 2, "bilinear": 4, "bicubic": 20, "lanczos": 6},
        # Gradients sum more values, in another order. That of bicubic has other coordinates: they are not fused.
        gradient_ulp={"nearest": 4, "nearest-exact": 4, "area": 4, "bilinear": 8, "bicubic": 200, "lanczos": 8},
        bit_exact=("bilinear", "bicubic", "lanczos"),
    ),
)
