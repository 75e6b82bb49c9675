"""Both axes of uint8 images in whole numbers: width first, kept row by row or by fours of rows, then height.

In `stepped` an output row reads rows named one by one: rows beyond the edge of an image are taps of their own, since
two roundings are not one. How their products are rounded says the dtype of the rows' weights (see
`vectors.add_product`). In those that are `paired` what is kept is uint8 again, and rows are summed in pairs, too.
"""

from __future__ import annotations

import numpy as np

from .bricks import pitch_of
from .combining import FOUR
from .compiling import inlined, kernel
from .foresight import ask_far
from .packing import LANES, Steps, steps_of
from .places import aligned, line_of, out_line, x_line
from .spans import hold, span
from .spreading import QUAD, SOME, spread_line, spread_quads, spread_sixteens, two_taps
from .vectors import (
    add_pair,
    add_product,
    add_upper,
    finish,
    load,
    store,
    store_both,
    store_high,
    store_low,
    zero,
    zero1,
    zero4,
)

_unpack = kernel(steps_of)


@inlined
def unpack(index, across):
    """The steps of packed axes, as spans."""
    s = _unpack(index, across)
    return Steps(
        s.h_in, s.n_taps, s.step, s.add, s.shift, s.half, s.cut, s.row_in, s.channels, s.n_across,
        span(s.first), span(s.place), span(s.across), span(s.pairs), span(s.windows),
    )  # fmt: skip


@inlined
def blended(window, lines, i, weights, w, add, shift, nothing):
    """The sum over the named lines of the window, for one vector of neighbouring numbers."""
    total = nothing
    for k in range(lines.size):
        total = add_product(total, weights[w + k], load(window, lines[k] + i, nothing))
    return finish(total, add, shift)


@kernel
def blend(window, lines, weights, w, add, shift, out, q, n):
    """out[q + i] = the sum over k of weights[w + k] * window[lines[k] + i], for i < n."""
    if n < LANES:
        for i in range(n):
            store(out, q + i, blended(window, lines, i, weights, w, add, shift, zero1(weights[0])))
        return
    nothing = zero(weights[0])
    i = 0
    while i + FOUR <= n:
        a, b, c, d = nothing, nothing, nothing, nothing
        for k in range(lines.size):
            weight, p = weights[w + k], lines[k] + i
            a = add_product(a, weight, load(window, p, nothing))
            b = add_product(b, weight, load(window, p + LANES, nothing))
            c = add_product(c, weight, load(window, p + 2 * LANES, nothing))
            d = add_product(d, weight, load(window, p + 3 * LANES, nothing))
        store_both(out, q + i, finish(a, add, shift), finish(b, add, shift))
        store_both(out, q + i + 2 * LANES, finish(c, add, shift), finish(d, add, shift))
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, blended(window, lines, i, weights, w, add, shift, nothing))
        i += LANES


@inlined
def of_four(window, p, weights, i, nothing):
    """The sum over four lines that begin at p, for one vector of neighbouring numbers."""
    total = add_product(nothing, weights[0], load(window, p[0] + i, nothing))
    total = add_product(total, weights[1], load(window, p[1] + i, nothing))
    total = add_product(total, weights[2], load(window, p[2] + i, nothing))
    return add_product(total, weights[3], load(window, p[3] + i, nothing))


@kernel
def blend_four(window, lines, weights, w, add, shift, out, q, n):
    """As `blend`, of four lines, which are known before the row begins; n is at least eight."""
    nothing, i = zero(weights[0]), 0
    p, v = (lines[0], lines[1], lines[2], lines[3]), (weights[w], weights[w + 1], weights[w + 2], weights[w + 3])
    while i + 2 * LANES <= n:
        a, b = of_four(window, p, v, i, nothing), of_four(window, p, v, i + LANES, nothing)
        store_both(out, q + i, finish(a, add, shift), finish(b, add, shift))
        i += 2 * LANES
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, finish(of_four(window, p, v, i, nothing), add, shift))
        i += LANES


