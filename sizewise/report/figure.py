"""An explanation as a figure: for each variant the heat map, the taps and the response, drawn by matplotlib."""

from __future__ import annotations

import io
import textwrap
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..insight.axis import Axis
from ..insight.explanation import Explanation
from .window import Array, TapsWindow, Window, alike, by

_MOST_CELLS = 64  # a side
_MOST_OUTPUTS = 24  # whose taps are drawn
_MOST_VARIANTS = 6  # beside one another
_OWN, _ALIAS = "#2a6f97", "#b35c00"


def figure(facts: Explanation) -> Figure:
    """The figure of an explanation: a column for each variant, with one scale for all.

    >>> from sizewise.insight.explanation import explain
    >>> len(figure(explain((16, 16), (4, 4))).axes)
    11
    """
    count = len(facts.variants)
    bands = -(-count // _MOST_VARIANTS)  # of columns, one below the other
    columns = -(-count // bands)
    rows = 3 if len(facts.input_size) <= 2 else 2
    drawn = Figure(figsize=(3.2 * columns + 1.0, (3.3 * (rows - 1) + 2.3) * bands + 0.6), layout="constrained")
    FigureCanvasAgg(drawn)
    drawn.suptitle(f"What a resize from {by(facts.input_size)} to {by(facts.output_size)} does", fontsize=13)
    places = drawn.subplots(rows * bands, columns, squeeze=False, height_ratios=[*[3.0] * (rows - 1), 2.2] * bands)
    window = Window.fit(facts.input_size, facts.output_size, _MOST_CELLS)
    taps = [TapsWindow.of(one.axes[-1], _MOST_OUTPUTS, _MOST_CELLS) for one in facts.variants]
    tables = [one.cells for one in taps]
    maps = [window.cells(one.profiles) for one in facts.variants] if rows == 3 else []
    for position in range(bands * columns):
        column = places[position // columns * rows : (position // columns + 1) * rows, position % columns]
        if position >= count:
            for place in column:
                place.set_axis_off()
            continue
        one = facts.variants[position]
        label = textwrap.fill(one.label, 34)  # as much as a column has room for
        column[0].set_title(f"{label}\n{one.percent:.3g} % read, largest {one.largest:.3g}", fontsize=10)
        if maps:
            _image(column[0], maps[position], _peak(maps), "input column", "input row", window.step)
        across = f"input, {alike(one.axes)[-1][0]}"
        _image(column[-2], tables[position], _peak(tables), across, "output", (1, taps[position].block))
        _response(column[-1], one.axes[-1])
    gradient = "gradient" if window.step == (1, 1) else "mean gradient"
    bars = [(maps, gradient), (tables, "weight")][3 - rows :]
    for first in range(0, bands * rows, rows):
        for row, (painted, what) in enumerate(bars):
            _colour_bar(drawn, places[first + row].tolist(), _peak(painted), what)
    return drawn


def png(facts: Explanation) -> bytes:
    """The figure as the bytes of a PNG file.

    >>> from sizewise.insight.explanation import explain
    >>> png(explain((16,), (4,), dialects=["tfjs"]))[:4]
    b'\\x89PNG'
    """
    file = io.BytesIO()
    figure(facts).savefig(file, format="png", dpi=150, metadata={"Software": "Sizewise"})
    return file.getvalue()


def _peak(tables: list[Array]) -> float:
    return max(float(np.abs(one).max()) for one in tables) or 1.0


def _ramp() -> Any:
    """Viridis, with grey for exactly nothing."""
    return colormaps["viridis"].with_extremes(bad="#3e3e46")


def _image(place: Any, cells: Array, peak: float, across: str, down: str, step: tuple[int, int]) -> None:
    levels = np.ma.masked_equal(np.sqrt(np.abs(cells) / peak), 0.0)
    rows, columns = cells.shape
    extent = (-0.5, columns * step[1] - 0.5, rows * step[0] - 0.5, -0.5)
    place.imshow(levels, cmap=_ramp(), vmin=0, vmax=1, interpolation="nearest", aspect="auto", extent=extent)
    if down == "input row" and rows > 1:
        place.set_box_aspect(min(max(rows / columns, 0.25), 1.5))
    place.set_xlabel(across, fontsize=9)
    place.set_ylabel(down, fontsize=9)
    place.tick_params(labelsize=8)
    place.locator_params(integer=True, nbins=6)


def _colour_bar(drawn: Figure, places: list[Any], peak: float, what: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import PowerNorm

    painted = ScalarMappable(PowerNorm(0.5, 0, peak), _ramp())
    bar = drawn.colorbar(painted, ax=places, fraction=0.05, pad=0.02, format="%.3g")
    bar.set_label(f"{what} (grey: none)", fontsize=9)
    bar.ax.tick_params(labelsize=8)


def _response(place: Any, axis: Axis) -> None:
    response = axis.response
    above = response.frequency > response.limit * (1 + 1e-9)
    place.plot(response.frequency[~above], response.strength[~above], color=_OWN, label="left of a wave")
    if above.any():
        place.plot(response.frequency[above], response.strength[above], color=_ALIAS, label="comes back as alias")
        place.fill_between(response.frequency[above], response.strength[above], color=_ALIAS, alpha=0.2, linewidth=0)
        place.axvline(response.limit, color="#5a6270", linestyle="--", linewidth=0.8)
    if response.is_logarithmic:
        place.set_xscale("log")
    place.set_ylim(0, max(1.05, 1.05 * float(response.strength.max())))
    place.set_xlabel("cycles per input pixel", fontsize=9)
    place.set_ylabel("strength", fontsize=9)
    place.tick_params(labelsize=8)
    place.legend(fontsize=8, frameon=False, loc="best")
