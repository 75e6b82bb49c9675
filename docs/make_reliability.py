"""Writes docs/reliability.md: what was tried to break Sizewise, how often and with what result, by a run of the tests.

Run as `python docs/make_reliability.py`, or `make reliability`; it takes some minutes. Tests say how often they try
something with pytest's `record_property(what, how_often)`.
"""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import crashes
import runs

HERE = Path(__file__).resolve().parent
PAGE = HERE / "reliability.md"
TOP = """# Reliability

<!-- Written by `make reliability`; change docs/make_reliability.py, not this. -->

Sizewise never crashes, never hangs, never returns wrong numbers in silence and never loses a file.
[SECURITY.md](../SECURITY.md) says what is promised. This page says what was tried to break it: every row is a part of
the test suite, which runs on each change.

"""
# What is tried, and the tests that do.
TRIED = {
    "Bad values for every argument of every public function, in every framework": """
        door test_errors.py test_robustness.py test_crashes.py""",
    "Arrays of more than 2**31 and 2**32 numbers": "test_far.py",
    "Ratios of ten million; results that do not fit in memory, a control group or a limit": """
        test_ratios.py test_room.py""",
    "Every index of every kernel checked; pages beside arrays that must not be touched": """
        test_switches.py test_guarded.py""",
    "Kernels run line by line as Python: the same bits, and every line reached": "test_interpreted.py",
    "Random calls against dense matrices": "test_fuzz.py",
    "Threads, forks, spawns, pools, Ctrl-C, the interpreter's end": """
        test_concurrency.py test_cores.py promises/test_fork.py promises/test_threads.py
        backends/test_torch.py::TestWorkers""",
    "Folders that cannot be written, full disks, other Numbas, NumPy's error settings, few cores": """
        test_environment.py test_disk.py test_fallback.py""",
    "The same bits in every run, thread, process, batch and chunk": """
        promises/test_determinism.py promises/test_targets.py""",
    "Long sums, subnormals, -0.0, NaN and infinity, float16 at its end, integers at theirs": """
        promises/test_sums.py promises/test_extremes.py promises/test_nonfinite.py""",
    "Files that lie, bomb, change, end early; folders of 10,000; names with newlines and escapes": """
        files cli/test_resize.py cli/test_text.py cli/test_process.py insight/test_audit_bad_files.py""",
    "Mixed calls from eight threads, memory watched": "test_soak.py test_memory.py test_results_memory.py",
}


class Result(NamedTuple):
    """What came of some tests: how many ran, failed and were left out, and how often they tried what."""

    tests: int
    failed: int
    left_out: int
    counts: Counter[str]


def run(tests: list[str], folder: Path) -> Result:
    """Runs some tests."""
    file = folder / "results.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--numprocesses",
        "auto",
        "--dist",
        "loadfile",
        "--junitxml",
        str(file),
    ]
    subprocess.run([*command, *(str(Path("tests", name)) for name in tests)], cwd=HERE.parent, stdout=sys.stderr)
    suite = next(ElementTree.parse(file).getroot().iter("testsuite"))
    counts: Counter[str] = Counter()
    for one in suite.iter("property"):
        counts[one.get("name", "")] += int(one.get("value", "0"))
    numbers = {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
    return Result(numbers["tests"], numbers["failures"] + numbers["errors"], numbers["skipped"], counts)


def row(what: str, result: Result) -> str:
    """A row of the table."""
    often = "; ".join(f"{count:,} {name}" for name, count in sorted(result.counts.items()))
    ran = result.tests - result.left_out
    outcome = f"{result.failed:,} of {ran:,} tests fail" if result.failed else f"all {ran:,} tests pass"
    left_out = f", {result.left_out:,} left out" if result.left_out else ""
    return f"| {what} | {often or f'{ran:,} tests'} | {outcome}{left_out} |\n"


def main() -> int:
    with TemporaryDirectory() as folder:
        results = {what: run(files.split(), Path(folder)) for what, files in TRIED.items()}
    parts = [TOP, "| what | how often | result |\n|---|---|---|\n"]
    parts += [row(what, result) for what, result in results.items()]
    place = runs.surroundings()
    parts.append(f"\n{place['date']}: {place['on']}.\n\nLonger runs, a million random calls and half an hour of load ")
    parts.append("among them, are on [runs.md](runs.md).\n\n## What brought others down\n\n")
    parts.append("Each call was run when this page was made, in a process of its own with 12 GB of addresses.\n\n")
    parts += [f"{line}\n" for line in crashes.table()]
    PAGE.write_text("".join(parts), encoding="utf-8")
    print(f"wrote {PAGE.name}")
    return int(any(result.failed for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
