"""Both axes of uint8 images in whole numbers: width first, kept row by row as they are wanted, then height.

An output row reads `taps` rows, named one by one: rows beyond the edge of an image are taps of their own, since two
roundings are not one. How their products are rounded says the dtype of the rows' weights (see `vectors.add_product`).
Rows are spread one at a time: pairs of neighbouring taps become one sum, which is how uint8 and int16 multiply fastest.
"""

from __future__ import annotations

import numpy as np

from .bricks import FOUR, out_line, x_line
from .compiling import inlined, kernel
from .packing import LANES, steps_of
from .vectors import (
    add_eight,
    add_pair,
    add_pixels3,
    add_pixels4,
    add_product,
    add_upper,
    finish,
    load,
    store,
    store_high,
    store_low,
    zero,
    zero1,
    zero4,
)

unpack = kernel(steps_of)


@kernel
def spread_exact(x, base, steps, window, q):
    """One row, number by number."""
    channels, n_across = steps.channels, steps.n_across
    for j in range(steps.place.size):
        for c in range(channels):
            total = np.int32(0)
            for k in range(n_across):
                pixel = x[base + steps.place[j] + k * channels + c]
                total += np.int32(steps.across[j * n_across + k]) * np.int32(pixel)
            window[q + j * channels + c] = total >> steps.cut


@kernel
def spread_many(x, base, steps, window, q):
    """One row of pixels of at least eight channels, which are several vectors; the last may overlap."""
    nothing, channels, n_across = zero(np.int32(0)), steps.channels, steps.n_across
    for j in range(steps.place.size):
        i = 0
        while i < channels:
            i = min(i, channels - LANES)
            p, total = base + steps.place[j] + i, nothing
            for k in range(0, n_across, 2):
                total = add_pair(total, x, p, p + channels, steps.across, j * n_across + k)
                p += 2 * channels
            store(window, q + j * channels + i, finish(total, 0, steps.cut))
            i += LANES


@inlined
def two_taps(total, x, p, channels, pairs, w):
    """Two taps more of a pixel of three or four channels."""
    if channels == 3:
        return add_pixels3(total, x, p, pairs, w)
    return add_pixels4(total, x, p, pairs, w)


@inlined
def spread_few(x, base, channels, n_across, place, pairs, cut, window, q):
    """One row of pixels of three or four channels, each of them one vector."""
    nothing = zero4(np.int32(0))
    for j in range(place.size):
        p, w = base + place[np.uint64(j)], n_across * j
        total = two_taps(nothing, x, p, channels, pairs, w)
        for k in range(2, n_across, 2):
            total = two_taps(total, x, p + k * channels, channels, pairs, w + k)
        store(window, q + channels * j, finish(total, 0, cut))


@inlined
def spread_some(x, base, channels, n_across, place, pairs, cut, window, q):
    """The same; two taps and four, said as constants, leave no loop over pairs."""
    if n_across == 2:
        spread_few(x, base, channels, 2, place, pairs, cut, window, q)
    elif n_across == 4:
        spread_few(x, base, channels, 4, place, pairs, cut, window, q)
    else:
        spread_few(x, base, channels, n_across, place, pairs, cut, window, q)


@inlined
def spread_grey(x, base, n_across, place, pairs, cut, window, q):
    """One row of single numbers, eight at a time; the last eight may overlap."""
    nothing, n, w, j = zero(np.int32(0)), place.size, 0, 0
    while j < n:
        i = np.uint64(min(j, n - LANES))
        p = (
            base + place[i], base + place[i + np.uint64(1)], base + place[i + np.uint64(2)],
            base + place[i + np.uint64(3)], base + place[i + np.uint64(4)], base + place[i + np.uint64(5)],
            base + place[i + np.uint64(6)], base + place[i + np.uint64(7)],
        )  # fmt: skip
        total = add_eight(nothing, x, p, pairs, w)
        for k in range(2, n_across, 2):
            further = (p[0] + k, p[1] + k, p[2] + k, p[3] + k, p[4] + k, p[5] + k, p[6] + k, p[7] + k)
            total = add_eight(total, x, further, pairs, w + k * LANES)
        store(window, q + np.int64(i), finish(total, 0, cut))
        w += n_across * LANES
        j += LANES


