"""Prediction: how far the pixels of another runtime are from the model's own, on noise and on an image."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...api import make_plan
from ...errors import ArgumentError
from ...plan import Plan
from .node import Node
from .port import Port, port, port_plan

Pixels = NDArray[np.float32]
MAX_PIXELS = 1 << 24  # of an input or an output
MAX_LENGTH = 1 << 16  # of their axes
_MAX_WHOLE = 1 << 21  # pixels of a result; larger ones are compared in parts
_PART = 256  # pixels of an axis
_MAX_PERIOD = 1024


@dataclass(frozen=True)
class Difference:
    """The largest and the mean difference of two images from 0 to 1."""

    largest: float
    mean: float

    @classmethod
    def of(cls, one: NDArray[Any], other: NDArray[Any]) -> Difference:
        """Return the difference of two arrays."""
        apart = np.abs(one.astype(np.float64) - other.astype(np.float64))
        return cls(float(apart.max()), float(apart.mean()))


@dataclass(frozen=True)
class Prediction:
    """A node in another runtime: the call of a port, and the differences of its pixels.

    `refusal` says why there is none; all else is then None.
    """

    target: str
    port: Port | None = None
    noise: Difference | None = None
    image: Difference | None = None
    refusal: str = ""


def predict(
    node: Node, plan: Plan, target: str, image: Pixels | None = None, trials: Sequence[Trial] = ()
) -> Prediction:
    """Predict a node with that plan in another runtime; `trials` are those of the plan, if it was tried before."""
    try:
        found = port(node, plan, target)
        other = port_plan(found, node, plan)
    except ArgumentError as error:
        return Prediction(target, refusal=str(error))
    of_noise, of_image = (trial.difference(other) for trial in trials or trials_of(plan, image))
    return Prediction(target, found, of_noise, of_image)


@dataclass(frozen=True)
class Trial:
    """Pixels, and the result of a plan in windows, one after the other."""

    pixels: Pixels
    windows: tuple[tuple[slice, ...], ...]
    own: Pixels

    def difference(self, other: Plan) -> Difference:
        """Return how far the result of another plan is from this one."""
        return Difference.of(self.own, _apply(other, self.pixels, self.windows))


def trials_of(plan: Plan, image: Pixels | None = None) -> tuple[Trial, Trial]:
    """Apply a plan to noise, and to an image."""
    if math.prod(plan.output_size) <= _MAX_WHOLE:
        windows: tuple[tuple[slice, ...], ...] = (tuple(slice(0, n) for n in plan.output_size),)
    else:
        windows = tuple(itertools.product(*(_parts(n) for n in plan.output_size)))
    tried = (noise(plan.input_size), fit_image(image, plan.input_size))
    first, second = (Trial(pixels, windows, _apply(plan, pixels, windows)) for pixels in tried)
    return first, second


def _parts(n: int) -> list[slice]:
    """Return the start, the middle and the end of an axis, or all of one that is not much longer."""
    if n <= 4 * _PART:
        return [slice(0, n)]
    return [slice(start, start + _PART) for start in (0, (n - _PART) // 2, n - _PART)]


def _apply(plan: Plan, pixels: Pixels, windows: Sequence[tuple[slice, ...]]) -> Pixels:
    axes = tuple(range(len(plan.input_size)))
    tiles = (plan.for_dtype(pixels.dtype).tile(window) for window in windows)
    return np.concatenate([tile.apply(pixels[inputs], axes).ravel() for inputs, tile in tiles])


def noise(size: tuple[int, ...]) -> Pixels:
    """Return white noise from 0 to 1, the same for every call with a size."""
    return np.random.default_rng(12753).random(size, np.float32)


def synthetic_photo(size: tuple[int, ...]) -> Pixels:
    """Return an image from 0 to 1 with the 1/f spectrum of photographs and an edge, the same for every call."""
    period = tuple(min(n, _MAX_PERIOD) for n in size)  # large images repeat: one transform of all would take long
    frequency = np.sqrt(sum(one**2 for one in np.meshgrid(*map(np.fft.fftfreq, period), indexing="ij")))
    waves = np.fft.fftn(np.random.default_rng(12753).standard_normal(period))
    falling = np.where(frequency == 0, 0.0, waves / np.maximum(frequency, 1.0 / max(period)))
    smooth: NDArray[np.floating] = np.fft.ifftn(falling).real
    smooth /= max(float(smooth.std()), 1e-12)
    if period != size:
        repeats = tuple(-(-n // each) for n, each in zip(size, period, strict=True))
        smooth = np.tile(smooth.astype(np.float32), repeats)[tuple(slice(n) for n in size)]
    across = functools.reduce(np.add.outer, (((np.arange(n) + 0.5) / n).astype(smooth.dtype) for n in size))
    smooth += 1.5 * (across > 0.62 * len(size)).astype(smooth.dtype)
    low, high = float(smooth.min()), float(smooth.max())
    smooth -= low
    smooth /= high - low if high > low else 1.0
    return smooth.astype(np.float32, copy=False)


def unit_range(pixels: NDArray[Any]) -> Pixels:
    """Return pixels of any dtype as floats from 0 to 1, without alpha."""
    colors = pixels[..., :3] if pixels.ndim == 3 and pixels.shape[-1] == 4 else pixels
    if colors.dtype.kind in "ui":
        return (colors / np.iinfo(colors.dtype).max).astype(np.float32)
    if not (np.isfinite(colors).all() and colors.min() >= 0 and colors.max() <= 1):
        raise ArgumentError("an image of floats must have pixels from 0 to 1")
    return colors.astype(np.float32)


def fit_image(image: Pixels | None, size: tuple[int, ...]) -> Pixels:
    """Return the user's image at a node's input size; a synthetic photo without one, or for more or fewer axes."""
    if image is None or len(size) != 2:
        return synthetic_photo(size)
    resized: Pixels = make_plan(image.shape[:2], size)(image, axes=(0, 1))
    return np.clip(resized, 0.0, 1.0)
