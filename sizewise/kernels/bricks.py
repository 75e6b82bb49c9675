"""Rows spread, which is the horizontal pass; and a sliding window of such rows, for the vertical pass to combine.

The weights' dtype is the one sums are formed in; arrays may hold others. Bits: as in `combining`. An output depends on
its own taps alone: not on the split into bands, nor on the path taken.
"""

from __future__ import annotations

from . import packing
from .combining import NO_RING, NOUGHT, column, combine, join
from .compiling import inlined, kernel
from .foresight import ask, look
from .packing import (
    CHANNELS,
    LANES,
    MANY_CHANNELS,
    N_IN,
    X_LINE,
    Blocks,
    Lines,
)
from .places import is_streamed, out_line, x_line
from .spans import span
from .vectors import (
    add_product,
    any_nan,
    check_finite,
    finish,
    load,
    store,
    to_next_line,
    transpose_in,
    transpose_out,
    zero,
    zero1,
)

LONG_ROW = 256  # numbers

_lines_of = kernel(packing.lines_of)
_blocks_of = kernel(packing.blocks_of)
unpack_both = kernel(packing.unpack_both)


@inlined
def lines_of(index, weights):
    """The lines of a packed axis, as spans."""
    made = _lines_of(index, weights)
    start, counts, joint = span(made.start), span(made.counts), span(made.joint)
    return Lines(start, counts, joint, span(made.weights), made.width, made.add, made.shift)


@inlined
def blocks_of(index, weights):
    """The blocks of a packed axis, as spans."""
    made = _blocks_of(index, weights)
    return Blocks(span(made.first), span(made.place), span(made.depth), span(made.offset), span(made.table))


@kernel
def spread_row(source, base, channels, taps, out, q):
    """The horizontal pass of one row, number by number: the exact reference for rows that are short or not finite."""
    nothing = zero1(taps.weights)
    for j in range(taps.start.size):
        for c in range(channels):
            total = column(source, base + c, taps.start[j], NO_RING, channels, taps, j, nothing)
            store(out, q + j * channels + c, total)


@kernel
def spread_pixels(source, base, channels, taps, out, q, x, ahead):
    """The horizontal pass of one row of many channels: its pixels are combined."""
    j = NOUGHT
    while j < taps.start.size:
        pixel, other = taps.start[j], q + channels
        if taps.joint[j]:
            after = taps.start[j + 1]
            join(source, base, pixel, after, NO_RING, channels, taps, j, out, q, other, channels, x, ahead)
            j, q = j + 2, other + channels
        else:
            ask(x, ahead, channels)
            combine(source, base, pixel, NO_RING, channels, taps, j, out, q, NOUGHT, channels)
            j, q = j + 1, other


@inlined
def eight(lines):
    """Eight indices as a tuple."""
    return lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6], lines[7]


@kernel
def transpose_rows(source, lines, like, turned):
    """turned[8 e + r] = number e of row r of eight, for as many numbers as there is room."""
    row_in = turned.size // LANES
    r0, r1, r2, r3, r4, r5, r6, r7 = eight(lines)
    e = 0
    while e < row_in:
        e = min(e, row_in - LANES)
        here = (r0 + e, r1 + e, r2 + e, r3 + e, r4 + e, r5 + e, r6 + e, r7 + e)
        transpose_in(source, here, like, turned, e * LANES)
        e += LANES


@inlined
def four_sums(turned, step, blocks, depth, q, m, nothing):
    """Four neighbouring numbers of eight rows: so many taps from place[q] on, with their weights from table[m] on."""
    p0, p1, p2, p3 = blocks.place[q], blocks.place[q + 1], blocks.place[q + 2], blocks.place[q + 3]
    a0, a1, a2, a3 = nothing, nothing, nothing, nothing
    s = 0
    for _ in range(depth):
        a0 = add_product(a0, blocks.table[m], load(turned, p0 + s, nothing))
        a1 = add_product(a1, blocks.table[m + 1], load(turned, p1 + s, nothing))
        a2 = add_product(a2, blocks.table[m + 2], load(turned, p2 + s, nothing))
        a3 = add_product(a3, blocks.table[m + 3], load(turned, p3 + s, nothing))
        m += LANES
        s += step
    return a0, a1, a2, a3


