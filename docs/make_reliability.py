"""Writes docs/measurements/reliability.md: what was tried to break Sizewise, how often and with what result, by a run of the tests.

Run as `make reliability`, or after `make test` as `python docs/make_reliability.py .venv/test.xml`. Tests say how often
they try something with pytest's `record_property(what, how_often)`.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import crashes
import runs

HERE = Path(__file__).resolve().parent
PAGE = HERE / "measurements" / "reliability.md"
TOP = """# Reliability

<!-- Written by `make reliability`; change docs/make_reliability.py, not this. -->

Sizewise is meant never to crash, to hang, to return wrong numbers in silence or to lose a file:
[SECURITY.md](../../SECURITY.md) says what is promised. This page says what was tried to break it: every row is a part of
the test suite, which runs on each change.

"""
# What is tried, and the tests that do: modules of tests/, folders and classes.
TRIED = {
    "Bad values for every argument of every public function, in every framework": """
        door test_errors test_robustness test_crashes""",
    "Arrays of more than 2**31 and 2**32 numbers": "test_far",
    "Ratios of ten million; results that do not fit in memory, a control group or a limit": """
        test_ratios test_room""",
    "Pages beside arrays that must not be touched": "test_guarded",
    "Tables that lie: what the native core is given is checked before it runs": "test_core",
    "Random calls against dense matrices": "test_fuzz",
    "Threads, forks, spawns, pools, Ctrl-C, the interpreter's end": """
        test_concurrency test_cores promises.test_fork promises.test_threads
        backends.test_torch.TestWorkers""",
    "No native core, one of another version, other instruction sets, NumPy's error settings, few cores": """
        test_environment test_core test_fallback""",
    "The same bits in every run, thread, process, batch and chunk": """
        promises.test_determinism""",
    "Long sums, subnormals, -0.0, NaN and infinity, float16 at its end, integers at theirs": """
        promises.test_sums promises.test_extremes promises.test_nonfinite""",
    "Files that lie, bomb, change, end early; folders of 10,000; names with newlines and escapes": """
        files cli.test_resize cli.test_text cli.test_process insight.test_audit_bad_files""",
    "Mixed calls from eight threads, memory watched": "test_soak test_memory test_results_memory",
}


class Result(NamedTuple):
    """What came of some tests: how many ran, failed and were left out, and how often they tried what."""

    ran: int
    failed: int
    left_out: int
    counts: Counter[str]


def result(cases: Iterable[ElementTree.Element], where: list[str]) -> Result:
    """What came of the tests in some places."""
    chosen = []
    for place in where:
        found = [case for case in cases if f"{case.get('classname')}.".startswith(f"tests.{place}.")]
        if not found:
            raise SystemExit(f"there are no tests in tests.{place}")
        chosen += found
    left_out = sum(case.find("skipped") is not None for case in chosen)
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in chosen)
    counts: Counter[str] = Counter()
    for one in (one for case in chosen for one in case.iter("property")):
        counts[one.get("name", "")] += int(one.get("value", "0"))
    return Result(len(chosen) - left_out, failed, left_out, counts)


def row(what: str, found: Result) -> str:
    """A row of the table."""
    often = "; ".join(f"{count:,} {name}" for name, count in sorted(found.counts.items()))
    outcome = f"{found.failed:,} of {found.ran:,} tests fail" if found.failed else f"all {found.ran:,} tests pass"
    left_out = f", {found.left_out:,} left out" if found.left_out else ""
    return f"| {what} | {often or f'{found.ran:,} tests'} | {outcome}{left_out} |\n"


def page(suite: ElementTree.Element) -> str:
    """The page in Markdown: the table of a run of the tests, and the calls that brought others down, run now."""
    cases = list(suite.iter("testcase"))
    parts = [TOP, "| what | how often | result |\n|---|---|---|\n"]
    parts += [row(what, result(cases, where.split())) for what, where in TRIED.items()]
    place = runs.surroundings()
    parts.append(
        f"\n{place['date']}: {place['on']}.\n\nOn [runs.md](runs.md) are longer runs: a million random calls, "
    )
    parts.append("half an hour of load, and the promises with every index of the kernels checked.\n\n")
    parts.append("## What brought others down\n\n")
    parts.append("Each call was run when this page was made, in a process of its own with 12 GB of addresses. ")
    parts.append("PyTorch's zeros beyond 2**31 numbers (pytorch/pytorch#141831) are of CUDA, and were not run.\n\n")
    return "".join([*parts, *(f"{line}\n" for line in crashes.table())])


if __name__ == "__main__":
    PAGE.write_text(page(ElementTree.parse(sys.argv[1]).getroot()), encoding="utf-8")
    print(f"wrote {PAGE.name}")
