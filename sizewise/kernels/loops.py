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
from .compiling import kernel
from .packing import CHANNELS, HEADER, LANES, MANY_CHANNELS, N_IN, N_OUT
from .vectors import add_product, any_nan, check_finite, load, store, transpose_in, transpose_out, zero

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
    i = 0
    while i + FOUR <= n:
        a, b, c, d = zero(like), zero(like), zero(like), zero(like)
        at = line
        for k in range(count):
            weight = weights[np.uint64(w + k)]
            if weight != 0:
                p = base + at * pitch + i
                a = add_product(a, weight, load(source, p, like))
                b = add_product(b, weight, load(source, p + LANES, like))
                c = add_product(c, weight, load(source, p + 2 * LANES, like))
                d = add_product(d, weight, load(source, p + 3 * LANES, like))
            at = at + 1 if at + 1 < ring else 0
        store(out, o + i, a)
        store(out, o + i + LANES, b)
        store(out, o + i + 2 * LANES, c)
        store(out, o + i + 3 * LANES, d)
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        a = zero(like)
        at = line
        for k in range(count):
            weight = weights[np.uint64(w + k)]
            if weight != 0:
                a = add_product(a, weight, load(source, base + at * pitch + i, like))
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
    like = blocks.table[0]
    step = channels * LANES
    check = zero(like)
    for b in range(blocks.first.size):
        q = b * LANES
        p0, p1, p2, p3 = blocks.place[q], blocks.place[q + 1], blocks.place[q + 2], blocks.place[q + 3]
        p4, p5, p6, p7 = blocks.place[q + 4], blocks.place[q + 5], blocks.place[q + 6], blocks.place[q + 7]
        a0, a1, a2, a3 = zero(like), zero(like), zero(like), zero(like)
        a4, a5, a6, a7 = zero(like), zero(like), zero(like), zero(like)
        m, s = blocks.offset[b], 0
        for _ in range(blocks.depth[b]):
            a0 = add_product(a0, blocks.table[np.uint64(m)], load(turned, p0 + s, like))
            a1 = add_product(a1, blocks.table[np.uint64(m + 1)], load(turned, p1 + s, like))
            a2 = add_product(a2, blocks.table[np.uint64(m + 2)], load(turned, p2 + s, like))
            a3 = add_product(a3, blocks.table[np.uint64(m + 3)], load(turned, p3 + s, like))
            a4 = add_product(a4, blocks.table[np.uint64(m + 4)], load(turned, p4 + s, like))
            a5 = add_product(a5, blocks.table[np.uint64(m + 5)], load(turned, p5 + s, like))
            a6 = add_product(a6, blocks.table[np.uint64(m + 6)], load(turned, p6 + s, like))
            a7 = add_product(a7, blocks.table[np.uint64(m + 7)], load(turned, p7 + s, like))
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


@kernel
def pick(x, out, vertical, horizontal, first, last):
    """Both axes, one tap of weight 1 each: a copy of the pixels that the two packed axes name."""
    h_in, h_out, channels = vertical[N_IN], vertical[N_OUT], horizontal[CHANNELS]
    row_in, row_out = horizontal[N_IN] * channels, horizontal[N_OUT] * channels
    v_index, h_index = vertical[HEADER : HEADER + h_out], horizontal[HEADER : HEADER + horizontal[N_OUT]]
    for g in range(first, last):
        n, o = g // h_out, g % h_out
        q = g * row_out
        if g > first and o > 0 and v_index[o] == v_index[o - 1]:
            for i in range(row_out):
                out[np.uint64(q + i)] = out[np.uint64(q - row_out + i)]
            continue
        base = (n * h_in + v_index[o]) * row_in
        if channels == 1:
            for j in range(h_index.size):
                out[np.uint64(q + j)] = x[np.uint64(base + h_index[j])]
        elif channels == 3:
            for j in range(h_index.size):
                p = base + h_index[j] * 3
                out[np.uint64(q + 3 * j)] = x[np.uint64(p)]
                out[np.uint64(q + 3 * j + 1)] = x[np.uint64(p + 1)]
                out[np.uint64(q + 3 * j + 2)] = x[np.uint64(p + 2)]
        else:
            for j in range(h_index.size):
                p = base + h_index[j] * channels
                for c in range(channels):
                    out[np.uint64(q + j * channels + c)] = x[np.uint64(p + c)]