@kernel
def spread_line(x, base, steps, window, q):
    """One row of x, which begins at base, spread into the window at q; by pairs where they lie inside x."""
    channels, n_across, place, pairs, cut = steps.channels, steps.n_across, steps.place, steps.pairs, steps.cut
    if pairs.size == 0:
        spread_exact(x, base, steps, window, q)
    elif channels >= LANES:
        spread_many(x, base, steps, window, q)
    elif channels == 1:
        if n_across == 2:  # said as a constant, it leaves no loop over pairs
            spread_grey(x, base, 2, place, pairs, cut, window, q)
        else:
            spread_grey(x, base, n_across, place, pairs, cut, window, q)
    elif base + steps.row_in + 8 - 2 * channels > x.size:
        spread_exact(x, base, steps, window, q)
    elif channels == 3:
        spread_some(x, base, 3, n_across, place, pairs, cut, window, q)
    else:
        spread_some(x, base, 4, n_across, place, pairs, cut, window, q)


@inlined
def blended(window, lines, i, weights, w, add, shift, nothing):
    """The sum over the named lines of the window, for one vector of neighbouring numbers."""
    total = nothing
    for k in range(lines.size):
        total = add_product(total, weights[np.uint64(w + k)], load(window, lines[k] + i, nothing))
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
            weight, p = weights[np.uint64(w + k)], lines[k] + i
            a = add_product(a, weight, load(window, p, nothing))
            b = add_product(b, weight, load(window, p + LANES, nothing))
            c = add_product(c, weight, load(window, p + 2 * LANES, nothing))
            d = add_product(d, weight, load(window, p + 3 * LANES, nothing))
        store(out, q + i, finish(a, add, shift))
        store(out, q + i + LANES, finish(b, add, shift))
        store(out, q + i + 2 * LANES, finish(c, add, shift))
        store(out, q + i + 3 * LANES, finish(d, add, shift))
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, blended(window, lines, i, weights, w, add, shift, nothing))
        i += LANES


@kernel
def times(sums, gain, out, q, n):
    """out[q + i] = sums[i] * gain, for i < n: as float32, rounded as it is stored."""
    for i in range(n):
        store(out, q + i, add_product(zero1(gain), gain, load(sums, i, zero1(gain))))


@kernel
def stepped(x, out, place, index, across, down, tail, between, gain, first, last):
    """Both axes. Where there is a gain, sums are multiplied by it.

    Where there is a `tail`, these are the weights of the rows again, in whole numbers, for the numbers at the end of a
    row that fill no vector of eight.
    """
    steps = unpack(index, across)
    h_in, h_out, n_taps = steps.h_in, steps.first.size, steps.n_taps
    row_out = steps.place.size * steps.channels
    pitch = row_out + LANES  # a pixel of three is written as four
    window, held = np.empty(n_taps * pitch, between.dtype), np.full(n_taps, -1, np.int64)
    lines, sums = np.empty(n_taps, np.int64), np.empty(row_out, down.dtype)
    n = row_out // LANES * LANES if tail.size else row_out
    for g in range(first, last):
        o, q = g % h_out, out_line(place, g)
        for k in range(n_taps):
            row = min(max(steps.first[o] + steps.step * k, 0), h_in - 1)
            slot = row % n_taps
            lines[k] = slot * pitch
            if held[slot] != g // h_out * h_in + row:
                held[slot] = g // h_out * h_in + row
                spread_line(x, x_line(place, g, h_out, row), steps, window, slot * pitch)
        if gain != 0:
            blend(window, lines, down, o * n_taps, steps.add, steps.shift, sums, 0, n)
            times(sums, gain, out, q, n)
        else:
            blend(window, lines, down, o * n_taps, steps.add, steps.shift, out, q, n)
        for i in range(n, row_out):
            total = np.int64(0)
            for k in range(n_taps):
                total += np.int64(tail[o * n_taps + k]) * np.int64(window[lines[k] + i])
            out[q + i] = min(max((total + steps.add) >> steps.shift, 0), 255)


@inlined
def quads(x, a, b, channels, steps, v0, v1, out, q):
    """Pixels of three or four channels, each of 2 x 2, from the rows at a and b; two at a time, all but the last few.

    Returns how many. Reads eight numbers at each pixel, and writes four.
    """
    place, pairs, cut, n = steps.place, steps.pairs, steps.cut, (steps.place.size - 1) // 2 * 2
    nothing, none = zero4(np.int32(0)), zero(v0)
    for j in range(0, n, 2):
        p, r, w = place[np.uint64(j)], place[np.uint64(j + 1)], 2 * j
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
