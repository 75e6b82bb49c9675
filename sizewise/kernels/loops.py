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
from .carrying import LINES_LEFT, WAITING, carry, settle
from .certain import down_certain, up_certain
from .combining import NOUGHT, combine_eight, combine_streamed, combined, join, join_streamed
from .compiling import code, kernel
from .direct import direct
from .foresight import AHEAD, ask, look, look_down
from .packing import CHANNELS, LANES, LINES, N_IN, N_OUT, ROW, STREAMS, X_LINE
from .picking import pick
from .places import aligned, is_carried, is_streamed, line_of, out_line, x_line
from .spans import hold, span
from .stepped import paired_quads, paired_sixteens, stepped, stepped_direct, stepped_sixteens
from .vectors import permutes_bytes, settle_streams, store

__all__ = [
    "code", "columns", "direct", "down", "down_certain", "paired_quads", "paired_sixteens", "permutes_bytes", "pick",
    "rows", "stepped", "stepped_direct", "stepped_sixteens", "up", "up_certain",
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
    channels, ring = h_index[CHANNELS], ring_of(vertical)
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    h_in, pitch, eights = v_index[N_IN], pitch_of(row_out), (-1, -1, -1)
    room = (
        np.empty(ring * pitch, between.dtype), np.empty(room_to_turn(h_index, blocks), weights.dtype),
        np.full(ring // LANES, -1, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64),
        np.zeros(AHEAD, np.int64), np.empty(2 * (pitch + line_of(out)), out.dtype),
        np.empty(LINES_LEFT * line_of(out), out.dtype), np.full(WAITING, -1, np.int64),
    )  # fmt: skip
    x, out, place, ahead = span(x), span(out), span(place), span(room[5])
    window, turned, held, lines, to = span(room[0]), span(room[1]), span(room[2]), span(room[3]), span(room[4])
    pending, rest, waiting, g = aligned(room[6]), span(room[7]), span(room[8]), first
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
        at, streams = vertical.start[o] % ring, is_streamed(place, out, q, row_out)
        carries = not streams and is_carried(place, out, row_out)
        target, row = (pending, NOUGHT) if carries else (out, q)
        if n_rows == 2:
            after, other = vertical.start[o + 1] % ring, out_line(place, g + 1)
            if streams:
                join_streamed(window, NOUGHT, at, after, ring, pitch, vertical, o, out, q, other, row_out, x, ahead)
            else:
                next_row = pitch if carries else other
                join(window, NOUGHT, at, after, ring, pitch, vertical, o, target, row, next_row, row_out, x, ahead)
        else:
            ask(x, ahead, row_out)
            if streams:
                combine_streamed(window, NOUGHT, at, ring, pitch, vertical, o, out, q, row_out)
            else:
                combined(window, NOUGHT, at, ring, pitch, vertical, o, target, row, NOUGHT, row_out, store)
        if carries:
            carry(pending, NOUGHT, row_out, out, q, rest, waiting)
            if n_rows == 2:
                carry(pending, pitch, row_out, out, out_line(place, g + 1), rest, waiting)
        g += n_rows
    settle(out, rest, waiting)
    if place[STREAMS] != 0:
        settle_streams()
    hold(room)
