"""Filters: even functions with a support, by name.

The standard dialect, the tests and the documentation find every filter in `_FILTERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from . import validation
from .errors import ArgumentTypeError, short_repr, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Filter", "aliases", "cubic", "flat_top", "get", "lanczos", "names"]
__dir__ = __all__.copy

# Distances evaluated at a time, so that temporary arrays fit in the L2 cache (24,000 distances with lanczos3 take half
# the time).
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class Filter:
    """An even function of the distance in pixels, zero beyond its support.

    >>> triangle = get("triangle")
    >>> triangle.support, float(triangle(np.array(0.25)))
    (1.0, 0.75)
    """

    name: str
    support: float
    function: Callable[[Array], Array] = field(repr=False)
    aliases: tuple[str, ...] = ()
    interpolating: bool = False  # 1 at distance 0, and 0 at every other integer distance
    partition_of_unity: bool = False  # its shifts by integer distances sum to 1 everywhere
    nonnegative: bool = True  # no negative lobes: results stay in the range of the input

    def __call__(self, distance: Array) -> Array:
        """Return the weight at each distance; 0 beyond the support."""
        if type(distance) is not np.ndarray or distance.dtype != np.float64:
            distance = validation.require_real_array(distance, "distance").astype(np.float64)
        distances = np.abs(distance)
        flat, weights = distances.ravel(), np.empty(distances.size)
        for first in range(0, distances.size, _BLOCK):
            x = flat[first : first + _BLOCK]
            weights[first : first + _BLOCK] = np.where(x <= self.support, self.function(x), 0.0)
        return weights.reshape(distances.shape)


def _box(x: Array) -> Array:
    # One half at the edge keeps the filter even: a pixel on the border is shared by both sides.
    return np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))


def _triangle(x: Array) -> Array:
    return np.maximum(1.0 - x, 0.0)


def _sinc(x: Array) -> Array:
    # Exactly 0 at integer distances, where sin(pi x) in floating point is about 1e-17.
    return np.where((x == np.floor(x)) & (x > 0), 0.0, np.sinc(x))


def _hamming(x: Array) -> Array:
    # The constants of Pillow's HAMMING (Resample.c, hamming_filter).
    return np.where(x < 1.0, _sinc(x) * (0.54 + 0.46 * np.cos(np.pi * x)), 0.0)


def _gaussian(x: Array) -> Array:
    # Sigma 0.5, truncated at 1.5 pixels: the kernel of TensorFlow's ScaleAndTranslate.
    return np.exp(-2.0 * x * x) * (x < 1.5)


def cubic(b: float, c: float) -> Callable[[Array], Array]:
    """Return the two-parameter cubic of Mitchell and Netravali (1988); b = 0, c = -a is cubic convolution.

    >>> float(cubic(0.0, 0.5)(np.array(0.5)))
    0.5625
    """
    b, c = validation.require_float(b, "b"), validation.require_float(c, "c")
    inner = ((12 - 9 * b - 6 * c) / 6, (-18 + 12 * b + 6 * c) / 6, (6 - 2 * b) / 6)
    outer = ((-b - 6 * c) / 6, (6 * b + 30 * c) / 6, (-12 * b - 48 * c) / 6, (8 * b + 24 * c) / 6)

    def function(x: Array) -> Array:
        near = (inner[0] * x + inner[1]) * x * x + inner[2]
        far = ((outer[0] * x + outer[1]) * x + outer[2]) * x + outer[3]
        return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))

    return function


def _magic_sharp_2013(x: Array) -> Array:
    # The magic kernel (a quadratic B-spline) sharpened once: Costella, "The magic kernel" (2013).
    near, middle, far = 17 / 16 - 7 / 4 * x * x, (1 - x) * (7 / 4 - x), -((x - 5 / 2) ** 2) / 8
    return np.where(x < 0.5, near, np.where(x < 1.5, middle, np.where(x < 2.5, far, 0.0)))


def _magic_sharp_2021(x: Array) -> Array:
    # The magic kernel sharpened twice: Costella, "Solving the mystery of Magic Kernel Sharp" (2021).
    pieces = (
        577 / 576 - 239 / 144 * x * x,
        (140 * x * x - 379 * x + 239) / 144,
        (113 * x - 24 * x * x - 130) / 144,
        (4 * x * x - 27 * x + 45) / 144,
        -((x - 4.5) ** 2) / 288,
    )
    return np.select([x < 0.5, x < 1.5, x < 2.5, x < 3.5, x < 4.5], pieces, 0.0)


def lanczos(lobes: int) -> Filter:
    """Return the Lanczos filter: a sinc windowed by its own central lobe, `lobes` pixels wide on either side.

    >>> lanczos(3).support
    3.0
    """
    validation.require_int(lobes, "lobes", 1)

    def function(x: Array) -> Array:
        positive = np.maximum(x, 1e-20)  # no division by 0
        near, far = np.pi * positive, np.pi * (positive / lobes)
        zero = (x >= lobes) | ((x == np.floor(x)) & (x > 0))
        return np.where(zero, 0.0, (np.sin(near) / near) * (np.sin(far) / far))

    aliases = ("lanczos",) if lobes == 3 else ()
    return Filter(f"lanczos{lobes}", float(lobes), function, aliases, interpolating=True, nonnegative=False)


def flat_top(kernel: Filter, radius: float) -> Filter:
    """Return the filter with value 1 up to `radius`, as in loops that avoid a division by almost 0.

    >>> float(flat_top(lanczos(3), 1e-3)(np.array(1e-3)))
    1.0
    """
    if not isinstance(kernel, Filter):
        raise ArgumentTypeError(f"kernel must be a Filter, such as filters.get('box'), not {short_repr(kernel)}")
    validation.require_float(radius, "radius")
    return replace(kernel, function=lambda x: np.where(x <= radius, 1.0, kernel.function(x)))


_FILTERS = (
    Filter("box", 0.5, _box, interpolating=True, partition_of_unity=True),
    Filter("bilinear", 1.0, _triangle, ("linear", "triangle"), interpolating=True, partition_of_unity=True),
    Filter("hamming", 1.0, _hamming, interpolating=True),
    Filter("bicubic", 2.0, cubic(0.0, 0.5), ("cubic",), interpolating=True, partition_of_unity=True, nonnegative=False),
    Filter("mitchell", 2.0, cubic(1 / 3, 1 / 3), partition_of_unity=True, nonnegative=False),
    Filter("gaussian", 1.5, _gaussian),
    Filter("mks2013", 2.5, _magic_sharp_2013, partition_of_unity=True, nonnegative=False),
    Filter("mks2021", 4.5, _magic_sharp_2021, partition_of_unity=True, nonnegative=False),
    *(lanczos(lobes) for lobes in (2, 3, 4, 5)),
)
_BY_NAME = {name: item for item in _FILTERS for name in (item.name, *item.aliases)}


def names() -> tuple[str, ...]:
    """Return the names of all filters, without aliases.

    >>> names()[:3]
    ('box', 'bilinear', 'hamming')
    """
    return tuple(item.name for item in _FILTERS)


def aliases() -> dict[str, str]:
    """Return a dict of aliases to names of filters.

    >>> aliases()["cubic"]
    'bicubic'
    """
    return {alias: item.name for item in _FILTERS for alias in item.aliases}


def get(name: str) -> Filter:
    """Return the filter of that name or alias.

    >>> get("lanczos").name
    'lanczos3'
    """
    known = _BY_NAME.get(name) if isinstance(name, str) else None
    if known is None:
        raise unknown_name("filter", name, _BY_NAME)
    return known
