"""The race: equality first, then everyone in turns, round by round, so that a noisy moment hits all alike."""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from ..errors import FRAMEWORKS, is_raised_by
from . import ours
from .cases import Case
from .entrant import Array, Entrant
from .machine import Machine
from .peers import Peer

# Frameworks round weights, sums and coordinates each in their own way: shares of the largest value.
TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 2e-3, "uint8": 0.0}
FEW = 5  # rounds after which a peer that cannot become the fastest is left out of the rest
HOPELESS = 4.0  # times the fastest peer's time
SHORT = 200e-6  # seconds: shorter laps are run several times in a row
_MOST_REPEATS = 100


@dataclass(frozen=True)
class Entry:
    """One entrant's times in one row, in seconds; `difference` is from ours, as a share of the largest value."""

    name: str
    times: tuple[float, ...]
    same: bool = True
    difference: float = 0.0

    @property
    def rounds(self) -> int:
        """How often it was timed."""
        return len(self.times)

    @property
    def minimum(self) -> float:
        """The shortest time."""
        return min(self.times)

    @property
    def median(self) -> float:
        """The time that half of the rounds took at most."""
        return statistics.median(self.times)

    def over(self, other: Entry) -> float:
        """How many times longer this takes than another: the median of all rounds, each beside the other's same round.

        So a round that is slow for both tells nothing. Who has left early is compared by the medians alone.

        >>> Entry("slow", (2.0, 9.0, 6.0)).over(Entry("quick", (1.0, 3.0, 3.0)))
        2.0
        """
        if self.rounds != other.rounds:
            return self.median / other.median
        return statistics.median(mine / theirs for mine, theirs in zip(self.times, other.times, strict=True))


@dataclass(frozen=True)
class Refusal:
    """A peer that gave other pixels than ours though it should not: it was not timed."""

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
class Row:
    """All times of one case, ours first."""

    case: Case
    entries: tuple[Entry, ...]
    refusals: tuple[Refusal, ...] = ()
    unable: tuple[str, ...] = ()  # peers that raised an error, and which

    def entry(self, name: str) -> Entry | None:
        """The entry of that name, if it ran."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def __getitem__(self, name: str) -> Entry:
        found = self.entry(name)
        if found is None:
            raise KeyError(name)
        return found

    @property
    def peers(self) -> tuple[Entry, ...]:
        """Everyone but us and the copy, fastest first."""
        others = (entry for entry in self.entries if entry.name not in (*ours.OWN, ours.COPY))
        return tuple(sorted(others, key=lambda entry: entry.over(self[ours.NAME])))

    @property
    def best(self) -> Entry | None:
        """The fastest peer, with the same pixels or not."""
        return self.peers[0] if self.peers else None

    @property
    def ahead(self) -> float | None:
        """How many times longer the fastest peer takes than our default call."""
        return self.best.over(self[ours.NAME]) if self.best else None

    @property
    def of_limit(self) -> float:
        """Our time with `out=`, over the time to copy the input and the output."""
        return self[ours.INTO].over(self[ours.COPY])


@dataclass(frozen=True)
class Race:
    """The facts of a whole race."""

    machine: Machine
    rounds: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Every peer that was not timed since its pixels are wrong."""
        return tuple(refusal for row in self.rows for refusal in row.refusals)

    @property
    def unable(self) -> tuple[str, ...]:
        """What peers raised where they could not do a case, each sentence once."""
        return tuple(dict.fromkeys(words for row in self.rows for words in row.unable))


def run(
    cases: Sequence[Case],
    peers: Iterable[Peer],
    machine: Machine,
    *,
    rounds: int = 20,
    threads: int | None = None,
    notes: Iterable[str] = (),
    done: Callable[[Row], None] = lambda row: None,
) -> Race:
    """Races every case; `threads` is as the caller gave it, `done` hears of each row as it is finished."""
    rows = []
    for case in cases:
        rows.append(run_case(case, peers, rounds=rounds, threads=threads, cores=machine.threads))
        done(rows[-1])
    return Race(machine, rounds, tuple(rows), tuple(notes))


def together(races: Sequence[Race]) -> Race:
    """Several races of the same cases as one: all times of each row, so that no slow minute decides it alone."""
    first = races[0]
    rows = tuple(_joined(rows) for rows in zip(*(one.rows for one in races), strict=True))
    notes = tuple(dict.fromkeys(words for one in races for words in one.notes))
    return Race(first.machine, sum(one.rounds for one in races), rows, notes)


