"""The kernels. Importing this module imports Numba, so only `kernels.load()` does, at the first call.

Arrays and integers in, nothing else known. An image is lines of `row_in` numbers (pixels times channels), which lie
one after the other in a line; where lines begin, in `x` and in `out`, says `place` (see `packing`). A call fills lines
first .. last - 1 of all images of `out`. Axes come packed too, and are taken apart into `Lines`, and for a horizontal
pass over few channels `Blocks`. The weights' dtype is the one sums are formed in; arrays may hold others, `between`
among them: an empty array of the dtype that is kept between two passes.

Bits: every sum starts at +0 and goes up in tap order, multiply then add, never fused, and a weight of exactly 0 adds
nothing, not even 0 * NaN. An output depends on its own taps alone: not on the split into bands, nor on the path taken.
"""

from __future__ import annotations

import numpy as np

from . import packing
from .compiling import inlined, kernel
from .packing import (
    CHANNELS,
    HEADER,
    LANES,
    LINES,
    MANY_CHANNELS,
    N_IN,
    N_OUT,
    NO_STREAM,
    OUT_BASE,
    OUT_IMAGE,
    OUT_LINE,
    PHASE,
    ROW,
    VERTICAL_FIRST,
    X_BASE,
    X_IMAGE,
    X_LINE,
)
from .vectors import (
    add_product,
    any_nan,
    check_finite,
    fence,
    finish,
    load,
    move4,
    move8,
    move8_past,
    prefetch,
    store,
    stream,
    transpose_in,
    transpose_out,
    zero,
    zero1,
    zero4,
)

FOUR = 4 * LANES
NO_RING = np.int64(2**62)

lines_of = kernel(packing.lines_of)
blocks_of = kernel(packing.blocks_of)
unpack_both = kernel(packing.unpack_both)


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
def streams(place, q, n):
    """Whether numbers may go past the caches to out[q], and from there on in steps of n."""
    return place[PHASE] != NO_STREAM and (place[PHASE] + q) % LANES == 0 and n % LANES == 0


@inlined
def column(source, base, line, ring, pitch, taps, o, nothing):
    """The sum of output o's taps over the lines of source, for one vector of neighbouring numbers."""
    total, at, w = nothing, line, o * taps.width
    for k in range(taps.counts[o]):
        weight = taps.weights[np.uint64(w + k)]
        if weight != 0:
            total = add_product(total, weight, load(source, base + at * pitch, nothing))
        at = at + 1 if at + 1 < ring else 0
    return finish(total, taps.add, taps.shift)


@kernel
def combine(source, base, line, ring, pitch, taps, o, out, q, n, phase):
    """out[q + i] = the sum over k of weight k of output o * source[base + (line + k) * pitch + i], for i < n.

    Lines wrap round at `ring`. Vertical passes combine rows; horizontal ones over many channels combine pixels.
    The last vector overlaps the one before, which is harmless: nothing that is written is read again. So does the first
    where the result goes past the caches, to begin where an address allows it.
    """
    if n < LANES:
        for i in range(n):
            store(out, q + i, column(source, base + i, line, ring, pitch, taps, o, zero1(taps.weights[0])))
        return
    nothing = zero(taps.weights[0])
    w, count = o * taps.width, taps.counts[o]
    i = 0
    if phase != NO_STREAM and (phase + q) % LANES != 0:
        store(out, q, column(source, base, line, ring, pitch, taps, o, nothing))
        i = LANES - (phase + q) % LANES
    while i + FOUR <= n:
        a, b, c, d = nothing, nothing, nothing, nothing
        at = line
        for k in range(count):
            weight = taps.weights[np.uint64(w + k)]
            if weight != 0:
                p = base + at * pitch + i
                a = add_product(a, weight, load(source, p, nothing))
                b = add_product(b, weight, load(source, p + LANES, nothing))
                c = add_product(c, weight, load(source, p + 2 * LANES, nothing))
                d = add_product(d, weight, load(source, p + 3 * LANES, nothing))
            at = at + 1 if at + 1 < ring else 0
        a, b = finish(a, taps.add, taps.shift), finish(b, taps.add, taps.shift)
        c, d = finish(c, taps.add, taps.shift), finish(d, taps.add, taps.shift)
        if phase == NO_STREAM:
            store(out, q + i, a)
            store(out, q + i + LANES, b)
            store(out, q + i + 2 * LANES, c)
            store(out, q + i + 3 * LANES, d)
        else:
            stream(out, q + i, a)
            stream(out, q + i + LANES, b)
            stream(out, q + i + 2 * LANES, c)
            stream(out, q + i + 3 * LANES, d)
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, column(source, base + i, line, ring, pitch, taps, o, nothing))
        i += LANES


