"""Lines combined: the vertical pass, and the horizontal one over many channels, where lines are pixels.

Bits: every sum starts at +0 and goes up in tap order, multiply then add, never fused, and a weight of exactly 0 adds
nothing, not even 0 * NaN.
"""

from __future__ import annotations

import numpy as np

from .compiling import inlined, kernel
from .foresight import ask
from .packing import LANES, X_LINE
from .places import x_line
from .vectors import (
    add_product,
    finish,
    lanes_of,
    load,
    store,
    stream,
    to_next_line,
    zero,
    zero1,
    zero_wide,
)

FOUR = 4 * LANES
NO_RING = np.int64(2**62)
NOUGHT = np.int64(0)  # for Numba a plain 0 has a type of its own, and functions that take it are compiled once more


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
def two_lines(source, p, other, w0, w1, add, shift, out, q, i, n, put, nothing):
    """As much of `combined` as there are whole fours of vectors, for two taps: without a loop over taps."""
    while i + FOUR <= n:
        for v in range(4):
            at = i + v * LANES
            total = add_product(nothing, w0, load(source, p + at, nothing))
            total = add_product(total, w1, load(source, other + at, nothing))
            put(out, q + at, finish(total, add, shift))
        i += FOUR
    return i


@inlined
def four(source, p, nothing):
    """Four vectors, one after the other."""
    n = lanes_of(nothing)
    return (
        load(source, p, nothing), load(source, p + n, nothing),
        load(source, p + 2 * n, nothing), load(source, p + 3 * n, nothing),
    )  # fmt: skip


@inlined
def add_four(a, b, c, d, weight, loaded):
    """The same weight times four vectors, added to four."""
    return (
        add_product(a, weight, loaded[0]), add_product(b, weight, loaded[1]),
        add_product(c, weight, loaded[2]), add_product(d, weight, loaded[3]),
    )  # fmt: skip


@inlined
def put_four(out, q, a, b, c, d, add, shift, put):
    """Four sums, one after the other."""
    n = lanes_of(a)
    put(out, q, finish(a, add, shift))
    put(out, q + n, finish(b, add, shift))
    put(out, q + 2 * n, finish(c, add, shift))
    put(out, q + 3 * n, finish(d, add, shift))


