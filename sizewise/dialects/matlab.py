"""MATLAB's imresize, from its published algorithm and public ports; not tested against MATLAB itself.

Coordinates are float64, from 1 on: u = o / scale + (1 - 1 / scale) / 2. Pixels outside the image are its mirror image,
which repeats the edge pixel. All methods antialias by default, except `nearest`, which is a one-pixel `box`: of two
pixels at the same distance it takes the second. Given `scale`, lengths are rounded up and coordinates are divided by
it, not by the ratio of the sizes.

Sums are float64. The axis with the smaller scale is resized first. uint8 and float32 keep their dtype between the
passes, all others are float64; integers are rounded half to even, as in public ports.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .. import filters, sampling
from ..taps import Taps
from . import Arithmetic, Dialect, Request, _formula
from ._formula import Formula


def _box(x: np.ndarray) -> np.ndarray:
    return np.where((x >= -0.5) & (x < 0.5), 1.0, 0.0)


# Support and function of each.
_KERNELS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "bicubic": (2.0, filters.get("bicubic")),
    "bilinear": (1.0, filters.get("bilinear")),
    "box": (0.5, _box),
    "lanczos2": (2.0, filters.get("lanczos2")),
    "lanczos3": (3.0, filters.get("lanczos3")),
    "nearest": (0.5, _box),
}


def _taps(request: Request) -> tuple[Taps, ...]:
    return tuple(_axis(*axis, request) for axis in request.axes)


def _axis(n_in: int, n_out: int, given_scale: float | None, request: Request) -> Taps:
    scale = given_scale or n_out / n_in
    support, kernel = _KERNELS[request.method]
    shrink = scale if request.antialias and scale < 1.0 else 1.0
    width = 2.0 * support / shrink
    u = np.arange(1, n_out + 1) / scale + 0.5 * (1.0 - 1.0 / scale)
    left = np.floor(u - width / 2.0)
    taps = math.ceil(width) + 2
    sampling.require_weights_memory(n_out, taps)
    weights = kernel(shrink * (u[:, None] - (left[:, None] + np.arange(taps))))
    return sampling.mirror_outside(n_in, left - 1, weights / weights.sum(axis=1, keepdims=True), repeat=True)


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    if dtype not in (np.uint8, np.float32):
        return Arithmetic(np.dtype(np.float64), dtype)
    order = tuple(sorted(range(len(request.scales)), key=request.scales.__getitem__))
    return Arithmetic(np.dtype(np.float64), dtype, intermediate=dtype, order=order)


def _formula_of(request: Request) -> Formula:
    if request.method == "nearest":
        return Formula(_formula.BY_SCALE, _formula.UNDER_CENTER)
    plain = _formula.filter_inside(_formula.BY_SCALE, request.method, request.antialias)
    return replace(plain, edges=_formula.MIRRORED)


DIALECT = Dialect(
    name="matlab",
    versions="MATLAB imresize, checked against public ports only, not against MATLAB",
    methods={**dict.fromkeys(_KERNELS, (True, False)), "nearest": (False,)},
    aliases={"cubic": "bicubic", "triangle": "bilinear"},
    taps=_taps,
    arithmetic=_arithmetic,
    formula=_formula_of,
    length=lambda n_in, scale: math.ceil(n_in * scale),
)
