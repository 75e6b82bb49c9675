"""The work of a first call of `resize`: how many files and functions of Sizewise it runs. Both may only shrink.

    python tests/test_first_call.py  ->  the calls of each file

Neither imports (which `docs/start.md` measures) nor functions of NumPy are counted, nor comprehensions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import sizewise as sw

ROOT = Path(sw.__file__).parents[1]
PACKAGE = str(ROOT / "sizewise")
MAX_FILES = 23
MAX_CALLS = 115
COUNT = """
import collections, json, sys, numpy, sizewise

calls, importing = collections.Counter(), []

def note(frame, event, argument):
    code = frame.f_code
    is_import = code.co_name == "_find_and_load" and "importlib" in code.co_filename
    if event == "call" and is_import:
        importing.append(frame)
    elif event == "return" and is_import:
        importing.pop()
    elif event == "call" and not importing and not code.co_name.endswith(("comp>", "genexpr>")):
        calls[code.co_filename, code.co_qualname] += 1

x = numpy.ones((48, 64, 3), numpy.float32)
sys.setprofile(note)
{call}
sys.setprofile(None)
print(json.dumps([(file, name, count) for (file, name), count in calls.items()]))
"""


def count_calls(call: str) -> list[tuple[str, str, int]]:
    """Return (file, function, number of calls) of a first call in a new Python, of Sizewise's own files."""
    command = [sys.executable, "-c", COUNT.format(call=call)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables, cwd=ROOT)
    return [(file, name, count) for file, name, count in json.loads(done.stdout) if file.startswith(PACKAGE)]


def total(counts: list[tuple[str, str, int]]) -> tuple[set[str], int]:
    """Return the files, and the number of calls in all of them."""
    return {file for file, _, _ in counts}, sum(count for *_, count in counts)


def test_a_first_call_is_short() -> None:
    files, calls = total(count_calls("sizewise.resize(x, (24, 32))"))
    assert len(files) <= MAX_FILES, sorted(files)
    assert calls <= MAX_CALLS


def test_a_second_call_is_three_functions() -> None:
    once, twice = (total(count_calls("; ".join(["sizewise.resize(x, (24, 32))"] * times)))[1] for times in (1, 2))
    assert twice - once == 3


def test_control_calls_are_counted() -> None:
    counts = {name: count for _, name, count in count_calls("[sizewise.dialects.get('torch') for _ in range(3)]")}
    assert counts["get"] == 3


if __name__ == "__main__":
    found = count_calls("sizewise.resize(x, (24, 32))")
    by_file: Counter[str] = Counter()
    for file, _, count in found:
        by_file[file] += count
    for file, calls in by_file.most_common():
        names = ", ".join(f"{name} {count}" for other, name, count in found if other == file)
        print(f"{calls:4}  {file.removeprefix(PACKAGE)}: {names}")  # noqa: T201
    files, calls = total(found)
    print(f"{len(files)} files, {calls} calls")  # noqa: T201
