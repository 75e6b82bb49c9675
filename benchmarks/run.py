"""Races every case against every peer, measures the rest, and writes the page: `python -m benchmarks.run`.

The race of `sizewise bench --all`, several times over, with the peers that need an environment of their own, and the
bars.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from dataclasses import replace
from pathlib import Path

from sizewise.errors import SizewiseError
from sizewise.racing import cases, machine, peers, race
from sizewise.report import json

from . import cores, elsewhere, memory, page
from .process import Own, measure


def main() -> int:
    """Parses the command line, races, and writes; 1 if a peer gave other pixels than it should."""
    arguments = _arguments()
    try:
        facts, own = pickle.loads(arguments.again.read_bytes()) if arguments.again else _measured(arguments)
    except SizewiseError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return error.exit_code
    if arguments.keep:
        arguments.keep.write_bytes(pickle.dumps((facts, own)))
    for refusal in facts.refusals:
        print(f"benchmarks: {refusal}", file=sys.stderr)
    if facts.refusals:
        return 1
    _write(arguments, facts, own)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often everyone is timed in each visit to a case")
    parser.add_argument("--visits", type=int, default=3, help="how often each case is visited")
    parser.add_argument("--only", default="", help="cases with all these words in their names")
    parser.add_argument("--quick", action="store_true", help="a dozen cases, and nothing in processes of their own")
    parser.add_argument("--json", action="store_true", help="the facts of the race instead of the page")
    parser.add_argument("--write", type=Path, help="write the page to this file, and the figures beside it in images/")
    parser.add_argument("--keep", type=Path, help="keep all facts in this file, for --again")
    parser.add_argument("--again", type=Path, help="measure nothing: take the facts from this file")
    parser.add_argument("--peers", type=Path, default=elsewhere.ENVIRONMENTS, help="where the peers' environments are")
    given = parser.parse_args()
    if given.visits < 1 or given.rounds < 1:
        parser.error(f"--visits and --rounds must be at least 1, not {given.visits} and {given.rounds}")
    return given


def _measured(arguments: argparse.Namespace) -> tuple[race.Race, Own | None]:
    listed = cases.quick() if arguments.quick else [*cases.every(), *elsewhere.TFJS_CASES]
    selected = cases.chosen(listed, arguments.only)
    peers.calm()
    begin = time.perf_counter()
    # First, while this process is small and has started no threads.
    own = None if arguments.quick or arguments.only else measure(machine.cores())
    with elsewhere.peers(arguments.peers) as (others, missing):
        found, notes = peers.found([one.name for one in others])
        everyone = [*found, *(one for one in others if one.name not in {peer.name for peer in found})]

        here, notes = machine.here(everyone), [*notes, *missing]
        fill = memory.Fill(here.threads)
        shares: list[float] = []
        fills: list[float] = []

        def done(row: race.Row) -> None:
            shares.append(cores.second())
            fills.append(fill.seconds())
            total = len(selected) * arguments.visits
            words = f"[{len(shares)}/{total}] {time.perf_counter() - begin:.0f} s  {row.case.name}"
            print(words, file=sys.stderr, flush=True)

        # Visits lie minutes apart, so that a machine's slow minute does not decide a row.
        facts = race.together(
            [race.run(selected, everyone, here, rounds=arguments.rounds, notes=notes, done=done)
             for _ in range(arguments.visits)]
        )  # fmt: skip
    return replace(facts, notes=(*facts.notes, cores.words(shares), memory.words(fills))), own


def _write(arguments: argparse.Namespace, facts: race.Race, own: Own | None) -> None:
    if arguments.json:
        print(json.race(facts))
    if arguments.write:
        from .figures import draw

        made = draw(facts, own, arguments.write.parent / "images")
        made = [(words, f"images/{name}") for words, name in made]
        arguments.write.write_text(page.page(facts, own, made), encoding="utf-8")
    elif not arguments.json:
        print(page.page(facts, own, ()))


if __name__ == "__main__":
    sys.exit(main())
