"""What a pass costs: so that the faster order of two halves can be chosen, and no more threads than are worth it.

Work is counted in multiply-adds of float32, of about 0.035 ns, and what takes as long.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Protocol

from .packing import CACHE_LINE, MANY_CHANNELS

if TYPE_CHECKING:
    from .axis_taps import Runs
    from .passes import Pass

HORIZONTAL_COST = 3.0  # of a horizontal tap of few channels
PAIRED_COST = 2.0  # of one in whole numbers, by pairs
STEP_COST = 1.5  # of a tap in steps, along either axis
NAMED_COST = 1.0  # of one by sixteens
PICKED_COST = 3.0  # of a number that is picked
DIRECT_COST = 2.0  # of a tap of the direct form of few channels


class Cost(Protocol):
    """What the cost of resizing an axis depends on."""

    @property
    def n_in(self) -> int:
        """The number of inputs."""

    @property
    def n_out(self) -> int:
        """The number of outputs."""

    @property
    def mean_count(self) -> float:
        """The mean number of taps."""


def prefer_vertical(vertical: Cost, horizontal: Cost) -> bool:
    """Whether the vertical half should go first, by the cost of both orders in multiply-adds and moves.

    A matter of the taps alone: were it to depend on batch, channels or tile, so would the last bits of the result.
    """
    down, up = _costs(vertical, horizontal, HORIZONTAL_COST)
    return down <= up


def _costs(vertical: Cost, horizontal: Cost, horizontal_cost: float) -> tuple[float, float]:
    """What one image of one channel costs: vertical first, and horizontal first."""
    h_in, h_out, w_in, w_out = vertical.n_in, vertical.n_out, horizontal.n_in, horizontal.n_out
    along, across = vertical.mean_count + 1, horizontal_cost * (horizontal.mean_count + 1)
    down = h_out * w_in * (along + 1) + h_out * w_out * across
    up = h_in * w_in + h_in * w_out * across + h_out * w_out * along
    return down, up


def work(step: Pass, shape: tuple[int, ...], result: tuple[int, ...], itemsize: int, horizontal_cost: float) -> float:
    """The work of a pass over arrays of these shapes (one axis more than the array's own)."""
    n_in, n_out, channels = prod(shape), prod(result), prod(shape[step.axis + 2 :])
    vertical, horizontal = step.vertical, step.horizontal
    if step.copies:
        per_pixel = max(1, CACHE_LINE // (channels * itemsize))  # pixels that come with each that is read
        return PICKED_COST * (n_out + min(n_in, n_out * per_pixel))
    many, wide = channels >= MANY_CHANNELS, step.sums.itemsize / 4
    cost = 1.0 if many else horizontal_cost
    if vertical is None or horizontal is None:
        one = vertical or horizontal
        assert one is not None
        return wide * (n_in + n_out * (1 + one.mean_count) * (cost if vertical is None else 1.0))
    if step.between == step.sums and is_direct(vertical, horizontal, channels):
        n_read = min(n_in, n_in // vertical.n_in * 2 * vertical.n_out)  # in whole rows
        return wide * (n_read + 5 * n_out) * (1.0 if many else DIRECT_COST)
    return wide * prod(shape[: step.axis]) * channels * _costs(vertical, horizontal, cost)[not step.vertical_first]


def is_direct(vertical: Runs, horizontal: Runs, channels: int) -> bool:
    """Whether the direct form is the fastest: 2 x 2 taps at most, and pixels that fill vectors by themselves.

    With 3 or 4 channels only where the image shrinks: growing reads every pixel often, and a row between saves that.
    """
    both = (vertical, horizontal)
    if any(runs.n_in < 2 or runs.weights.shape[1] > 2 or runs.divisors is not None for runs in both):
        return False
    return channels >= MANY_CHANNELS or (channels in (3, 4) and all(runs.n_out <= runs.n_in for runs in both))
