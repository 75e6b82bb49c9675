"""What the kernels are built from: lines combined, which is the vertical pass, and spread, which is the horizontal one.

The weights' dtype is the one sums are formed in; arrays may hold others.

Bits: every sum starts at +0 and goes up in tap order, multiply then add, never fused, and a weight of exactly 0 adds
nothing, not even 0 * NaN. An output depends on its own taps alone: not on the split into bands, nor on the path taken.
"""

from __future__ import annotations

import numpy as np

from . import packing
from .compiling import inlined, kernel
from .packing import (
    CACHE_LINE,
    CHANNELS,
    LANES,
    LINES,
    MANY_CHANNELS,
    N_IN,
    OUT_BASE,
    OUT_IMAGE,
    OUT_LINE,
    X_BASE,
    X_IMAGE,
    X_LINE,
    Blocks,
    Lines,
)
from .spans import span
from .vectors import (
    add_product,
    any_nan,
    check_finite,
    finish,
    load,
    prefetch,
    store,
    stream,
    to_next_line,
    transpose_in,
    transpose_out,
    zero,
    zero1,
)

FOUR = 4 * LANES
SHORT_ROW = 1536  # numbers: at the beginning of each, the processor would wait for memory; longer rows it foresees
NO_RING = np.int64(2**62)

_lines_of = kernel(packing.lines_of)
_blocks_of = kernel(packing.blocks_of)
unpack_both = kernel(packing.unpack_both)


@inlined
def lines_of(index, weights):
    """The lines of a packed axis, as spans."""
    made = _lines_of(index, weights)
    return Lines(span(made.start), span(made.counts), span(made.weights), made.width, made.add, made.shift)


@inlined
def blocks_of(index, weights):
    """The blocks of a packed axis, as spans."""
    made = _blocks_of(index, weights)
    return Blocks(span(made.first), span(made.place), span(made.depth), span(made.offset), span(made.table))


@inlined
def x_line(place, g, h_out, h_in_line):
    """Where line h_in_line begins in x, of the image that line g of the result belongs to."""
    return place[X_BASE] + g // h_out * place[X_IMAGE] + h_in_line * place[X_LINE]


@inlined
def out_line(place, g):
    """Where line g of the result begins in out."""
    lines = place[LINES]
    return place[OUT_BASE] + g // lines * place[OUT_IMAGE] + g % lines * place[OUT_LINE]


@inlined
def column(source, base, line, ring, pitch, taps, o, nothing):
    """The sum of output o's taps over the lines of source, for one vector of neighbouring numbers."""
    total, at, w = nothing, line, o * taps.width
    for k in range(taps.counts[o]):
        weight = taps.weights[w + k]
        if weight != 0:
            total = add_product(total, weight, load(source, base + at * pitch, nothing))
        at = at + 1 if at + 1 < ring else 0
    return finish(total, taps.add, taps.shift)


@inlined
def foreseen(taps, o, base, pitch):
    """Where up to three lines begin that output o + 1 reads and o does not."""
    after = min(o + 1, taps.start.size - 1)
    last = taps.start[after] + taps.counts[after] - 1
    first = min(max(taps.start[o] + taps.counts[o], taps.start[after]), last)
    return base + first * pitch, base + min(first + 1, last) * pitch, base + min(first + 2, last) * pitch