@kernel
def spread_row(source, base, channels, taps, out, q):
    """The horizontal pass of one row, number by number: the exact reference for rows that are short or not finite."""
    nothing = zero1(taps.weights[0])
    for j in range(taps.start.size):
        for c in range(channels):
            total = column(source, base + c, taps.start[j], NO_RING, channels, taps, j, nothing)
            store(out, q + j * channels + c, total)


@inlined
def eight(lines):
    """Eight indices as a tuple."""
    return lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6], lines[7]


@kernel
def transpose_rows(source, lines, row_in, like, turned):
    """turned[8 e + r] = number e of row r of eight."""
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
        a0 = add_product(a0, blocks.table[np.uint64(m)], load(turned, p0 + s, nothing))
        a1 = add_product(a1, blocks.table[np.uint64(m + 1)], load(turned, p1 + s, nothing))
        a2 = add_product(a2, blocks.table[np.uint64(m + 2)], load(turned, p2 + s, nothing))
        a3 = add_product(a3, blocks.table[np.uint64(m + 3)], load(turned, p3 + s, nothing))
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
        a0 = add_product(a0, blocks.table[np.uint64(m)], load(turned, p0 + s, nothing))
        a1 = add_product(a1, blocks.table[np.uint64(m + 1)], load(turned, p1 + s, nothing))
        a2 = add_product(a2, blocks.table[np.uint64(m + 2)], load(turned, p2 + s, nothing))
        a3 = add_product(a3, blocks.table[np.uint64(m + 3)], load(turned, p3 + s, nothing))
        a4 = add_product(a4, blocks.table[np.uint64(m + 4)], load(turned, p4 + s, nothing))
        a5 = add_product(a5, blocks.table[np.uint64(m + 5)], load(turned, p5 + s, nothing))
        a6 = add_product(a6, blocks.table[np.uint64(m + 6)], load(turned, p6 + s, nothing))
        a7 = add_product(a7, blocks.table[np.uint64(m + 7)], load(turned, p7 + s, nothing))
        m += LANES
        s += step
    return a0, a1, a2, a3, a4, a5, a6, a7


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
def spread(source, lines, n_rows, channels, row_in, taps, blocks, turned, out, to):
    """The horizontal pass of up to eight rows, from source[lines[r]] to out[to[r]].

    Both name eight; where there are fewer rows, the last stands in for those missing, and is written again.
    """
    if channels >= MANY_CHANNELS:
        for r in range(n_rows):
            for j in range(taps.start.size):
                combine(
                    source, lines[r], taps.start[j], NO_RING, channels,
                    taps, j, out, to[r] + j * channels, channels, NO_STREAM,
                )  # fmt: skip
        return
    if blocks.first.size == 0:
        for r in range(n_rows):
            spread_row(source, lines[r], channels, taps, out, to[r])
        return
    transpose_rows(source, lines, row_in, blocks.table[0], turned)
    unsafe = spread_turned(turned, channels, blocks, taps.add, taps.shift, out, to)
    if unsafe:
        for r in range(n_rows):
            if (unsafe >> r) & 1:
                spread_row(source, lines[r], channels, taps, out, to[r])


@kernel
def rows(x, out, place, index, weights, first, last):
    """Vertical taps only, on rows of place[ROW] numbers."""
    taps = lines_of(index, weights)
    h_out = taps.start.size
    for g in range(first, last):
        o, base, q = g % h_out, x_line(place, g, h_out, 0), out_line(place, g)
        combine(x, base, taps.start[o], NO_RING, place[X_LINE], taps, o, out, q, place[ROW], place[PHASE])
    fence()


