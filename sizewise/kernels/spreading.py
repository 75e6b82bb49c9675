"""Rows of uint8 images, spread: the horizontal half of `stepped`, in whole numbers.

Pairs of neighbouring taps become one sum, which is how uint8 and int16 multiply fastest.
"""

from __future__ import annotations

import numpy as np

from .compiling import inlined, kernel
from .foresight import ask_far
from .packing import LANES
from .sixteens import in_one_window, in_windows, sixteens
from .vectors import (
    add_both3,
    add_both4,
    add_eight,
    add_four3,
    add_four4,
    add_pair,
    add_pixels3,
    add_pixels4,
    finish,
    folded,
    store,
    store_high,
    store_low,
    store_quarters,
    zero,
    zero1,
    zero4,
)

QUAD = 4  # rows that are spread at a time, where most of them are wanted
SOME = 16  # pixels for which memory is asked at a time


@kernel
def spread_exact(x, base, steps, window, q, first):
    """One row, number by number, from pixel `first` on."""
    channels, n_across = steps.channels, steps.n_across
    for j in range(first, steps.place.size):
        for c in range(channels):
            total = np.int64(steps.half)
            for k in range(n_across):
                pixel = x[base + steps.place[j] + k * channels + c]
                total += np.int64(steps.across[j * n_across + k]) * np.int64(pixel)
            store(window, q + j * channels + c, finish(zero1(np.int32(0)), total, steps.cut))


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
            store(window, q + j * channels + i, finish(total, steps.half, steps.cut))
            i += LANES


@inlined
def two_taps(total, x, p, channels, pairs, w):
    """Two taps more of a pixel of three or four channels."""
    if channels == 3:
        return add_pixels3(total, x, p, pairs, w)
    return add_pixels4(total, x, p, pairs, w)


@inlined
def four_taps(total, x, p, channels, fours, w):
    """Four taps more of a pixel of three or four channels, two in either half of the vector."""
    if channels == 3:
        return add_four3(total, x, p, fours, w)
    return add_four4(total, x, p, fours, w)


@inlined
def four_taps_of_both(total, x, p, r, channels, fours, w):
    """Four taps more of two pixels of three or four channels, one in either half of the vector."""
    if channels == 3:
        return add_both3(total, x, p, r, fours, w)
    return add_both4(total, x, p, r, fours, w)


@inlined
def pixels_inside(x, base, steps):
    """How many pixels of a row of three or four channels read nothing outside x, by sixteen numbers at a time."""
    n, reach = steps.place.size, base + 2 * LANES + (steps.n_across - 4) * steps.channels
    while n > 0 and reach + steps.place[n - 1] > x.size:
        n -= 1
    return n


@inlined
def spread_few(x, base, n, channels, n_across, steps, window, q):
    """One row of n pixels of three or four channels, each of them one vector, by two taps."""
    nothing = zero4(np.int32(0))
    for j in range(n):
        p, w = base + steps.place[j], n_across * j
        total = two_taps(nothing, x, p, channels, steps.pairs, w)
        for k in range(2, n_across, 2):
            total = two_taps(total, x, p + k * channels, channels, steps.pairs, w + k)
        store(window, q + channels * j, finish(total, steps.half, steps.cut))


@inlined
def spread_fours(x, base, n, channels, n_across, steps, window, q):
    """The same by four taps, and two pixels at a time; the last two may overlap."""
    nothing, at = zero(np.int32(0)), base
    for first in range(0, n, SOME):
        last = min(first + SOME, n)
        at = ask_far(x, at, base + steps.place[last - 1])
        for j in range(first, last, 2):
            i = min(j, n - 2)
            p, r, w = base + steps.place[i], base + steps.place[i + 1], 4 * n_across * i
            a, b = nothing, nothing
            for k in range(0, n_across, 4):
                a = four_taps(a, x, p + k * channels, channels, steps.pairs, w + 4 * k)
                b = four_taps(b, x, r + k * channels, channels, steps.pairs, w + 4 * (n_across + k))
            both = finish(folded(a, b), steps.half, steps.cut)
            store_low(window, q + channels * i, both)
            store_high(window, q + channels * (i + 1), both)


