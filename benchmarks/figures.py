"""Figures of the page: a summary, every row on a log scale, cost by size, cost by threads."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from sizewise_bench import ours
from sizewise_bench.cases import Case
from sizewise_bench.runner import CaseResult, Results

from .process import Curve, ProcessResults
from .start import rounded

# Colors that color-blind readers can tell apart (Okabe and Ito), and a marker each for gray prints.
_MARKERS = {
    "Sizewise": ("#000000", "o"),
    "PyTorch": ("#D55E00", "s"),
    "PyTorch NCHW": ("#D55E00", "s"),
    "PyTorch channels_last": ("#E69F00", "D"),
    "torchvision v2 NCHW": ("#D55E00", "8"),
    "torchvision v2 channels_last": ("#E69F00", "H"),
    "TensorFlow": ("#0072B2", "^"),
    "JAX": ("#009E73", "v"),
    "OpenCV": ("#CC79A7", "P"),
    "OpenCV area": ("#CC79A7", "X"),
    "resampler": ("#8C8C8C", "<"),
    "scikit-image": ("#8C8C8C", ">"),
    "Pillow": ("#56B4E9", "p"),
    "pillow-simd": ("#56B4E9", "h"),
    "pyvips": ("#8C8C8C", "*"),
    "kornia-rs": ("#8C8C8C", "d"),
    "transformers": ("#56B4E9", "*"),
    "TF.js": ("#F0E442", "d"),
}
_FASTER, _SLOWER = "#C9DDF0", "#F3C6BC"
_SHAPES = (
    ((8, 512, 512, 3), (224, 224)),
    ((8, 224, 224, 3), (512, 512)),
    ((24, 512, 512, 1), (224, 224)),
    ((4, 64, 64, 64), (128, 128)),
    ((1, 2160, 3840, 3), (720, 1280)),
)
_SUMMARY = """Time of each library divided by that of Sizewise, a dot for each resize, with the median; \
the time of a new process that imports a library and resizes an image; the time of a call on a small image"""
_START_TITLE = "Cold start: import and one resize, ms"
_CALL_TITLE = "Small call: 32x32x3 to 16x16, us"
_ICON = Case((1, 32, 32, 3), (16, 16), "bilinear", antialias=True)
_STYLE = {
    "font.size": 9,
    "axes.titlesize": 10,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "sizewise",
    "svg.fonttype": "path",  # text looks the same without the font
    "legend.frameon": False,
}


def draw(results: Results, processes: ProcessResults | None, folder: Path) -> list[tuple[str, str]]:
    """Write the figures into the folder; return (description, file name) pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    with plt.rc_context(_STYLE):
        if peers := ratios_by_peer(results.rows):
            times = {_START_TITLE: start_milliseconds(processes), _CALL_TITLE: small_call_microseconds(results.rows)}
            figure = _summary(peers, {title: values for title, values in times.items() if len(values) > 1})
            figures.append((_SUMMARY, _save(figure, folder / "performance-summary.svg")))
        rows = [row for row in results.rows if row.peers and _is_shown(row.case)]
        if rows:
            description = "Time of each peer divided by that of Sizewise, forward and gradient, on a log scale"
            figures.append((description, _save(_bars(rows), folder / "performance-rows.svg")))
        if processes is not None and processes.sizes:
            description = "Cost per pixel by image size, and time by number of threads"
            figures.append((description, _save(_costs(processes), folder / "performance-cost.svg")))
    return figures


def ratios_by_peer(rows: Iterable[CaseResult]) -> dict[str, list[tuple[float, bool, bool]]]:
    """Return the time of each peer over that of Sizewise in each row, whether it is a gradient and has the same pixels.

    Peers are sorted by their medians, the fastest first.
    """
    found: dict[str, list[tuple[float, bool, bool]]] = {}
    for row in rows:
        for timing in row.peers:
            ratio = timing.ratio_to(row[ours.NAME])
            found.setdefault(timing.name, []).append((ratio, row.case.gradient, timing.same_pixels))
    return dict(sorted(found.items(), key=lambda item: statistics.median(ratio for ratio, *_ in item[1])))


