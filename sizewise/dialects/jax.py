"""JAX's jax.image.resize and jax.image.scale_and_translate, CPU.

Coordinates are float32, and float64 for 64-bit arrays, which JAX has with jax_enable_x64. jax.image.resize is compiled
as a whole: (o + 0.5) * step - 0.5 rounds once (fused multiply-add), but twice in `linear` and `cubic` with fewer than
96 output pixels; the compiler rarely decides otherwise. `nearest`, always in float32, multiplies by n_in times the
reciprocal of n_out. An axis that keeps its length is copied. Weights are renormalized at the edges.

With `translation` (0 for none) it is jax.image.scale_and_translate, called outside of jax.jit: output pixels are at
scale * x + translation, and those outside the image are 0. `scale` may then be given beside the size; the default is
the ratio of the sizes. A negative one mirrors the image, without antialiasing; `area` is then 0 everywhere.

Where JAX contradicts its documentation, this follows the documentation: JAX's `area` that grows more than 8388 times is
0 everywhere.
"""

from __future__ import annotations

import numpy as np

from .. import filters, sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, Request, _formula, float_arithmetic, per_axis_option, scale_and_translation
from ._contract import Contract
from ._formula import BY_SIZE, Formula

_FILTERS = {
    "linear": filters.get("bilinear"),
    "cubic": filters.get("bicubic"),
    "cubic-pytorch": filters.get("bicubic"),  # with antialiasing; otherwise _edge_padded_cubic
    **{name: filters.flat_top(filters.get(name), 1e-3) for name in ("lanczos3", "lanczos5")},
}
_METHODS = {"nearest": (False,), **dict.fromkeys(_FILTERS, (True, False)), "area": (True,)}
_UNFUSED_BELOW = {"linear": 96, "cubic": 96}  # output pixels, observed with jaxlib 0.10
_MIN_SUM = 1000 * float(np.finfo(np.float32).eps)  # smaller sums of weights count as 0


def _taps(request: Request) -> tuple[Taps, ...]:
    placement = scale_and_translation(request)
    if placement is None:
        return tuple(_resize_axis(n_in, n_out, request) for n_in, n_out, _ in request.axes)
    if request.method == "nearest":
        raise UnsupportedError("jax: nearest has no translation (scale_and_translate rejects it too); use linear")
    axes = zip(request.axes, placement, strict=True)
    return tuple(_translate_axis(n_in, n_out, *where, request) for (n_in, n_out, _), where in axes)


def _real(request: Request) -> sampling.Real:
    return np.float32 if request.precision == "float32" else np.float64


def _resize_axis(n_in: int, n_out: int, request: Request) -> Taps:
    real = _real(request)
    if n_in == n_out:
        return sampling.identity(n_in)
    if request.method == "nearest":
        reciprocal = np.float32(n_in) * (np.float32(1.0) / np.float32(n_out))
        return sampling.nearest(n_in, np.floor(sampling.grid(n_out, reciprocal, offset=0.5)).astype(np.int64))
    step = real(1.0 / (n_out / n_in))
    method = "cubic" if request.antialias and request.method == "cubic-pytorch" else request.method
    is_unfused = n_out < _UNFUSED_BELOW.get(method, 0)
    x = sampling.grid(n_out, step, offset=0.5) - real(0.5) if is_unfused else sampling.fma_grid(n_out, step)
    return _axis(n_in, step, x, sampling.grid(n_out, step), request)


def _translate_axis(n_in: int, n_out: int, scale: float, translation: float, request: Request) -> Taps:
    real = _real(request)
    step = real(1.0) / real(scale)
    shift = real(translation) * step
    x = sampling.grid(n_out, step, offset=0.5) - shift - real(0.5)
    return _axis(n_in, step, x, sampling.grid(n_out, step) - shift, request)