@inlined
def in_pairs(window, lines, i, weights, w, add, shift, nothing):
    """The sum over the named lines of the window, which are uint8, in pairs."""
    total = nothing
    for k in range(0, lines.size, 2):
        p, r = lines[k] + i, lines[k + 1] + i
        total = add_pair(total, window, p, r, weights, w + k)
    return finish(total, add, shift)


@inlined
def blend_pairs(window, lines, weights, w, add, shift, out, q, n):
    """As `blend`, of whole numbers, in pairs of lines; n is at least eight."""
    nothing, i = zero(np.int32(0)), 0
    while i + FOUR <= n:
        a, b, c, d = nothing, nothing, nothing, nothing
        for k in range(0, lines.size, 2):
            p, r = lines[k] + i, lines[k + 1] + i
            a = add_pair(a, window, p, r, weights, w + k)
            b = add_pair(b, window, p + LANES, r + LANES, weights, w + k)
            c = add_pair(c, window, p + 2 * LANES, r + 2 * LANES, weights, w + k)
            d = add_pair(d, window, p + 3 * LANES, r + 3 * LANES, weights, w + k)
        store_both(out, q + i, finish(a, add, shift), finish(b, add, shift))
        store_both(out, q + i + 2 * LANES, finish(c, add, shift), finish(d, add, shift))
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, in_pairs(window, lines, i, weights, w, add, shift, nothing))
        i += LANES


@kernel
def times(sums, gain, out, q, n):
    """out[q + i] = sums[i] * gain, for i < n: as float32, rounded as it is stored."""
    for i in range(n):
        store(out, q + i, add_product(zero1(gain), gain, load(sums, i, zero1(gain))))


@inlined
def follow(x, place, g, steps, held, lines, window, pitch):
    """Names the lines of the window that line g of the result reads, once it has seen to it that they are there.

    Row r of an image waits at place r % n_taps; `held` says which row, counted over all images, is at each place.
    """
    h_out, n_taps = steps.first.size, steps.n_taps
    n, o = g // h_out, g % h_out
    for k in range(n_taps):
        row = min(max(steps.first[o] + steps.step * k, 0), steps.h_in - 1)
        slot = row % n_taps
        lines[k] = slot * pitch
        if held[slot] != n * steps.h_in + row:
            held[slot] = n * steps.h_in + row
            spread_line(x, x_line(place, g, h_out, row), steps, window, slot * pitch)


@inlined
def fours_of(n_taps):
    """How many fours of rows so many rows may be of, one after the other."""
    return (n_taps + QUAD - 2) // QUAD + 1


@inlined
def missing(place, g, steps, held, lines, bases, to, pitch, k):
    """The first of taps k, k + 1, ... of line g whose row is not in the window; n_taps if there is none.

    On the way the lines of the window are named that they read. Rows are kept by fours, the first a multiple of four;
    `held` says which four are where. The one that is missing is held from now on: the caller has to spread it, from
    x[bases[r]] to window[to[r]], and to go on with the next tap. (Were it spread here, all of that would be compiled
    once more, which takes longer than the few lines that two callers share.)
    """
    h_out, h_in, n_fours = steps.first.size, steps.h_in, held.size
    n, o = g // h_out, g % h_out
    while k < steps.n_taps:
        row = min(max(steps.first[o] + steps.step * k, 0), h_in - 1)
        four = row // QUAD
        slot = four % n_fours
        lines[k] = (slot * QUAD + row % QUAD) * pitch
        if held[slot] != n * h_in + four:
            held[slot] = n * h_in + four
            for r in range(QUAD):
                here = min(r, h_in - four * QUAD - 1)
                bases[r], to[r] = x_line(place, g, h_out, four * QUAD + here), (slot * QUAD + here) * pitch
            return k
        k += 1
    return k