def start_milliseconds(processes: ProcessResults | None) -> dict[str, float]:
    """Return the median time of a new process by library, beginning with the import of NumPy alone."""
    starts = processes.starts if processes else {}
    return {name: 1e3 * statistics.median(seconds) for name, seconds in starts.items()}


def small_call_microseconds(rows: Iterable[CaseResult]) -> dict[str, float]:
    """Return the median time of a call on a small image by library, the fastest first."""
    timings = [timing for row in rows if row.case == _ICON for timing in (row[ours.NAME], *row.peers)]
    return dict(sorted(((timing.name, 1e6 * timing.median) for timing in timings), key=lambda item: item[1]))


def _summary(peers: Mapping[str, list[tuple[float, bool, bool]]], times: Mapping[str, Mapping[str, float]]) -> Any:
    """Return the figure of throughput, a line for each peer, and below it a panel of times for each title."""
    heights = [len(peers) + 2, max((len(values) for values in times.values()), default=0) + 1]
    figure = plt.figure(figsize=(8, 0.3 * sum(heights)), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=heights, hspace=0.03)
    _ratios(upper.subplots(), peers)
    if times:
        for panel, (title, values) in zip(lower.subplots(1, len(times), squeeze=False)[0], times.items(), strict=True):
            _times(panel, title, values)
    return figure


def _ratios(panel: Any, peers: Mapping[str, list[tuple[float, bool, bool]]]) -> None:
    """Draw one line for each peer, with a dot for each row of the page."""
    for height, (name, values) in enumerate(peers.items()):
        color = _MARKERS.get(name, ("#8C8C8C", "."))[0]
        for ratio, gradient, same in values:
            shift = 0.16 if gradient else -0.16
            panel.plot(
                ratio, height + shift, "^" if gradient else "o", color=color if same else "white",
                markeredgecolor=color, markersize=4, markeredgewidth=0.7, alpha=0.6, zorder=2,
            )  # fmt: skip
        median = statistics.median(ratio for ratio, *_ in values)
        panel.plot([median] * 2, [height - 0.38, height + 0.38], color="black", linewidth=2, zorder=3)
        panel.annotate(
            f"{median:.1f} x in {len(values)}", (1, height), (4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center",
        )  # fmt: skip
    panel.set_yticks(range(len(peers)), [*peers])
    panel.set_ylim(len(peers) - 0.4, -0.6)
    panel.axvline(1, color="black", linewidth=1, zorder=1)
    panel.set_xscale("log")
    _log(panel.xaxis)
    panel.grid(axis="x", color="#E4E4E4", linewidth=0.7, zorder=0)
    title = "Throughput: time of each resize, divided by that of Sizewise"
    panel.set_title(title, loc="left", fontweight="bold", pad=24)
    kinds = {"forward": ("o", "#555555"), "gradient": ("^", "#555555"), "other pixels by definition": ("o", "white")}
    handles = [
        Line2D([], [], marker=marker, color=face, markeredgecolor="#555555", linestyle="", markersize=5, label=label)
        for label, (marker, face) in kinds.items()
    ]
    handles.append(Line2D([], [], color="black", linewidth=2, label="median, of the number of resizes on the right"))
    panel.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, borderaxespad=0.2, handlelength=1.2,
        columnspacing=1.2,
    )  # fmt: skip


