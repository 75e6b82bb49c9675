"""Pillow's Image.resize: taps in float64, images of uint8 in 22-bit fixed point.

Filters always antialias, and an axis that keeps its length is copied. `nearest` adds up its step pixel by pixel, so
that its roundings add up too: 2 -> 7 reads another pixel than exact arithmetic does.

`box` is Pillow's (left, upper, right, lower), for two axes: the part of the image to resize, in float32. Filters see
the pixels around it. `reducing_gap` first takes means of blocks of pixels: one more matrix in front, whose result
Pillow rounds to its own dtype. Floats are that close; uint8, which would need a third pass, is refused with it.

uint8 is modes L, RGB and CMYK: whole-number weights, and uint8 again between the two passes, whose order is visible.
float32 is mode F: float64 sums, float32 between the passes. Pillow has no other floats: they are summed in float64
throughout. Its int32 and uint16 (modes I and I;16), which round halves away from zero after each pass, are not
reproduced: like all other integers they are rounded once, half to even. Bands are not premultiplied: convert RGBA to
RGBa first, as Pillow does.

`pillow@12` goes over the width first, unless an image is more than 100 times as high as wide, and lacks two filters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .. import filters, sampling
from ..errors import ArgumentError, UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, FixedPoint, Open, Request, number

Array = NDArray[np.float64]
Order = Callable[[list[int], tuple[int, ...]], bool]


def _box(x: Array) -> Array:
    # Not even: a pixel on the border belongs to the right (Resample.c, box_filter).
    return np.where((x > -0.5) & (x <= 0.5), 1.0, 0.0)


def _hamming(x: Array) -> Array:
    # The constants are floats in the C source: their sum is not quite 1, but the middle is.
    near, far = float(np.float32(0.54)), float(np.float32(0.46))
    beside = np.where(x < 1.0, np.sinc(x) * (near + far * np.cos(np.pi * x)), 0.0)
    return np.where(x == 0.0, 1.0, beside)


# Each with its support.
_FILTERS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "box": (0.5, _box),
    "bilinear": (1.0, filters.get("bilinear")),
    "hamming": (1.0, replace(filters.get("hamming"), function=_hamming)),
    "bicubic": (2.0, filters.get("bicubic")),
    "lanczos": (3.0, filters.get("lanczos3")),
    "mks2013": (2.5, filters.get("mks2013")),
    "mks2021": (4.5, filters.get("mks2021")),
}


class Part(NamedTuple):
    """What is resized of one axis: low .. high of n pixels, which may be `means` of the image's own."""

    n: int
    low: np.float32
    high: np.float32
    means: Taps | None


def _taps(request: Request) -> tuple[Taps, ...]:
    axes = list(zip(parts(request), request.output_size, strict=True))
    crops = all(float(part.low).is_integer() and part.high - part.low == n_out for part, n_out in axes)
    taps = [_axis(*part[:3], n_out, "nearest" if crops else request.method) for part, n_out in axes]
    return tuple(one @ part.means if part.means else one for one, (part, _) in zip(taps, axes, strict=True))


def _axis(n_in: int, low: np.float32, high: np.float32, n_out: int, method: str) -> Taps:
    if n_in == n_out == high and low == 0:
        return sampling.identity(n_in)
    step = np.float64(high - low) / n_out
    if method == "nearest":
        return sampling.pick(n_in, sampling.walked(n_out, step, start=float(low)).astype(np.int64))
    centre, stretch = np.float64(low) + sampling.grid(n_out, step, offset=0.5), np.maximum(step, np.float64(1.0))
    support, kernel = _FILTERS[method]
    return sampling.around(n_in, centre, support, stretch, kernel)


