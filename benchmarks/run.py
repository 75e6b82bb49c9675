"""Times every case against every peer in one run: `python -m benchmarks.run` (or `make bench`).

Equality is checked first. Then all take turns, call by call, so that a noisy moment hits each alike; the table gives
minima and medians, and the ratio of medians. Tables go to stdout, progress to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

# A framework's idle workers would otherwise spin, and take the core from whoever is timed next.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import cv2
import numpy as np
import tensorflow as tf
import torch

import sizewise as sw
from benchmarks.cases import CASES, Case
from benchmarks.peers import PEERS, as_array
from benchmarks.process import measure

# Frameworks round weights and sums to float32, and round coordinates too: this many units of the largest value.
_TOLERANCE = 1e-4


def race(case: Case, rounds: int) -> dict[str, Any]:
    """Checked and timed: {name: {"min": seconds, "median": seconds}} with ours first."""
    calls = {"Sizewise": case.ours()}
    expected = calls["Sizewise"]()
    largest = {}
    for name, peer in PEERS.items():
        call = peer(case)
        if call is None:
            continue
        difference = float(np.abs(as_array(call()) - expected).max() / np.abs(expected).max())
        if difference > _TOLERANCE:
            raise SystemExit(f"{case.name}: {name} differs from Sizewise by {difference:.2g}; nothing was timed")
        calls[name], largest[name] = call, difference
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    return {
        name: {"min": min(seconds), "median": statistics.median(seconds), "difference": largest.get(name, 0.0)}
        for name, seconds in times.items()
    }


def table(results: dict[str, dict[str, Any]]) -> str:
    """The results as a Markdown table: milliseconds, and how many times slower each peer is."""
    lines = ["| case | Sizewise, ms | " + " | ".join(PEERS) + " |", "|---|---|" + "---|" * len(PEERS)]
    for name, row in results.items():
        ours = row["Sizewise"]
        cells = [f"{ours['median'] * 1e3:.2f} ({ours['min'] * 1e3:.2f})"]
        for peer in PEERS:
            theirs = row.get(peer)
            if theirs is None:
                cells.append("-")
                continue
            ratio, best = theirs["median"] / ours["median"], theirs["min"] / ours["min"]
            cells.append(f"**{ratio:.1f}x** ({best:.1f}x)")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def behind(results: dict[str, dict[str, Any]]) -> str:
    """The rows in which a peer is ahead of Sizewise, said plainly."""
    rows = [
        f"- {name}: {peer} takes {theirs['median'] / row['Sizewise']['median']:.2f} of our time"
        for name, row in results.items()
        for peer, theirs in row.items()
        if theirs["median"] < row["Sizewise"]["median"]
    ]
    return "\n".join(["Where a peer is ahead (below 1.1 either way is within the noise):", "", *rows]) if rows else ""


def page(results: dict[str, dict[str, Any]], rounds: int, own: list[tuple[str, str, str]]) -> str:
    """The whole page for the documentation."""
    versions = (
        f"Sizewise {sw.__version__}, NumPy {np.__version__}, TensorFlow {tf.__version__}, PyTorch {torch.__version__}, "
        f"OpenCV {cv2.__version__}, Python {platform.python_version()}, "
        f"{len(os.sched_getaffinity(0))} cores of {_processor()}"
    )
    rows = "\n".join(f"| {what} | {value} | < {bar} |" for what, value, bar in own)
    return f"""# Performance

Made by `make bench`: do not edit. {versions}.

Each row is checked for equality first, then all take turns for {rounds} rounds. Ours: milliseconds, median (and
minimum), of the default call, which allocates its result. Peers: how many times longer they take, by medians (and by
minima); a dash where they cannot do it. Gradients of peers are their own gradient kernels, called directly. All use
every core.

{table(results)}

{behind(results)}

| in a process of its own | best (median) of 5 | bar |
|---|---|---|
{rows}
"""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "an unnamed processor"


def main() -> None:
    """Parses the command line, times, and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path, help="also write the page to this file")
    arguments = parser.parse_args()
    results = {}
    for case in CASES:
        if arguments.only in case.name:
            print(case.name, file=sys.stderr)
            results[case.name] = race(case, arguments.rounds)
    if not results:
        raise SystemExit(f"no case contains {arguments.only!r}; there are: " + "; ".join(c.name for c in CASES))
    print(json.dumps(results, indent=2) if arguments.json else table(results))
    if arguments.write:
        arguments.write.write_text(page(results, arguments.rounds, measure()), encoding="utf-8")


if __name__ == "__main__":
    main()