def _times(panel: Any, title: str, values: Mapping[str, float]) -> None:
    """Draw one dot for each library, with its time."""
    for height, (name, value) in enumerate(values.items()):
        color, marker = _MARKERS.get(name, ("#8C8C8C", "o"))
        panel.plot(value, height, marker, color=color, markersize=6, zorder=2)
        panel.annotate(
            rounded(value), (value, height), (6, 0), textcoords="offset points",
            va="center", fontweight="bold" if name == ours.NAME else "normal",
            bbox={"facecolor": "white", "linewidth": 0, "pad": 0.6},
        )  # fmt: skip
    if ours.NAME in values:
        panel.axvline(values[ours.NAME], color="black", linewidth=1, zorder=1)
    panel.set_yticks(range(len(values)), [*values])
    panel.set_ylim(len(values) - 0.4, -0.6)
    panel.set_xscale("log")
    panel.set_xlim(min(values.values()) / 1.5, max(values.values()) * 3)
    panel.xaxis.set_visible(False)
    panel.tick_params(axis="y", length=0)
    panel.spines["bottom"].set_visible(False)
    panel.set_title(title, loc="left", fontweight="bold")


def _save(figure: Any, path: Path) -> str:
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)
    return path.name


def _is_shown(case: Case) -> bool:
    is_default = (case.dtype, case.layout, case.dialect) == ("float32", "NHWC", "standard")
    return is_default and (case.shape, case.size) in _SHAPES and case.method != "area"


def _label(case: Case) -> str:
    n, height, width, channels = case.shape
    batch = f"{n} of " if n > 1 else ""
    return f"{batch}{height}x{width}x{channels} to {case.size[0]}x{case.size[1]}"


def _kind(case: Case) -> str:
    return f"{case.method}, antialiased" if case.antialias else case.method


def _bars(rows: Sequence[CaseResult]) -> Any:
    """Return the figure with one line per resize, grouped by method; forward on the left, gradient on the right."""
    kinds = list(dict.fromkeys(_kind(row.case) for row in rows))
    labels = {kind: list(dict.fromkeys(_label(row.case) for row in rows if _kind(row.case) == kind)) for kind in kinds}
    heights: dict[tuple[str, str], float] = {}
    titles: dict[str, float] = {}
    y = 0.0
    for kind in kinds:
        titles[kind] = y
        for number, label in enumerate(labels[kind]):
            heights[kind, label] = y + 1 + number
        y += len(labels[kind]) + 1.7
    figure, panels = plt.subplots(1, 2, figsize=(11, 0.2 * y + 1.2), sharey=True, sharex=True)
    for panel, gradient in zip(panels, (False, True), strict=True):
        _panel(panel, [row for row in rows if row.case.gradient is gradient], heights)
        panel.set_title("gradient" if gradient else "forward", fontweight="bold", pad=26)
    first = panels[0]
    first.set_yticks(list(heights.values()), [label for _, label in heights])
    first.set_ylim(y - 0.7, -0.8)
    ratios = [timing.ratio_to(row[ours.NAME]) for row in rows for timing in row.peers]
    first.set_xlim(min(0.5, *ratios) * 0.9, max(100, *ratios) * 1.1)
    for kind, height in titles.items():
        first.annotate(
            kind, (0, height), (-6, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", va="center", fontweight="bold",
        )  # fmt: skip
    _legend(figure, rows)
    figure.subplots_adjust(wspace=0.14)
    return figure


def _panel(panel: Any, rows: Iterable[CaseResult], heights: dict[tuple[str, str], float]) -> None:
    for row in rows:
        height = heights[_kind(row.case), _label(row.case)]
        own = row[ours.NAME]
        assert row.speedup is not None
        color = _FASTER if row.speedup >= 1 else _SLOWER
        panel.barh(height, row.speedup - 1, left=1, height=0.78, color=color, zorder=1)
        for timing in row.peers:
            face, shape = _MARKERS.get(timing.name, ("#8C8C8C", "."))
            fill = face if timing.same_pixels else "white"
            panel.plot(
                timing.ratio_to(own), height, shape, color=fill, markeredgecolor=face, markersize=5, markeredgewidth=1,
                zorder=3,
            )  # fmt: skip
        panel.annotate(
            f"{row.speedup:.1f}" if row.speedup >= 1.1 else f"{row.speedup:.2f}", (1.0, height), (3, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center", ha="left", fontsize=7.5,
            color="#333333" if row.speedup >= 1 else "#B03A20",
        )  # fmt: skip
    panel.axvline(1, color="black", linewidth=1, zorder=2)
    panel.set_xscale("log")
    _log(panel.xaxis)
    panel.grid(axis="x", color="#E4E4E4", linewidth=0.7, zorder=0)
    panel.tick_params(axis="y", length=0)
    panel.tick_params(axis="x", top=True, labeltop=True, bottom=True)
    panel.spines["left"].set_visible(False)
    panel.set_xlabel("time divided by that of Sizewise (number: the best peer)")


def _log(axis: Any) -> None:
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=50))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _legend(figure: Any, rows: Iterable[CaseResult]) -> None:
    names = {timing.name for row in rows for timing in row.peers}
    handles = []
    for name in (name for name in _MARKERS if name in names):
        color, shape = _MARKERS[name]
        handles.append(Line2D([], [], color=color, marker=shape, linestyle="", markersize=6, label=name))
    hollow = Line2D([], [], color="white", marker="o", markeredgecolor="#555555", linestyle="", markersize=6)
    hollow.set_label("hollow: other pixels")
    bar = Rectangle((0, 0), 1, 1, color=_FASTER, label="to the best peer")
    figure.legend(handles=[*handles, hollow, bar], loc="upper center", ncols=6, bbox_to_anchor=(0.45, 0.068))


