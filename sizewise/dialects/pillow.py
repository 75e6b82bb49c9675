"""Pillow's Image.resize: taps in float64, uint8 images in 22-bit fixed point.

Filters always antialias, and an axis that keeps its length is copied. `nearest` accumulates its step pixel by pixel,
and so its rounding errors: 2 -> 7 reads another pixel than exact arithmetic does.

`box` is Pillow's (left, upper, right, lower), for two axes: the part of the image to resize, in float32. Filters read
pixels around it. `reducing_gap` first computes means of blocks of pixels, rounded to uint8. For floats it is one more
matrix, applied first; Pillow rounds these means to float32.

uint8 is modes L, RGB and CMYK: integer weights, and uint8 between the two passes, whose order is visible. float32 is
mode F: float64 sums, float32 between the passes. Pillow has no other floats: they are summed in float64 throughout. Its
int32 and uint16 (modes I and I;16), which round halves away from zero after each pass, are not reproduced: like all
other integers they are rounded once, half to even. Alpha is not premultiplied: convert RGBA to RGBa first, as Pillow
does.

`pillow@12` resizes the width first, unless an image is more than 100 times as high as wide, and lacks two filters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from .. import filters, sampling
from ..errors import UnsupportedError
from ..taps import Taps
from . import Arithmetic, Dialect, FixedPoint, OpenOption, Reduction, Request, _formula, _pillow
from ._contract import Contract
from ._formula import Formula
from ._pillow import Part, parse_box, parse_gap

Order = Callable[[list[int], tuple[int, ...]], bool]


def _box(x: np.ndarray) -> np.ndarray:
    # Not symmetric: a pixel on the border belongs to the right (Resample.c, box_filter).
    return np.where((x > -0.5) & (x <= 0.5), 1.0, 0.0)


def _hamming(x: np.ndarray) -> np.ndarray:
    # The constants are floats in the C source: their sum is not exactly 1, but the value at 0 is.
    near, far = float(np.float32(0.54)), float(np.float32(0.46))
    beside = np.where(x < 1.0, np.sinc(x) * (near + far * np.cos(np.pi * x)), 0.0)
    return np.where(x == 0.0, 1.0, beside)


# Support and function of each.
_FILTERS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "box": (0.5, _box),
    "bilinear": (1.0, filters.get("bilinear")),
    "hamming": (1.0, replace(filters.get("hamming"), function=_hamming)),
    "bicubic": (2.0, filters.get("bicubic")),
    "lanczos": (3.0, filters.get("lanczos3")),
    "mks2013": (2.5, filters.get("mks2013")),
    "mks2021": (4.5, filters.get("mks2021")),
}


def parts(request: Request) -> list[Part]:
    """Return the part of each axis to resize."""
    return _pillow.parts(request, _FILTERS.get(request.method, (0.0,))[0])


def _taps(request: Request) -> tuple[Taps, ...]:
    axes = list(zip(parts(request), request.output_size, strict=True))
    is_crop = all(float(part.low).is_integer() and part.high - part.low == n_out for part, n_out in axes)
    taps = [_axis(*part[:3], n_out, "nearest" if is_crop else request.method) for part, n_out in axes]
    return tuple(one @ part.means if part.means else one for one, (part, _) in zip(taps, axes, strict=True))


def _axis(n_in: int, low: np.float32, high: np.float32, n_out: int, method: str) -> Taps:
    if n_in == n_out == high and low == 0:
        return sampling.identity(n_in)
    step = np.float64(high - low) / n_out
    if method == "nearest":
        return sampling.nearest(n_in, sampling.accumulated_grid(n_out, step, start=float(low)).astype(np.int64))
    center, stretch = np.float64(low) + sampling.grid(n_out, step, offset=0.5), np.maximum(step, np.float64(1.0))
    support, kernel = _FILTERS[method]
    return sampling.filter_edges(n_in, center, support, stretch, kernel)


def _rows_first(n_in: list[int], n_out: tuple[int, ...]) -> bool:
    lost = [before - after for before, after in zip(n_in, n_out, strict=True)]
    return lost[0] > 0 and lost[0] > 2 * lost[1]


def _rows_first_12(n_in: list[int], n_out: tuple[int, ...]) -> bool:
    return n_in[0] > 100 * n_in[1] and n_in[0] > n_out[0]


def _arithmetic(rows_first: Order, dtype: np.dtype, request: Request) -> Arithmetic:
    exact = Arithmetic(np.dtype(np.float64), dtype, in_tap_order=True)
    if request.method == "nearest" or dtype not in (np.float32, np.uint8):
        return exact
    n_in = [part.n for part in parts(request)]
    order = tuple(reversed(range(len(n_in))))
    if len(n_in) == 2 and rows_first(n_in, request.output_size):
        order = (0, 1)
    if dtype == np.float32:
        return replace(exact, intermediate=dtype, order=order)
    fixed = Arithmetic(np.dtype(np.int32), dtype, intermediate=dtype, order=order, fixed_point=FixedPoint(bits=22))
    return replace(fixed, reduction=reduction(request))


def reduction(request: Request) -> Reduction | None:
    """Return the first step of `reducing_gap` and the request that remains, or None without that step."""
    each = parts(request)
    blocks = tuple(part.means for part in each if part.means is not None)
    if not blocks:
        return None
    if len(each) != 2:
        raise UnsupportedError(f"pillow: reducing_gap of integers needs two axes, not {len(each)}; convert to float32")
    rows, columns = each
    box = (float(columns.low), float(rows.low), float(columns.high), float(rows.high))
    remaining = replace(
        request, input_size=(rows.n, columns.n), scale=None, options=(("box", box), ("reducing_gap", None))
    )
    return Reduction(blocks, remaining, _taps(remaining))


def _formula_of(request: Request) -> Formula:
    step, first = (_formula.BY_SIZE, "") if request.option("box") is None else ("(end - start) / n_out", "start + ")
    if request.method == "nearest":
        return Formula(step, f"floor({first}(o + 0.5) * step)")
    plain = _formula.filter_inside(step, request.method, True, f"{first}{_formula.HALF_PIXEL}", copied=True)
    if request.option("reducing_gap") is None:
        return plain
    return replace(plain, kernel=f"{plain.kernel}, of means of max(floor(step / reducing_gap), 1) pixels")


DIALECT = Dialect(
    name="pillow",
    versions="Pillow 13.0, Image.resize",
    methods={"nearest": (False,), **dict.fromkeys(_FILTERS, (True,))},
    options={"box": OpenOption((None,), parse_box), "reducing_gap": OpenOption((None,), parse_gap)},
    taps=_taps,
    arithmetic=partial(_arithmetic, _rows_first),
    formula=_formula_of,
    contract=Contract(
        "pillow",
        # One sum of mks2021 in thousands rounds to the other of two neighbors.
        ulp={"nearest": 0, **dict.fromkeys(_FILTERS, 0), "mks2021": 1},
        bit_exact=tuple(_FILTERS),
    ),
)
_OLDER = tuple(name for name in _FILTERS if not name.startswith("mks"))
OLDER = (
    replace(
        DIALECT,
        name="pillow@12",
        versions="Pillow 12.3, Image.resize",
        methods={"nearest": (False,), **dict.fromkeys(_OLDER, (True,))},
        contract=Contract("pillow", dict.fromkeys(("nearest", *_OLDER), 0), bit_exact=_OLDER),
        arithmetic=partial(_arithmetic, _rows_first_12),
    ),
)
