"""Where lines begin in memory, from what `packing` says of it."""

from __future__ import annotations

from .compiling import inlined
from .packing import LINES, OUT_BASE, OUT_IMAGE, OUT_LINE, X_BASE, X_IMAGE, X_LINE


@inlined
def x_line(place, g, h_out, h_in_line):
    """Where line h_in_line begins in x, of the image that line g of the result belongs to."""
    return place[X_BASE] + g // h_out * place[X_IMAGE] + h_in_line * place[X_LINE]


@inlined
def out_line(place, g):
    """Where line g of the result begins in out."""
    lines = place[LINES]
    return place[OUT_BASE] + g // lines * place[OUT_IMAGE] + g % lines * place[OUT_LINE]