def _costs(processes: ProcessResults) -> Any:
    count = 2 if processes.threads else 1
    figure, panels = plt.subplots(1, count, figsize=(5.5 * count, 3.6), squeeze=False)
    _sizes(panels[0][0], processes.sizes)
    if processes.threads:
        _threads(panels[0][1], processes.threads)
    figure.subplots_adjust(wspace=0.28)
    return figure


def _sizes(panel: Any, curves: Iterable[Curve]) -> None:
    for curve in curves:
        _line(panel, Curve(curve.name, tuple((side, seconds * 1e9 / side**2) for side, seconds in curve.points)))
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    ticks = [64, 256, 1024, 4096, 16384]
    panel.set_xticks(ticks, [str(side) for side in ticks])
    _log(panel.yaxis)
    panel.grid(color="#E4E4E4", linewidth=0.7)
    panel.set_xlabel("side of a square gray float32 image, halved, antialiased")
    panel.set_ylabel("ns per input pixel")
    panel.set_title("Cost by size (horizontal: linear in pixels)", fontweight="bold")
    panel.margins(y=0.2)
    panel.legend(fontsize=8)


def _line(panel: Any, curve: Curve) -> None:
    base = curve.name.removesuffix(" gradient")
    color, shape = _MARKERS[base]
    other = base == "OpenCV area"  # a box filter: fewer pixels to read, and other results
    panel.plot(
        *zip(*curve.points, strict=True), "--" if base != curve.name else "-", color=color, marker=shape, markersize=6,
        markerfacecolor="white" if other else color, label=f"{curve.name} (other pixels)" if other else curve.name,
    )  # fmt: skip


def _threads(panel: Any, curves: Sequence[Curve]) -> None:
    counts = sorted({count for curve in curves for count, _ in curve.points})
    for curve in curves:
        _line(panel, Curve(curve.name, tuple((count, seconds * 1e3) for count, seconds in curve.points)))
    panel.set_yscale("log")
    panel.set_xticks(counts)
    panel.set_xlim(min(counts) - 0.15, max(counts) + 0.15)
    _log(panel.yaxis)
    panel.grid(color="#E4E4E4", linewidth=0.7)
    panel.set_xlabel("threads (antialiased bilinear, float32)")
    panel.set_ylabel("ms")
    panel.set_title("Time by threads: 4K to 720p", fontweight="bold")
    panel.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