@inlined
def foresee(source, lines, i):
    """Asks for four vectors of each of three lines."""
    for at in range(0, FOUR, CACHE_LINE // source.itemsize):
        prefetch(source, lines[0] + i + at)
        prefetch(source, lines[1] + i + at)
        prefetch(source, lines[2] + i + at)


@inlined
def two_lines(source, p, other, w0, w1, add, shift, out, q, i, n, ahead, put, nothing):
    """As much of `combined` as there are whole fours of vectors, for two taps: without a loop over taps."""
    while i + FOUR <= n:
        if ahead is not None:
            foresee(source, ahead, i)
        for v in range(4):
            at = i + v * LANES
            total = add_product(nothing, w0, load(source, p + at, nothing))
            total = add_product(total, w1, load(source, other + at, nothing))
            put(out, q + at, finish(total, add, shift))
        i += FOUR
    return i


@inlined
def combined(source, base, line, ring, pitch, taps, o, out, q, i, n, ahead, put):
    """out[q + i] = the sum over k of weight k of output o * source[base + (line + k) * pitch + i], from i on, to n.

    Lines wrap round at `ring`. Vertical passes combine rows; horizontal ones over many channels combine pixels.
    `ahead` says where lines begin that will be wanted next, or is None; `put` is what most vectors are stored by. The
    last vector overlaps the one before, which is harmless: nothing that is written is read again.
    """
    if n < LANES:
        for e in range(i, n):
            store(out, q + e, column(source, base + e, line, ring, pitch, taps, o, zero1(taps.weights)))
        return
    nothing = zero(taps.weights)
    w, count = o * taps.width, taps.counts[o]
    if count == 2 and taps.weights[w] != 0 and taps.weights[w + 1] != 0:
        p, other = base + line * pitch, base + (line + 1 if line + 1 < ring else 0) * pitch
        weights = taps.weights[w], taps.weights[w + 1]
        i = two_lines(source, p, other, *weights, taps.add, taps.shift, out, q, i, n, ahead, put, nothing)
    while i + FOUR <= n:
        if ahead is not None:
            foresee(source, ahead, i)
        a, b, c, d = nothing, nothing, nothing, nothing
        at = line
        for k in range(count):
            weight = taps.weights[w + k]
            if weight != 0:
                p = base + at * pitch + i
                a = add_product(a, weight, load(source, p, nothing))
                b = add_product(b, weight, load(source, p + LANES, nothing))
                c = add_product(c, weight, load(source, p + 2 * LANES, nothing))
                d = add_product(d, weight, load(source, p + 3 * LANES, nothing))
            at = at + 1 if at + 1 < ring else 0
        put(out, q + i, finish(a, taps.add, taps.shift))
        put(out, q + i + LANES, finish(b, taps.add, taps.shift))
        put(out, q + i + 2 * LANES, finish(c, taps.add, taps.shift))
        put(out, q + i + 3 * LANES, finish(d, taps.add, taps.shift))
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, column(source, base + i, line, ring, pitch, taps, o, nothing))
        i += LANES


@kernel
def combine(source, base, line, ring, pitch, taps, o, out, q, n):
    """`combined` as a call, into what is near: where time is spent in other things than calls."""
    combined(source, base, line, ring, pitch, taps, o, out, q, 0, n, None, store)


@inlined
def streamed(source, line, ring, pitch, taps, o, out, q, n):
    """`combined`, past the caches, from where a cache line begins; what stands before that in the ordinary way.

    For lines of so many numbers that there are some behind it.
    """
    nothing, first = zero(taps.weights), to_next_line(out, q)
    for e in range(0, first, LANES):
        store(out, q + e, column(source, e, line, ring, pitch, taps, o, nothing))
    combined(source, 0, line, ring, pitch, taps, o, out, q, first, n, None, stream)


@inlined
def combine_rows(x, base, pitch, taps, o, out, q, n):
    """`combined` of rows of an image, which may be far away: if they are short, those that come next are asked for."""
    if n <= SHORT_ROW:
        ahead = foreseen(taps, o, base, pitch)
        combined(x, base, taps.start[o], NO_RING, pitch, taps, o, out, q, 0, n, ahead, store)
    else:
        combined(x, base, taps.start[o], NO_RING, pitch, taps, o, out, q, 0, n, None, store)


