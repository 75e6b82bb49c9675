"""What the kernels take: the taps of an axis, and where lines lie in memory, as arrays of integers and of weights.

Few arguments make a call cheap, so that both axes of a pass are packed into one array of integers and one of weights;
`lines_of` and `blocks_of` take them apart again, inside the kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Indices = NDArray[np.int64]

LANES = 8  # numbers in one vector, and rows transposed at a time; 4 and 16 rows were slower
SIXTEEN = 16  # numbers of a row that are made at once of bytes with names, out of a WINDOW of so many bytes
WINDOW = 64
NAMED = SIXTEEN + 2 * SIXTEEN  # int16 for a pair of taps: 32 names of one byte, and 32 weights
CACHE_LINE = 64  # bytes
MANY_CHANNELS = 16  # from here on a pixel fills vectors by itself, and rows need not be transposed


# The first integers of a packed axis, before start, counts, flags, and the integers of its blocks. ADD and SHIFT finish
# a sum of fixed point; a floating one is rounded to SHIFT fractional bits, unless that is 0. DIVIDES says that there is
# a divisor for each output behind the weights. SUM_BLOCK taps are summed one after the other, and then these sums.
N_IN, N_OUT, WIDTH, CHANNELS, N_BLOCKS, ADD, SHIFT, DIVIDES, SUM_BLOCK, HEADER = range(10)
JOINT, NO_ZERO_WEIGHT = 1, 2  # flags of an output

# Where lines lie: line h of image n begins at base + n * image + h * line, in x and in out; `out` has so many LINES to
# an image. ROW is the length of a line where no axis says it, VERTICAL_FIRST the order of a direct call, and STREAMS
# whether out is so large that it is better written past the caches.
X_BASE, X_IMAGE, X_LINE, OUT_BASE, OUT_IMAGE, OUT_LINE, LINES, ROW, VERTICAL_FIRST, STREAMS, PLACE = range(11)


class Lines(NamedTuple):
    """Which lines each output reads: `counts` of them from `start`, with `width` places each among the flat weights.

    For `flags` see `_flags`.
    """

    start: Indices
    counts: Indices
    flags: Indices
    weights: Array
    width: int
    add: int
    shift: int
    divisors: Array
    sum_block: int


class Blocks(NamedTuple):
    """The same taps for eight transposed rows, eight neighbouring numbers of the result at a time.

    Block b makes the numbers first[b] .. first[b] + 7 of each row; its eight windows begin at place[8 b + a] of the
    transposed rows, are depth[b] taps deep, and have their weights at table[offset[b] + 8 k + a]. Before these, at
    table[offset[b] - 8 + a], are their divisors, if the axis has any.
    """

    first: Indices
    place: Indices
    depth: Indices
    offset: Indices
    table: Array


class Steps(NamedTuple):
    """Both axes of uint8 images, for `stepped`: which rows an output row reads, and the weights along a row.

    Output row o reads rows first[o], first[o] + step, ..., n_taps of them; its sums become (sum + add) >> shift, and
    those along a row (sum + half) >> cut. Pixel j of a row has the n_across taps from the number place[j] of it on,
    with their weights in `across`, one pixel after the other. Where these can be taken in pairs, `pairs` has them
    again: for one channel by blocks of eight pixels, and in those by pairs of taps; for three or four channels, where
    taps go by fours, four times each pair; and where there are windows, sixteen numbers after sixteen, the names and
    weights of each pair. Sixteen g has its first pair of taps in the WINDOW that begins with the number windows[g]; the
    second, too, if there are two, else each further pair in one that begins two pixels later.
    """

    h_in: int
    n_taps: int
    step: int
    add: int
    shift: int
    half: int
    cut: int
    row_in: int
    channels: int
    n_across: int
    first: Indices
    place: Indices
    across: Array
    pairs: Array
    windows: Indices


class Packed(NamedTuple):
    """One axis, or two: `integers` holds the headers and every index, `weights` every weight."""

    integers: Indices
    weights: Array


def lines_of(index: Indices, weights: Array) -> Lines:
    """The lines of a packed axis."""
    n = index[N_OUT]
    width = index[WIDTH]
    start, counts = index[HEADER : HEADER + n], index[HEADER + n : HEADER + 2 * n]
    flags = index[HEADER + 2 * n : HEADER + 3 * n]
    divisors = weights[n * width : n * width + n * index[DIVIDES]]
    return Lines(
        start, counts, flags, weights[: n * width], width, index[ADD], index[SHIFT], divisors, index[SUM_BLOCK]
    )


def blocks_of(index: Indices, weights: Array) -> Blocks:
    """The blocks of a packed axis; none of them where rows go one by one."""
    n, b = index[N_OUT], index[N_BLOCKS]
    at = HEADER + 3 * n
    place = at + b
    depth = place + LANES * b
    offset = depth + b
    table = weights[n * (index[WIDTH] + index[DIVIDES]) :]
    return Blocks(index[at:place], index[place:depth], index[depth:offset], index[offset : offset + b], table)


def pack(
    n_in: int, start: Indices, count: Indices, weights: Array, divisors: Array | None, add: int, shift: int,
    sum_block: int, channels: int, *, blocks: bool,
) -> Packed:  # fmt: skip
    """An axis of n_in pixels of so many channels, packed; with blocks where they are wanted and can be made."""
    n_out, width = weights.shape
    long_enough = min(n_out, n_in) * channels >= LANES
    if blocks and long_enough and channels < MANY_CHANNELS and width:
        made = _blocks(start, count, weights, divisors, channels)
    else:
        nothing = np.zeros(0, np.int64)
        made = Blocks(nothing, nothing, nothing, nothing, np.zeros(1, weights.dtype))
    header = np.zeros(HEADER, np.int64)
    header[: N_BLOCKS + 1] = n_in, n_out, width, channels, len(made.first)
    header[ADD], header[SHIFT], header[DIVIDES], header[SUM_BLOCK] = add, shift, divisors is not None, sum_block
    divided = np.zeros(0, weights.dtype) if divisors is None else divisors
    return Packed(
        readonly(np.concatenate([header, start, count, _flags(start, count, weights), *made[:4]])),
        readonly(np.concatenate([weights.reshape(-1), divided, made.table])),
    )


def _flags(start: Indices, count: Indices, weights: Array) -> Indices:
    """Return, for each output, JOINT if it is summed together with the next, and NO_ZERO_WEIGHT if no weight is 0.

    Rows that two joint outputs both read are loaded once. The second may neither begin nor end before the first, nor
    begin after its end. Two taps are summed faster one output at a time.
    """
    end, joint = start + count, np.zeros(len(start), np.int64)
    in_order = (start[:-1] <= start[1:]) & (start[1:] <= end[:-1]) & (end[:-1] <= end[1:])
    joint[:-1] = in_order & (count[:-1] > 2) & (count[1:] > 2)
    inside = np.arange(weights.shape[1]) < count[:, None]
    no_zero = ((weights != 0) | ~inside).all(axis=1)
    flags: Indices = JOINT * joint + NO_ZERO_WEIGHT * no_zero
    return flags


def pack_both(vertical: Packed, horizontal: Packed) -> Packed:
    """Two axes as one, with the places where the second begins first."""
    places = np.array([2 + len(vertical.integers), len(vertical.weights)], np.int64)
    return Packed(
        readonly(np.concatenate([places, vertical.integers, horizontal.integers])),
        readonly(np.concatenate([vertical.weights, horizontal.weights])),
    )


def unpack_both(index: Indices, weights: Array) -> tuple[Indices, Array, Indices, Array]:
    """Two packed axes again: integers and weights of the vertical, and of the horizontal."""
    return index[2 : index[0]], weights[: index[1]], index[index[0] :], weights[index[1] :]


def pack_steps(
    header: tuple[int, ...], first: Indices, start: Indices, across: NDArray[np.int16], channels: int,
    sixteens: Packed | None = None,
) -> Packed:  # fmt: skip
    """Both axes as `stepped` takes them; `header` has the first seven of `Steps`, and the length of a row in pixels."""
    assert is_rising(start)  # by the last pixels of a row the kernels know whether all of it lies in its array
    n_out, width = across.shape
    numbers = (*header[:7], header[7] * channels, channels, width, len(first), n_out)
    windows, pairs = sixteens or Packed(np.zeros(0, np.int64), _pairs(across, channels))
    integers = np.concatenate([np.array(numbers, np.int64), first, start * channels, windows])
    return Packed(readonly(integers), readonly(np.concatenate([across.reshape(-1), pairs])))


def pack_sixteens(start: Indices, across: NDArray[np.int16], channels: int) -> Packed | None:
    """The windows of a row, and its names and weights, as `Steps` has them; None where pixels lie too far apart."""
    width, length = across.shape[1], len(start) * channels
    if width % 2 or length < SIXTEEN:
        return None
    number = np.minimum(np.arange(0, length, SIXTEEN), length - SIXTEEN)[:, None] + np.arange(SIXTEEN)
    pixel = number // channels
    place = start[pixel] * channels + number % channels
    windows = place.min(axis=1)
    # A window holds four taps. Of more, each pair has its own, and names that come again: were they not in the table
    # again, the compiler would take them out of a loop.
    ahead = np.arange(0, width, 2) * (channels if width == 4 else 0)
    names = (place - windows[:, None])[:, None, :, None] + ahead[:, None, None] + np.array([0, channels])
    if names.max() >= WINDOW:
        return None
    by_pair = (len(windows), width // 2, 2 * SIXTEEN)
    bytes_named = names.astype(np.uint8).reshape(by_pair)
    weights = across[pixel].reshape(len(windows), SIXTEEN, width // 2, 2).transpose(0, 2, 1, 3).reshape(by_pair)
    return Packed(windows, np.concatenate([bytes_named.view(np.int16), weights], axis=2).reshape(-1))


def is_rising(start: Indices) -> bool:
    """Whether no output begins before the one before it."""
    return bool((start[1:] >= start[:-1]).all())


def _pairs(across: NDArray[np.int16], channels: int) -> NDArray[np.int16]:
    """The weights of `across` in the order in which a row is summed by pairs of taps; none, where it is not."""
    n_out, width = across.shape
    if width % 2 or channels in (2, 5, 6, 7) or (channels == 1 and n_out < LANES):
        return np.zeros(0, np.int16)
    if channels in (3, 4) and width % 4 == 0:
        return np.repeat(across.reshape(n_out, width // 2, 1, 2), 4, axis=2).reshape(-1)
    if channels > 1:
        return across.reshape(-1)
    block = np.minimum(np.arange(0, n_out, LANES), n_out - LANES)[:, None] + np.arange(LANES)
    by_pair: NDArray[np.int16] = across[block].reshape(len(block), LANES, width // 2, 2).transpose(0, 2, 1, 3)
    return by_pair.reshape(-1)


def steps_of(index: Indices, across: Array) -> Steps:
    """The steps again."""
    h_out, w_out, width, at = index[10], index[11], index[9], 12
    h_in, n_taps, step, add, shift, half, cut = index[0], index[1], index[2], index[3], index[4], index[5], index[6]
    first, place = index[at : at + h_out], index[at + h_out : at + h_out + w_out]
    windows, table, pairs = index[at + h_out + w_out :], across[: w_out * width], across[w_out * width :]
    return Steps(
        h_in, n_taps, step, add, shift, half, cut, index[7], index[8], width, first, place, table, pairs, windows
    )


def _blocks(start: Indices, count: Indices, weights: Array, divisors: Array | None, channels: int) -> Blocks:
    length = len(start) * channels
    first = np.minimum(np.arange(0, length, LANES), length - LANES)
    number = first[:, None] + np.arange(LANES)  # which number of the row each lane of each block makes
    pixel, channel = number // channels, number % channels
    depth = count[pixel].max(axis=1)  # to which all windows of a block are padded, even behind the end of a row
    rows = depth + (divisors is not None)
    offset = (np.cumsum(rows) - depth) * LANES
    table = np.zeros(max(int(rows.sum()), 1) * LANES, weights.dtype)
    if divisors is not None:
        table[(offset - LANES)[:, None] + np.arange(LANES)] = divisors[pixel]
    taps = count[pixel].reshape(-1)
    lane = np.repeat(np.arange(number.size), taps)  # every tap of every lane of every block, in a row
    tap = np.arange(len(lane)) - np.repeat(np.cumsum(taps) - taps, taps)
    table[offset[lane // LANES] + LANES * tap + lane % LANES] = weights[pixel.reshape(-1)[lane], tap]
    place = (start[pixel] * channels + channel) * LANES
    return Blocks(first, place.reshape(-1), depth, offset, table)


def readonly(array: Array) -> Array:
    """Return a contiguous, read-only view of the array: calls keep it, and trust that it stays."""
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array
