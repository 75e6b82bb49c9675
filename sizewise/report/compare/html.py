"""A comparison as a page: the results side by side, where they differ, and how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...insight.comparison import Comparison, Entry
from ..page import page
from ..png import HeatPicture, png_uri, scale_uri
from ..text import format_sizes
from .text import COLUMNS, format_difference

_MAX_SIDE = 640  # pixels of an image in the page
_MAX_CELLS = 160  # a side of a map
_CLOSE = 32  # pixels a side of the enlarged part


@dataclass(frozen=True)
class Card:
    """The card of one result."""

    label: str
    source: str
    picture: str
    close: str
    map: HeatPicture | None
    numbers: list[tuple[str, str]]


def comparison_page(facts: Comparison, command: str = "") -> str:
    """Return the page of a comparison; `command` is the line that writes it again.

    >>> from sizewise.insight.comparison import compare
    >>> facts = compare(np.eye(8), (4, 4), ["pillow:box", "tfjs"])
    >>> "tfjs bilinear" in comparison_page(facts)
    True
    """
    peak = largest_difference(facts)
    row, column = _busiest(facts)
    height, width = (min(_CLOSE, n) for n in facts.output_size)
    first = facts.entries[0]
    sizes = format_sizes(facts.input_size, facts.output_size)
    return page(
        "compare.html",
        title=f"One image, {len(facts.entries)} resizes",
        lead=f"{sizes}, {facts.dtype}. Every result is compared with the first, {first.spec.label}.",
        command=command,
        cards=[_card(entry, facts, peak, (row, column)) for entry in facts.entries],
        first=first.spec.label,
        findings=[(_severity(entry), entry.finding) for entry in facts.entries[1:]],
        rows=[_row(entry) for entry in facts.entries[1:]],
        notes=facts.notes,
        place=f"rows {row} to {row + height - 1}, columns {column} to {column + width - 1}",
        scale=scale_uri(),
        middle=f"{peak / 4:.4g}",
        peak=f"{peak:.4g}",
        width=facts.output_size[1],
        shrunk=max(facts.output_size) > _MAX_SIDE,
    )


def _card(entry: Entry, facts: Comparison, peak: float, place: tuple[int, int]) -> Card:
    row, column = place
    first = entry is facts.entries[0]
    shown = displayed(entry.pixels, facts)
    every = [-(-n // _MAX_SIDE) for n in facts.output_size]
    return Card(
        label=entry.spec.label,
        source=entry.spec.source,
        picture=png_uri(shown[:: max(every), :: max(every)]),
        close=png_uri(shown[row : row + _CLOSE, column : column + _CLOSE]),
        map=None if first else _map(entry, peak),
        numbers=[] if first else list(zip(COLUMNS, format_difference(entry.difference), strict=True)),
    )


def _map(entry: Entry, peak: float) -> HeatPicture:
    """Return the map of differences: of every pixel, or the largest of each block where there are many."""
    block = max(-(-n // _MAX_CELLS) for n in entry.apart.shape)
    rows, columns = (np.arange(0, n, block) for n in entry.apart.shape)
    most = np.maximum.reduceat(np.maximum.reduceat(entry.apart, rows, axis=0), columns, axis=1).astype(np.float64)
    what = "difference" if block == 1 else f"largest difference of {block}x{block} pixels"
    words = f"where {entry.spec.label} differs from the first"
    return HeatPicture(most, np.sqrt(most / peak), what, words, step=(block, block))


def displayed(pixels: NDArray, facts: Comparison) -> NDArray[np.uint8]:
    """Return pixels of any dtype for a screen: 8 bits, and 1, 3 or 4 channels.

    >>> from sizewise.insight.comparison import compare
    >>> facts = compare(np.eye(8), (4, 4), ["pillow:box", "tfjs"])
    >>> displayed(facts.entries[0].pixels, facts)[0].tolist()
    [128, 0, 0, 0]
    """
    if pixels.dtype != np.uint8:
        low = min(0.0, float(facts.entries[0].pixels.min()))
        pixels = np.rint(np.clip((pixels.astype(np.float64) - low) / facts.range, 0, 1) * 255).astype(np.uint8)
    channels = pixels.shape[-1]
    if channels == 2:  # gray and alpha
        return np.concatenate([np.repeat(pixels[..., :1], 3, axis=-1), pixels[..., 1:]], axis=-1)
    return pixels if channels in (3, 4) else pixels[..., 0]


def largest_difference(facts: Comparison) -> float:
    """Return the largest difference of all results, or 1 where there is none."""
    return max(entry.difference.largest for entry in facts.entries) or 1.0


def _busiest(facts: Comparison) -> tuple[int, int]:
    """Return the top left corner of the part where results differ most from the first."""
    apart = np.max([entry.apart for entry in facts.entries], axis=0).astype(np.float64)
    sums = np.pad(apart.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    tall, wide = (min(_CLOSE, n) for n in apart.shape)
    inside = sums[tall:, wide:] - sums[:-tall, wide:] - sums[tall:, :-wide] + sums[:-tall, :-wide]
    row, column = np.unravel_index(int(inside.argmax()), inside.shape)
    return int(row), int(column)


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
