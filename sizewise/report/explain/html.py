"""An explanation as a page: findings, heat maps side by side, taps, curves, and a table of all values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...insight.explanation import Explanation
from ...insight.variant import Variant
from ..curves import ResponseCurve
from ..downsample import Array, TapsWindow, Window, distinct_axes
from ..page import page
from ..pictures import HeatPicture
from .text import explanation_title

_MAX_CELLS = 64  # a side
_MAX_OUTPUTS = 24  # whose taps are drawn
_COLUMNS = (
    *("variant", "pixels read", "largest gradient", "max / min", "variation"),
    *("shift (px)", "stretch", "alias", "alias in noise", "taps"),
)


@dataclass(frozen=True)
class VariantView:
    """The pictures and values of one variant."""

    facts: Variant
    map: HeatPicture | None
    taps: list[tuple[str, HeatPicture]]
    curves: list[tuple[str, ResponseCurve]]

    @property
    def findings(self) -> list[tuple[str, str]]:
        """The severity and text of each finding."""
        return [(one.severity, one.message) for one in self.facts.findings]


def explanation_page(facts: Explanation, command: str = "") -> str:
    """Return the page of an explanation; `command` is the line that writes it again."""
    views, peak, heaviest = pictures(facts, _MAX_CELLS)
    window = Window.fit(facts.input_size, facts.output_size, _MAX_CELLS)
    return page(
        "explain.html",
        title=explanation_title(facts),
        lead="The gradient of every input pixel, the weights of every output, and the frequency response.",
        command=command,
        views=views,
        peak=peak,
        heaviest=heaviest,
        caption=" ".join(window.caption(facts.input_size)),
        columns=_COLUMNS,
        rows=[_row(one) for one in facts.variants],
        notes=facts.notes,
    )


def pictures(facts: Explanation, cells: int) -> tuple[list[VariantView], float, float]:
    """Return the pictures of each variant on one scale, with the largest gradient and the largest weight."""
    window = Window.fit(facts.input_size, facts.output_size, cells)
    maps: list[Array] = []
    if len(facts.input_size) <= 2:
        maps = [window.cells(one.profiles) for one in facts.variants]
    taps = [
        [(name, TapsWindow.of(axis, _MAX_OUTPUTS, cells)) for name, axis in distinct_axes(one.axes)]
        for one in facts.variants
    ]
    peak = max((float(np.abs(one).max()) for one in maps), default=0.0)
    heaviest = max(float(np.abs(one.cells).max()) for each in taps for _, one in each)
    views = [
        VariantView(
            facts=one,
            map=_map(maps[position], peak, one, window.step) if maps else None,
            taps=[(_caption(name, part), _taps(part, heaviest, one)) for name, part in taps[position]],
            curves=[(name, ResponseCurve(axis)) for name, axis in distinct_axes(one.axes)],
        )
        for position, one in enumerate(facts.variants)
    ]
    return views, peak, heaviest


def _map(cells: Array, peak: float, one: Variant, step: tuple[int, int]) -> HeatPicture:
    what = "gradient" if step == (1, 1) else "mean gradient"
    description = f"{one.label}: gradient of the sum of all outputs at each input pixel"
    return HeatPicture(cells, peak, what, description, step=step)


def _taps(part: TapsWindow, heaviest: float, one: Variant) -> HeatPicture:
    return HeatPicture(
        part.cells,
        heaviest,
        "weight" if part.block == 1 else "sum of weights",
        f"{one.label}: weights of each output",
        step=(1, part.block),
        row_name="output",
        column_name="input",
    )


def _caption(name: str, part: TapsWindow) -> str:
    return f"{name}: {part.caption}" if part.caption else name


def _row(one: Variant) -> list[object]:
    """Return a row of the table: texts, or texts with the value to sort by."""
    axes = one.axes
    shift = max(one.shifts, key=abs)
    stretch = max((axis.placement.stretch for axis in axes), key=lambda number: abs(number - 1))
    alias, share = max(one.aliases), max(axis.response.alias_share for axis in axes)
    ratio = f"{one.ratio:.4g}" if math.isfinite(one.ratio) else "∞"
    fewest, most = min(axis.fewest for axis in axes), max(axis.most for axis in axes)
    return [
        one.label,
        (f"{one.percent:.4g} %", one.percent),
        (f"{one.largest:.4g}", one.largest),
        (ratio, min(one.ratio, 1e300)),
        (f"{one.variation:.4g}", min(one.variation, 1e300)),
        (f"{shift:.3g}", shift),
        (f"{stretch:.4g}", stretch),
        (f"{100 * alias:.3g} %", alias),
        (f"{100 * share:.3g} %", share),
        (f"{fewest} to {most}" if fewest < most else str(most), most),
    ]