@inlined
def eight_sums(turned, step, blocks, b, leads, nothing):
    """The eight neighbouring numbers that block b makes, of eight rows.

    Numbers of one pixel have the same weights, and lie side by side; `leads` says which of the eight is the first of
    each one's pixel. Said as constants, they leave one load of a weight for each pixel.
    """
    q, m, s = b * LANES, blocks.offset[b], 0
    l0, l1, l2, l3, l4, l5, l6, l7 = leads
    p0, p1 = blocks.place[q + l0], blocks.place[q + l1] + (1 - l1) * LANES
    p2, p3 = blocks.place[q + l2] + (2 - l2) * LANES, blocks.place[q + l3] + (3 - l3) * LANES
    p4, p5 = blocks.place[q + l4] + (4 - l4) * LANES, blocks.place[q + l5] + (5 - l5) * LANES
    p6, p7 = blocks.place[q + l6] + (6 - l6) * LANES, blocks.place[q + l7] + (7 - l7) * LANES
    a0, a1, a2, a3, a4, a5, a6, a7 = nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing
    for _ in range(blocks.depth[b]):
        a0 = add_product(a0, blocks.table[m + l0], load(turned, p0 + s, nothing))
        a1 = add_product(a1, blocks.table[m + l1], load(turned, p1 + s, nothing))
        a2 = add_product(a2, blocks.table[m + l2], load(turned, p2 + s, nothing))
        a3 = add_product(a3, blocks.table[m + l3], load(turned, p3 + s, nothing))
        a4 = add_product(a4, blocks.table[m + l4], load(turned, p4 + s, nothing))
        a5 = add_product(a5, blocks.table[m + l5], load(turned, p5 + s, nothing))
        a6 = add_product(a6, blocks.table[m + l6], load(turned, p6 + s, nothing))
        a7 = add_product(a7, blocks.table[m + l7], load(turned, p7 + s, nothing))
        m += LANES
        s += step
    return a0, a1, a2, a3, a4, a5, a6, a7


@inlined
def eight_of_pixels(turned, channels, blocks, b, nothing):
    """The same by what pixels the eight belong to: the first of three channels stands in one of three places."""
    if channels == 4:
        return eight_sums(turned, 4 * LANES, blocks, b, (0, 0, 0, 0, 4, 4, 4, 4), nothing)
    if channels == 3:
        phase = blocks.first[b] % 3
        if phase == 0:
            return eight_sums(turned, 3 * LANES, blocks, b, (0, 0, 0, 3, 3, 3, 6, 6), nothing)
        if phase == 1:
            return eight_sums(turned, 3 * LANES, blocks, b, (0, 0, 2, 2, 2, 5, 5, 5), nothing)
        return eight_sums(turned, 3 * LANES, blocks, b, (0, 1, 1, 1, 4, 4, 4, 7), nothing)
    return eight_sums(turned, channels * LANES, blocks, b, (0, 1, 2, 3, 4, 5, 6, 7), nothing)


@inlined
def sum_of_two(turned, step, blocks, q, m, nothing):
    """One number of eight rows: two taps from place[q] on, with their weights from table[m] on."""
    p = blocks.place[q]
    total = add_product(nothing, blocks.table[m], load(turned, p, nothing))
    return add_product(total, blocks.table[m + LANES], load(turned, p + step, nothing))


@inlined
def eight_of_two(turned, step, blocks, b, nothing):
    """`eight_sums` of two taps: without a loop over taps, which takes longer than they."""
    q, m = b * LANES, blocks.offset[b]
    return (
        sum_of_two(turned, step, blocks, q, m, nothing),
        sum_of_two(turned, step, blocks, q + 1, m + 1, nothing),
        sum_of_two(turned, step, blocks, q + 2, m + 2, nothing),
        sum_of_two(turned, step, blocks, q + 3, m + 3, nothing),
        sum_of_two(turned, step, blocks, q + 4, m + 4, nothing),
        sum_of_two(turned, step, blocks, q + 5, m + 5, nothing),
        sum_of_two(turned, step, blocks, q + 6, m + 6, nothing),
        sum_of_two(turned, step, blocks, q + 7, m + 7, nothing),
    )


@kernel
def spread_turned(turned, channels, blocks, add, shift, out, lines, x, ahead):
    """The horizontal pass of eight transposed rows, eight neighbouring numbers of the result at a time.

    Windows are padded to the longest of their block with weights of 0. Returns a byte whose bit r says that row r holds
    something that is not finite: a padded tap may then have spoilt it, and it must be done again, exactly.
    """
    nothing = zero(blocks.table[0])
    step = channels * LANES
    check = nothing
    to = eight(lines)
    for b in range(blocks.first.size):
        ask(x, ahead, LANES * LANES)
        if blocks.table.itemsize > 4:  # eight sums of eight float64 would not fit the registers of most processors
            depth, q, m = blocks.depth[b], b * LANES, blocks.offset[b]
            a0, a1, a2, a3 = four_sums(turned, step, blocks, depth, q, m, nothing)
            a4, a5, a6, a7 = four_sums(turned, step, blocks, depth, q + 4, m + 4, nothing)
        elif blocks.depth[b] == 2:
            a0, a1, a2, a3, a4, a5, a6, a7 = eight_of_two(turned, step, blocks, b, nothing)
        else:
            a0, a1, a2, a3, a4, a5, a6, a7 = eight_of_pixels(turned, channels, blocks, b, nothing)
        check = check_finite(check, (a0, a1, a2, a3, a4, a5, a6, a7))
        done = (
            finish(a0, add, shift), finish(a1, add, shift), finish(a2, add, shift), finish(a3, add, shift),
            finish(a4, add, shift), finish(a5, add, shift), finish(a6, add, shift), finish(a7, add, shift),
        )  # fmt: skip
        transpose_out(out, to, blocks.first[b], done)
    return any_nan(check)


