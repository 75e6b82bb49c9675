"""Recorder of long runs: keeps their outcomes in docs/measurements/runs.json, and writes docs/measurements/runs.md.

Programs call `record`. For a run of pytest: `python docs/runs.py test-indices --junit results.xml`.
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
from sizewise_bench import machine

HERE = Path(__file__).resolve().parent
STORE, PAGE = HERE / "measurements" / "runs.json", HERE / "measurements" / "runs.md"
TOP = """# Long runs

Written by the commands below: do not edit. These runs take too long for every change; each row is the latest run.

| command | what it does | outcome | duration | date and environment |
|---|---|---|---|---|
"""
RUNS = {
    "test-indices": (
        "make test-indices",
        "the pixels that nearest selects, in each framework and in Sizewise, for every pair of lengths from 1 to 1024 "
        "(JAX, which compiles each pair: 551 pairs; TF.js and ONNX's slow evaluator: up to 256)",
    ),
    "test-variants": (
        "make test-variants",
        "every promise on each instruction set of the CPU, and on the NumPy fallback",
    ),
    "test-identify": ("make test-identify", "whether `identify` finds every variant, on 20 images"),
    "fuzz": ("make fuzz CALLS=1000000", "random calls of every dialect, each compared with dense matrices"),
    "soak": (
        "make soak MINUTES=30",
        "mixed calls from 8 threads, each compared with stored hashes or with one thread; memory is monitored",
    ),
}


def record(name: str, outcome: str, seconds: float) -> None:
    """Store the outcome of a run, and rewrite the page."""
    stored = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}
    stored[name] = {"outcome": outcome, "minutes": round(seconds / 60, 1), **surroundings()}
    STORE.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(stored), encoding="utf-8")


def page(stored: dict[str, dict[str, str]]) -> str:
    """Return the page of the stored outcomes."""
    return TOP + "".join(row(name, stored[name]) for name in RUNS if name in stored)


def surroundings() -> dict[str, str]:
    """Return the date, the versions and the machine."""
    versions = f"Sizewise {sizewise.__version__}, Python {platform.python_version()}, numpy {version('numpy')}"
    on = f"{versions}; {machine.processor()}, {machine.cores()} cores"
    return {"date": f"{datetime.now(UTC):%Y-%m-%d}", "on": on}


def row(name: str, run: dict[str, str]) -> str:
    """Return a row of the page."""
    command, does = RUNS[name]
    return f"| `{command}` | {does} | {run['outcome']} | {run['minutes']} min | {run['date']}: {run['on']} |\n"


def of_pytest(files: Iterable[Path]) -> tuple[str, float]:
    """Return the outcome and the seconds of pytest runs, from their JUnit files."""
    suites = [next(ElementTree.parse(file).getroot().iter("testsuite")) for file in files]
    keys = ("tests", "failures", "errors", "skipped")
    total, failed, errors, skipped = (sum(int(suite.get(key, 0)) for suite in suites) for key in keys)
    wrong = failed + errors
    outcome = f"{total - wrong - skipped:,} tests passed, {wrong:,} failed"
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    return outcome + (f", {skipped:,} skipped" if skipped else ""), seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(RUNS))
    parser.add_argument("--junit", type=Path, nargs="+", required=True)
    given = parser.parse_args()
    record(given.name, *of_pytest(given.junit))
    sys.stdout.write(f"wrote {PAGE.name}\n")
