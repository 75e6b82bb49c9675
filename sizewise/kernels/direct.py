"""The direct form: 2 x 2 pixels at once, where that is all an output reads. No row is kept in between."""

from __future__ import annotations

from .bricks import lines_of, unpack_both
from .compiling import inlined, kernel
from .packing import CHANNELS, LANES, N_IN, N_OUT, STREAMS, VERTICAL_FIRST, X_LINE
from .places import fills_lines, out_line, x_line
from .spans import nought, span
from .vectors import (
    add_product,
    any_nan,
    lanes_of,
    load,
    prefetch,
    settle_streams,
    store,
    stream,
    zero,
    zero1,
    zero4,
    zero_wide,
)


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


@inlined
def direct_pixels(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q, nothing, put):
    """One row of the direct form, over many channels, by `store` or `stream`; whether all of it is finite.

    It goes by vectors such as `nothing`, which have no more lanes than there are channels. Where only the first of the
    2 x 2 pixels has a weight, as in most gradients, the others are not read.
    """
    check, no, n_lanes = nothing, nought(weights), lanes_of(nothing)
    for j in range(start.size):
        p, h0, h1 = base + start[j] * channels, weights[2 * j], weights[2 * j + 1]
        alone = v1 == 0 and h1 == 0
        inner, outer = (v0, h0) if vertical_first else (h0, v0)
        i = 0
        while i < channels:
            i = min(i, channels - n_lanes)
            if alone:
                total = add_product(nothing, outer, add_product(nothing, inner, load(x, p + i, nothing)))
            elif vertical_first:
                total = quad(x, p + i, pitch, channels, v0, v1, h0, h1, nothing)
            else:
                total = quad(x, p + i, channels, pitch, h0, h1, v0, v1, nothing)
            check = add_product(check, no, total)
            put(out, q + j * channels + i, total)
            i += n_lanes
    return any_nan(check) == 0


@kernel
def direct_row_of_many(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q):
    """`direct_pixels` into what is near."""
    return direct_pixels(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q, zero(v0), store)


@kernel
def direct_row_streamed(x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q):
    """`direct_pixels` past the caches; each pixel must fill cache lines."""
    return direct_pixels(
        x, base, pitch, channels, vertical_first, v0, v1, start, weights, out, q, zero_wide(v0), stream
    )


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
        if place[STREAMS] != 0 and fills_lines(out, q, channels):
            done = direct_row_streamed(*args, out, q)
        elif channels >= LANES:
            done = direct_row_of_many(*args, out, q)
        elif max(base, base + pitch) + row_in + 4 - channels <= x.size:
            if channels == 3 and (g + 1 == last or out_line(place, g + 1) != q + 3 * n):
                n -= 1  # what is behind the last pixel is not written after
            done = direct_row(*args, out, q, after, n)
        if not done:
            n = 0
        if n < taps.start.size:
            direct_row_exact(*args, n, out, q)
    if place[STREAMS] != 0:
        settle_streams()