@kernel
def columns(x, out, place, index, weights, first, last):
    """Horizontal taps only."""
    taps, blocks, channels = lines_of(index, weights), blocks_of(index, weights), index[CHANNELS]
    row_in, n_lines = index[N_IN] * channels, place[LINES]
    turned = np.empty(LANES * row_in if blocks.first.size else 0, weights.dtype)
    lines, to = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for g in range(first, last, LANES):
        for r in range(LANES):
            line = min(g + r, last - 1)
            lines[r], to[r] = x_line(place, line, n_lines, line % n_lines), out_line(place, line)
        spread(x, lines, min(LANES, last - g), channels, row_in, taps, blocks, turned, out, to)


@kernel
def down(x, out, place, index, weights, between, first, last):
    """Both axes, vertical first: eight output rows are combined into a buffer, then spread."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, h_out = lines_of(v_index, v_weights), v_index[N_OUT]
    taps, blocks, channels = lines_of(h_index, h_weights), blocks_of(h_index, h_weights), h_index[CHANNELS]
    row_in = h_index[N_IN] * channels
    buffer = np.empty(row_in * LANES, between.dtype)
    turned = np.empty(LANES * row_in if blocks.first.size else 0, weights.dtype)
    lines, to = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for g in range(first, last, LANES):
        n_rows = min(LANES, last - g)
        for r in range(LANES):
            line = min(g + r, last - 1)
            lines[r], to[r] = min(r, n_rows - 1) * row_in, out_line(place, line)
        for r in range(n_rows):
            o = (g + r) % h_out
            base = x_line(place, g + r, h_out, 0)
            combine(
                x, base, vertical.start[o], NO_RING, place[X_LINE],
                vertical, o, buffer, lines[r], row_in, NO_STREAM,
            )  # fmt: skip
        spread(buffer, lines, n_rows, channels, row_in, taps, blocks, turned, out, to)


@kernel
def up(x, out, place, index, weights, between, first, last):
    """Both axes, horizontal first: input rows are spread eight at a time into a sliding window, then combined.

    Row r of an image waits at place r % ring of the window. The ring is a multiple of eight, so that eight rows never
    wrap, and long enough that the rows of one output never meet.
    """
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, h_in, h_out = lines_of(v_index, v_weights), v_index[N_IN], v_index[N_OUT]
    taps, blocks, channels = lines_of(h_index, h_weights), blocks_of(h_index, h_weights), h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    ring = (vertical.width + 2 * (LANES - 1) + LANES - 1) // LANES * LANES
    window = np.empty(ring * row_out, between.dtype)
    held = np.full(ring // LANES, -1, np.int64)  # which eight rows, counted over all images, are at each place
    turned = np.empty(LANES * row_in if blocks.first.size else 0, weights.dtype)
    lines, to = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for g in range(first, last):
        n, o = g // h_out, g % h_out
        start, count = vertical.start[o], vertical.counts[o]
        for line in range(start // LANES * LANES, start + count, LANES):
            at = line % ring
            if held[at // LANES] != n * h_in + line:
                held[at // LANES] = n * h_in + line
                n_rows = min(LANES, h_in - line)
                for r in range(LANES):
                    row = min(r, n_rows - 1)
                    lines[r], to[r] = x_line(place, g, h_out, line + row), (at + row) * row_out
                spread(x, lines, n_rows, channels, row_in, taps, blocks, turned, window, to)
        combine(window, 0, start % ring, ring, row_out, vertical, o, out, out_line(place, g), row_out, place[PHASE])
    fence()


@inlined
def quad(source, p, inner, outer, i0, i1, o0, o1, nothing):
    """2 x 2 pixels: p and p + inner times i0 and i1, the same beside it at p + outer, and these two times o0 and o1.

    The sums of two passes, in the order of two passes, without a row in between.
    """
    a = add_product(add_product(nothing, i0, load(source, p, nothing)), i1, load(source, p + inner, nothing))
    q = p + outer
    b = add_product(add_product(nothing, i0, load(source, q, nothing)), i1, load(source, q + inner, nothing))
    return add_product(add_product(nothing, o0, a), o1, b)


@inlined
def quad_exact(source, p, inner, outer, i0, i1, o0, o1, nothing):
    """The same where a weight of 0 adds nothing, not even 0 * NaN."""
    a, b, total = nothing, nothing, nothing
    if i0 != 0:
        a = add_product(a, i0, load(source, p, nothing))
        b = add_product(b, i0, load(source, p + outer, nothing))
    if i1 != 0:
        a = add_product(a, i1, load(source, p + inner, nothing))
        b = add_product(b, i1, load(source, p + outer + inner, nothing))
    if o0 != 0:
        total = add_product(total, o0, a)
    if o1 != 0:
        total = add_product(total, o1, b)
    return total


@kernel
def direct_row(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q, after):
    """One row of the direct form; whether all of it is finite. All but its last pixel, where pixels are one vector.

    A pixel of 3 or 4 channels is one vector of four: for 3 the fourth lane belongs to the next pixel, written after.
    `after` is where the next row of the result begins to read.
    """
    nothing, check = zero4(v0), zero4(v0)
    no = weights.dtype.type(0)
    for j in range(start.size - 1):
        p, h0, h1 = base + start[j] * channels, weights[np.uint64(2 * j)], weights[np.uint64(2 * j + 1)]
        prefetch(x, after + start[j] * channels)
        prefetch(x, after + start[j] * channels + pitch)
        if vertical_first:
            total = quad(x, p, pitch, channels, v0, v1, h0, h1, nothing)
        else:
            total = quad(x, p, channels, pitch, h0, h1, v0, v1, nothing)
        check = add_product(check, no, total)
        store(out, q + j * channels, total)
    return any_nan(check) == 0


@kernel
def direct_row_of_many(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q, streams):
    """One row of the direct form, over many channels; whether all of it is finite."""
    nothing, check = zero(v0), zero(v0)
    no = weights.dtype.type(0)
    for j in range(start.size):
        p, h0, h1 = base + start[j] * channels, weights[np.uint64(2 * j)], weights[np.uint64(2 * j + 1)]
        i = 0
        while i < channels:
            i = min(i, channels - LANES)
            if vertical_first:
                total = quad(x, p + i, pitch, channels, v0, v1, h0, h1, nothing)
            else:
                total = quad(x, p + i, channels, pitch, h0, h1, v0, v1, nothing)
            check = add_product(check, no, total)
            if streams:
                stream(out, q + j * channels + i, total)
            else:
                store(out, q + j * channels + i, total)
            i += LANES
    return any_nan(check) == 0


@kernel
def direct_row_exact(x, base, pitch, channels, vertical_first, v0, v1, start, weights, j, out, q):
    """Pixels j and following of one row of the direct form, number by number."""
    nothing = zero1(v0)
    for k in range(j, start.size):
        h0, h1 = weights[2 * k], weights[2 * k + 1]
        for c in range(channels):
            p = base + start[k] * channels + c
            if vertical_first:
                total = quad_exact(x, p, pitch, channels, v0, v1, h0, h1, nothing)
            else:
                total = quad_exact(x, p, channels, pitch, h0, h1, v0, v1, nothing)
            store(out, q + k * channels + c, total)


@kernel
def direct(x, out, place, index, weights, first, last):
    """Both axes, where outputs read 2 x 2 pixels (some with weight 0) of 3, 4 or many channels: no row between."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, h_out = lines_of(v_index, v_weights), v_index[N_OUT]
    taps, channels = lines_of(h_index, h_weights), h_index[CHANNELS]
    row_in, pitch, vertical_first = h_index[N_IN] * channels, place[X_LINE], place[VERTICAL_FIRST] != 0
    for g in range(first, last):
        o = g % h_out
        v0, v1 = vertical.weights[2 * o], vertical.weights[2 * o + 1]
        base, q = x_line(place, g, h_out, vertical.start[o]), out_line(place, g)
        after = x_line(place, g + 1, h_out, vertical.start[(g + 1) % h_out])
        args = (x, base, pitch, channels, vertical_first, v0, v1, taps.start, taps.weights)
        exact_from = 0
        if channels >= LANES:
            if direct_row_of_many(*args, out, q, streams(place, q, channels)):
                exact_from = taps.start.size
        elif max(base, base + pitch) + row_in + 4 - channels <= x.size and direct_row(*args, out, q, after):
            exact_from = taps.start.size - 1
        direct_row_exact(*args, exact_from, out, q)
    fence()


