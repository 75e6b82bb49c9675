"""Timing of every case and peer, and the page docs/measurements/performance.md: `python -m benchmarks.run`.

The cases of `sizewise bench --all`, several times over, with the peers that need a separate environment,
measurements in new processes, and the targets.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from dataclasses import replace
from pathlib import Path

from sizewise.errors import SizewiseError
from sizewise_bench import cases, machine, peers
from sizewise_bench.json import as_json
from sizewise_bench.runner import CaseResult, Results, merge_results, run_cases

from . import cores, memory, page, subprocess_peers
from .process import ProcessResults, measure


def main() -> int:
    """Parse the command line, run, and write the page; return 1 if the pixels of a peer are wrong."""
    arguments = _arguments()
    try:
        results, processes = pickle.loads(arguments.again.read_bytes()) if arguments.again else _run(arguments)
    except SizewiseError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return error.exit_code
    if arguments.keep:
        arguments.keep.write_bytes(pickle.dumps((results, processes)))
    for mismatch in results.mismatches:
        print(f"benchmarks: {mismatch}", file=sys.stderr)
    if results.mismatches:
        return 1
    _write(arguments, results, processes)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often each library is timed per visit to a case")
    parser.add_argument("--visits", type=int, default=3, help="how often each case is visited")
    parser.add_argument("--only", default="", help="cases with all these words in their names")
    parser.add_argument("--quick", action="store_true", help="a dozen cases, and no measurements in new processes")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the page")
    parser.add_argument("--write", type=Path, help="write the page to this file, and the figures beside it in images/")
    parser.add_argument("--keep", type=Path, help="save all results in this file, for --again")
    parser.add_argument("--again", type=Path, help="measure nothing: read the results from this file")
    parser.add_argument("--peers", type=Path, default=subprocess_peers.ENVIRONMENTS, help="folder of the environments")
    given = parser.parse_args()
    if given.visits < 1 or given.rounds < 1:
        parser.error(f"--visits and --rounds must be at least 1, not {given.visits} and {given.rounds}")
    return given


def _run(arguments: argparse.Namespace) -> tuple[Results, ProcessResults | None]:
    listed = cases.quick_cases() if arguments.quick else [*cases.all_cases(), *subprocess_peers.TFJS_CASES]
    selected = cases.select(listed, arguments.only)
    peers.quiet_frameworks()
    begin = time.perf_counter()
    # First, while this process is small and has started no threads.
    processes = None if arguments.quick or arguments.only else measure(machine.cores())
    with subprocess_peers.start(arguments.peers) as (others, missing):
        found, notes = peers.find_installed([peer.name for peer in others])
        found += [peer for peer in others if peer.name not in {one.name for one in found}]
        here, notes = machine.this_machine(found), [*notes, *missing]
        fill = memory.Fill(here.threads)
        gains: list[float] = []
        fills: list[float] = []

        def on_row(row: CaseResult) -> None:
            gains.append(cores.second_thread_gain())
            fills.append(fill.seconds())
            count = f"{len(gains)}/{len(selected) * arguments.visits}"
            print(f"[{count}] {time.perf_counter() - begin:.0f} s  {row.case.name}", file=sys.stderr, flush=True)

        # Visits are minutes apart, so that a slow minute of the machine does not decide a row.
        results = merge_results(
            [run_cases(selected, found, here, rounds=arguments.rounds, notes=notes, on_row=on_row)
             for _ in range(arguments.visits)]
        )  # fmt: skip
    return replace(results, notes=(*results.notes, cores.summary(gains), memory.summary(fills))), processes


def _write(arguments: argparse.Namespace, results: Results, processes: ProcessResults | None) -> None:
    if arguments.json:
        print(as_json(results))
    if arguments.write:
        from .figures import draw

        figures = draw(results, processes, arguments.write.parent / "images")
        figures = [(description, f"images/{name}") for description, name in figures]
        arguments.write.write_text(page.page(results, processes, figures), encoding="utf-8")
    elif not arguments.json:
        print(page.page(results, processes, ()))


if __name__ == "__main__":
    sys.exit(main())
