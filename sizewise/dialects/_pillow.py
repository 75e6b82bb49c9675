"""Options `box` and `reducing_gap` of Pillow: the part of an image to resize, and means of blocks as a first step."""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from .. import sampling, validation
from ..errors import ArgumentError, UnsupportedError, short_repr
from ..taps import Taps
from . import Request, float_option


class Part(NamedTuple):
    """The part of one axis to resize: low .. high of n pixels, which are `means` of blocks unless that is None."""

    n: int
    low: np.float32
    high: np.float32
    means: Taps | None


def parts(request: Request, support: float) -> list[Part]:
    """Return the part of each axis to resize, after the means of `reducing_gap`, for a filter of that support."""
    spans, gap = _spans(request), cast(float | None, request.option("reducing_gap"))
    steps = [(high - low) / n_out for (low, high), n_out in zip(spans, request.output_size, strict=True)]
    factors = [int(step / gap) or 1 if gap and request.method != "nearest" else 1 for step in steps]
    parts = []
    for n_in, (low, high), step, factor in zip(request.input_size, spans, steps, factors, strict=True):
        if max(factors) == 1:
            parts.append(Part(n_in, np.float32(low), np.float32(high), None))
            continue
        margin = (support - 0.5) * step  # also read by the filter
        first, stop = max(0, int(low - margin)), min(n_in, math.ceil(high + margin))
        means = sampling.block_means(n_in, first, stop, factor)
        low, high = (low - first) / factor, (high - first) / factor
        parts.append(Part(means.n_out, np.float32(low), np.float32(high), means))
    return parts


def _spans(request: Request) -> list[tuple[float, float]]:
    """Return start and end of the part of each axis to resize: the full axis, or that of the box."""
    box = cast(tuple[float, ...] | None, request.option("box"))
    if box is None:
        return [(0.0, float(n_in)) for n_in in request.input_size]
    if len(request.input_size) != 2:
        raise UnsupportedError(f"pillow: box needs two axes, not {len(request.input_size)}")
    (left, upper, right, lower), (height, width) = box, request.input_size
    if np.float32(right) > width or np.float32(lower) > height:
        raise UnsupportedError(
            f"pillow: box {box} exceeds the image, which is {width} wide and {height} high (Pillow rejects it too)"
        )
    return [(upper, lower), (left, right)]


def parse_box(given: object) -> object:
    """Return `box` as four floats, or None."""
    box = tuple(cast(float, float_option("box", 0.0).parse(value)) for value in validation.as_sequence(given) or ())
    if given is None or (len(box) == 4 and 0 <= box[0] < box[2] and 0 <= box[1] < box[3]):
        return box or None
    raise ArgumentError(
        f"box must be None or (left, upper, right, lower) with 0 <= left < right and 0 <= upper < lower, "
        f"not {short_repr(given)}"
    )


def parse_gap(given: object) -> object:
    """Return `reducing_gap` as a float, or None."""
    gap = None if given is None else cast(float, float_option("reducing_gap", 1.0).parse(given))
    if gap is None or gap >= 1:
        return gap
    raise ArgumentError(f"reducing_gap must be None or a number of at least 1, not {short_repr(given)}")