@inlined
def spread_some(x, base, channels, steps, window, q):
    """Either; two taps and four, said as constants, leave no loop over them. Returns how many pixels are done."""
    n = pixels_inside(x, base, steps)
    if n < 2:
        return 0
    if steps.n_across == 2:
        spread_few(x, base, n, channels, 2, steps, window, q)
    elif steps.n_across == 4:
        spread_fours(x, base, n, channels, 4, steps, window, q)
    elif steps.n_across % 4 == 0:
        spread_fours(x, base, n, channels, steps.n_across, steps, window, q)
    else:
        spread_few(x, base, n, channels, steps.n_across, steps, window, q)
    return n


@inlined
def spread_grey(x, base, n_across, steps, window, q):
    """One row of single numbers, eight at a time; the last eight may overlap."""
    place, nothing, n, w = steps.place, zero(np.int32(0)), steps.place.size, 0
    for j in range(0, n, LANES):
        i = min(j, n - LANES)
        p = (
            base + place[i], base + place[i + 1], base + place[i + 2], base + place[i + 3],
            base + place[i + 4], base + place[i + 5], base + place[i + 6], base + place[i + 7],
        )  # fmt: skip
        total = add_eight(nothing, x, p, steps.pairs, w)
        for k in range(2, n_across, 2):
            further = (p[0] + k, p[1] + k, p[2] + k, p[3] + k, p[4] + k, p[5] + k, p[6] + k, p[7] + k)
            total = add_eight(total, x, further, steps.pairs, w + k * LANES)
        store(window, q + i, finish(total, steps.half, steps.cut))
        w += n_across * LANES


@kernel
def spread_line(x, base, steps, window, q):
    """One row of x, which begins at base, spread into the window at q; by pairs where they lie inside x."""
    channels, n = steps.channels, steps.place.size
    done = n
    if steps.pairs.size == 0:
        done = 0
    elif channels >= LANES:
        spread_many(x, base, steps, window, q)
    elif channels == 1:
        if steps.n_across == 2:  # said as a constant, it leaves no loop over pairs
            spread_grey(x, base, 2, steps, window, q)
        else:
            spread_grey(x, base, steps.n_across, steps, window, q)
    elif channels == 3:
        done = spread_some(x, base, 3, steps, window, q)
    else:
        done = spread_some(x, base, 4, steps, window, q)
    if done < n:
        spread_exact(x, base, steps, window, q, done)


@inlined
def spread_quad(x, bases, channels, steps, window, to):
    """Four rows of pixels of three or four channels, by four taps: one load of weights for all of them.

    Returns how many pixels of each are done.
    """
    half, n_across = finish(zero(np.int32(0)), steps.half, 0), steps.n_across
    b0, b1, b2, b3 = bases[0], bases[1], bases[2], bases[3]
    q0, q1, q2, q3 = to[0], to[1], to[2], to[3]
    n = pixels_inside(x, max(b0, b1, b2, b3), steps)
    for j in range(n):
        p, w = steps.place[j], 4 * n_across * j
        upper, lower = half, half
        for _ in range(0, n_across, 4):
            upper = four_taps_of_both(upper, x, b0 + p, b1 + p, channels, steps.pairs, w)
            lower = four_taps_of_both(lower, x, b2 + p, b3 + p, channels, steps.pairs, w)
            p += 4 * channels
            w += 16
        upper, lower, e = finish(upper, 0, steps.cut), finish(lower, 0, steps.cut), channels * j
        store_quarters(window, (q0 + e, q1 + e, q2 + e, q3 + e), upper, lower)
    return n


@kernel
def spread_sixteens(x, bases, steps, window, to):
    """Four rows of x, which begin at bases[r], spread into the window at to[r], sixteen numbers at a time."""
    if steps.n_across == 4:
        done = sixteens(x, bases, 0, in_one_window, steps, window, to)
    else:
        done = sixteens(x, bases, (steps.n_across - 2) * steps.channels, in_windows, steps, window, to)
    for r in range(QUAD):
        spread_exact(x, bases[r], steps, window, to[r], done)


@kernel
def spread_quads(x, bases, steps, window, to):
    """The same of three or four channels, a pixel at a time."""
    if steps.channels == 3:
        done = spread_quad(x, bases, 3, steps, window, to)
    else:
        done = spread_quad(x, bases, 4, steps, window, to)
    for r in range(QUAD):
        spread_exact(x, bases[r], steps, window, to[r], done)
