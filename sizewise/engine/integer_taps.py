"""Integer taps, the same number for each output, so that loops over them are short and of one length."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .packing import LANES, Array, Indices, Packed, is_rising, pack_byte_shuffles, pack_fixed_point, readonly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .axis_taps import AxisTaps


class IntegerTaps(NamedTuple):
    """Output o reads the pixels first[o], first[o] + 1, ...; those outside the axis are its nearest end.

    `first` never decreases.
    """

    n_in: int
    first: Indices
    weights: NDArray[np.int32]

    @property
    def exceeds_axis(self) -> bool:
        """Whether the last output reads beyond the end of the axis."""
        return bool(self.first[-1] + self.weights.shape[1] > self.n_in)

    def clamp_and_pad(self, multiple: int) -> IntegerTaps:
        """Return taps inside the axis, those of one pixel added up; if they fit, a multiple of `multiple` of them."""
        n_out, width = self.weights.shape
        padded = min(-(-width // multiple) * multiple, self.n_in)
        first = np.clip(self.first, 0, self.n_in - padded)
        tap = np.clip(self.first[:, None] + np.arange(width), 0, self.n_in - 1) - first[:, None]
        weights = np.zeros((n_out, padded), np.int32)
        np.add.at(weights, (np.arange(n_out)[:, None], tap), self.weights)
        return IntegerTaps(self.n_in, first, weights)

    def pad_for_channels(self, channels: int) -> IntegerTaps:
        """Return the taps as such pixels are summed fastest: by pairs, those of 3 or 4 channels by fours."""
        by_four = channels in (3, 4) and self.weights.shape[1] > 2
        padded = self.clamp_and_pad(4 if by_four else 2)
        return padded if padded.weights.shape[1] % 2 == 0 else self.clamp_and_pad(2)

    def byte_shuffles(self, channels: int) -> Packed | None:
        """Return the tables for byte shuffles, of weights that fit int16; None where there are none."""
        return pack_byte_shuffles(self.first, self.weights.astype(np.int16), channels) if channels < LANES else None


def pack_pairs(
    vertical: AxisTaps, horizontal: AxisTaps, channels: int, *, use_shuffles: bool
) -> tuple[tuple[Array, ...], bool] | None:
    """Return the tables of the kernels that sum pairs of taps, and whether they hold byte shuffles.

    None where other kernels are faster: without byte shuffles, those are rows that do not shrink, and pixels of one
    channel, or of many.
    """
    both = (vertical, horizontal)
    if horizontal.n_out * channels < LANES or not (all(map(_fits_int16, both)) and is_rising(horizontal.start)):
        return None
    v_taps, h_taps = (_integer_taps(taps).clamp_and_pad(2) for taps in both)
    n_taps = v_taps.weights.shape[1]
    if n_taps % 2:
        return None
    shuffles = h_taps.byte_shuffles(channels) if use_shuffles else None
    if shuffles is None:
        h_taps = _integer_taps(horizontal).clamp_and_pad(4)
        if channels not in (3, 4) or horizontal.n_out >= horizontal.n_in or h_taps.weights.shape[1] % 4:
            return None
    header = (vertical.n_in, n_taps, 1, vertical.add, vertical.shift, horizontal.add, horizontal.shift, horizontal.n_in)
    h_weights, v_weights = (taps.weights.astype(np.int16) for taps in (h_taps, v_taps))
    packed = pack_fixed_point(header, v_taps.first, h_taps.first, h_weights, channels, shuffles)
    return (*packed, readonly(v_weights.reshape(-1))), shuffles is not None


def _fits_int16(taps: AxisTaps) -> bool:
    """Return whether there are weights, and all fit int16."""
    limits = np.iinfo(np.int16)
    has_weights = taps.n_in > 0 and taps.weights.size > 0
    return has_weights and bool(limits.min <= taps.weights.min() and taps.weights.max() <= limits.max)


def _integer_taps(taps: AxisTaps) -> IntegerTaps:
    is_used = np.arange(taps.weights.shape[1]) < taps.count[:, None]
    return IntegerTaps(taps.n_in, taps.start, np.where(is_used, taps.weights, 0))
