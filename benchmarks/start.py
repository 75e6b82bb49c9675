"""Start-up: import, first calls and memory of new processes, next to other libraries; and the size of an installation.

`python -m benchmarks.start [--rounds 20] [--json] [--write docs/measurements/start.md]`. A round runs each program
once, in turn, in a new process with an empty home folder, from a copy of the package with bytecode, as pip installs it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from . import cold_start
from .cold_start import SIZEWISE, Run

ROUNDS = 20
IMPORT = "`import sizewise`, after `import numpy`"
PEERS = ("OpenCV area", "OpenCV")  # which the targets compare with

_TIMED = """
import json, time
{setup}
wall, cpu = time.perf_counter(), time.process_time()
{timed}
print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))
"""
_HD, _4K = "(480, 640, 3)", "(2160, 3840, 3)"
# First calls: the shape and dtype of x, and the call.
FIRST_CALLS = {
    "float32, antialiased, shrink": (_HD, "float32", "sw.resize(x, (224, 224))"),
    "float32, antialiased, grow": (_HD, "float32", "sw.resize(x, (960, 1280))"),
    "float32, plain, shrink": (_HD, "float32", "sw.resize(x, (224, 224), antialias=False)"),
    "float32, plain, grow": (_HD, "float32", "sw.resize(x, (960, 1280), antialias=False)"),
    "float32, bicubic": (_HD, "float32", "sw.resize(x, (224, 224), 'bicubic')"),
    "float32, lanczos3": (_HD, "float32", "sw.resize(x, (224, 224), 'lanczos3')"),
    "float32, area": (_HD, "float32", "sw.resize(x, (224, 224), 'area')"),
    "float32, gradient of a shrink": ("(224, 224, 3)", "float32", "sw.resize_grad(x, (480, 640))"),
    "float32, gradient of a grow": (_HD, "float32", "sw.resize_grad(x, (240, 320))"),
    "float32, one axis": (_HD, "float32", "sw.resize(x, (224,), axes=(1,))"),
    "float32, three axes": ("(60, 80, 40, 3)", "float32", "sw.resize(x, (30, 40, 20), axes=(0, 1, 2))"),
    "float32, strided": (_HD, "float32", "sw.resize(x[::-1, ::2], (224, 224))"),
    "nearest": (_HD, "float32", "sw.resize(x, (224, 224), 'nearest')"),
    "nearest, gradient": ("(224, 224, 3)", "float32", "sw.resize_grad(x, (480, 640), 'nearest')"),
    "float64": (_HD, "float64", "sw.resize(x, (224, 224))"),
    "float16": (_HD, "float16", "sw.resize(x, (224, 224))"),
    "bfloat16": (_HD, "bfloat16", "sw.resize(x, (224, 224))"),
    "int32": (_HD, "int32", "sw.resize(x, (224, 224))"),
    "uint8": (_HD, "uint8", "sw.resize(x, (224, 224))"),
    "uint8, gray": ("(480, 640)", "uint8", "sw.resize(x, (224, 224))"),
    "uint8, pillow": (_HD, "uint8", "sw.resize(x, (224, 224), dialect='pillow')"),
    "uint8, opencv linear": (_HD, "uint8", "sw.resize(x, (224, 224), dialect='opencv')"),
    "uint8, opencv cubic": (_HD, "uint8", "sw.resize(x, (224, 224), 'cubic', dialect='opencv')"),
    "uint8, opencv area": (_HD, "uint8", "sw.resize(x, (224, 224), 'area', dialect='opencv')"),
    "uint8, torch": (_HD, "uint8", "sw.resize(x, (224, 224), antialias=True, dialect='torch')"),
    "uint8, onnx": (_HD, "uint8", "sw.resize(x, (224, 224), dialect='onnx')"),
    "4K float32 to 720p": (_4K, "float32", "sw.resize(x, (720, 1280))"),
    "4K uint8 to 720p": (_4K, "uint8", "sw.resize(x, (720, 1280))"),
    "4K uint8 to 720p, pillow": (_4K, "uint8", "sw.resize(x, (720, 1280), dialect='pillow')"),
    "4K float32, nearest": (_4K, "float32", "sw.resize(x, (720, 1280), 'nearest')"),
}


class Row(NamedTuple):
    """One line of the table: median, minimum and median CPU time, and the target for the median, if there is one."""

    name: str
    unit: str
    median: float
    minimum: float
    cpu: float | None = None
    target: float | None = None

    @property
    def is_met(self) -> bool:
        """Return whether the median is within the target."""
        return self.target is None or self.median <= self.target


def measure(rounds: int) -> list[Row]:
    """Return all rows: whole processes, their ratios, the import, first calls, and the installed size."""
    timings: dict[str, list[tuple[float, float]]] = {}
    with cold_start.installed_copy() as environment:
        runs = cold_start.measure(rounds, environment)
        for _ in range(rounds):
            for name, code in _timed_programs():
                wall, cpu = json.loads(cold_start.run(code, environment)[0])
                timings.setdefault(name, []).append((wall, cpu))
        installed = Path(environment["PYTHONPATH"])
        megabytes = sum(path.stat().st_size for path in installed.rglob("*") if path.is_file()) / 1e6
    size = Row("installed size, beyond NumPy", "MB", megabytes, megabytes, target=8.0)
    return [*_process_rows(runs), *_timing_rows(timings), size]


def _timed_programs() -> Iterator[tuple[str, str]]:
    yield IMPORT, _TIMED.format(setup="import numpy", timed="import sizewise")
    for name, (shape, dtype, call) in FIRST_CALLS.items():
        setup = f"import numpy, sizewise as sw\nx = numpy.ones({shape}, {dtype!r})"
        if dtype == "bfloat16":
            setup = f"import ml_dtypes\n{setup}"
        yield f"first call: {name}", _TIMED.format(setup=setup, timed=call)


def _process_rows(runs: Mapping[str, Sequence[Run]]) -> Iterator[Row]:
    """Yield wall time and peak memory of each program, and the ratios of Sizewise to OpenCV."""
    times, peaks = {}, {}
    for name, taken in runs.items():
        walls, cpus, peak = zip(*taken, strict=True)
        times[name] = _time_row(f"wall time: {name}", walls, cpus)
        peaks[name] = Row(f"peak memory: {name}", "MB", statistics.median(peak), min(peak))
    for rows, target in ((times, 1.1), (peaks, 1.0)):
        yield from rows.values()
        for peer in PEERS:
            ours, theirs = rows[SIZEWISE], rows[peer]
            name, cpu = f"{ours.name} / {peer}", None if ours.cpu is None or not theirs.cpu else ours.cpu / theirs.cpu
            yield Row(name, "x", ours.median / theirs.median, ours.minimum / theirs.minimum, cpu, target)


def _timing_rows(timings: Mapping[str, list[tuple[float, float]]]) -> Iterator[Row]:
    """Yield the times of the import and of each first call."""
    for name, rounds in timings.items():
        walls, cpus = zip(*rounds, strict=True)
        yield _time_row(name, walls, cpus, 25.0 if name == IMPORT else 30.0)


def _time_row(name: str, walls: tuple[float, ...], cpus: tuple[float, ...], target: float | None = None) -> Row:
    """Return the row of times in seconds."""
    median, cpu = 1e3 * statistics.median(walls), 1e3 * statistics.median(cpus)
    return Row(name, "ms", median, 1e3 * min(walls), cpu, target)


def machine(rounds: int) -> str:
    """Return one line about the machine and the versions."""
    versions = ", ".join(f"{name} {version(package)}" for name, package in _PACKAGES)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"Python {platform.python_version()}, {versions}; {rounds} rounds, {os.cpu_count()} cores{load}."


_PACKAGES = (("NumPy", "numpy"), ("OpenCV", "opencv-python-headless"))


def table(rows: list[Row]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| | median | minimum | CPU, median | target | |", "|---|---|---|---|---|---|"]
    for row in rows:
        cpu = "" if row.cpu is None else f"{rounded(row.cpu)} {row.unit}"
        target = "" if row.target is None else f"<= {row.target:g} {row.unit}"
        verdict = "" if row.target is None else "met" if row.is_met else "**missed**"
        values = (f"{rounded(row.median)} {row.unit}", f"{rounded(row.minimum)} {row.unit}", cpu, target, verdict)
        lines.append(f"| {row.name} | {' | '.join(values)} |")
    return "\n".join(lines)


def rounded(value: float) -> str:
    """Return a number with at least three digits, never in powers of ten."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