def _paired(spread, name):
    """Both axes, uint8 between them: columns four rows at a time, by `spread`, then rows in pairs."""

    def paired(x, out, place, index, across, down, first, last):
        steps = unpack(index, across)
        h_out, n_taps, row_out = steps.first.size, steps.n_taps, steps.place.size * steps.channels
        pitch = row_out + LANES  # a pixel of three may be written as four
        room = (
            np.empty(fours_of(n_taps) * QUAD * pitch, x.dtype), np.full(fours_of(n_taps), -1, np.int64),
            np.empty(n_taps, np.int64), np.empty(QUAD, np.int64), np.empty(QUAD, np.int64),
        )  # fmt: skip
        x, out, place, down = span(x), span(out), span(place), span(down)
        window, held, lines, bases, to = span(room[0]), span(room[1]), span(room[2]), span(room[3]), span(room[4])
        for g in range(first, last):
            k = missing(place, g, steps, held, lines, bases, to, pitch, 0)
            while k < n_taps:
                spread(x, bases, steps, window, to)
                k = missing(place, g, steps, held, lines, bases, to, pitch, k + 1)
            w, q = g % h_out * n_taps, out_line(place, g)
            blend_pairs(window, lines, down, w, steps.add, steps.shift, out, q, row_out)
        hold(room)

    paired.__name__ = paired.__qualname__ = name  # machine code goes by it
    return kernel(paired)


paired_sixteens = _paired(spread_sixteens, "paired_sixteens")
paired_quads = _paired(spread_quads, "paired_quads")


@inlined
def blend_row(window, lines, steps, down, tail, gain, sums, o, out, q):
    """Row o of a result, from lines of the window. Where there is a gain, sums are multiplied by it.

    Where there is a `tail`, these are the weights of the rows again, in whole numbers, for the numbers at the end of a
    row that fill no vector of eight.
    """
    row_out, w, n_taps = steps.place.size * steps.channels, o * steps.n_taps, steps.n_taps
    n = row_out // LANES * LANES if tail.size else row_out
    if gain != 0:
        blend(window, lines, down, w, steps.add, steps.shift, sums, 0, n)
        times(sums, gain, out, q, n)
    elif n_taps == 4 and n >= LANES:
        blend_four(window, lines, down, w, steps.add, steps.shift, out, q, n)
    else:
        blend(window, lines, down, w, steps.add, steps.shift, out, q, n)
    for i in range(n, row_out):
        total = np.int64(0)
        for k in range(n_taps):
            total += np.int64(tail[w + k]) * np.int64(window[lines[k] + i])
        out[q + i] = min(max((total + steps.add) >> steps.shift, 0), 255)


@kernel
def stepped(x, out, place, index, across, down, tail, between, gain, first, last):
    """Both axes, row by row."""
    steps = unpack(index, across)
    h_out, n_taps, row_out = steps.first.size, steps.n_taps, steps.place.size * steps.channels
    pitch = row_out + LANES  # a pixel of three is written as four
    room = (
        np.empty(n_taps * pitch, between.dtype), np.full(n_taps, -1, np.int64), np.empty(n_taps, np.int64),
        np.empty(row_out, down.dtype),
    )  # fmt: skip
    x, out, place, down, tail = span(x), span(out), span(place), span(down), span(tail)
    window, held, lines, sums = span(room[0]), span(room[1]), span(room[2]), span(room[3])
    for g in range(first, last):
        follow(x, place, g, steps, held, lines, window, pitch)
        blend_row(window, lines, steps, down, tail, gain, sums, g % h_out, out, out_line(place, g))
    hold(room)


