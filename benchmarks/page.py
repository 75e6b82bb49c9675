"""The page docs/measurements/performance.md: the bars, the figures, and every row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from sizewise.racing import ours
from sizewise.racing.cases import Case
from sizewise.racing.race import Entry, Race, Row
from sizewise.report.race import marked, milliseconds, ran_on

from .bars import Bar, bars, shown
from .process import Curve, Own

_MOST_MISSED = 12


def page(race: Race, own: Own | None, figures: Iterable[tuple[str, str]]) -> str:
    """The whole page; figures are (what they show, where they are) pairs."""
    parts = [
        "# Performance",
        f"Made by `make bench`: do not edit. {ran_on(race)}",
        _HOW,
        "## The bars",
        *_bars(bars(race, own), {row.case.name: row for row in race.rows}),
        *(f"![{words}]({path})" for words, path in figures),
        "## Every row",
        _COLUMNS,
        *_tables(race.rows),
        *_own(own),
        *_notes(race),
    ]
    return "\n\n".join(parts) + "\n"


_HOW = """Every peer is first checked to give our pixels. Those marked * have another definition (OpenCV's area, the
cubic of PyTorch and OpenCV, the fewer bits of pillow-simd ...) and are raced all the same. Then everyone takes turns,
round by round, so that a noisy moment hits all alike, and each row is visited again later, so that a noisy minute
does not decide it; a peer more than four times behind the fastest one leaves a visit after five rounds.
Times are medians, minima in brackets. How many times longer one takes than another is the median over the rounds, each
compared with itself, so that a round that is slow for everyone tells nothing. Gradients of peers are their own gradient
kernels, called directly. The copy limit is the time to copy the input and to copy the output between blocks of memory
at hand, on as many threads. Differences below a tenth are noise, and rows that are more arithmetic than memory may be
off by more on a virtual machine, whose cores may be halves of one: the notes at the end say how much a second thread
gave, and how fast memory was."""

_COLUMNS = """ms: our default call, which allocates its result. out=: the same into an array at hand. copy: that time
over the copy limit. ahead: how many times longer the best peer takes than our default call, **bold** where it takes
less."""


def _bars(found: Iterable[Bar], rows: Mapping[str, Row]) -> Iterator[str]:
    """One table of all bars, then the rows that miss one."""
    listed = list(found)
    lines = ["| bar | wanted | worst | rows | |", "|---|---|---|---|---|"]
    for bar in listed:
        count = f"{len(bar.values) - len(bar.missed)} of {len(bar.values)}"
        verdict = "**missed**" if bar.missed else "reached"
        lines.append(f"| {bar.words} | {bar.wanted} | {shown(bar.worst)} | {count} | {verdict} |")
    yield "\n".join(lines)
    for bar in listed:
        if bar.missed and bar.missed[0][0] != bar.words:  # the table says it all of a bar with one value
            yield "\n".join([f"Missed: {bar.words} ({bar.wanted})", "", *_missed(bar, rows)])


def _missed(bar: Bar, rows: Mapping[str, Row]) -> Iterator[str]:
    """The rows that miss a bar; of those that should be farther ahead, how far that is from what memory allows."""
    for name, value in bar.missed[:_MOST_MISSED]:
        words = f"- {shown(value)}: {name}"
        if bar.above and name in rows:
            copies = rows[name][ours.NAME].over(rows[name][ours.COPY])
            wanted = copies * value / bar.limit
            words += f", in {shown(copies)} of the time of a copy, where {bar.limit:g} would be {shown(wanted)} of it"
        yield words
    if len(bar.missed) > _MOST_MISSED:
        yield f"- and {len(bar.missed) - _MOST_MISSED} more, each in its row below"


def _tables(rows: Iterable[Row]) -> Iterator[str]:
    for title, group in groupby(rows, lambda row: _title(row.case)):
        yield f"### {title}"
        head = "| | ms | out= | copy | best peer | ahead | others, as multiples of ms |"
        yield "\n".join([head, "|---|---|---|---|---|---|---|", *(_line(row) for row in group)])


def _title(case: Case) -> str:
    method = f"{case.method}, antialiased" if case.antialias else case.method
    where = [case.dtype if case.dtype != "float32" else "", case.layout if case.layout != "NHWC" else ""]
    where.append(f"dialect {case.dialect}" if case.dialect != "standard" else "")
    words = ", ".join(word for word in where if word)
    return f"{words}: {method}" if words else method


def _line(row: Row) -> str:
    own, into, case = row[ours.NAME], row[ours.INTO], row.case
    shape, size = "x".join(map(str, case.arranged(*case.shape[1:3]))), "x".join(map(str, case.size))
    name = f"{shape} to {size}{', gradient' if case.gradient else ''}"
    cells = [name, _time(own), _time(into), shown(row.of_limit)]
    if row.best is None or row.ahead is None:
        return "| " + " | ".join([*cells, "-", "-", _others(row, ())]) + " |"
    ratio = f"{row.ahead:.2f} ({row.best.minimum / own.minimum:.2f})"
    cells += [f"{_named(row.best)} {milliseconds(row.best.median)}", f"**{ratio}**" if row.ahead < 1 else ratio]
    return "| " + " | ".join([*cells, _others(row, row.peers[1:])]) + " |"


def _time(entry: Entry) -> str:
    return f"{milliseconds(entry.median)} ({milliseconds(entry.minimum)})"


def _others(row: Row, peers: Iterable[Entry]) -> str:
    own = row[ours.NAME]
    entries = [*(entry for entry in row.entries if entry.name in (ours.SINGLE, ours.ALONE)), *peers]
    return ", ".join(f"{_named(entry)} {entry.over(own):.1f}" for entry in entries)


def _named(entry: Entry) -> str:
    return entry.name if entry.name in ours.OWN else marked(entry).replace("*", "\\*")


def _own(own: Own | None) -> Iterator[str]:
    if own is None:
        return
    yield "## In processes of their own"
    lines = ["| | median (least) | bar |", "|---|---|---|"]
    for one in own.measures:
        bar = f"<= {one.bar:g} {one.unit}" if one.bar else ""
        lines.append(f"| {one.what} | {one.median:.3g} ({min(one.values):.3g}) {one.unit} | {bar} |")
    yield "\n".join(lines)
    for title, curves, label in (
        ("Antialiased halving of one grey float32 image, ns per input pixel", own.sizes, "{0}x{0}"),
        ("4K to 720p, antialiased bilinear, float32, ms, by threads", own.threads, "{0}"),
    ):
        if curves:
            yield title + ":"
            yield _curves(curves, label, pixels=curves is own.sizes)


def _curves(curves: Sequence[Curve], label: str, *, pixels: bool) -> str:
    steps = [x for x, _ in curves[0].points]
    lines = ["| | " + " | ".join(label.format(x) for x in steps) + " |", "|---|" + "---|" * len(steps)]
    for curve in curves:
        known = dict(curve.points)
        cells = [f"{known[x] * (1e9 / x**2 if pixels else 1e3):.2f}" if x in known else "-" for x in steps]
        lines.append(f"| {curve.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _notes(race: Race) -> Iterator[str]:
    words = [*race.notes, *(f"In some rows: {words}" for words in race.unable)]
    if words:
        yield "## Notes"
        yield "\n".join(f"- {note}" for note in words)
