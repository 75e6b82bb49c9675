"""scikit-image's skimage.transform.resize with mode="reflect": coordinates in float64, two taps, mirrored borders.

`nearest` is order 0, `linear` order 1. (Splines of order 2 and more read every pixel, and cannot be short taps.)
Antialiasing is a Gaussian blur before the resize, sigma (n_in / n_out - 1) / 2, truncated at four sigma, along each
axis that shrinks; here it is merged into the taps. scikit-image blurs by default, except integers and bool at order 0:
here `nearest` does not, and takes antialias=True for floats.

Sums are float64, rounded once; scikit-image rounds float32 after each axis of the blur. Like scikit-image, integers
become float64, but they are not divided by their largest value (preserve_range=True). float16 stays float16, which
scikit-image converts to float32.
"""

from __future__ import annotations

import numpy as np

from .. import sampling
from ..taps import Taps
from . import Arithmetic, Dialect, Request, _formula, is_floating, per_axis
from ._contract import Contract
from ._formula import Formula


def _taps(n_in: int, n_out: int, request: Request) -> Taps:
    x = sampling.grid(n_out, np.float64(n_in / n_out), offset=0.5) - 0.5
    if request.method == "nearest":
        low, weights = np.floor(x + 0.5), np.ones((n_out, 1))
    else:
        low = np.floor(x)
        weights = np.stack([1.0 - (x - low), x - low], axis=1)
    blur = _gaussian((n_in / n_out - 1.0) / 2.0) if request.antialias and n_out < n_in else np.ones(1)
    radius = len(blur) // 2
    return sampling.mirror_outside(n_in, low - radius, sampling.convolve_rows(weights, blur), repeat=False)


def _gaussian(sigma: float) -> np.ndarray:
    """Return the blur, from -4 to 4 sigma, normalized to sum 1."""
    x = np.arange(-int(4.0 * sigma + 0.5), int(4.0 * sigma + 0.5) + 1)
    raw = np.exp(-0.5 / (sigma * sigma) * x**2)
    weights: np.ndarray = raw / raw.sum()
    return weights


def _arithmetic(dtype: np.dtype, request: Request) -> Arithmetic:
    exact = np.dtype(np.float64)
    return Arithmetic(exact, dtype if is_floating(dtype) or request.method == "nearest" else exact)


def _formula_of(request: Request) -> Formula:
    x = _formula.UNDER_CENTER if request.method == "nearest" else _formula.HALF_PIXEL
    kernel = _formula.NEAREST if request.method == "nearest" else "linear"
    if request.antialias:
        kernel += ", after a Gaussian blur of sigma (step - 1) / 2 where step > 1"
    return Formula(_formula.BY_SIZE, x, kernel, edges=_formula.MIRRORED_ON_EDGE)


DIALECT = Dialect(
    name="skimage",
    versions="scikit-image 0.26, skimage.transform.resize",
    methods={"linear": (True, False), "nearest": (False, True)},
    aliases={"bilinear": "linear"},
    taps=per_axis(_taps),
    arithmetic=_arithmetic,
    formula=_formula_of,
    # scikit-image rounds the blur after each axis, this once; without the blur `nearest` is exact.
    contract=Contract("scikit-image", ulp={"nearest": 2, "linear": 2}),
)
