"""Rows of uint8 images, spread sixteen numbers at a time: where one instruction picks bytes by their names.

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
def inside(x, base, steps):
    """How many sixteens of the row that begins at base read nothing outside x."""
    n, reach = steps.windows.size, base + WINDOW + (steps.n_across - 2) * steps.channels
    while n > 0 and reach + steps.windows[n - 1] > x.size:
        n -= 1
    return n


@inlined
def sixteens(x, base, n_across, steps, window, q):
    """One row of x, which begins at base, spread into the window at q; the last sixteen may overlap.

    Returns how many pixels are done.
    """
    nothing, channels, n, at, w = zero16(np.int32(0)), steps.channels, inside(x, base, steps), base, 0
    last = steps.place.size * channels - SIXTEEN
    for first in range(0, n, AT_ONCE):
        end = min(first + AT_ONCE, n)
        at = ask_far(x, at, base + steps.windows[end - 1])
        for g in range(first, end):
            p, total = base + steps.windows[g], nothing
            for _ in range(0, n_across, 2):
                total = add_named(total, x, p, steps.pairs, w)
                p += 2 * channels
                w += NAMED
            store(window, q + min(SIXTEEN * g, last), finish(total, steps.half, steps.cut))
    return steps.place.size if n == steps.windows.size else SIXTEEN * n // channels


@inlined
def sixteens_of_four(x, bases, steps, window, to):
    """The same of four rows, which begin at bases[r], into the window at to[r]: weights are loaded once for all."""
    half, channels, at, w = finish(zero16(np.int32(0)), steps.half, 0), steps.channels, 0, 0
    b0, b1, b2, b3 = bases[0], bases[1], bases[2], bases[3]
    q0, q1, q2, q3 = to[0], to[1], to[2], to[3]
    n, last = inside(x, max(b0, b1, b2, b3), steps), steps.place.size * channels - SIXTEEN
    for first in range(0, n, AT_ONCE):
        end = min(first + AT_ONCE, n)
        begin, until = at, steps.windows[end - 1]
        for r in range(4):
            at = ask_far(x, bases[r] + begin, bases[r] + until) - bases[r]
        for g in range(first, end):
            p, e = steps.windows[g], min(SIXTEEN * g, last)
            s0, s1, s2, s3 = half, half, half, half
            for _ in range(0, steps.n_across, 2):
                s0 = add_named(s0, x, b0 + p, steps.pairs, w)
                s1 = add_named(s1, x, b1 + p, steps.pairs, w)
                s2 = add_named(s2, x, b2 + p, steps.pairs, w)
                s3 = add_named(s3, x, b3 + p, steps.pairs, w)
                p += 2 * channels
                w += NAMED
            store(window, q0 + e, finish(s0, 0, steps.cut))
            store(window, q1 + e, finish(s1, 0, steps.cut))
            store(window, q2 + e, finish(s2, 0, steps.cut))
            store(window, q3 + e, finish(s3, 0, steps.cut))
    return steps.place.size if n == steps.windows.size else SIXTEEN * n // channels
