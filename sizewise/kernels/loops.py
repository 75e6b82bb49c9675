"""The kernels. Importing this module imports Numba, so only `kernels.load()` does, at the first call.

Arrays and integers in, nothing else known. All arrays are flat. An image is lines of `row_in` numbers (pixels times
channels); `x` holds N * h_in of them and `out` N * h_out lines of `row_out`; a call fills lines first .. last - 1 of
`out`. Axes come packed, as an array of integers and one of weights (see `packing`), and are taken apart into `Lines`,
and for a horizontal pass over few channels `Blocks`. The weights' dtype is the one sums are formed in.

Bits: every sum starts at +0 and goes up in tap order, multiply then add, never fused, and a weight of exactly 0 adds
nothing, not even 0 * NaN. An output depends on its own taps alone: not on the split into bands, nor on the path taken.
"""

from __future__ import annotations

import numpy as np

from . import packing
from .compiling import inlined, kernel
from .packing import CHANNELS, HEADER, LANES, MANY_CHANNELS, N_IN, N_OUT
from .vectors import (
    add_product,
    any_nan,
    check_finite,
    load,
    move4,
    move8,
    store,
    transpose_in,
    transpose_out,
    zero,
    zero4,
)

FOUR = 4 * LANES
NO_RING = np.int64(2**62)

lines_of = kernel(packing.lines_of)
blocks_of = kernel(packing.blocks_of)


@kernel
def combine(source, base, line, ring, pitch, weights, w, count, out, o, n):
    """out[o + i] = the sum over k of weights[w + k] * source[base + (line + k) * pitch + i], for i < n.

    Lines wrap round at `ring`. Vertical passes combine rows; horizontal ones over many channels combine pixels.
    The last vector overlaps the one before, which is harmless: nothing that is written is read again.
    """
    like = weights[0]
    if n < LANES:
        for i in range(n):
            total = weights.dtype.type(0)
            at = line
            for k in range(count):
                weight = weights[w + k]
                if weight != 0:
                    total += weight * source[base + at * pitch + i]
                at = at + 1 if at + 1 < ring else 0
            out[o + i] = total
        return
    nothing = zero(like)
    i = 0
    while i + FOUR <= n:
        a, b, c, d = nothing, nothing, nothing, nothing
        at = line
        for k in range(count):
            weight = weights[np.uint64(w + k)]
            if weight != 0:
                p = base + at * pitch + i
                a = add_product(a, weight, load(source, p, nothing))
                b = add_product(b, weight, load(source, p + LANES, nothing))
                c = add_product(c, weight, load(source, p + 2 * LANES, nothing))
                d = add_product(d, weight, load(source, p + 3 * LANES, nothing))
            at = at + 1 if at + 1 < ring else 0
        store(out, o + i, a)
        store(out, o + i + LANES, b)
        store(out, o + i + 2 * LANES, c)
        store(out, o + i + 3 * LANES, d)
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        a = nothing
        at = line
        for k in range(count):
            weight = weights[np.uint64(w + k)]
            if weight != 0:
                a = add_product(a, weight, load(source, base + at * pitch + i, nothing))
            at = at + 1 if at + 1 < ring else 0
        store(out, o + i, a)
        i += LANES


@kernel
def spread_row(source, base, channels, taps, out, o):
    """The horizontal pass of one row, number by number: the exact reference for rows that are short or not finite."""
    nothing = taps.weights.dtype.type(0)
    width = taps.weights.size // taps.start.size
    for j in range(taps.start.size):
        for c in range(channels):
            total = nothing
            for k in range(taps.counts[j]):
                weight = taps.weights[j * width + k]
                if weight != 0:
                    total += weight * source[base + (taps.start[j] + k) * channels + c]
            out[o + j * channels + c] = total


@kernel
def transpose_rows(source, base, pitch, n_rows, row_in, like, turned):
    """turned[8 e + r] = number e of row r, for up to eight rows; the last row stands in for missing ones."""
    last = n_rows - 1
    r0, r1, r2, r3 = base, base + min(1, last) * pitch, base + min(2, last) * pitch, base + min(3, last) * pitch
    r4, r5, r6, r7 = (
        base + min(4, last) * pitch,
        base + min(5, last) * pitch,
        base + min(6, last) * pitch,
        base + min(7, last) * pitch,
    )
    e = 0
    while e < row_in:
        e = min(e, row_in - LANES)
        lines = (r0 + e, r1 + e, r2 + e, r3 + e, r4 + e, r5 + e, r6 + e, r7 + e)
        transpose_in(source, lines, like, turned, e * LANES)
        e += LANES


