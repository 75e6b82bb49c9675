"""Packed taps: the arrays of integers and weights that the kernels read. `_core/taps.h` has the same formats.

Each argument adds to the cost of a call, so both axes of a pass are packed into one array of integers and one of
weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .axis_taps import AxisTaps

Array: TypeAlias = "NDArray[Any]"
Indices: TypeAlias = "NDArray[np.int64]"

LANES = 8  # elements of a SIMD vector, and rows transposed at a time; 4 and 16 rows were slower
CACHE_LINE = 64  # bytes
MAX_PACKED = 16  # channel counts for which an axis keeps its tables
MIN_VECTOR_CHANNELS = 16  # from here on the channels of a pixel fill vectors, and rows need not be transposed
SHUFFLE_LANES = 16  # elements of a row that one byte shuffle sums
SHUFFLE_WINDOW = 64  # bytes that it selects from: one register
SHUFFLE_PAIR = 3 * SHUFFLE_LANES  # int16 for a pair of taps: 32 byte indices and 32 weights

# Header of a packed axis; then start, counts and flags of its outputs, and the integers of its blocks. A fixed-point
# sum becomes (sum + ADD) >> SHIFT; a float is rounded to SHIFT fractional bits, unless that is 0. DIVIDES: one divisor
# per output follows the weights. Taps are summed by blocks of SUM_BLOCK, and then these sums.
N_IN, N_OUT, WIDTH, CHANNELS, N_BLOCKS, ADD, SHIFT, DIVIDES, SUM_BLOCK, HEADER = range(10)
JOINT, NO_ZERO_WEIGHT = 1, 2  # flags of an output
FIXED_POINT_HEADER = 12  # integers: see `pack_fixed_point`


class Packed(NamedTuple):
    """One axis, or two: `integers` holds the headers and every index, `weights` every weight."""

    integers: Indices
    weights: Array


def pack_axis(taps: AxisTaps, channels: int = 1, *, blocks: bool = False) -> Packed:
    """Return the taps of an axis of pixels of `channels` elements, cached; with blocks, if its rows are long enough."""
    packed = taps.packed.get((channels, blocks))
    if packed is not None:
        return packed
    n_out, width = taps.weights.shape
    n_blocks, block_integers, block_weights = 0, np.zeros(0, np.int64), np.zeros(1, taps.weights.dtype)
    if blocks and width and channels < MIN_VECTOR_CHANNELS and min(n_out, taps.n_in) * channels >= LANES:
        n_blocks, block_integers, block_weights = _pack_blocks(taps, channels)
    divides = taps.divisors is not None
    header = taps.n_in, n_out, width, channels, n_blocks, taps.add, taps.shift, divides, taps.sum_block
    divisors = [] if taps.divisors is None else [taps.divisors]
    integers = [np.array(header, np.int64), taps.start, taps.count, _flags(taps), block_integers]
    if len(taps.packed) >= MAX_PACKED:
        taps.packed = {}  # another thread may be reading the old one
    packed = taps.packed[channels, blocks] = _concatenate(
        integers, [taps.weights.reshape(-1), *divisors, block_weights]
    )
    return packed


def _flags(taps: AxisTaps) -> Indices:
    """Return, for each output, JOINT if it is summed together with the next, and NO_ZERO_WEIGHT if no weight is 0.

    Rows that two joint outputs both read are loaded once. The second may neither begin nor end before the first, nor
    begin after its end. Two taps are summed faster one output at a time.
    """
    start, count = taps.start, taps.count
    end, joint = start + count, np.zeros(len(start), np.int64)
    in_order = (start[:-1] <= start[1:]) & (start[1:] <= end[:-1]) & (end[:-1] <= end[1:])
    joint[:-1] = in_order & (count[:-1] > 2) & (count[1:] > 2)
    is_used = np.arange(taps.weights.shape[1]) < count[:, None]
    no_zero = ((taps.weights != 0) | ~is_used).all(axis=1)
    flags: Indices = JOINT * joint + NO_ZERO_WEIGHT * no_zero
    return flags


def _pack_blocks(taps: AxisTaps, channels: int) -> tuple[int, Indices, Array]:
    """Return the taps for eight transposed rows, eight neighboring elements of the result at a time.

    The integers of n blocks are first[n], offset[8 n], depth[n] and weights_at[n]. Block b sums the elements
    first[b] .. first[b] + 7 of each row: its lane a reads depth[b] taps from offset[8 b + a] of the transposed rows on,
    with the weights table[weights_at[b] + 8 k + a]. The divisors of the eight, if the axis has any, precede those.
    """
    length = len(taps.start) * channels
    first = np.minimum(np.arange(0, length, LANES), length - LANES)
    element = first[:, None] + np.arange(LANES)
    pixel, channel = element // channels, element % channels
    depth = taps.count[pixel].max(axis=1)  # to which all lanes of a block are padded, even beyond the end of a row
    n_rows = depth + (taps.divisors is not None)
    weights_at = (np.cumsum(n_rows) - depth) * LANES
    table = np.zeros(max(int(n_rows.sum()), 1) * LANES, taps.weights.dtype)
    if taps.divisors is not None:
        table[(weights_at - LANES)[:, None] + np.arange(LANES)] = taps.divisors[pixel]
    counts = taps.count[pixel].reshape(-1)
    lane = np.repeat(np.arange(element.size), counts)  # one entry per tap of each lane of each block
    tap = np.arange(len(lane)) - np.repeat(np.cumsum(counts) - counts, counts)
    table[weights_at[lane // LANES] + LANES * tap + lane % LANES] = taps.weights[pixel.reshape(-1)[lane], tap]
    offset = (taps.start[pixel] * channels + channel) * LANES
    return len(first), np.concatenate([first, offset.reshape(-1), depth, weights_at]), table


def pack_both(vertical: Packed, horizontal: Packed) -> Packed:
    """Return two axes as one: the first two integers say where the second begins among integers and weights."""
    begins = np.array([2 + len(vertical.integers), len(vertical.weights)], np.int64)
    integers = [begins, vertical.integers, horizontal.integers]
    return _concatenate(integers, [vertical.weights, horizontal.weights])


def _concatenate(integers: list[Indices], weights: list[Array]) -> Packed:
    packed = Packed(np.concatenate(integers), np.concatenate(weights))
    for table in packed:
        table.flags.writeable = False
    return packed


def pack_fixed_point(
    header: tuple[int, ...], first_row: Indices, start: Indices, h_weights: NDArray[np.int16], channels: int,
    shuffles: Packed | None = None,
) -> Packed:  # fmt: skip
    """Return both axes in fixed point. `header`: h_in, n_taps, row_step, v_add, v_shift, h_add, h_shift, w_in.

    Output row o reads the n_taps rows first_row[o], first_row[o] + row_step, ...; its sums become
    (sum + v_add) >> v_shift, and those along a row (sum + h_add) >> h_shift. Pixel j of a row reads the pixels from
    start[j] on, with h_weights[j]. The weights follow again in the order in which pairs of taps are loaded; or as the
    tables of byte shuffles, whose windows are then the last integers.
    """
    assert is_rising(start)  # kernels compare only the last pixels of a row with the end of the array
    n_out, h_taps = h_weights.shape
    values = (*header[:7], header[7] * channels, channels, h_taps, len(first_row), n_out)
    windows, pairs = shuffles or Packed(np.zeros(0, np.int64), _pair_weights(h_weights, channels))
    integers = [np.array(values, np.int64), first_row, start * channels, windows]
    return _concatenate(integers, [h_weights.reshape(-1), pairs])


def pack_byte_shuffles(start: Indices, h_weights: NDArray[np.int16], channels: int) -> Packed | None:
    """Return the windows of a row for byte shuffles, and the tables; None where pixels lie too far apart.

    Elements 16 g .. 16 g + 15 find their first pair of taps in the 64 bytes from element windows[g] on. Of four taps,
    the second pair lies there, too; of more, each further pair in a window that begins two pixels later.
    """
    width, length = h_weights.shape[1], len(start) * channels
    if width % 2 or length < SHUFFLE_LANES:
        return None
    first = np.minimum(np.arange(0, length, SHUFFLE_LANES), length - SHUFFLE_LANES)
    element = first[:, None] + np.arange(SHUFFLE_LANES)
    pixel = element // channels
    offset = start[pixel] * channels + element % channels
    windows = offset.min(axis=1)
    # Each pair has its own byte indices, even where they are equal: else the compiler would hoist them out of a loop.
    ahead = np.arange(0, width, 2) * (channels if width == 4 else 0)
    indices = (offset - windows[:, None])[:, None, :, None] + ahead[:, None, None] + np.array([0, channels])
    if indices.max() >= SHUFFLE_WINDOW:
        return None
    by_pair = (len(windows), width // 2, 2 * SHUFFLE_LANES)
    as_bytes = indices.astype(np.uint8).reshape(by_pair).view(np.int16)
    weights = h_weights[pixel].reshape(len(windows), SHUFFLE_LANES, width // 2, 2).transpose(0, 2, 1, 3)
    return Packed(windows, np.concatenate([as_bytes, weights.reshape(by_pair)], axis=2).reshape(-1))


def is_rising(start: Indices) -> bool:
    """Return whether no output begins before the previous one."""
    return bool((start[1:] >= start[:-1]).all())


def _pair_weights(h_weights: NDArray[np.int16], channels: int) -> NDArray[np.int16]:
    """Return the weights in the order in which pairs of taps are loaded (`pmaddwd`); none where taps go one by one.

    One channel: by blocks of eight pixels. Three or four channels, and taps by fours: four times each pair.
    """
    n_out, width = h_weights.shape
    if width % 2 or channels in (2, 5, 6, 7) or (channels == 1 and n_out < LANES):
        return np.zeros(0, np.int16)
    if channels in (3, 4) and width % 4 == 0:
        return np.repeat(h_weights.reshape(n_out, width // 2, 1, 2), 4, axis=2).reshape(-1)
    if channels > 1:
        return h_weights.reshape(-1)
    block = np.minimum(np.arange(0, n_out, LANES), n_out - LANES)[:, None] + np.arange(LANES)
    by_pair: NDArray[np.int16] = h_weights[block].reshape(len(block), LANES, width // 2, 2).transpose(0, 2, 1, 3)
    return by_pair.reshape(-1)


def readonly(array: Array) -> Array:
    """Return a contiguous, read-only view of the array: calls keep it, and rely on its values."""
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array
