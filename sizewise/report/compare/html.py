"""A comparison as a page: the results side by side, where they differ, and how much."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...insight.comparison import Comparison, Entry
from ..page import arrows, page
from ..pictures import MAX_SIDE, difference_map, image_uri, png_uri, to_uint8
from ..text import format_size, format_sizes
from .text import format_difference

_MAX_CLOSE = 32  # pixels a side of the enlarged part
_VALUES = ("largest difference", "mean difference", "PSNR", "pixels that differ")


def comparison_page(facts: Comparison, command: str = "") -> str:
    """Return the page of a comparison; `command` is the line that writes it again."""
    window = _most_different(facts)
    (row, rows), (column, columns) = ((one.start, one.stop - one.start) for one in window)
    height, width = facts.output_size
    first = facts.entries[0].spec.label
    cards = [_card(index, facts, window) for index in range(len(facts.entries))]
    return page(
        "compare.html",
        title=f"One image, {len(facts.entries)} resizes",
        lead=f"{arrows(format_sizes(facts.input_size, facts.output_size))}, {facts.dtype}. "
        f"Every result is compared with the first, {first}.",
        command=command,
        cards=cards,
        choices=[{"id": "original", "label": "original"}, *cards],
        first=first,
        findings=[(_severity(entry), entry.finding) for entry in facts.entries[1:]],
        columns=("variant", "source", *_VALUES),
        rows=[_row(entry) for entry in facts.entries[1:]],
        notes=facts.notes,
        place=f"part at rows {row} to {row + rows - 1} and columns {column} to {column + columns - 1}",
        window=(column / width, row / height, columns / width, rows / height),
        ratio=width / height,
        close_ratio=columns / rows,
        peak=largest_difference(facts),
        downscaled=max(*facts.output_size, *facts.input_size) > MAX_SIDE,
    )


def _card(index: int, facts: Comparison, window: tuple[slice, slice]) -> dict[str, object]:
    entry = facts.entries[index]
    pixels = display_pixels(entry.pixels, facts)
    numbers = list(zip(_VALUES, format_difference(entry.difference), strict=True))
    if not index:
        numbers = [("original", format_size(facts.input_size)), ("result", format_size(facts.output_size))]
    differs = entry.difference.largest > 0
    description = f"where {entry.spec.label} differs from the first"
    return {
        "id": f"result-{index}",
        "label": entry.spec.label,
        "source": entry.spec.source,
        "uri": image_uri(pixels),
        "close": png_uri(pixels[window]),
        "map": difference_map(entry.apart, largest_difference(facts), description) if differs else None,
        "numbers": numbers,
        "original": "" if index else image_uri(display_pixels(facts.original, facts)),
    }


def display_pixels(pixels: NDArray, facts: Comparison) -> NDArray[np.uint8]:
    """Return pixels for a screen, on one scale for all images of a comparison."""
    return to_uint8(pixels, min(0.0, float(facts.entries[0].pixels.min())), facts.range)


def largest_difference(facts: Comparison) -> float:
    """Return the largest difference of all results, or 1 where there is none."""
    return max(entry.difference.largest for entry in facts.entries) or 1.0


def _most_different(facts: Comparison) -> tuple[slice, slice]:
    """Return the window, of the image's shape, where results differ most from the first."""
    apart = np.max([entry.apart for entry in facts.entries], axis=0).astype(np.float64)
    rows, columns = (-(-n * _MAX_CLOSE // max(_MAX_CLOSE, *apart.shape)) for n in apart.shape)
    sums = np.pad(apart.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    inside = sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns]
    row, column = map(int, np.unravel_index(int(inside.argmax()), inside.shape))
    return slice(row, row + rows), slice(column, column + columns)


def _row(entry: Entry) -> list[object]:
    difference = entry.difference
    psnr = difference.psnr if math.isfinite(difference.psnr) else 1e9
    values = (difference.largest, difference.mean, psnr, difference.percent)
    return [entry.spec.label, entry.spec.source, *zip(format_difference(difference), values, strict=True)]


def _severity(entry: Entry) -> str:
    """Return the severity of a difference: visible below 30 dB, and only measurable above 45 dB."""
    psnr = entry.difference.psnr
    if math.isinf(psnr):
        return ""
    return "high" if psnr < 30 else "medium" if psnr < 45 else "low"
