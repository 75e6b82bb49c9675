"""Rows of uint8 images, spread sixteen numbers of four rows at a time, where one instruction picks bytes by name.

Sixteen neighbouring numbers of a result read a few dozen bytes, wherever channels and scale put them. So 64 bytes are
loaded for all of them, and for each pair of taps a table says which of these are wanted, in which order, and how much
they weigh. Rows of any few channels go the same way; what is not inside the array is left to others.
"""

from __future__ import annotations

import numpy as np

from .compiling import inlined
from .foresight import ask_far
from .packing import NAMED, SIXTEEN, WINDOW
from .vectors import add_named, finish, store, zero16

AT_ONCE = 16  # sixteens for which memory is asked at a time


@inlined
def inside(x, base, further, steps):
    """How many sixteens of the row that begins at base read nothing outside x, `further` behind their windows."""
    n, reach = steps.windows.size, base + WINDOW + further
    while n > 0 and reach + steps.windows[n - 1] > x.size:
        n -= 1
    return n


@inlined
def add_to_four(sums, x, bases, p, pairs, w):
    """Two taps more of sixteen numbers of four rows."""
    return (
        add_named(sums[0], x, bases[0] + p, pairs, w), add_named(sums[1], x, bases[1] + p, pairs, w),
        add_named(sums[2], x, bases[2] + p, pairs, w), add_named(sums[3], x, bases[3] + p, pairs, w),
    )  # fmt: skip


@inlined
def in_one_window(sums, x, bases, p, steps, w):
    """All taps where there are four, which are in one window: see `packing.pack_sixteens`."""
    return add_to_four(add_to_four(sums, x, bases, p, steps.pairs, w), x, bases, p, steps.pairs, w + NAMED)


@inlined
def in_windows(sums, x, bases, p, steps, w):
    """All taps, of which each pair has a window of its own."""
    for k in range(steps.n_across // 2):
        sums = add_to_four(sums, x, bases, p + 2 * k * steps.channels, steps.pairs, w + k * NAMED)
    return sums


@inlined
def sixteens(x, bases, further, taps, steps, window, to):
    """Four rows of x, which begin at bases[r], spread into the window at to[r]; the last sixteen may overlap.

    Names and weights are loaded once for all four. `taps` adds them up, and reads so much `further` than the first
    window. Returns how many pixels of each row are done.
    """
    half, at, w = finish(zero16(np.int32(0)), steps.half, 0), 0, 0
    rows, starts = (bases[0], bases[1], bases[2], bases[3]), (to[0], to[1], to[2], to[3])
    n, last = inside(x, max(rows), further, steps), steps.place.size * steps.channels - SIXTEEN
    for first in range(0, n, AT_ONCE):
        end = min(first + AT_ONCE, n)
        begin, until = at, steps.windows[end - 1]
        for r in range(4):
            at = ask_far(x, bases[r] + begin, bases[r] + until) - bases[r]
        for g in range(first, end):
            sums = taps((half, half, half, half), x, rows, steps.windows[g], steps, w)
            e = min(SIXTEEN * g, last)
            store(window, starts[0] + e, finish(sums[0], 0, steps.cut))
            store(window, starts[1] + e, finish(sums[1], 0, steps.cut))
            store(window, starts[2] + e, finish(sums[2], 0, steps.cut))
            store(window, starts[3] + e, finish(sums[3], 0, steps.cut))
            w += steps.n_across // 2 * NAMED
    return steps.place.size if n == steps.windows.size else SIXTEEN * n // steps.channels
