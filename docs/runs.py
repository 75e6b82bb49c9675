"""Keeps what came of the runs that take too long for every day, in docs/measurements/runs.json, and writes docs/measurements/runs.md of it.

`record` is for programs. For a run of pytest: `python docs/runs.py indices --junit results.xml`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import sizewise
from sizewise.racing import machine

HERE = Path(__file__).resolve().parent
KEPT, PAGE = HERE / "measurements" / "runs.json", HERE / "measurements" / "runs.md"
TOP = """# Long runs

Written by the commands that it names: do not edit. These runs take too long for every day; each row is the last one.

| command | what it does | what came of it | how long | when, and on what |
|---|---|---|---|---|
"""
RUNS = {
    "indices": (
        "make indices",
        "the pixels that nearest picks, in each framework and here, for every pair of lengths from 1 to 1024 "
        "(JAX, which compiles for each: 551 pairs; TF.js, and ONNX's own evaluator, which is slow: up to 256)",
    ),
    "switches": (
        "make switches",
        "every promise on each instruction set that the CPU has, and on the NumPy fallback",
    ),
    "identify": ("make identify", "whether `identify` finds every variant again, on 20 images"),
    "fuzz": ("make fuzz CALLS=1000000", "random calls of every dialect, each compared with dense matrices"),
    "soak": (
        "make soak MINUTES=30",
        "mixed calls from 8 threads at once, each compared with stored hashes or with one thread; memory is watched",
    ),
}


def record(name: str, outcome: str, seconds: float) -> None:
    """Keeps the outcome of a run that has just ended."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept[name] = {"outcome": outcome, "minutes": round(seconds / 60, 1), **surroundings()}
    KEPT.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept), encoding="utf-8")


def page(kept: dict[str, dict[str, str]]) -> str:
    """The page of what is kept."""
    return TOP + "".join(row(name, kept[name]) for name in RUNS if name in kept)


def surroundings() -> dict[str, str]:
    """Today, and what this is run with."""
    versions = f"Sizewise {sizewise.__version__}, Python {platform.python_version()}"
    numbers = ", ".join(f"{name} {version(name)}" for name in ("numpy",))
    on = f"{versions}, {numbers}; {machine.processor()}, {machine.cores()} cores"
    return {"date": f"{datetime.now(UTC):%Y-%m-%d}", "on": on}


def row(name: str, run: dict[str, str]) -> str:
    """A row of the page."""
    command, does = RUNS[name]
    return f"| `{command}` | {does} | {run['outcome']} | {run['minutes']} min | {run['date']}: {run['on']} |\n"


def of_pytest(files: Iterable[Path]) -> tuple[str, float]:
    """What came of runs of pytest, and their seconds, from their JUnit files."""
    suites = [next(ElementTree.parse(file).getroot().iter("testsuite")) for file in files]
    keys = ("tests", "failures", "errors", "skipped")
    total, failed, errors, skipped = (sum(int(suite.get(key, 0)) for suite in suites) for key in keys)
    wrong = failed + errors
    words = f"{total - wrong - skipped:,} tests passed, {wrong:,} failed"
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    return words + (f", {skipped:,} left out" if skipped else ""), seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(RUNS))
    parser.add_argument("--junit", type=Path, nargs="+", required=True)
    given = parser.parse_args()
    record(given.name, *of_pytest(given.junit))
    sys.stdout.write(f"wrote {PAGE.name}\n")
