"""Where lines begin in memory, from what `packing` says of it, and which are written past the caches."""

from __future__ import annotations

from .compiling import inlined
from .packing import CACHE_LINE, LINES, OUT_BASE, OUT_IMAGE, OUT_LINE, STREAMS, X_BASE, X_IMAGE, X_LINE
from .spans import span
from .vectors import to_next_line

LONG_STREAM = 8192  # bytes of a row


@inlined
def x_line(place, g, h_out, h_in_line):
    """Where line h_in_line begins in x, of the image that line g of the result belongs to."""
    return place[X_BASE] + g // h_out * place[X_IMAGE] + h_in_line * place[X_LINE]


@inlined
def out_line(place, g):
    """Where line g of the result begins in out."""
    lines = place[LINES]
    return place[OUT_BASE] + g // lines * place[OUT_IMAGE] + g % lines * place[OUT_LINE]


@inlined
def line_of(array):
    """How many numbers fill a cache line."""
    return CACHE_LINE // array.itemsize


@inlined
def aligned(array):
    """The span of an array from where a cache line begins: shorter by less than a line."""
    return span(array[to_next_line(array, 0) :])


@inlined
def is_streamed(place, out, q, n):
    """Whether a row of n numbers at out[q] goes past the caches: if results are to, and it is long or fills lines."""
    return place[STREAMS] != 0 and (n * out.itemsize >= LONG_STREAM or fills_lines(out, q, n))


@inlined
def is_carried(place, out, n):
    """Whether a row of n numbers that does not go past the caches by itself is carried past them: see `carrying`."""
    return place[STREAMS] != 0 and n * out.itemsize >= CACHE_LINE


@inlined
def fills_lines(out, q, n):
    """Whether n numbers that begin at out[q] begin and end with a cache line."""
    return to_next_line(out, q) == 0 and n * out.itemsize % CACHE_LINE == 0
