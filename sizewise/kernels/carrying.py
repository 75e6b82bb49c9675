"""Rows carried past the caches by whole cache lines, wherever they begin and end.

A cache line of which only a part goes past the caches is slow to write, and of rows that are short, or whose length is
no multiple of a line, many would be such. So these are made in a buffer that is near. What is left of a row behind its
last whole line waits in `rest`, as `waiting` says: so many numbers LEFT, of a row that ENDs there in `out`. If the next
row begins where that one ends, they go with its first numbers; if not, they are written in the ordinary way.
"""

from __future__ import annotations

from .compiling import kernel
from .places import line_of
from .vectors import move1, move_line, stream_line, to_next_line

END, LEFT, WAITING = range(3)
LINES_LEFT = 2  # that `rest` holds: the second is for what is written beyond the first


@kernel
def carry(source, p, n, out, q, rest, waiting):
    """out[q] .. = source[p] .., n numbers, which fill a line at least; behind them, source must have a line more."""
    line, i = line_of(out), to_next_line(out, q)
    if waiting[END] != q:
        settle(out, rest, waiting)
        for e in range(i):
            move1(source, p + e, out, q + e)
    elif i > 0:
        move_line(source, p, rest, line - i)
        stream_line(rest, 0, out, q + i - line)
    while i + line <= n:
        stream_line(source, p + i, out, q + i)
        i += line
    move_line(source, p + i, rest, 0)
    waiting[END], waiting[LEFT] = q + n, n - i


@kernel
def settle(out, rest, waiting):
    """Writes what waits, in the ordinary way."""
    for e in range(waiting[LEFT]):
        move1(rest, e, out, waiting[END] - waiting[LEFT] + e)
    waiting[LEFT] = 0