def parts(request: Request) -> list[Part]:
    """What is resized of each axis, once `reducing_gap` has taken its means."""
    spans, gap = _spans(request), cast(float | None, request.option("reducing_gap"))
    steps = [(high - low) / n_out for (low, high), n_out in zip(spans, request.output_size, strict=True)]
    factors = [int(step / gap) or 1 if gap and request.method != "nearest" else 1 for step in steps]
    parts = []
    for n_in, (low, high), step, factor in zip(request.input_size, spans, steps, factors, strict=True):
        if max(factors) == 1:
            parts.append(Part(n_in, np.float32(low), np.float32(high), None))
            continue
        margin = (_FILTERS[request.method][0] - 0.5) * step  # what the filter will see, too
        first, stop = max(0, int(low - margin)), min(n_in, math.ceil(high + margin))
        means = sampling.blocks(n_in, first, stop, factor)
        low, high = (low - first) / factor, (high - first) / factor
        parts.append(Part(means.n_out, np.float32(low), np.float32(high), means))
    return parts


def _spans(request: Request) -> list[tuple[float, float]]:
    """From where to where each axis is resized: all of it, or as the box says."""
    box = cast(tuple[float, ...] | None, request.option("box"))
    if box is None:
        return [(0.0, float(n_in)) for n_in in request.input_size]
    if len(request.input_size) != 2:
        raise UnsupportedError(f"pillow: box is of two axes, not of {len(request.input_size)}")
    (left, upper, right, lower), (height, width) = box, request.input_size
    if np.float32(right) > width or np.float32(lower) > height:
        raise UnsupportedError(
            f"pillow: box {box} reaches beyond an image {width} wide and {height} high (Pillow refuses it too)"
        )
    return [(upper, lower), (left, right)]


def _rows_first(n_in: list[int], n_out: tuple[int, ...]) -> bool:
    lost = [before - after for before, after in zip(n_in, n_out, strict=True)]
    return lost[0] > 0 and lost[0] > 2 * lost[1]


def _rows_first_12(n_in: list[int], n_out: tuple[int, ...]) -> bool:
    return n_in[0] > 100 * n_in[1] and n_in[0] > n_out[0]


def _arithmetic(rows_first: Order, dtype: np.dtype, request: Request) -> Arithmetic:
    exact = Arithmetic(np.dtype(np.float64), dtype)
    if request.method == "nearest" or dtype not in (np.float32, np.uint8):
        return exact
    n_in = [part.n for part in parts(request)]
    order = tuple(reversed(range(len(n_in))))
    if len(n_in) == 2 and rows_first(n_in, request.output_size):
        order = (0, 1)
    if dtype == np.float32:
        return replace(exact, between=dtype, order=order)
    if request.option("reducing_gap") is not None:
        raise UnsupportedError(
            "pillow: reducing_gap is for floats here; convert uint8 to float32, or leave it out, which is more exact"
        )
    return Arithmetic(np.dtype(np.int32), dtype, between=dtype, order=order, fixed=FixedPoint(bits=22))


def _read_box(given: object) -> object:
    values = given if isinstance(given, (tuple, list, np.ndarray)) else ()
    box = tuple(cast(float, number("box", 0.0).read(value)) for value in values)
    if given is None or (len(box) == 4 and 0 <= box[0] < box[2] and 0 <= box[1] < box[3]):
        return box or None
    raise ArgumentError(f"box must be None or (left, upper, right, lower), neither negative nor empty, not {given!r}")


def _read_gap(given: object) -> object:
    gap = None if given is None else cast(float, number("reducing_gap", 1.0).read(given))
    if gap is None or gap >= 1:
        return gap
    raise ArgumentError(f"reducing_gap must be None or a number of at least 1, not {given!r}")


DIALECT = Dialect(
    name="pillow",
    versions="Pillow 13.0, Image.resize",
    methods={"nearest": (False,), **dict.fromkeys(_FILTERS, (True,))},
    options={"box": Open((None,), _read_box), "reducing_gap": Open((None,), _read_gap)},
    taps=_taps,
    arithmetic=partial(_arithmetic, _rows_first),
)
OLDER = (
    replace(
        DIALECT,
        name="pillow@12",
        versions="Pillow 12.3, Image.resize",
        methods={name: flags for name, flags in DIALECT.methods.items() if not name.startswith("mks")},
        arithmetic=partial(_arithmetic, _rows_first_12),
    ),
)
