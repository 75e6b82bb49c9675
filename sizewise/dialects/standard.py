"""The default dialect: half-pixel centers, antialiasing, edge weights renormalized.

This is what Pillow, JAX, TensorFlow 2 and PyTorch agree on when they antialias, in exact coordinates. An axis that
keeps its length is copied. All filters are methods, besides `nearest` (the pixel under the center) and `area` (the mean
weighted by the area that each pixel covers).
"""

from __future__ import annotations

import numpy as np

from .. import filters, sampling
from ..taps import Taps
from . import Arithmetic, Dialect, Request, _formula, float_arithmetic, per_axis
from ._formula import BY_SIZE, Formula

_FILTERS = {name: filters.get(name) for name in filters.names()}


def _taps(n_in: int, n_out: int, request: Request) -> Taps:
    if n_in == n_out:
        return sampling.identity(n_in)
    if request.method == "nearest":
        return sampling.nearest(n_in, sampling.center_index(n_in, n_out))
    if request.method == "area":
        return sampling.area(n_in, n_out)
    return sampling.filter_exact(n_in, n_out, _FILTERS[request.method], antialias=request.antialias)


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    # Integers are summed in float64: results of 8, 16 and 32 bits round like the exact sum. 64-bit ones are exact up
    # to 2**53; methods that only copy pixels copy them exactly.
    return float_arithmetic(dtype) or Arithmetic(np.dtype(np.float64), dtype)


def _formula_of(request: Request) -> Formula:
    if request.method == "nearest":
        return Formula(BY_SIZE, _formula.UNDER_CENTER)
    if request.method == "area":
        return _formula.area(BY_SIZE)
    return _formula.filter_inside(BY_SIZE, request.method, request.antialias, copied=True)


DIALECT = Dialect(
    name="standard",
    versions="Sizewise's own",
    methods={"nearest": (False,), **dict.fromkeys(filters.names(), (True, False)), "area": (True,)},
    aliases=filters.aliases(),
    taps=per_axis(_taps),
    arithmetic=_arithmetic,
    formula=_formula_of,
)