@kernel
def spread_row(source, base, channels, taps, out, q):
    """The horizontal pass of one row, number by number: the exact reference for rows that are short or not finite."""
    nothing = zero1(taps.weights)
    for j in range(taps.start.size):
        for c in range(channels):
            total = column(source, base + c, taps.start[j], NO_RING, channels, taps, j, nothing)
            store(out, q + j * channels + c, total)


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
def four_sums(turned, step, blocks, b, lane, nothing):
    """Four of the eight neighbouring numbers that block b makes, of eight rows."""
    q = b * LANES + lane
    p0, p1, p2, p3 = blocks.place[q], blocks.place[q + 1], blocks.place[q + 2], blocks.place[q + 3]
    a0, a1, a2, a3 = nothing, nothing, nothing, nothing
    m, s = blocks.offset[b] + lane, 0
    for _ in range(blocks.depth[b]):
        a0 = add_product(a0, blocks.table[m], load(turned, p0 + s, nothing))
        a1 = add_product(a1, blocks.table[m + 1], load(turned, p1 + s, nothing))
        a2 = add_product(a2, blocks.table[m + 2], load(turned, p2 + s, nothing))
        a3 = add_product(a3, blocks.table[m + 3], load(turned, p3 + s, nothing))
        m += LANES
        s += step
    return a0, a1, a2, a3


@inlined
def eight_sums(turned, step, blocks, b, nothing):
    """The eight neighbouring numbers that block b makes, of eight rows."""
    q = b * LANES
    p0, p1, p2, p3 = blocks.place[q], blocks.place[q + 1], blocks.place[q + 2], blocks.place[q + 3]
    p4, p5, p6, p7 = blocks.place[q + 4], blocks.place[q + 5], blocks.place[q + 6], blocks.place[q + 7]
    a0, a1, a2, a3, a4, a5, a6, a7 = nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing
    m, s = blocks.offset[b], 0
    for _ in range(blocks.depth[b]):
        a0 = add_product(a0, blocks.table[m], load(turned, p0 + s, nothing))
        a1 = add_product(a1, blocks.table[m + 1], load(turned, p1 + s, nothing))
        a2 = add_product(a2, blocks.table[m + 2], load(turned, p2 + s, nothing))
        a3 = add_product(a3, blocks.table[m + 3], load(turned, p3 + s, nothing))
        a4 = add_product(a4, blocks.table[m + 4], load(turned, p4 + s, nothing))
        a5 = add_product(a5, blocks.table[m + 5], load(turned, p5 + s, nothing))
        a6 = add_product(a6, blocks.table[m + 6], load(turned, p6 + s, nothing))
        a7 = add_product(a7, blocks.table[m + 7], load(turned, p7 + s, nothing))
        m += LANES
        s += step
    return a0, a1, a2, a3, a4, a5, a6, a7


@inlined
def sum_of_two(turned, step, blocks, b, lane, nothing):
    """One of the eight neighbouring numbers that block b makes, of eight rows, where it is two taps deep."""
    p, m = blocks.place[b * LANES + lane], blocks.offset[b] + lane
    total = add_product(nothing, blocks.table[m], load(turned, p, nothing))
    return add_product(total, blocks.table[m + LANES], load(turned, p + step, nothing))


@inlined
def eight_of_two(turned, step, blocks, b, nothing):
    """`eight_sums` of two taps: without a loop over taps, which takes longer than they."""
    return (
        sum_of_two(turned, step, blocks, b, 0, nothing), sum_of_two(turned, step, blocks, b, 1, nothing),
        sum_of_two(turned, step, blocks, b, 2, nothing), sum_of_two(turned, step, blocks, b, 3, nothing),
        sum_of_two(turned, step, blocks, b, 4, nothing), sum_of_two(turned, step, blocks, b, 5, nothing),
        sum_of_two(turned, step, blocks, b, 6, nothing), sum_of_two(turned, step, blocks, b, 7, nothing),
    )  # fmt: skip