@inlined
def copy(source, p, out, q, n):
    """out[q] .. = source[p] .., n numbers; at least eight go by eights, the last of which overlap."""
    if n < LANES:
        for i in range(n):
            out[np.uint64(q + i)] = source[np.uint64(p + i)]
        return
    i = 0
    while i < n:
        i = min(i, n - LANES)
        move8(source, p + i, out, q + i)
        i += LANES


@inlined
def copy_past(source, p, out, q, n):
    """The same past the caches, for multiples of eight."""
    for i in range(0, n, LANES):
        move8_past(source, p + i, out, q + i)


@kernel
def pick_row(x, base, channels, start, count, out, q):
    """One row of picked pixels, from the row of x that begins at base; 0 where none is picked."""
    nothing = x.dtype.type(0)  # of x's own type: a plain 0 beside a uint64 would make Numba count in float64
    for j in range(start.size):
        p = base + start[j] * channels
        if count[j] == 0:
            for c in range(channels):
                out[np.uint64(q + c)] = nothing
        else:
            copy(x, p, out, q, channels)
        q += channels


@kernel
def pick_every(x, base, after, channels, start, out, q):
    """The same where every pixel of the result is one of x; `after` is where the row of x begins that comes next."""
    n = start.size
    if channels == 1:
        for j in range(n):
            if j % 8 == 0:
                prefetch(x, after + start[j])
            out[np.uint64(q + j)] = x[np.uint64(base + start[j])]
        return
    whole = 0  # so many pixels of 3 or 4 channels go as one vector of four; the last may have no fourth number
    if channels == 4:
        whole = n
    elif channels == 3:
        whole = n - 1
        while whole > 0 and base + start[whole - 1] * 3 + 4 > x.size:
            whole -= 1
    for j in range(whole):
        p = start[np.uint64(j)] * channels
        prefetch(x, after + p)
        move4(x, base + p, out, q + j * channels)  # for 3 the fourth number is written again, with the next pixel
    for j in range(whole, n):
        copy(x, base + start[j] * channels, out, q + j * channels, channels)


