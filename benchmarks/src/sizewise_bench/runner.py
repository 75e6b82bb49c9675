"""Runner: checks that all contenders give the same pixels, then times them in turns, round by round.

Turns make a noisy moment affect all contenders alike.
"""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from sizewise.errors import FRAMEWORKS, is_raised_by

from . import ours
from .cases import Case
from .contender import Array, Contender
from .machine import Machine
from .peers import Peer

# Fractions of the largest value: frameworks round weights, sums and coordinates differently.
TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 2e-3, "uint8": 0.0}
EARLY_EXIT_ROUNDS = 5  # after these, peers that cannot become the fastest are no longer timed
EARLY_EXIT_RATIO = 4.0  # to the time of the fastest peer
MIN_SECONDS = 200e-6  # calls that take less are repeated
_MAX_REPEATS = 100


@dataclass(frozen=True)
class Timing:
    """A contender's times in seconds; `difference` from the pixels of Sizewise is a fraction of the largest value."""

    name: str
    times: tuple[float, ...]
    same_pixels: bool = True
    difference: float = 0.0

    @property
    def rounds(self) -> int:
        """Return the number of rounds."""
        return len(self.times)

    @property
    def minimum(self) -> float:
        """Return the shortest time."""
        return min(self.times)

    @property
    def median(self) -> float:
        """Return the median time."""
        return statistics.median(self.times)

    def ratio_to(self, other: Timing) -> float:
        """Return the median over all rounds of this time divided by the other's in the same round.

        A round that is slow for both does not change it. If one has fewer rounds, it is the ratio of the medians.

        >>> Timing("slow", (2.0, 9.0, 6.0)).ratio_to(Timing("fast", (1.0, 3.0, 3.0)))
        2.0
        """
        if self.rounds != other.rounds:
            return self.median / other.median
        return statistics.median(mine / theirs for mine, theirs in zip(self.times, other.times, strict=True))


@dataclass(frozen=True)
class Mismatch:
    """A peer whose pixels differ from those of Sizewise though they should not; it is not timed."""

    case: str
    name: str
    difference: float
    tolerance: float

    def __str__(self) -> str:
        return (
            f"{self.case}: {self.name} differs from Sizewise by {self.difference:.2g} of the largest value, where "
            f"{self.tolerance:.2g} is allowed; it was not timed"
        )


@dataclass(frozen=True)
class CaseResult:
    """All timings of one case, Sizewise first; `errors` are those that peers raised."""

    case: Case
    timings: tuple[Timing, ...]
    mismatches: tuple[Mismatch, ...] = ()
    errors: tuple[str, ...] = ()

    def get(self, name: str) -> Timing | None:
        """Return the timing of that name; None if it was not timed."""
        return next((timing for timing in self.timings if timing.name == name), None)

    def __getitem__(self, name: str) -> Timing:
        timing = self.get(name)
        if timing is None:
            raise KeyError(name)
        return timing

    @property
    def peers(self) -> tuple[Timing, ...]:
        """Return the timings of all other libraries, fastest first."""
        others = (timing for timing in self.timings if timing.name not in (*ours.OWN, ours.COPY))
        return tuple(sorted(others, key=lambda timing: timing.ratio_to(self[ours.NAME])))

    @property
    def best_peer(self) -> Timing | None:
        """Return the timing of the fastest peer, whether its pixels are the same or not."""
        return self.peers[0] if self.peers else None

    @property
    def speedup(self) -> float | None:
        """Return the fastest peer's time divided by that of Sizewise."""
        return self.best_peer.ratio_to(self[ours.NAME]) if self.best_peer else None

    @property
    def copy_ratio(self) -> float:
        """Return the time with `out=` divided by the time to copy the input and the output."""
        return self[ours.OUT].ratio_to(self[ours.COPY])


