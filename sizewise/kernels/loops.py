"""The kernels. Importing this module imports Numba, so only `kernels.load()` does, at the first call.

Arrays and integers in, nothing else known. An image is lines of `row_in` numbers (pixels times channels), which lie
one after the other in a line; where lines begin, in `x` and in `out`, says `place` (see `packing`). A call fills lines
first .. last - 1 of all images of `out`. Axes come packed too, and are taken apart into `Lines`, and for a horizontal
pass over few channels `Blocks`. `between` is an empty array of the dtype that is kept between two passes. Loops see all
of these as spans; the arrays that a kernel makes for itself are held until it ends.

An output depends on its own taps alone: not on the split into bands, nor on the path taken.
"""

from __future__ import annotations

import numpy as np

from .bricks import (
    blocks_of,
    eights_of,
    lines_of,
    pitch_of,
    ring_of,
    room_to_turn,
    rows_at_once,
    slide,
    spread,
    unpack_both,
)
from .certain import down_certain, up_certain
from .combining import NOUGHT, combine_eight, combine_streamed, combined, join, join_streamed
from .compiling import code, inlined, kernel
from .foresight import AHEAD, ask, look, look_down
from .packing import (
    CACHE_LINE,
    CHANNELS,
    HEADER,
    LANES,
    LINES,
    N_IN,
    N_OUT,
    ROW,
    STREAMS,
    VERTICAL_FIRST,
    X_LINE,
)
from .places import out_line, x_line
from .spans import hold, nought, span
from .stepped import paired, stepped, stepped_direct
from .vectors import (
    add_product,
    any_nan,
    load,
    move4,
    move8,
    prefetch,
    settle_streams,
    store,
    zero,
    zero1,
    zero4,
)

__all__ = [
    "code", "columns", "direct", "down", "down_certain", "paired", "pick", "rows", "stepped", "stepped_direct", "up",
    "up_certain",
]  # fmt: skip


@kernel
def rows(x, out, place, index, weights, first, last):
    """Vertical taps only, on rows of place[ROW] numbers."""
    room = np.empty(LANES, np.int64), np.empty(AHEAD, np.int64)
    taps, row = lines_of(index, weights), place[ROW]
    x, out, place, to, ahead = span(x), span(out), span(place), span(room[0]), span(room[1])
    for g in range(first, last, LANES):
        for r in range(LANES):
            to[r] = out_line(place, min(g + r, last - 1))
        look_down(x, ahead, place, g, last, taps, row, LANES * row)
        combine_eight(x, place, g, last, taps, row, out, to, ahead)
    hold(room)


@kernel
def columns(x, out, place, index, weights, first, last):
    """Horizontal taps only."""
    taps, blocks, channels, n_lines = lines_of(index, weights), blocks_of(index, weights), index[CHANNELS], place[LINES]
    row_in, row_out = index[N_IN] * channels, index[N_OUT] * channels
    room = (
        np.empty(room_to_turn(index, blocks), weights.dtype), np.empty(LANES, np.int64), np.empty(LANES, np.int64),
        np.empty(AHEAD, np.int64),
    )  # fmt: skip
    x, out, place = span(x), span(out), span(place)
    turned, lines, to, ahead = span(room[0]), span(room[1]), span(room[2]), span(room[3])
    for g in range(first, last, LANES):
        for r in range(LANES):
            line = min(g + r, last - 1)
            lines[r], to[r] = x_line(place, line, n_lines, line % n_lines), out_line(place, line)
        after = g + LANES
        n_after = min(LANES, last - after, n_lines - after % n_lines)
        begin = x_line(place, after, n_lines, after % n_lines)
        look(x, ahead, begin, place[X_LINE], row_in, n_after, LANES * row_out)
        spread(x, lines, min(LANES, last - g), channels, taps, blocks, turned, out, to, x, ahead)
    hold(room)


