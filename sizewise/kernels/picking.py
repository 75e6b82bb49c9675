"""Pixels picked: each of the result is one of the image as it is, bit for bit, or none. No arithmetic is done."""

from __future__ import annotations

from .bricks import unpack_both
from .combining import NOUGHT
from .compiling import inlined, kernel
from .packing import CHANNELS, HEADER, LANES, N_OUT, STREAMS
from .places import fills_lines, line_of, out_line, x_line
from .spans import nought, span
from .vectors import lanes_of, load, move4, move8, prefetch, settle_streams, stream, to_next_line, zero_wide

LONG_CLEAR = 1 << 15  # bytes: shorter rows of 0 past the caches would only disturb those between them, which are not


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
def clear(out, q, n, streams):
    """out[q] .. = 0, n numbers; past the caches, if they are to, but for what only begins or ends a cache line."""
    i, nothing = NOUGHT, zero_wide(nought(out))
    if streams:
        begin = min(to_next_line(out, q), n)
        for e in range(begin):
            out[q + e] = 0
        i = begin
        while i + lanes_of(nothing) <= n:
            stream(out, q + i, nothing)
            i += lanes_of(nothing)
    for e in range(i, n):
        out[q + e] = 0


@kernel
def pick_row(x, base, channels, start, count, out, q):
    """One row of picked pixels, from the row of x that begins at base; 0 where none is picked."""
    nothing = nought(x)  # of x's own type: a plain 0 beside a uint64 would make Numba count in float64
    if channels == 1:
        for j in range(start.size):
            one = x[base + start[j] * count[j]]  # read in any case, so that nothing has to be foreseen
            out[q + j] = one if count[j] else nothing
        return
    clear(out, q, start.size * channels, False)
    for j in range(start.size):
        if count[j] != 0:
            copy(x, base + start[j] * channels, out, q + j * channels, channels)


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
        for line in range(0, channels, line_of(x)):
            prefetch(x, after + p + line)
        copy(x, base + p, out, q + j * channels, channels)


@kernel
def pick_streamed(x, base, after, channels, start, count, out, q):
    """One row of picked pixels, past the caches; each must fill cache lines. 0 where none is picked."""
    nothing = zero_wide(nought(x))
    for j in range(start.size):
        p = start[j] * channels
        for i in range(0, channels, lanes_of(nothing)):
            pixel = nothing
            if count[j] != 0:
                prefetch(x, after + p + i)
                pixel = load(x, base + p + i, nothing)
            stream(out, q + j * channels + i, pixel)


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
        base = x_line(place, g, h_out, v_start[o])
        after = x_line(place, g + 1, h_out, v_start[(g + 1) % h_out])
        streams = place[STREAMS] != 0 and fills_lines(out, q, channels)
        if v_count[o] == 0:
            clear(out, q, row_out, streams or (place[STREAMS] != 0 and row_out * out.itemsize >= LONG_CLEAR))
        elif streams:
            pick_streamed(x, base, after, channels, h_start, h_count, out, q)
        elif g > first and o > 0 and v_start[o] == v_start[o - 1] and v_count[o - 1] != 0:
            copy(out, out_line(place, g - 1), out, q, row_out)
        elif every:
            pick_every(x, base, after, channels, h_start, out, q)
        else:
            pick_row(x, base, channels, h_start, h_count, out, q)
    if place[STREAMS] != 0:
        settle_streams()
