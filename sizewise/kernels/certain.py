"""Both axes of uint8 images, in float32, rounded as the sums in float64 are: twice as fast, and the same bits.

A sum in float32 is off by at most `doubt`. Where it lies no nearer to a half than that, it rounds to the integer that
the sum in float64 rounds to; the few others are made again in float64, in the order of operations of the passes.
"""

from __future__ import annotations

import numpy as np

from .bricks import blocks_of, eights_of, lines_of, pitch_of, ring_of, room_to_turn, slide, spread, unpack_both
from .combining import NO_RING, NOUGHT, column, combine, combine_eight
from .compiling import inlined, kernel
from .foresight import AHEAD, ask, look_down
from .packing import CHANNELS, LANES, N_IN, N_OUT, X_LINE
from .places import out_line, x_line
from .spans import hold, span
from .vectors import add_product, far_from_whole, load, store, zero, zero1


@kernel
def exact(x, base, outer, i, outer_pitch, inner, j, inner_pitch):
    """One number of the result, in float64: output i of `outer`, over output j of `inner`, the half that goes first."""
    nothing = zero1(outer.weights)
    total = nothing
    for k in range(outer.counts[i]):
        weight = outer.weights[i * outer.width + k]
        if weight != 0:
            p = base + (outer.start[i] + k) * outer_pitch
            total = add_product(total, weight, column(x, p, inner.start[j], NO_RING, inner_pitch, inner, j, nothing))
    return total


@kernel
def settle(sums, s, n, limit, x, place, g, channels, vertical, taps, vertical_first, out):
    """Line g of out = n sums from sums[s] on, rounded; those farther than `limit` from an integer are made again.

    The taps are those of float64.
    """
    o, base, q = g % vertical.start.size, x_line(place, g, vertical.start.size, 0), out_line(place, g)
    i, step = 0, LANES if n >= LANES else 1
    while i < n:
        i = min(i, n - step)
        if n >= LANES:
            eight = load(sums, s + i, zero(sums))
            store(out, q + i, eight)
            unsure = far_from_whole(eight, limit)
        else:
            one = load(sums, s + i, zero1(sums))
            store(out, q + i, one)
            unsure = far_from_whole(one, limit)
        e = i
        while unsure != 0:
            if unsure & 1:
                j, pixel = e // channels, base + e % channels
                if vertical_first:
                    store(out, q + e, exact(x, pixel, taps, j, channels, vertical, o, place[X_LINE]))
                else:
                    store(out, q + e, exact(x, pixel, vertical, o, place[X_LINE], taps, j, channels))
            unsure >>= 1
            e += 1
        i += step


@inlined
def exactly(index, weights):
    """The lines of both axes."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    return lines_of(v_index, v_weights), lines_of(h_index, h_weights)


@kernel
def down_certain(x, out, place, index, weights, exact_index, exact_weights, limit, first, last):
    """Vertical first; see `loops.down`."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, taps, blocks = lines_of(v_index, v_weights), lines_of(h_index, h_weights), blocks_of(h_index, h_weights)
    channels = h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    pitch, both = pitch_of(row_out), exactly(exact_index, exact_weights)
    room = (
        np.empty(pitch_of(row_in) * LANES, weights.dtype), np.empty(pitch * LANES, weights.dtype),
        np.empty(room_to_turn(h_index, blocks), weights.dtype), np.empty(LANES, np.int64), np.empty(LANES, np.int64),
        np.empty(AHEAD, np.int64),
    )  # fmt: skip
    x, out, place, ahead = span(x), span(out), span(place), span(room[5])
    buffer, sums, turned, lines, to = span(room[0]), span(room[1]), span(room[2]), span(room[3]), span(room[4])
    for g in range(first, last, LANES):
        for r in range(LANES):
            near = min(r, last - g - 1)
            lines[r], to[r] = near * pitch_of(row_in), near * pitch
        look_down(x, ahead, place, g, last, vertical, row_in, LANES * (row_in + row_out))
        combine_eight(x, place, g, last, vertical, row_in, buffer, lines, ahead)
        spread(buffer, lines, min(LANES, last - g), channels, taps, blocks, turned, sums, to, x, ahead)
        for r in range(min(LANES, last - g)):
            settle(sums, to[r], row_out, limit, x, place, g + r, channels, both[0], both[1], True, out)
    hold(room)


@kernel
def up_certain(x, out, place, index, weights, exact_index, exact_weights, limit, first, last):
    """Horizontal first; see `loops.up`."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    vertical, taps, blocks = lines_of(v_index, v_weights), lines_of(h_index, h_weights), blocks_of(h_index, h_weights)
    channels, ring = h_index[CHANNELS], ring_of(vertical)
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    h_in, pitch, both, eights = v_index[N_IN], pitch_of(row_out), exactly(exact_index, exact_weights), (-1, -1, -1)
    room = (
        np.empty(ring * pitch, weights.dtype), np.empty(row_out, weights.dtype), np.full(ring // LANES, -1, np.int64),
        np.empty(room_to_turn(h_index, blocks), weights.dtype), np.empty(LANES, np.int64), np.empty(LANES, np.int64),
        np.zeros(AHEAD, np.int64),
    )  # fmt: skip
    x, out, place, window, sums, ahead = span(x), span(out), span(place), span(room[0]), span(room[1]), span(room[6])
    held, turned, lines, to = span(room[2]), span(room[3]), span(room[4]), span(room[5])
    for g in range(first, last):
        o, wanted = g % vertical.start.size, eights_of(g, 1, vertical)
        if wanted != eights:
            slide(
                x, place, g, last, wanted, h_in, row_in, vertical, taps, blocks, channels, turned, held, lines, to,
                window, ahead,
            )  # fmt: skip
            eights = wanted
        ask(x, ahead, row_out)
        combine(window, NOUGHT, vertical.start[o] % ring, ring, pitch, vertical, o, sums, NOUGHT, NOUGHT, row_out)
        settle(sums, 0, row_out, limit, x, place, g, channels, both[0], both[1], False, out)
    hold(room)