@kernel
def spread(source, lines, n_rows, channels, taps, blocks, turned, out, to, x, ahead):
    """The horizontal pass of up to eight rows, from source[lines[r]] to out[to[r]].

    Both name eight; where there are fewer rows, the last stands in for those missing, and is written again.
    """
    if channels >= MANY_CHANNELS:
        for r in range(n_rows):
            spread_pixels(source, lines[r], channels, taps, out, to[r], x, ahead)
        return
    if blocks.first.size == 0:
        for r in range(n_rows):
            spread_row(source, lines[r], channels, taps, out, to[r])
        return
    transpose_rows(source, lines, blocks.table[0], turned)
    unsafe = spread_turned(turned, channels, blocks, taps.add, taps.shift, out, to, x, ahead)
    if unsafe:
        for r in range(n_rows):
            if (unsafe >> r) & 1:
                spread_row(source, lines[r], channels, taps, out, to[r])


@inlined
def room_to_turn(index, blocks):
    """How many numbers eight transposed rows of a packed axis have; 0 where rows go one by one."""
    return LANES * index[N_IN] * index[CHANNELS] if blocks.first.size else 0


@inlined
def pitch_of(row):
    """How far rows of so many numbers are kept from each other: an odd number of pairs of vectors (a cache line each).

    At a distance of a power of two, eight rows would drive each other out of the cache.
    """
    unit = 2 * LANES
    return (-(-row // unit) | 1) * unit


@inlined
def ring_of(vertical):
    """How many rows a sliding window holds: eights, which never wrap, and all that two outputs read that are joint."""
    n_lines = 2 * vertical.width if vertical.width > 2 else vertical.width
    return (n_lines + 2 * (LANES - 1) + LANES - 1) // LANES * LANES


@inlined
def eights_of(g, n_rows, vertical):
    """Of which image n_rows rows of the result are, from g on, and the first and last eight rows of it that they read.

    Where they are those of the rows before, the window need not slide: a test that is much cheaper than a call.
    """
    n, o = g // vertical.start.size, g % vertical.start.size
    last = o + n_rows - 1
    return n, vertical.start[o] // LANES, (vertical.start[last] + vertical.counts[last] - 1) // LANES


@inlined
def rows_at_once(out, place, g, last, vertical, row):
    """2 if row g of the result is made together with the next, which must be below `last`; else 1.

    Short rows are not: from a window, that was slower. If rows are to be streamed, only those are that begin at one
    distance from a cache line.
    """
    if g + 1 >= last or row < LONG_ROW or not vertical.joint[g % vertical.start.size]:
        return 1
    q, other = out_line(place, g), out_line(place, g + 1)
    if is_streamed(place, out, q, row) and to_next_line(out, q) != to_next_line(out, other):
        return 1
    return 2


@kernel
def slide(
    x, place, g, last, eights, h_in, row_in, vertical, taps, blocks, channels, turned, held, lines, to, window, ahead
):
    """Sees to it that the window holds the rows of `eights`, spread, from which row g of the result is combined.

    Row r of an image waits at place r % ring; `held` says which eight rows, counted over all images, are at each place.
    The eight rows that come next are asked for while the result is made, up to row `last`.
    """
    h_out, row, ring = vertical.start.size, taps.start.size * channels, held.size * LANES
    pitch, n = pitch_of(row), eights[0]
    for line in range(eights[1] * LANES, (eights[2] + 1) * LANES, LANES):
        at = line % ring
        if held[at // LANES] != n * h_in + line:
            held[at // LANES] = n * h_in + line
            n_rows = min(LANES, h_in - line)
            for r in range(LANES):
                near = min(r, n_rows - 1)
                lines[r], to[r] = x_line(place, g, h_out, line + near), (at + near) * pitch
            spread(x, lines, n_rows, channels, taps, blocks, turned, window, to, x, ahead)
    line = (eights[2] + 1) * LANES
    if line >= h_in:
        n, line = n + 1, 0
    if n * h_out < last:
        begin, n_made = x_line(place, n * h_out, h_out, line), -(-LANES * h_out // h_in) * row
        look(x, ahead, begin, place[X_LINE], row_in, min(LANES, h_in - line), n_made)