@kernel
def down(x, out, place, index, weights, between, first, last):
    """Both axes, vertical first: eight output rows are combined into a buffer, then spread."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, taps, blocks = lines_of(v_index, v_weights), lines_of(h_index, h_weights), blocks_of(h_index, h_weights)
    channels = h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    room = (
        np.empty(pitch_of(row_in) * LANES, between.dtype), np.empty(room_to_turn(h_index, blocks), weights.dtype),
        np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(AHEAD, np.int64),
    )  # fmt: skip
    x, out, place = span(x), span(out), span(place)
    buffer, turned, lines, to, ahead = span(room[0]), span(room[1]), span(room[2]), span(room[3]), span(room[4])
    for g in range(first, last, LANES):
        for r in range(LANES):
            near = min(r, last - g - 1)
            lines[r], to[r] = near * pitch_of(row_in), out_line(place, g + near)
        look_down(x, ahead, place, g, last, vertical, row_in, LANES * (row_in + row_out))
        combine_eight(x, place, g, last, vertical, row_in, buffer, lines, ahead)
        spread(buffer, lines, min(LANES, last - g), channels, taps, blocks, turned, out, to, x, ahead)
    hold(room)


@kernel
def up(x, out, place, index, weights, between, first, last):
    """Both axes, horizontal first: input rows are spread eight at a time into a sliding window, then combined."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, taps, blocks = lines_of(v_index, v_weights), lines_of(h_index, h_weights), blocks_of(h_index, h_weights)
    channels, ring, streams = h_index[CHANNELS], ring_of(vertical), place[STREAMS] != 0
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    h_in, pitch, eights = v_index[N_IN], pitch_of(row_out), (-1, -1, -1)
    room = (
        np.empty(ring * pitch, between.dtype), np.empty(room_to_turn(h_index, blocks), weights.dtype),
        np.full(ring // LANES, -1, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64),
        np.zeros(AHEAD, np.int64),
    )  # fmt: skip
    x, out, place, ahead = span(x), span(out), span(place), span(room[5])
    window, turned, held, lines, to = span(room[0]), span(room[1]), span(room[2]), span(room[3]), span(room[4])
    g = first
    while g < last:
        o, q = g % vertical.start.size, out_line(place, g)
        n_rows = rows_at_once(out, place, g, last, vertical, row_out)
        wanted = eights_of(g, n_rows, vertical)
        if wanted != eights:
            slide(
                x, place, g, last, wanted, h_in, row_in, vertical, taps, blocks, channels, turned, held, lines, to,
                window, ahead,
            )  # fmt: skip
            eights = wanted
        at = vertical.start[o] % ring
        if n_rows == 2:
            after, other = vertical.start[o + 1] % ring, out_line(place, g + 1)
            if streams:
                join_streamed(window, NOUGHT, at, after, ring, pitch, vertical, o, out, q, other, row_out, x, ahead)
            else:
                join(window, NOUGHT, at, after, ring, pitch, vertical, o, out, q, other, row_out, x, ahead)
        else:
            ask(x, ahead, row_out)
            if streams:
                combine_streamed(window, NOUGHT, at, ring, pitch, vertical, o, out, q, row_out)
            else:
                combined(window, NOUGHT, at, ring, pitch, vertical, o, out, q, NOUGHT, row_out, store)
        g += n_rows
    if streams:
        settle_streams()
    hold(room)


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
def direct_row(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q, after, n):
    """The first n pixels of one row of the direct form; whether all of them are finite.

    A pixel of 3 or 4 channels is one vector of four: for 3 the fourth lane belongs to the next pixel, written after.
    `after` is where the next row of the result begins to read.
    """
    nothing, check = zero4(v0), zero4(v0)
    no = nought(weights)
    for j in range(n):
        p, h0, h1 = base + start[j] * channels, weights[2 * j], weights[2 * j + 1]
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
def direct_row_of_many(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q):
    """One row of the direct form, over many channels; whether all of it is finite."""
    nothing, check = zero(v0), zero(v0)
    no = nought(weights)
    for j in range(start.size):
        p, h0, h1 = base + start[j] * channels, weights[2 * j], weights[2 * j + 1]
        i = 0
        while i < channels:
            i = min(i, channels - LANES)
            if vertical_first:
                total = quad(x, p + i, pitch, channels, v0, v1, h0, h1, nothing)
            else:
                total = quad(x, p + i, channels, pitch, h0, h1, v0, v1, nothing)
            check = add_product(check, no, total)
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
    x, out, place = span(x), span(out), span(place)
    row_in, pitch, vertical_first = h_index[N_IN] * channels, place[X_LINE], place[VERTICAL_FIRST] != 0
    for g in range(first, last):
        o = g % h_out
        v0, v1 = vertical.weights[2 * o], vertical.weights[2 * o + 1]
        base, q = x_line(place, g, h_out, vertical.start[o]), out_line(place, g)
        after = x_line(place, g + 1, h_out, vertical.start[(g + 1) % h_out])
        args = (x, base, pitch, channels, vertical_first, v0, v1, taps.start, taps.weights)
        n, done = taps.start.size, False
        if channels >= LANES:
            done = direct_row_of_many(*args, out, q)
        elif max(base, base + pitch) + row_in + 4 - channels <= x.size:
            if channels == 3 and (g + 1 == last or out_line(place, g + 1) != q + 3 * n):
                n -= 1  # what is behind the last pixel is not written after
            done = direct_row(*args, out, q, after, n)
        if not done:
            n = 0
        if n < taps.start.size:
            direct_row_exact(*args, n, out, q)


@inlined
def copy(source, p, out, q, n):
    """out[q] .. = source[p] .., n numbers; at least eight go by eights, the last of which overlap."""
    if n < LANES:
        for i in range(n):
            out[q + i] = source[p + i]
        return
    i = 0
    while i < n:
        i = min(i, n - LANES)
        move8(source, p + i, out, q + i)
        i += LANES


@kernel
def pick_row(x, base, channels, start, count, out, q):
    """One row of picked pixels, from the row of x that begins at base; 0 where none is picked."""
    nothing = nought(x)  # of x's own type: a plain 0 beside a uint64 would make Numba count in float64
    if channels == 1:
        for j in range(start.size):
            one = x[base + start[j] * count[j]]  # read in any case, so that nothing has to be foreseen
            out[q + j] = one if count[j] else nothing
        return
    for j in range(start.size):
        p = base + start[j] * channels
        if count[j] == 0:
            for c in range(channels):
                out[q + c] = nothing
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
            out[q + j] = x[base + start[j]]
        return
    whole = 0  # so many pixels of 3 or 4 channels go as one vector of four; the last may have no fourth number
    if channels == 4:
        whole = n
    elif channels == 3:
        whole = n - 1
        while whole > 0 and base + start[whole - 1] * 3 + 4 > x.size:
            whole -= 1
    for j in range(whole):
        p = start[j] * channels
        prefetch(x, after + p)
        move4(x, base + p, out, q + j * channels)  # for 3 the fourth number is written again, with the next pixel
    for j in range(whole, n):
        p = start[j] * channels
        for line in range(0, channels, CACHE_LINE // x.itemsize):
            prefetch(x, after + p + line)
        copy(x, base + p, out, q + j * channels, channels)


@kernel
def pick(x, out, place, index, weights, first, last):
    """Both axes, at most one tap each, of weight 1: a copy of the pixels that the packed axes name, 0 for none."""
    vertical, _, horizontal, _ = unpack_both(index, weights)
    h_out, w_out, channels = vertical[N_OUT], horizontal[N_OUT], horizontal[CHANNELS]
    row_out = w_out * channels
    counts = horizontal[HEADER + w_out : HEADER + 2 * w_out]
    every, h_start, h_count = counts.min() > 0, span(horizontal[HEADER : HEADER + w_out]), span(counts)
    v_start, v_count = span(vertical[HEADER : HEADER + h_out]), span(vertical[HEADER + h_out : HEADER + 2 * h_out])
    x, out, place = span(x), span(out), span(place)
    for g in range(first, last):
        o, q = g % h_out, out_line(place, g)
        if v_count[o] == 0:
            for i in range(row_out):
                out[q + i] = 0
        elif g > first and o > 0 and v_start[o] == v_start[o - 1] and v_count[o - 1] != 0:
            copy(out, out_line(place, g - 1), out, q, row_out)
        elif every:
            after = x_line(place, g + 1, h_out, v_start[(g + 1) % h_out])
            pick_every(x, x_line(place, g, h_out, v_start[o]), after, channels, h_start, out, q)
        else:
            pick_row(x, x_line(place, g, h_out, v_start[o]), channels, h_start, h_count, out, q)