@kernel
def spread_turned(turned, channels, blocks, out, o, pitch):
    """The horizontal pass of eight transposed rows, eight neighbouring numbers of the result at a time.

    Windows are padded to the longest of their block with weights of 0. Returns a byte whose bit r says that row r holds
    something that is not finite: a padded tap may then have spoilt it, and it must be done again, exactly.
    """
    nothing = zero(blocks.table[0])
    step = channels * LANES
    check = nothing
    for b in range(blocks.first.size):
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
        eight = (a0, a1, a2, a3, a4, a5, a6, a7)
        transpose_out(out, o + blocks.first[b], pitch, eight)
        check = check_finite(check, eight)
    return any_nan(check)


@kernel
def spread(source, base, pitch, n_rows, row_in, channels, taps, blocks, turned, spare, out, o, row_out):
    """The horizontal pass of up to eight rows, from source[base + r * pitch] to out[o + r * row_out]."""
    if channels >= MANY_CHANNELS:
        width = taps.weights.size // taps.start.size
        for r in range(n_rows):
            for j in range(taps.start.size):
                where = o + r * row_out + j * channels
                combine(
                    source, base + r * pitch, taps.start[j], NO_RING, channels,
                    taps.weights, j * width, taps.counts[j], out, where, channels,
                )  # fmt: skip
        return
    if blocks.first.size == 0:
        for r in range(n_rows):
            spread_row(source, base + r * pitch, channels, taps, out, o + r * row_out)
        return
    transpose_rows(source, base, pitch, n_rows, row_in, blocks.table[0], turned)
    if n_rows == LANES:
        unsafe = spread_turned(turned, channels, blocks, out, o, row_out)
    else:
        unsafe = spread_turned(turned, channels, blocks, spare, 0, row_out)
        for i in range(n_rows * row_out):
            out[o + i] = spare[i]
    if unsafe:
        for r in range(n_rows):
            if (unsafe >> r) & 1:
                spread_row(source, base + r * pitch, channels, taps, out, o + r * row_out)


@kernel
def scratch(row_in, row_out, blocks, dtype, out_dtype):
    """Room for eight transposed rows and for eight results, of which fewer may be wanted."""
    n = LANES if blocks.first.size else 0
    return np.empty(n * row_in, dtype), np.empty(n * row_out, out_dtype)


@kernel
def rows(x, out, row, v_index, v_weights, first, last):
    """Vertical taps only, on rows of `row` numbers."""
    taps, h_in = lines_of(v_index, v_weights), v_index[N_IN]
    h_out = taps.start.size
    width = taps.weights.size // h_out
    for g in range(first, last):
        n, o = g // h_out, g % h_out
        line = n * h_in + taps.start[o]
        combine(x, 0, line, NO_RING, row, taps.weights, o * width, taps.counts[o], out, g * row, row)


@kernel
def columns(x, out, h_index, h_weights, first, last):
    """Horizontal taps only."""
    taps, blocks, channels = lines_of(h_index, h_weights), blocks_of(h_index, h_weights), h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    turned, spare = scratch(row_in, row_out, blocks, h_weights.dtype, out.dtype)
    for g in range(first, last, LANES):
        n_rows = min(LANES, last - g)
        spread(
            x, g * row_in, row_in, n_rows, row_in, channels,
            taps, blocks, turned, spare, out, g * row_out, row_out,
        )  # fmt: skip