@inlined
def combined(source, base, line, ring, pitch, taps, o, out, q, i, n, put):
    """out[q + i] = the sum over k of weight k of output o * source[base + (line + k) * pitch + i], from i on, to n.

    Lines wrap round at `ring`; `put` is what most vectors are stored by. The last vector overlaps the one before, which
    is harmless: nothing that is written is read again.
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
        i = two_lines(source, p, other, *weights, taps.add, taps.shift, out, q, i, n, put, nothing)
    while i + FOUR <= n:
        a, b, c, d = nothing, nothing, nothing, nothing
        at = line
        for k in range(count):
            weight = taps.weights[w + k]
            if weight != 0:
                a, b, c, d = add_four(a, b, c, d, weight, four(source, base + at * pitch + i, nothing))
            at = at + 1 if at + 1 < ring else 0
        put_four(out, q + i, a, b, c, d, taps.add, taps.shift, put)
        i += FOUR
    while i < n:
        i = min(i, n - LANES)
        store(out, q + i, column(source, base + i, line, ring, pitch, taps, o, nothing))
        i += LANES


@inlined
def joined(source, base, line, ring, pitch, taps, o, out, q, other, i, n, put, x, ahead):
    """As much of `combined` as there are whole fours of wide vectors, for output o and the next at once; where it ends.

    The next one goes to out[other + i]. Lines that both read are loaded once; o may read some before these, and the
    next one some after. What of x is wanted ahead is asked for on the way.
    """
    nothing = zero_wide(taps.weights)
    wide = lanes_of(nothing)
    before, both = taps.start[o + 1] - taps.start[o], taps.counts[o]
    after = before + taps.counts[o + 1]
    w, v = o * taps.width, (o + 1) * taps.width - before
    while i + 4 * wide <= n:
        ask(x, ahead, 8 * wide)
        a0, a1, a2, a3, b0, b1, b2, b3 = nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing
        at = line
        for k in range(before):
            weight = taps.weights[w + k]
            if weight != 0:
                a0, a1, a2, a3 = add_four(a0, a1, a2, a3, weight, four(source, base + at * pitch + i, nothing))
            at = at + 1 if at + 1 < ring else 0
        for k in range(before, both):
            weight, loaded = taps.weights[w + k], four(source, base + at * pitch + i, nothing)
            if weight != 0:
                a0, a1, a2, a3 = add_four(a0, a1, a2, a3, weight, loaded)
            weight = taps.weights[v + k]
            if weight != 0:
                b0, b1, b2, b3 = add_four(b0, b1, b2, b3, weight, loaded)
            at = at + 1 if at + 1 < ring else 0
        for k in range(both, after):
            weight = taps.weights[v + k]
            if weight != 0:
                b0, b1, b2, b3 = add_four(b0, b1, b2, b3, weight, four(source, base + at * pitch + i, nothing))
            at = at + 1 if at + 1 < ring else 0
        put_four(out, q + i, a0, a1, a2, a3, taps.add, taps.shift, put)
        put_four(out, other + i, b0, b1, b2, b3, taps.add, taps.shift, put)
        i += 4 * wide
    return i


@kernel
def combine(source, base, line, ring, pitch, taps, o, out, q, i, n):
    """`combined` as a call: into what is near."""
    combined(source, base, line, ring, pitch, taps, o, out, q, i, n, store)


@kernel
def combine_streamed(source, base, line, ring, pitch, taps, o, out, q, n):
    """`combined`, past the caches, from where a cache line begins; what stands before that in the ordinary way."""
    begin = to_next_line(out, q)
    if begin > 0:
        combine(source, base, line, ring, pitch, taps, o, out, q, NOUGHT, begin)
    combined(source, base, line, ring, pitch, taps, o, out, q, begin, n, stream)


@inlined
def combine_both(source, base, line, after, ring, pitch, taps, o, out, q, other, i, n):
    """`combine` of output o and of the next, one after the other: for what is left of two that are made at once."""
    combine(source, base, line, ring, pitch, taps, o, out, q, i, n)
    combine(source, base, after, ring, pitch, taps, o + 1, out, other, i, n)


@kernel
def join(source, base, line, after, ring, pitch, taps, o, out, q, other, n, x, ahead):
    """Output o and the next, which begins with line `after` and goes to out[other]: `combined` of both at once."""
    i = joined(source, base, line, ring, pitch, taps, o, out, q, other, NOUGHT, n, store, x, ahead)
    if i < n:
        ask(x, ahead, 2 * (n - i))
        combine_both(source, base, line, after, ring, pitch, taps, o, out, q, other, i, n)


@kernel
def join_streamed(source, base, line, after, ring, pitch, taps, o, out, q, other, n, x, ahead):
    """The same, past the caches; both must begin at one distance from a cache line."""
    begin = to_next_line(out, q)
    if begin > 0:
        combine_both(source, base, line, after, ring, pitch, taps, o, out, q, other, NOUGHT, begin)
    i = joined(source, base, line, ring, pitch, taps, o, out, q, other, begin, n, stream, x, ahead)
    if i < n:
        ask(x, ahead, 2 * (n - i))
        combine_both(source, base, line, after, ring, pitch, taps, o, out, q, other, i, n)


@kernel
def combine_eight(x, place, g, last, vertical, n, out, to, ahead):
    """The vertical pass of rows g .. g + 7 of the result, below `last`: n numbers each, row r to out[to[r]]."""
    h_out, pitch, r, n_rows = vertical.start.size, place[X_LINE], 0, min(LANES, last - g)
    while r < n_rows:
        o, base = (g + r) % h_out, x_line(place, g + r, h_out, 0)
        line, q = vertical.start[o], to[r]
        if r + 1 < n_rows and vertical.joint[o]:
            after, other = vertical.start[o + 1], to[r + 1]
            join(x, base, line, after, NO_RING, pitch, vertical, o, out, q, other, n, x, ahead)
            r += 2
        else:
            ask(x, ahead, n)
            combine(x, base, line, NO_RING, pitch, vertical, o, out, q, NOUGHT, n)
            r += 1
