"""What the kernels will read next, asked for in time: memory then works while the processor sums.

Left alone, the two take turns. The lines that eight rows of a result read lie in memory until the first of them is
wanted; then the processor waits; and while it spreads what it has read, nothing is fetched. So while eight rows are
made, the lines that the next eight will read are asked for, evenly, a few cache lines with every UNIT of numbers. They
come to the second cache; the first is too small for them, and busy.

`ahead` is what remains to be asked for: so many LEFT lines, each as long as a ROW and a PITCH from the next; the line
that is being asked for begins at BEGIN, and of that all before AT has been. RATE cache lines go with a UNIT of numbers.
"""

from __future__ import annotations

from .compiling import inlined
from .packing import CACHE_LINE, LANES, X_LINE
from .places import line_of, x_line
from .vectors import prefetch

BEGIN, AT, LEFT, ROW, PITCH, RATE, AHEAD = range(7)
UNIT = 64  # numbers
FAR = 1 << 16  # bytes: so far ahead memory is asked for where rows come one after the other
MOST = 2**18  # bytes asked for at a time: what second caches hold beside what is being worked on


@inlined
def ask(x, ahead, n_made):
    """Asks for as much of x as goes with so many numbers made."""
    begin, at, left = ahead[BEGIN], ahead[AT], ahead[LEFT]
    n = (n_made * ahead[RATE] + UNIT - 1) // UNIT
    while n > 0 and left > 0:
        prefetch(x, begin + at)
        n -= 1
        at += line_of(x)
        if at >= ahead[ROW]:
            begin, at, left = begin + ahead[PITCH], 0, left - 1
    ahead[BEGIN], ahead[AT], ahead[LEFT] = begin, at, left


@inlined
def ask_far(x, at, end):
    """Asks for what lies FAR behind x[at] .. x[end - 1], of bytes, one of each cache line; returns where to go on.

    What is there are rows that come soon, in most images; and in no case is it touched.
    """
    while at < end:
        prefetch(x, at + FAR)
        at += CACHE_LINE
    return at


@inlined
def look(x, ahead, begin, pitch, row, n_lines, n_made):
    """From now on so many lines of x are asked for, the first of which begins at `begin`, with n_made numbers made."""
    n_lines = min(n_lines, MOST // (row * x.itemsize))
    ahead[BEGIN], ahead[AT], ahead[LEFT], ahead[ROW], ahead[PITCH] = begin, 0, n_lines, row, pitch
    if n_lines > 0:
        n_asked = n_lines * (-(-row * x.itemsize // CACHE_LINE))
        ahead[RATE] = -(-n_asked * UNIT // n_made)


@inlined
def look_down(x, ahead, place, g, last, vertical, row, n_made):
    """While eight rows of a result are made, the first of which is g: what the next eight read and these do not."""
    h_out, first = vertical.start.size, g + LANES
    o = first % h_out
    n_rows = min(LANES, last - first, h_out - o)  # of one image
    ahead[LEFT] = 0
    if n_rows > 0:
        line, end = vertical.start[o], vertical.start[o + n_rows - 1] + vertical.counts[o + n_rows - 1]
        if o > 0:
            line = max(line, vertical.start[o - 1] + vertical.counts[o - 1])
        look(x, ahead, x_line(place, first, h_out, line), place[X_LINE], row, end - line, n_made)