_PAGE = f"""# Start-up

Sizewise compiles nothing at run time and writes no file: the first call of a process costs a few imports, a plan and
the resize. Every value is measured in new processes with an empty home folder, in turns with other libraries: the
median and the minimum of all rounds. The first rows are whole processes that import NumPy and the library, and resize
one image, 480x640x3 to 224x224 (float32; Pillow and kornia-rs: uint8); OpenCV without "area" does not antialias. CPU
time adds up all threads, and depends less on the load of the machine than wall time. Libraries that take more than
{cold_start.EARLY_EXIT_RATIO:g} times as long as Sizewise are measured in {cold_start.EARLY_EXIT_ROUNDS} rounds.

Generated by `python -m benchmarks.start --write docs/measurements/start.md`: do not edit.

{{machine}}

{{table}}
"""


def main() -> None:
    """Measure, print the table or JSON, and write the page if asked."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options.add_argument("--write", type=Path, help="write the page to this file")
    given = options.parse_args()
    rows, about = measure(given.rounds), machine(given.rounds)
    if given.json:
        print(json.dumps({"machine": about, "rows": [{**row._asdict(), "is_met": row.is_met} for row in rows]}))
    else:
        print(f"{about}\n\n{table(rows)}")
    if given.write:
        given.write.write_text(_PAGE.format(machine=about, table=table(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