@kernel
def stepped_sixteens(x, out, place, index, across, down, tail, between, gain, first, last):
    """The same, columns by sixteens."""
    steps = unpack(index, across)
    h_out, n_taps, row_out = steps.first.size, steps.n_taps, steps.place.size * steps.channels
    pitch, n_fours = pitch_of(row_out), fours_of(n_taps)
    room = (
        np.empty(n_fours * QUAD * pitch + line_of(between), between.dtype), np.full(n_fours, -1, np.int64),
        np.empty(n_taps, np.int64), np.empty(QUAD, np.int64), np.empty(QUAD, np.int64), np.empty(row_out, down.dtype),
    )  # fmt: skip
    x, out, place, down, tail, sums = span(x), span(out), span(place), span(down), span(tail), span(room[5])
    window, held, lines, bases, to = aligned(room[0]), span(room[1]), span(room[2]), span(room[3]), span(room[4])
    for g in range(first, last):
        k = missing(place, g, steps, held, lines, bases, to, pitch, 0)
        while k < n_taps:
            spread_sixteens(x, bases, steps, window, to)
            k = missing(place, g, steps, held, lines, bases, to, pitch, k + 1)
        blend_row(window, lines, steps, down, tail, gain, sums, g % h_out, out, out_line(place, g))
    hold(room)


@inlined
def quads(x, a, b, channels, steps, v0, v1, out, q):
    """Pixels of three or four channels, each of 2 x 2, from the rows at a and b; two at a time, all but the last few.

    Returns how many. Reads eight numbers at each pixel, and writes four.
    """
    place, pairs, cut, n = steps.place, steps.pairs, steps.cut, (steps.place.size - 1) // 2 * 2
    nothing, none, begin = zero4(np.int32(0)), zero(v0), 0
    for first in range(0, n, SOME):
        last = min(first + SOME, n)
        end = place[last - 1]
        ask_far(x, a + begin, a + end)
        begin = ask_far(x, b + begin, b + end) - b
        for j in range(first, last, 2):
            p, r, w = place[j], place[j + 1], 2 * j
            a0 = finish(two_taps(nothing, x, a + p, channels, pairs, w), 0, cut)
            b0 = finish(two_taps(nothing, x, b + p, channels, pairs, w), 0, cut)
            a1 = finish(two_taps(nothing, x, a + r, channels, pairs, w + 2), 0, cut)
            b1 = finish(two_taps(nothing, x, b + r, channels, pairs, w + 2), 0, cut)
            both = finish(add_upper(add_upper(none, v0, a0, a1), v1, b0, b1), steps.add, steps.shift)
            store_low(out, q + channels * j, both)
            store_high(out, q + channels * (j + 1), both)
    return n


@kernel
def quads_exact(x, a, b, steps, v0, v1, j, out, q):
    """Pixels j and following, number by number."""
    channels = steps.channels
    for e in range(j * channels, steps.place.size * channels):
        p, w = steps.place[e // channels] + e % channels, e // channels * 2
        w0, w1 = np.int64(steps.across[w]), np.int64(steps.across[w + 1])
        h0 = (w0 * np.int64(x[a + p]) + w1 * np.int64(x[a + p + channels])) >> steps.cut
        h1 = (w0 * np.int64(x[b + p]) + w1 * np.int64(x[b + p + channels])) >> steps.cut
        total = ((np.int64(v0) * h0) >> 16) + ((np.int64(v1) * h1) >> 16)
        out[q + e] = min(max((total + steps.add) >> steps.shift, 0), 255)


@kernel
def stepped_direct(x, out, place, index, across, down, first, last):
    """Both axes, where outputs read 2 x 2 pixels of 3 or 4 channels: no row in between, for images that shrink."""
    steps = unpack(index, across)
    h_in, h_out, channels = steps.h_in, steps.first.size, steps.channels
    x, out, place, down = span(x), span(out), span(place), span(down)
    for g in range(first, last):
        o, q = g % h_out, out_line(place, g)
        v0, v1 = down[2 * o], down[2 * o + 1]
        a = x_line(place, g, h_out, min(max(steps.first[o], 0), h_in - 1))
        b = x_line(place, g, h_out, min(max(steps.first[o] + 1, 0), h_in - 1))
        done = 0
        if max(a, b) + steps.row_in + 8 - 2 * channels <= x.size:
            if channels == 3:
                done = quads(x, a, b, 3, steps, v0, v1, out, q)
            else:
                done = quads(x, a, b, 4, steps, v0, v1, out, q)
        quads_exact(x, a, b, steps, v0, v1, done, out, q)
