"""Pillow's `box` and `reducing_gap`: which part of an image is resized, and what is made of it first."""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from .. import sampling, validation
from ..errors import ArgumentError, UnsupportedError, short_repr
from ..taps import Taps
from . import Request, float_option


class Part(NamedTuple):
    """What is resized of one axis: low .. high of n pixels, which may be `means` of the image's own."""

    n: int
    low: np.float32
    high: np.float32
    means: Taps | None


def parts(request: Request, support: float) -> list[Part]:
    """What is resized of each axis, once `reducing_gap` has taken its means; the filter has that support."""
    spans, gap = _spans(request), cast(float | None, request.option("reducing_gap"))
    steps = [(high - low) / n_out for (low, high), n_out in zip(spans, request.output_size, strict=True)]
    factors = [int(step / gap) or 1 if gap and request.method != "nearest" else 1 for step in steps]
    parts = []
    for n_in, (low, high), step, factor in zip(request.input_size, spans, steps, factors, strict=True):
        if max(factors) == 1:
            parts.append(Part(n_in, np.float32(low), np.float32(high), None))
            continue
        margin = (support - 0.5) * step  # what the filter will see, too
        first, stop = max(0, int(low - margin)), min(n_in, math.ceil(high + margin))
        means = sampling.block_means(n_in, first, stop, factor)
        low, high = (low - first) / factor, (high - first) / factor
        parts.append(Part(means.n_out, np.float32(low), np.float32(high), means))
    return parts


def _spans(request: Request) -> list[tuple[float, float]]:
    """From where to where each axis is resized: all of it, or as the box says."""
    box = cast(tuple[float, ...] | None, request.option("box"))
    if box is None:
        return [(0.0, float(n_in)) for n_in in request.input_size]
    if len(request.input_size) != 2:
        raise UnsupportedError(f"pillow: box is of two axes, not of {len(request.input_size)}")
    (left, upper, right, lower), (height, width) = box, request.input_size
    if np.float32(right) > width or np.float32(lower) > height:
        raise UnsupportedError(
            f"pillow: box {box} reaches beyond an image {width} wide and {height} high (Pillow refuses it too)"
        )
    return [(upper, lower), (left, right)]


def read_box(given: object) -> object:
    """`box` as it is kept: None, or four numbers."""
    box = tuple(cast(float, float_option("box", 0.0).parse(value)) for value in validation.as_sequence(given) or ())
    if given is None or (len(box) == 4 and 0 <= box[0] < box[2] and 0 <= box[1] < box[3]):
        return box or None
    raise ArgumentError(
        f"box must be None or (left, upper, right, lower), neither negative nor empty, not {short_repr(given)}"
    )


def read_gap(given: object) -> object:
    """`reducing_gap` as it is kept: None, or a number."""
    gap = None if given is None else cast(float, float_option("reducing_gap", 1.0).parse(given))
    if gap is None or gap >= 1:
        return gap
    raise ArgumentError(f"reducing_gap must be None or a number of at least 1, not {short_repr(given)}")