@kernel
def pick(x, out, place, index, weights, first, last):
    """Both axes, at most one tap each, of weight 1: a copy of the pixels that the packed axes name, 0 for none."""
    vertical, _, horizontal, _ = unpack_both(index, weights)
    h_out, w_out, channels = vertical[N_OUT], horizontal[N_OUT], horizontal[CHANNELS]
    row_out = w_out * channels
    v_start, v_count = vertical[HEADER : HEADER + h_out], vertical[HEADER + h_out : HEADER + 2 * h_out]
    h_start, h_count = horizontal[HEADER : HEADER + w_out], horizontal[HEADER + w_out : HEADER + 2 * w_out]
    every = h_count.min() > 0
    for g in range(first, last):
        o, q = g % h_out, out_line(place, g)
        if v_count[o] == 0:
            for i in range(row_out):
                out[np.uint64(q + i)] = 0
        elif g > first and o > 0 and v_start[o] == v_start[o - 1] and v_count[o - 1] != 0:
            if streams(place, q, row_out):
                copy_past(out, out_line(place, g - 1), out, q, row_out)
            else:
                copy(out, out_line(place, g - 1), out, q, row_out)
        elif every:
            after = x_line(place, g + 1, h_out, v_start[(g + 1) % h_out])
            pick_every(x, x_line(place, g, h_out, v_start[o]), after, channels, h_start, out, q)
        else:
            pick_row(x, x_line(place, g, h_out, v_start[o]), channels, h_start, h_count, out, q)
    fence()