def _axis(n_in: int, step: np.floating, x: np.ndarray, left: np.ndarray, request: Request) -> Taps:
    """Return taps around coordinates x of outputs with these left edges."""
    if request.method == "area":
        return _area(n_in, step, x, left)
    if request.method == "cubic-pytorch" and not request.antialias:
        return _edge_padded_cubic(n_in, x)
    one = type(step)(1.0)
    return sampling.filter_centers(
        n_in, x, _FILTERS[request.method], np.maximum(step, one) if request.antialias else one
    )


def _area(n_in: int, step: np.floating, x: np.ndarray, left: np.ndarray) -> Taps:
    """Return the share of each pixel in the part of the image that an output covers; 0 if its center is outside."""
    right = left + step
    first, stop = np.floor(left), np.ceil(right)
    width = max(int((stop - first).max()), 1)
    sampling.require_weights_memory(len(x), width)
    v = first[:, None] + np.arange(width)
    covered = np.minimum(right[:, None], v + 1.0) - np.maximum(left[:, None], v)
    inside = ((x >= -0.5) & (x <= n_in - 0.5))[:, None]
    return sampling.drop_outside(n_in, first, np.where(inside, np.maximum(covered, 0.0), 0.0).astype(np.float64))


def _edge_padded_cubic(n_in: int, x: np.ndarray) -> Taps:
    """Return cubic convolution with slope -0.75 over the image padded with two edge pixels at each end."""
    low = np.floor(x)
    weights = sampling.cubic_weights(x - low, a=-0.75)
    v = low[:, None] + np.arange(-1, 3)
    inside = np.where((v >= -2) & (v <= n_in + 1), weights, 0.0)
    total = inside.sum(axis=1, keepdims=True)
    is_nonzero = np.abs(total) > _MIN_SUM
    return sampling.clamp_outside(n_in, low - 1, np.where(is_nonzero, inside / np.where(is_nonzero, total, 1.0), 0.0))


def _precision(dtype: np.dtype, request: Request) -> str:
    return "float64" if dtype.itemsize == 8 else "float32"


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    # Integers become floats, except with nearest. Sums of 16-bit floats are float32.
    real = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)
    return float_arithmetic(dtype) or Arithmetic(real, dtype if request.method == "nearest" else real)


def _formula_of(request: Request) -> Formula:
    method, placement = request.method, scale_and_translation(request)
    if method == "nearest":
        return Formula(BY_SIZE, _formula.UNDER_CENTER)
    if method == "area":
        plain = _formula.area(BY_SIZE)
    elif method == "cubic-pytorch" and not request.antialias:
        plain = Formula(BY_SIZE, _formula.HALF_PIXEL, _formula.cubic(-0.75), edges=_formula.REPEATED_TWICE)
    else:
        name = {"linear": "bilinear", "cubic": "bicubic", "cubic-pytorch": "bicubic"}.get(method, method)
        plain = _formula.filter_inside(BY_SIZE, name, request.antialias, copied=True)
    return plain if placement is None else _formula.translate(plain)


DIALECT = Dialect(
    name="jax",
    versions="JAX 0.10, jax.image.resize, CPU",
    methods=_METHODS,
    aliases={
        **dict.fromkeys(("bilinear", "trilinear", "triangle"), "linear"),
        **dict.fromkeys(("bicubic", "tricubic"), "cubic"),
        "bicubic-pytorch": "cubic-pytorch",
    },
    ignores_antialias=("nearest", "area"),
    options={"translation": per_axis_option("translation", 1, 0.75)},
    taps=_taps,
    arithmetic=_arithmetic,
    formula=_formula_of,
    size_and_scale=True,
    flips=True,
    precision=_precision,
    contract=Contract(
        "jax",
        # XLA decides by the shape whether coordinates round once or twice. Where it decides otherwise than the dialect
        # does, a coordinate is off by its last bit, which matters more the longer the axis is.
        ulp={"nearest": 0, "linear": 8, "cubic": 12, "cubic-pytorch": 24, "lanczos3": 12, "lanczos5": 12, "area": 4},
        gradient_ulp={**dict.fromkeys(_METHODS, 16), "nearest": 8, "cubic-pytorch": 24},
    ),
)