@dataclass(frozen=True)
class Results:
    """The results of all cases."""

    machine: Machine
    rounds: int
    rows: tuple[CaseResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def mismatches(self) -> tuple[Mismatch, ...]:
        """Return every peer that was not timed since its pixels are wrong."""
        return tuple(mismatch for row in self.rows for mismatch in row.mismatches)

    @property
    def errors(self) -> tuple[str, ...]:
        """Return the errors that peers raised, each once."""
        return tuple(dict.fromkeys(error for row in self.rows for error in row.errors))


def run_cases(
    cases: Sequence[Case],
    peers: Iterable[Peer],
    machine: Machine,
    *,
    rounds: int = 20,
    threads: int | None = None,
    notes: Iterable[str] = (),
    on_row: Callable[[CaseResult], None] = lambda row: None,
) -> Results:
    """Run every case; `threads` is the caller's argument, `on_row` is called with each finished row."""
    rows = []
    for case in cases:
        rows.append(run_case(case, peers, rounds=rounds, threads=threads, cores=machine.threads))
        on_row(rows[-1])
    return Results(machine, rounds, tuple(rows), tuple(notes))


def merge_results(runs: Sequence[Results]) -> Results:
    """Return several runs of the same cases as one, with all times of each row."""
    rows = tuple(_merge_rows(rows) for rows in zip(*(run.rows for run in runs), strict=True))
    notes = tuple(dict.fromkeys(note for run in runs for note in run.notes))
    return Results(runs[0].machine, sum(run.rounds for run in runs), rows, notes)


def _merge_rows(rows: Sequence[CaseResult]) -> CaseResult:
    by_name: dict[str, list[Timing]] = {}
    for timing in chain(*(row.timings for row in rows)):
        by_name.setdefault(timing.name, []).append(timing)
    timings = (
        Timing(
            name,
            tuple(chain(*(timing.times for timing in found))),
            found[0].same_pixels,
            max(timing.difference for timing in found),
        )
        for name, found in by_name.items()
    )
    mismatches = dict.fromkeys(chain(*(row.mismatches for row in rows)))
    errors = dict.fromkeys(chain(*(row.errors for row in rows)))
    return CaseResult(rows[0].case, tuple(timings), tuple(mismatches), tuple(errors))


def run_case(
    case: Case, peers: Iterable[Peer], *, rounds: int, threads: int | None = None, cores: int = 1
) -> CaseResult:
    """Check all contenders of one case, then time them.

    >>> from sizewise_bench.cases import Case
    >>> row = run_case(Case((1, 8, 8, 3), (4, 4), "bilinear"), [], rounds=3)
    >>> [(timing.name, timing.rounds) for timing in row.timings]
    [('Sizewise', 3), ('Sizewise out=', 3), ('copy', 3)]
    """
    source = case.source()
    own = [*ours.contenders(case, source, threads), ours.copy(case, source, threads or cores)]
    expected = own[0].result()
    checked, mismatches, errors = [(contender, 0.0) for contender in own], [], []
    for peer in peers:
        name = peer.name
        try:
            for contender in peer.contenders(case, source, threads or cores):
                name = contender.name
                difference = relative_difference(contender.result(), expected)
                allowed = TOLERANCES[case.dtype] if contender.tolerance is None else contender.tolerance
                if contender.same_pixels and not difference <= allowed:
                    mismatches.append(Mismatch(case.name, name, difference, allowed))
                else:
                    checked.append((contender, difference))
        except Exception as error:  # frameworks raise any type for what they do not support
            if not is_raised_by(error, *FRAMEWORKS):
                raise
            errors.append(f"{name}: {type(error).__name__}: {error}")
    times = time_in_turns([contender for contender, _ in checked], rounds, always=len(own))
    timings = (
        Timing(contender.name, tuple(seconds), contender.same_pixels, difference)
        for (contender, difference), seconds in zip(checked, times, strict=True)
    )
    return CaseResult(case, tuple(timings), tuple(mismatches), tuple(errors))


def relative_difference(result: Array, expected: Array) -> float:
    """Return the largest difference as a fraction of the largest expected value; infinity for another shape.

    >>> relative_difference(np.array([1.0, 2.5]), np.array([1.0, 2.0]))
    0.25
    """
    if result.shape != expected.shape:
        return float("inf")
    largest = float(np.abs(expected.astype(np.float64, copy=False)).max(initial=0.0)) or 1.0
    return float(np.abs(result.astype(np.float64) - expected).max(initial=0.0)) / largest


def time_in_turns(contenders: Sequence[Contender], rounds: int, always: int) -> list[list[float]]:
    """Return the times of every contender; all but the first `always` may stop early if they are slow."""
    repeats = [_repeats(contender) for contender in contenders]
    times: list[list[float]] = [[] for _ in contenders]
    running = set(range(len(contenders)))
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            if number == EARLY_EXIT_ROUNDS:
                running -= _slow_peers(times, always)
            # In random order: a call after another on the same images finds them in the cache.
            for index in random.sample(sorted(running), len(running)):
                seconds = sum(contenders[index].time_once() for _ in range(repeats[index]))
                times[index].append(seconds / repeats[index])
    finally:
        if was_enabled:
            gc.enable()
    return times


def _repeats(contender: Contender) -> int:
    seconds = contender.time_once()
    if seconds < MIN_SECONDS:  # only its second call so far, after the one for the result: measure again
        seconds = min(seconds, contender.time_once())
    return max(1, min(_MAX_REPEATS, int(MIN_SECONDS / max(seconds, 1e-9))))


def _slow_peers(times: list[list[float]], always: int) -> set[int]:
    """Return the peers whose shortest time is far above the fastest peer's median."""
    peers = range(always, len(times))
    fastest = min((statistics.median(times[index]) for index in peers), default=0.0)
    return {index for index in peers if min(times[index]) > EARLY_EXIT_RATIO * fastest}
