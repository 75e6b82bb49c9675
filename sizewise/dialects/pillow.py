"""Pillow's Image.resize: taps in float64, images of uint8 in 22-bit fixed point.

Filters always antialias, and an axis that keeps its length is copied. `nearest` adds up its step pixel by pixel, so
that its roundings add up too: 2 -> 7 reads another pixel than exact arithmetic does.

uint8 is modes L, RGB and CMYK: whole-number weights, and uint8 again between the two passes, whose order is visible.
float32 is mode F: float64 sums, float32 between the passes. Pillow has no other floats: they are summed in float64
throughout. Its int32 (mode I), which rounds halves away from zero after each pass, is not reproduced: like all other
integers it is rounded once, half to even. Bands are not premultiplied: convert RGBA to RGBa first, as Pillow does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .. import filters, sampling
from ..filters import Filter
from ..taps import Taps
from . import Arithmetic, Dialect, FixedPoint, Request, per_axis

Array = NDArray[np.float64]


def _box(x: Array) -> Array:
    # Not even: a pixel on the border belongs to the right (Resample.c, box_filter).
    return np.where((x > -0.5) & (x <= 0.5), 1.0, 0.0)


def _hamming(x: Array) -> Array:
    # The constants are floats in the C source: their sum is not quite 1, but the middle is.
    near, far = float(np.float32(0.54)), float(np.float32(0.46))
    beside = np.where(x < 1.0, np.sinc(x) * (near + far * np.cos(np.pi * x)), 0.0)
    return np.where(x == 0.0, 1.0, beside)


_FILTERS: dict[str, Filter] = {
    "bilinear": filters.get("bilinear"),
    "hamming": replace(filters.get("hamming"), function=_hamming),
    "bicubic": filters.get("bicubic"),
    "lanczos": filters.get("lanczos3"),
    "mks2013": filters.get("mks2013"),
    "mks2021": filters.get("mks2021"),
}


def _taps(n_in: int, n_out: int, request: Request) -> Taps:
    if n_in == n_out:
        return sampling.identity(n_in)
    step = np.float64(n_in / n_out)
    if request.method == "nearest":
        return sampling.pick(n_in, sampling.walked(n_out, step).astype(np.int64))
    centre, stretch = sampling.grid(n_out, step, offset=0.5), np.maximum(step, np.float64(1.0))
    if request.method == "box":
        return sampling.around(n_in, centre, 0.5, stretch, _box)
    kernel = _FILTERS[request.method]
    return sampling.around(n_in, centre, kernel.support, stretch, kernel)


def _order(request: Request) -> tuple[int, ...]:
    """The last axis first, except that of two the first goes first where it loses more than twice as much."""
    lost = [n_in - n_out for n_in, n_out in zip(request.input_size, request.output_size, strict=True)]
    if len(lost) == 2 and lost[0] > 0 and lost[0] > 2 * lost[1]:
        return 0, 1
    return tuple(reversed(range(len(lost))))


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    exact = Arithmetic(np.dtype(np.float64), dtype)
    if request.method == "nearest":
        return exact
    if dtype == np.float32:
        return replace(exact, between=dtype, order=_order(request))
    if dtype == np.uint8:
        return Arithmetic(np.dtype(np.int32), dtype, between=dtype, order=_order(request), fixed=FixedPoint(bits=22))
    return exact


DIALECT = Dialect(
    name="pillow",
    versions="Pillow 13.0, Image.resize",
    methods={"nearest": (False,), "box": (True,), **dict.fromkeys(_FILTERS, (True,))},
    taps=per_axis(_taps),
    arithmetic=_arithmetic,
)