@kernel
def down(x, out, v_index, v_weights, h_index, h_weights, first, last):
    """Both axes, vertical first: eight output rows are combined into a buffer, then spread."""
    vertical, h_in = lines_of(v_index, v_weights), v_index[N_IN]
    taps, blocks, channels = lines_of(h_index, h_weights), blocks_of(h_index, h_weights), h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    h_out = vertical.start.size
    width = vertical.weights.size // h_out
    buffer = np.empty(row_in * LANES, h_weights.dtype)
    turned, spare = scratch(row_in, row_out, blocks, h_weights.dtype, out.dtype)
    for g in range(first, last, LANES):
        n_rows = min(LANES, last - g)
        for r in range(n_rows):
            n, o = (g + r) // h_out, (g + r) % h_out
            line = n * h_in + vertical.start[o]
            combine(
                x, 0, line, NO_RING, row_in,
                vertical.weights, o * width, vertical.counts[o], buffer, r * row_in, row_in,
            )  # fmt: skip
        spread(
            buffer, 0, row_in, n_rows, row_in, channels,
            taps, blocks, turned, spare, out, g * row_out, row_out,
        )  # fmt: skip


@kernel
def up(x, out, v_index, v_weights, h_index, h_weights, first, last):
    """Both axes, horizontal first: input rows are spread eight at a time into a sliding window, then combined.

    Row r of an image waits at place r % ring of the window. The ring is a multiple of eight, so that eight rows never
    wrap, and long enough that the rows of one output never meet.
    """
    vertical, h_in = lines_of(v_index, v_weights), v_index[N_IN]
    taps, blocks, channels = lines_of(h_index, h_weights), blocks_of(h_index, h_weights), h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    h_out = vertical.start.size
    width = vertical.weights.size // h_out
    ring = (width + 2 * (LANES - 1) + LANES - 1) // LANES * LANES
    window = np.empty(ring * row_out, h_weights.dtype)
    held = np.full(ring // LANES, -1, np.int64)  # the first row of x of the eight at each place
    turned, spare = scratch(row_in, row_out, blocks, h_weights.dtype, h_weights.dtype)
    for g in range(first, last):
        n, o = g // h_out, g % h_out
        start, count = vertical.start[o], vertical.counts[o]
        for eight in range(start // LANES * LANES, start + count, LANES):
            place = eight % ring // LANES
            if held[place] != n * h_in + eight:
                held[place] = n * h_in + eight
                spread(
                    x, (n * h_in + eight) * row_in, row_in, min(LANES, h_in - eight), row_in, channels,
                    taps, blocks, turned, spare, window, eight % ring * row_out, row_out,
                )  # fmt: skip
        combine(
            window, 0, start % ring, ring, row_out,
            vertical.weights, o * width, count, out, g * row_out, row_out,
        )  # fmt: skip


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
    """The same for one number, where a weight of 0 adds nothing, not even 0 * NaN. `nothing` is 0, of their type."""
    a, b, total = nothing, nothing, nothing
    if i0 != 0:
        a += i0 * source[p]
        b += i0 * source[p + outer]
    if i1 != 0:
        a += i1 * source[p + inner]
        b += i1 * source[p + outer + inner]
    if o0 != 0:
        total += o0 * a
    if o1 != 0:
        total += o1 * b
    return total


@kernel
def direct_row(x, base, row_in, channels, vertical_first, v0, v1, start, weights, out, q):
    """One row of the direct form; whether all of it is finite. All but its last pixel, where pixels are one vector.

    A pixel of 3 or 4 channels is one vector of four: for 3 the fourth lane belongs to the next pixel, written after.
    """
    nothing, check = zero4(v0), zero4(v0)
    no = weights.dtype.type(0)
    for j in range(start.size - 1):
        p, h0, h1 = base + start[j] * channels, weights[np.uint64(2 * j)], weights[np.uint64(2 * j + 1)]
        if vertical_first:
            total = quad(x, p, row_in, channels, v0, v1, h0, h1, nothing)
        else:
            total = quad(x, p, channels, row_in, h0, h1, v0, v1, nothing)
        check = add_product(check, no, total)
        store(out, q + j * channels, total)
    return any_nan(check) == 0


@kernel
def direct_row_of_many(x, base, row_in, channels, vertical_first, v0, v1, start, weights, out, q):
    """One row of the direct form, over many channels; whether all of it is finite."""
    nothing, check = zero(v0), zero(v0)
    no = weights.dtype.type(0)
    for j in range(start.size):
        p, h0, h1 = base + start[j] * channels, weights[np.uint64(2 * j)], weights[np.uint64(2 * j + 1)]
        i = 0
        while i < channels:
            i = min(i, channels - LANES)
            if vertical_first:
                total = quad(x, p + i, row_in, channels, v0, v1, h0, h1, nothing)
            else:
                total = quad(x, p + i, channels, row_in, h0, h1, v0, v1, nothing)
            check = add_product(check, no, total)
            store(out, q + j * channels + i, total)
            i += LANES
    return any_nan(check) == 0


@kernel
def direct_row_exact(x, base, row_in, channels, vertical_first, v0, v1, start, weights, j, out, q):
    """Pixels j and following of one row of the direct form, number by number."""
    nothing = weights.dtype.type(0)
    for k in range(j, start.size):
        h0, h1 = weights[2 * k], weights[2 * k + 1]
        for c in range(channels):
            p = base + start[k] * channels + c
            if vertical_first:
                out[q + k * channels + c] = quad_exact(x, p, row_in, channels, v0, v1, h0, h1, nothing)
            else:
                out[q + k * channels + c] = quad_exact(x, p, channels, row_in, h0, h1, v0, v1, nothing)


@kernel
def direct(x, out, vertical_first, v_index, v_weights, h_index, h_weights, first, last):
    """Both axes, where outputs read 2 x 2 pixels (some with weight 0) of 3, 4 or many channels: no row between."""
    vertical, h_in = lines_of(v_index, v_weights), v_index[N_IN]
    taps, channels = lines_of(h_index, h_weights), h_index[CHANNELS]
    row_in, row_out, h_out = h_index[N_IN] * channels, h_index[N_OUT] * channels, vertical.start.size
    for g in range(first, last):
        n, o = g // h_out, g % h_out
        v0, v1 = vertical.weights[2 * o], vertical.weights[2 * o + 1]
        base = (n * h_in + vertical.start[o]) * row_in
        args = (x, base, row_in, channels, vertical_first, v0, v1, taps.start, taps.weights)
        exact_from = 0
        if channels >= LANES:
            if direct_row_of_many(*args, out, g * row_out):
                exact_from = taps.start.size
        elif base + 2 * row_in + 4 - channels <= x.size and direct_row(*args, out, g * row_out):
            exact_from = taps.start.size - 1
        direct_row_exact(*args, exact_from, out, g * row_out)


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


@kernel
def pick_row(x, base, channels, start, count, out, q):
    """One row of picked pixels, from the row of x that begins at base."""
    if channels == 1:
        nothing = x.dtype.type(0)  # of x's own type: a plain 0 beside a uint64 would make Numba count in float64
        for j in range(start.size):
            value = x[np.uint64(base + start[j])]
            out[np.uint64(q + j)] = value if count[j] != 0 else nothing
        return
    for j in range(start.size):
        p = base + start[j] * channels
        if count[j] == 0:
            for c in range(channels):
                out[np.uint64(q + c)] = 0
        elif channels <= 4 and channels >= 3 and j + 1 < start.size and p + 4 <= x.size:
            move4(x, p, out, q)  # for 3 channels the fourth number is written again, with the next pixel
        else:
            copy(x, p, out, q, channels)
        q += channels


@kernel
def pick(x, out, vertical, horizontal, first, last):
    """Both axes, at most one tap each, of weight 1: a copy of the pixels that the packed axes name, 0 for none."""
    h_in, h_out, w_out, channels = vertical[N_IN], vertical[N_OUT], horizontal[N_OUT], horizontal[CHANNELS]
    row_in, row_out = horizontal[N_IN] * channels, w_out * channels
    v_start, v_count = vertical[HEADER : HEADER + h_out], vertical[HEADER + h_out : HEADER + 2 * h_out]
    h_start, h_count = horizontal[HEADER : HEADER + w_out], horizontal[HEADER + w_out : HEADER + 2 * w_out]
    for g in range(first, last):
        n, o = g // h_out, g % h_out
        q = g * row_out
        if v_count[o] == 0:
            for i in range(row_out):
                out[np.uint64(q + i)] = 0
        elif g > first and o > 0 and v_start[o] == v_start[o - 1] and v_count[o - 1] != 0:
            copy(out, q - row_out, out, q, row_out)
        else:
            pick_row(x, (n * h_in + v_start[o]) * row_in, channels, h_start, h_count, out, q)
