"""Prediction: how far the pixels of another runtime will be from those of the model's own, on noise and on an image."""

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
from .porting import Port, port

Pixels = NDArray[np.float32]
MOST_PIXELS = 1 << 24  # of an input or an output that is tried
LONGEST = 1 << 16  # of their axes
_MOST_AT_ONCE = 1 << 21  # pixels of a result; larger ones are tried in parts
_PART = 256  # pixels of an axis
_LONGEST_PERIOD = 1024


@dataclass(frozen=True)
class Difference:
    """The largest and the mean difference of two images of the range 0 to 1.

    >>> Difference.of(np.array([0.0, 0.5]), np.array([0.0, 0.25]))
    Difference(largest=0.25, mean=0.125)
    """

    largest: float
    mean: float

    @classmethod
    def of(cls, one: NDArray[Any], other: NDArray[Any]) -> Difference:
        """How far two arrays are apart."""
        apart = np.abs(one.astype(np.float64) - other.astype(np.float64))
        return cls(float(apart.max()), float(apart.mean()))


@dataclass(frozen=True)
class Prediction:
    """What becomes of a node in another runtime: the call that a port would make, and the differences.

    `refusal` says why there is none; all else is then None.

    >>> from .node import Words
    >>> node = Node("up", "Resize", (4, 4), (8, 8), words=Words("tfjs", "bilinear"))
    >>> made = predict(node, node.words.plan((4, 4), (8, 8)), "opencv")
    >>> made.port.notes
    ('opencv has no linear resize with an asymmetric grid: half-pixel centres instead',)
    >>> 0.1 < made.noise.largest < 1
    True
    """

    target: str
    port: Port | None = None
    noise: Difference | None = None
    image: Difference | None = None
    refusal: str = ""


def predict(
    node: Node, plan: Plan, target: str, image: Pixels | None = None, trials: Sequence[Trial] = ()
) -> Prediction:
    """What becomes of a node, whose own plan is given, in another runtime; `trials` are those of the plan, if made."""
    try:
        found = port(node, target)
        other = ported(found, node, plan)
    except ArgumentError as error:
        return Prediction(target, refusal=str(error))
    of_noise, of_image = (trial.difference(other) for trial in trials or trials_of(plan, image))
    return Prediction(target, found, of_noise, of_image)


@dataclass(frozen=True)
class Trial:
    """Pixels, and what a plan makes of them in windows of its result."""

    pixels: Pixels
    windows: tuple[tuple[slice, ...], ...]
    own: tuple[Pixels, ...]

    def difference(self, other: Plan) -> Difference:
        """How far the result of another plan is from the own one."""
        theirs = _applied(other, self.pixels, self.windows)
        apart = [Difference.of(*both) for both in zip(self.own, theirs, strict=True)]
        mean = sum(one.mean * mine.size for one, mine in zip(apart, self.own, strict=True))
        return Difference(max(one.largest for one in apart), mean / sum(mine.size for mine in self.own))


def trials_of(plan: Plan, image: Pixels | None = None) -> tuple[Trial, Trial]:
    """A plan tried on noise, and on an image."""
    windows = tuple(itertools.product(*(_parts(n) for n in plan.output_size)))
    whole = math.prod(plan.output_size) <= _MOST_AT_ONCE
    chosen = (tuple(slice(0, n) for n in plan.output_size),) if whole else windows
    tried = (noise(plan.input_size), fitted(image, plan.input_size))
    first, second = (Trial(pixels, chosen, _applied(plan, pixels, chosen)) for pixels in tried)
    return first, second


def _parts(n: int) -> list[slice]:
    """The start, the middle and the end of an axis, or all of one that is not much longer."""
    if n <= 4 * _PART:
        return [slice(0, n)]
    return [slice(start, start + _PART) for start in (0, (n - _PART) // 2, n - _PART)]


def _applied(plan: Plan, pixels: Pixels, windows: Sequence[tuple[slice, ...]]) -> tuple[Pixels, ...]:
    axes = tuple(range(len(plan.input_size)))
    tiles = (plan.for_dtype(pixels.dtype).tile(window) for window in windows)
    return tuple(tile.apply(pixels[inputs], axes) for inputs, tile in tiles)


def ported(found: Port, node: Node, plan: Plan) -> Plan:
    """The plan of a port: by the node's scale where it is called so and makes the same size, else by the size."""
    if found.by_scale:
        other = found.words.plan(plan.input_size, None, node.scale)
        if other.output_size == plan.output_size:
            return other
    return found.words.plan(plan.input_size, plan.output_size)


def noise(size: tuple[int, ...]) -> Pixels:
    """Noise of the range 0 to 1, always the same for a size: every pixel for itself.

    >>> noise((2, 2)).tolist() == noise((2, 2)).tolist()
    True
    """
    return np.random.default_rng(12753).random(size, np.float32)


def picture(size: tuple[int, ...]) -> Pixels:
    """A picture of the range 0 to 1, always the same for a size: noise as smooth as photographs are, and an edge.

    >>> picture((8, 8)).shape
    (8, 8)
    """
    period = tuple(min(n, _LONGEST_PERIOD) for n in size)  # a large one repeats itself: waves of all lengths take long
    frequency = np.sqrt(sum(one**2 for one in np.meshgrid(*map(np.fft.fftfreq, period), indexing="ij")))
    waves = np.fft.fftn(np.random.default_rng(12753).standard_normal(period))
    falling = np.where(
        frequency == 0, 0.0, waves / np.maximum(frequency, 1.0 / max(period))
    )  # as 1/f, like photographs
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
    """Pixels of any dtype as floats from 0 to 1, without what makes them transparent.

    >>> unit_range(np.array([[0, 255]], np.uint8)).tolist()
    [[0.0, 1.0]]
    """
    colours = pixels[..., :3] if pixels.ndim == 3 and pixels.shape[-1] == 4 else pixels
    if colours.dtype.kind in "ui":
        return (colours / np.iinfo(colours.dtype).max).astype(np.float32)
    if not (np.isfinite(colours).all() and colours.min() >= 0 and colours.max() <= 1):
        raise ArgumentError("an image of floats must have pixels from 0 to 1")
    return colours.astype(np.float32)


def fitted(image: Pixels | None, size: tuple[int, ...]) -> Pixels:
    """The user's image, brought to a node's input size; a picture where there is none, or the node has other axes."""
    if image is None or len(size) != 2:
        return picture(size)
    resized: Pixels = make_plan(image.shape[:2], size)(image, axes=(0, 1))
    return np.clip(resized, 0.0, 1.0)


def too_large(*sizes: tuple[int, ...]) -> bool:
    """Whether an image of one of these sizes is larger than what is tried.

    >>> too_large((224, 224), (1 << 13, 1 << 13))
    True
    """
    return any(math.prod(size) > MOST_PIXELS or max(size) > LONGEST for size in sizes)