@kernel
def spread_turned(turned, channels, blocks, add, shift, out, lines):
    """The horizontal pass of eight transposed rows, eight neighbouring numbers of the result at a time.

    Windows are padded to the longest of their block with weights of 0. Returns a byte whose bit r says that row r holds
    something that is not finite: a padded tap may then have spoilt it, and it must be done again, exactly.
    """
    nothing = zero(blocks.table[0])
    step = channels * LANES
    check = nothing
    to = eight(lines)
    for b in range(blocks.first.size):
        if blocks.table.itemsize > 4:  # eight sums of eight float64 would not fit the registers of most processors
            a0, a1, a2, a3 = four_sums(turned, step, blocks, b, 0, nothing)
            a4, a5, a6, a7 = four_sums(turned, step, blocks, b, 4, nothing)
        elif blocks.depth[b] == 2:
            a0, a1, a2, a3, a4, a5, a6, a7 = eight_of_two(turned, step, blocks, b, nothing)
        else:
            a0, a1, a2, a3, a4, a5, a6, a7 = eight_sums(turned, step, blocks, b, nothing)
        check = check_finite(check, (a0, a1, a2, a3, a4, a5, a6, a7))
        done = (
            finish(a0, add, shift), finish(a1, add, shift), finish(a2, add, shift), finish(a3, add, shift),
            finish(a4, add, shift), finish(a5, add, shift), finish(a6, add, shift), finish(a7, add, shift),
        )  # fmt: skip
        transpose_out(out, to, blocks.first[b], done)
    return any_nan(check)


@kernel
def spread(source, lines, n_rows, channels, taps, blocks, turned, out, to):
    """The horizontal pass of up to eight rows, from source[lines[r]] to out[to[r]].

    Both name eight; where there are fewer rows, the last stands in for those missing, and is written again.
    """
    if channels >= MANY_CHANNELS:
        for r in range(n_rows):
            for j in range(taps.start.size):
                combine(
                    source, lines[r], taps.start[j], NO_RING, channels,
                    taps, j, out, to[r] + j * channels, channels,
                )  # fmt: skip
        return
    if blocks.first.size == 0:
        for r in range(n_rows):
            spread_row(source, lines[r], channels, taps, out, to[r])
        return
    transpose_rows(source, lines, blocks.table[0], turned)
    unsafe = spread_turned(turned, channels, blocks, taps.add, taps.shift, out, to)
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


@kernel
def gather_eight(x, place, g, last, vertical, row_in, lines, buffer):
    """The vertical pass of rows g .. g + 7 of the result, below `last`, into the buffer: row r at lines[r]."""
    h_out = vertical.start.size
    for r in range(LANES):
        lines[r] = min(r, last - g - 1) * pitch_of(row_in)
    for r in range(min(LANES, last - g)):
        o, base = (g + r) % h_out, x_line(place, g + r, h_out, 0)
        combine_rows(x, base, place[X_LINE], vertical, o, buffer, lines[r], row_in)


@inlined
def ring_of(vertical):
    """How many rows a sliding window holds: eights, which never wrap, and enough that no two of one output meet."""
    return (vertical.width + 2 * (LANES - 1) + LANES - 1) // LANES * LANES


@inlined
def eights_of(g, vertical):
    """Of which image row g of the result is, and the first and last eight rows of it that it reads.

    Where they are those of the row before, the window need not slide: a test that is much cheaper than a call.
    """
    n, o = g // vertical.start.size, g % vertical.start.size
    return n, vertical.start[o] // LANES, (vertical.start[o] + vertical.counts[o] - 1) // LANES


@kernel
def slide(x, place, g, h_in, vertical, taps, blocks, channels, turned, held, lines, to, window):
    """Sees to it that the window holds the rows, spread, that row g of the result is combined from.

    Row r of an image waits at place r % ring; `held` says which eight rows, counted over all images, are at each place.
    """
    h_out, pitch, ring = vertical.start.size, pitch_of(taps.start.size * channels), held.size * LANES
    n, o = g // h_out, g % h_out
    start, count = vertical.start[o], vertical.counts[o]
    for line in range(start // LANES * LANES, start + count, LANES):
        at = line % ring
        if held[at // LANES] != n * h_in + line:
            held[at // LANES] = n * h_in + line
            n_rows = min(LANES, h_in - line)
            for r in range(LANES):
                row = min(r, n_rows - 1)
                lines[r], to[r] = x_line(place, g, h_out, line + row), (at + row) * pitch
            spread(x, lines, n_rows, channels, taps, blocks, turned, window, to)