def _joined(rows: Sequence[Row]) -> Row:
    """What several rows of one case hold."""
    by_name: dict[str, list[Entry]] = {}
    for row in rows:
        for entry in row.entries:
            by_name.setdefault(entry.name, []).append(entry)
    entries = (
        Entry(name, tuple(chain(*(one.times for one in found))), found[0].same, max(one.difference for one in found))
        for name, found in by_name.items()
    )
    refusals, unable = (row.refusals for row in rows), (row.unable for row in rows)
    return Row(
        rows[0].case, tuple(entries), tuple(dict.fromkeys(chain(*refusals))), tuple(dict.fromkeys(chain(*unable)))
    )  # fmt: skip


def run_case(case: Case, peers: Iterable[Peer], *, rounds: int, threads: int | None = None, cores: int = 1) -> Row:
    """One row: everyone checked, then everyone timed.

    >>> from sizewise.racing.cases import Case
    >>> row = run_case(Case((1, 8, 8, 3), (4, 4), "bilinear"), [], rounds=3)
    >>> [(entry.name, entry.rounds) for entry in row.entries]
    [('Sizewise', 3), ('Sizewise out=', 3), ('copy', 3)]
    """
    source = case.source()
    own = [*ours.entrants(case, source, threads), ours.copy(case, source, threads or cores)]
    expected = own[0].result()
    checked, refusals, unable = [(one, 0.0) for one in own], [], []
    for peer in peers:
        name = peer.name
        try:
            for entrant in peer.enter(case, source, threads or cores):
                name = entrant.name
                difference = distance(entrant.result(), expected)
                allowed = TOLERANCES[case.dtype] if entrant.tolerance is None else entrant.tolerance
                if entrant.same and not difference <= allowed:
                    refusals.append(Refusal(case.name, name, difference, allowed))
                else:
                    checked.append((entrant, difference))
        except Exception as error:  # whatever a framework raises for what it does not have
            if not is_raised_by(error, *FRAMEWORKS):
                raise
            unable.append(f"{name}: {type(error).__name__}: {error}")
    times = timed([entrant for entrant, _ in checked], rounds, always=len(own))
    entries = (
        Entry(entrant.name, tuple(seconds), entrant.same, difference)
        for (entrant, difference), seconds in zip(checked, times, strict=True)
    )
    return Row(case, tuple(entries), tuple(refusals), tuple(unable))


def distance(result: Array, expected: Array) -> float:
    """The largest difference, as a share of the largest expected value; of another shape: infinite.

    >>> distance(np.array([1.0, 2.5]), np.array([1.0, 2.0]))
    0.25
    """
    if result.shape != expected.shape:
        return float("inf")
    largest = float(np.abs(expected.astype(np.float64, copy=False)).max(initial=0.0)) or 1.0
    return float(np.abs(result.astype(np.float64) - expected).max(initial=0.0)) / largest


def timed(entrants: Sequence[Entrant], rounds: int, always: int) -> list[list[float]]:
    """The times of every entrant, in turns. All but the first `always` may leave early, where they are far behind."""
    repeats = [_repeats(entrant) for entrant in entrants]
    times: list[list[float]] = [[] for _ in entrants]
    running = set(range(len(entrants)))
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            if number == FEW:
                running -= _hopeless(times, always)
            # In another order each time: who follows a call on the same images finds them in the cache.
            for index in random.sample(sorted(running), len(running)):
                laps = (entrants[index].lap() for _ in range(repeats[index]))
                times[index].append(sum(laps) / repeats[index])
    finally:
        if was_enabled:
            gc.enable()
    return times


def _repeats(entrant: Entrant) -> int:
    seconds = entrant.lap()
    if seconds < SHORT:  # it was called once before, for its result; a second look settles it
        seconds = min(seconds, entrant.lap())
    return max(1, min(_MOST_REPEATS, int(SHORT / max(seconds, 1e-9))))


def _hopeless(times: list[list[float]], always: int) -> set[int]:
    """Who, even at its best so far, is far behind the fastest peer."""
    peers = range(always, len(times))
    fastest = min((statistics.median(times[index]) for index in peers), default=0.0)
    return {index for index in peers if min(times[index]) > HOPELESS * fastest}
