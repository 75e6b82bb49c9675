"""A comparison as a page and as a figure: a contact sheet, where the results differ, and how much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..insight.comparison import Comparison, Entry
from .comparison import numbers, sizes
from .page import page
from .pixels import HeatPicture, png_uri, scale_uri

_LARGEST_SHOWN = 640  # pixels a side of a picture in the page
_LARGEST_MAP = 160  # cells a side of a map
_COLUMNS = 4  # of a figure
_CLOSE = 32  # pixels a side of the part that is enlarged


@dataclass(frozen=True)
class Card:
    """What the page shows of one result."""

    label: str
    source: str
    picture: str
    close: str
    map: HeatPicture | None
    numbers: list[tuple[str, str]]


def comparison_page(facts: Comparison, command: str = "") -> str:
    """A comparison as one HTML page.

    >>> from sizewise.insight.comparison import compare
    >>> facts = compare(np.eye(8), (4, 4), [("pillow", "box", None, {}), ("tfjs", None, None, {})])
    >>> "tfjs bilinear" in comparison_page(facts)
    True
    """
    peak = _peak(facts)
    row, column = _busiest(facts)
    height, width = (min(_CLOSE, n) for n in facts.output_size)
    first = facts.entries[0]
    return page(
        "comparison.html",
        title=f"One image, {len(facts.entries)} ways to resize it",
        lead=f"{sizes(facts)}, {facts.dtype}. Every result is compared with the first, {first.way.label}.",
        command=command,
        cards=[_card(entry, facts, peak, (row, column)) for entry in facts.entries],
        first=first.way.label,
        findings=[(_severity(entry), entry.finding) for entry in facts.entries[1:]],
        rows=[_row(entry) for entry in facts.entries[1:]],
        notes=facts.notes,
        place=f"rows {row} to {row + height - 1}, columns {column} to {column + width - 1}",
        scale=scale_uri(),
        middle=f"{peak / 4:.4g}",
        peak=f"{peak:.4g}",
        width=facts.output_size[1],
        shrunk=max(facts.output_size) > _LARGEST_SHOWN,
    )


def comparison_figure(facts: Comparison, file: IO[bytes]) -> None:
    """Writes a comparison as a PNG figure: the results, and below them where they differ from the first."""
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure

    columns = min(len(facts.entries), _COLUMNS)
    bands = -(-len(facts.entries) // columns)
    tall = facts.output_size[0] / facts.output_size[1]
    figure = Figure(figsize=(3.2 * columns + 0.8, bands * (2 * 3.0 * tall + 1.2) + 0.4), dpi=120, layout="constrained")
    axes = figure.subplots(2 * bands, columns, squeeze=False)
    scale = PowerNorm(0.5, vmin=0, vmax=_peak(facts))
    for index, entry in enumerate(facts.entries):
        above, below = axes[index // columns * 2 : index // columns * 2 + 2, index % columns]
        above.imshow(displayed(entry.pixels, facts), interpolation="nearest", cmap="gray", vmin=0, vmax=255)
        above.set_title(_broken(entry.way.label), fontsize=10)
        if index == 0:
            below.text(0.5, 0.5, "the others are\ncompared with this", ha="center", va="center", fontsize=9)
            continue
        drawn = below.imshow(entry.apart, interpolation="nearest", cmap="viridis", norm=scale)
        largest, mean, psnr, _ = numbers(entry.difference)
        words = f"largest {largest}, mean {mean}, PSNR {psnr}" if entry.difference.largest else "the same pixels"
        below.set_title(words, fontsize=8)
    for one in axes.ravel():
        one.set_axis_off()
    figure.colorbar(drawn, ax=axes, label=f"difference, of {facts.range:.4g}", shrink=0.6, aspect=40)
    figure.suptitle(f"{sizes(facts)}: differences from {facts.entries[0].way.label}", fontsize=11)
    figure.savefig(file, format="png")


def _card(entry: Entry, facts: Comparison, peak: float, place: tuple[int, int]) -> Card:
    row, column = place
    first = entry is facts.entries[0]
    shown = displayed(entry.pixels, facts)
    every = [-(-n // _LARGEST_SHOWN) for n in facts.output_size]
    return Card(
        label=entry.way.label,
        source=entry.way.source,
        picture=png_uri(shown[:: max(every), :: max(every)]),
        close=png_uri(shown[row : row + _CLOSE, column : column + _CLOSE]),
        map=None if first else _map(entry, peak),
        numbers=[] if first else list(zip(_NAMES, numbers(entry.difference), strict=True)),
    )


_NAMES = ("largest", "mean", "PSNR", "differ")


def _map(entry: Entry, peak: float) -> HeatPicture:
    """The difference of every pixel, or the largest in each block of them where there are many."""
    block = max(-(-n // _LARGEST_MAP) for n in entry.apart.shape)
    rows, columns = (np.arange(0, n, block) for n in entry.apart.shape)
    most = np.maximum.reduceat(np.maximum.reduceat(entry.apart, rows, axis=0), columns, axis=1).astype(np.float64)
    what = "difference" if block == 1 else f"largest difference of {block}x{block} pixels"
    words = f"where {entry.way.label} differs from the first"
    return HeatPicture(most, np.sqrt(most / peak), what, words, step=(block, block))


def displayed(pixels: NDArray, facts: Comparison) -> NDArray[np.uint8]:
    """Pixels of any dtype as a screen shows them: 8 bits, and 1, 3 or 4 channels.

    >>> from sizewise.insight.comparison import compare
    >>> facts = compare(np.eye(8), (4, 4), [("pillow", "box", None, {}), ("tfjs", None, None, {})])
    >>> displayed(facts.entries[0].pixels, facts)[0].tolist()
    [128, 0, 0, 0]
    """
    if pixels.dtype != np.uint8:
        low = min(0.0, float(facts.entries[0].pixels.min()))
        pixels = np.rint(np.clip((pixels.astype(np.float64) - low) / facts.range, 0, 1) * 255).astype(np.uint8)
    channels = pixels.shape[-1]
    if channels == 2:  # grey and alpha
        return np.concatenate([np.repeat(pixels[..., :1], 3, axis=-1), pixels[..., 1:]], axis=-1)
    return pixels if channels in (3, 4) else pixels[..., 0]


def _peak(facts: Comparison) -> float:
    return max(entry.difference.largest for entry in facts.entries) or 1.0


def _busiest(facts: Comparison) -> tuple[int, int]:
    """Where results differ most from the first: the upper left corner of a part of them."""
    apart = np.max([entry.apart for entry in facts.entries], axis=0).astype(np.float64)
    sums = np.pad(apart.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    tall, wide = (min(_CLOSE, n) for n in apart.shape)
    inside = sums[tall:, wide:] - sums[:-tall, wide:] - sums[tall:, :-wide] + sums[:-tall, :-wide]
    row, column = np.unravel_index(int(inside.argmax()), inside.shape)
    return int(row), int(column)


def _row(entry: Entry) -> list[object]:
    difference, words = entry.difference, numbers(entry.difference)
    psnr = difference.psnr if math.isfinite(difference.psnr) else 1e9
    values = (difference.largest, difference.mean, psnr, difference.percent)
    return [entry.way.label, entry.way.source, *zip(words, values, strict=True)]


def _severity(entry: Entry) -> str:
    """How much a difference matters: below 30 dB it is seen, above 45 dB it takes a machine to find it."""
    psnr = entry.difference.psnr
    if math.isinf(psnr):
        return ""
    return "high" if psnr < 30 else "medium" if psnr < 45 else "low"


def _broken(label: str) -> str:
    return label.replace(", ", ",\n")
