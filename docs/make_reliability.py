"""Writer of docs/measurements/reliability.md: every attempt to break Sizewise in a run of the tests, and the result.

Run as `make reliability`, or after `make test-all` as `python docs/make_reliability.py .venv/test.xml`. Tests report
counts with pytest's `record_property(what, count)`.
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

Sizewise must not crash, hang, silently return wrong values, or lose a file ([SECURITY.md](../../SECURITY.md)). This
page lists the attempts to break it: every row is a part of the test suite, which runs on each change.

"""
# Attempts, and the tests that make them: modules of tests/, folders and classes.
ATTEMPTS = {
    "Bad values for every argument of every public function, in every framework": """
        bad_arguments test_errors test_robustness test_crashes""",
    "Arrays of more than `2**31` and `2**32` elements": "test_huge_arrays",
    "Ratios of ten million; results that do not fit in memory, a control group or a limit": """
        test_extreme_ratios engine.test_memory_limits engine.test_plan_memory""",
    "Guard pages around arrays: no access out of bounds": "test_guard_pages",
    "Inconsistent tables: the native core checks its arguments before it runs": "test_core",
    "Random calls against dense matrices": "test_fuzz",
    "Threads, forks, spawns, pools, Ctrl-C, interpreter shutdown": """
        test_concurrency engine.test_thread_count engine.test_bands promises.test_fork promises.test_threads
        backends.test_torch.TestWorkers""",
    "No native core, one of another version, other instruction sets, NumPy's error settings, few cores": """
        test_environment test_core test_fallback""",
    "The same bits in every run, thread, process, batch and chunk": """
        promises.test_determinism""",
    "Long sums, subnormals, -0.0, NaN and infinity, the limits of float16 and of integers": """
        promises.test_sums promises.test_extremes promises.test_nonfinite""",
    "Inconsistent, truncated and changing files, decompression bombs; folders of 10,000; names with escapes": """
        files cli.test_resize cli.test_resize_process cli.test_text cli.test_process insight.test_audit_bad_files""",
    "Mixed calls from eight threads, with memory monitored": "test_soak test_memory engine.test_buffer_pool",
}


class Result(NamedTuple):
    """The outcome of some tests: how many ran, failed and were skipped, and their counts."""

    ran: int
    failed: int
    skipped: int
    counts: Counter[str]


def result(cases: Iterable[ElementTree.Element], prefixes: list[str]) -> Result:
    """Return the outcome of the tests with these prefixes."""
    chosen = []
    for prefix in prefixes:
        found = [case for case in cases if f"{case.get('classname')}.".startswith(f"tests.{prefix}.")]
        if not found:
            raise SystemExit(f"no tests in tests.{prefix}")
        chosen += found
    skipped = sum(case.find("skipped") is not None for case in chosen)
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in chosen)
    counts: Counter[str] = Counter()
    for one in (one for case in chosen for one in case.iter("property")):
        counts[one.get("name", "")] += int(one.get("value", "0"))
    return Result(len(chosen) - skipped, failed, skipped, counts)


def row(what: str, found: Result) -> str:
    """Return a row of the table."""
    counts = "; ".join(f"{count:,} {name}" for name, count in sorted(found.counts.items()))
    outcome = f"{found.failed:,} of {found.ran:,} tests fail" if found.failed else f"all {found.ran:,} tests pass"
    skipped = f", {found.skipped:,} skipped" if found.skipped else ""
    return f"| {what} | {counts or f'{found.ran:,} tests'} | {outcome}{skipped} |\n"


def page(suite: ElementTree.Element) -> str:
    """Return the page in Markdown: the table of a test run, and the calls that crash other libraries, run now."""
    cases = list(suite.iter("testcase"))
    parts = [TOP, "| attempt | count | result |\n|---|---|---|\n"]
    parts += [row(what, result(cases, tests.split())) for what, tests in ATTEMPTS.items()]
    place = runs.surroundings()
    parts.append(
        f"\n{place['date']}: {place['on']}.\n\n[Long runs](runs.md): a million random calls, half an hour of load, "
    )
    parts.append("and every promise on every instruction set.\n\n")
    parts.append("## Inputs that crash other libraries\n\n")
    parts.append("Each call was run for this page, in a separate process with 12 GB of address space. ")
    parts.append("PyTorch's zeros beyond `2**31` elements (pytorch/pytorch#141831) need CUDA, and were not run.\n\n")
    return "".join([*parts, *(f"{line}\n" for line in crashes.table())])


if __name__ == "__main__":
    PAGE.write_text(page(ElementTree.parse(sys.argv[1]).getroot()), encoding="utf-8")
    print(f"wrote {PAGE.name}")
