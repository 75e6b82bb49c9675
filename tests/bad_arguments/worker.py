"""Calls every function of one module with every bad value, one argument at a time, and reports wrong outcomes.

    python -m bad_arguments.worker functions 1  ->  {"asked": 5000, "wrong": ["resize(size=NaN): TypeError: ...", ...]}

The second argument is that of `sample`: one in how many bad values is tried. A call may take a second of processor time
and 50 MB; one that crashes, or hangs for minutes, ends all.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import resource
import sys
import time
import tracemalloc
import warnings
from collections.abc import Iterator

from bad_arguments import public
from bad_arguments.function_case import FunctionCase
from bad_arguments.values import VALUES
from samples import sample

from sizewise.errors import SizewiseError

SECONDS = 1.0
BYTES = 50 * 2**20
WORDS = 5000  # letters of a message
ROOM = 4 * 2**30  # beyond what the process has: a call that wants more fails, and the machine lives
HANG = 500.0


def try_value(case: FunctionCase, argument: str, name: str) -> str:
    """What a call with one bad value among good ones comes to; of one that works, once it is compiled."""
    outcome = once(case, argument, name)
    return once(case, argument, name) if outcome.startswith("works,") else outcome


def once(case: FunctionCase, argument: str, name: str) -> str:
    """What one call comes to, and what it took too much of."""
    words = {**case.good(), argument: VALUES[name]()}
    tracemalloc.reset_peak()
    before, begin = tracemalloc.get_traced_memory()[0], time.process_time()
    outcome = _called(case, words)
    seconds, peak = time.process_time() - begin, tracemalloc.get_traced_memory()[1] - before
    if seconds > SECONDS:
        return f"{outcome}, after {seconds:.1f} s"
    if peak > BYTES:
        return f"{outcome}, with {peak / 2**20:.0f} MB"
    return outcome


def _called(case: FunctionCase, words: dict[str, object]) -> str:
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        case.call(**words)
    except SizewiseError as error:
        return "refused" if 0 < len(str(error)) < WORDS else f"refused in {len(str(error))} letters"
    except case.also:
        return "works"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        faulthandler.cancel_dump_traceback_later()
    return "works"


def answers(name: str, case: FunctionCase, one_in: int) -> Iterator[tuple[str, str, str]]:
    """Yield every call of a function case, its outcome and the right one; first of all run the call that works."""
    case.call(**case.good())
    for argument, taken in case.takes.items():
        for value in sample(VALUES, one_in, (name, argument)):
            if value not in case.unasked.get(argument, ()):
                wanted = "works" if value in taken else "refused"
                yield f"{name}({argument}={value})", try_value(case, argument, value), wanted


def main(module: str, one_in: int) -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    found = importlib.import_module(f"bad_arguments.{module}")
    cases: dict[str, FunctionCase] = found.CASES
    with open("/proc/self/statm") as sizes:
        room = int(sizes.read().split()[0]) * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    tracemalloc.start()
    told = [answer for name, case in cases.items() for answer in answers(name, case, one_in)]
    wrong = [f"{call}: {outcome}, not {wanted}" for call, outcome, wanted in told if outcome != wanted]
    sys.stdout.write(json.dumps({"asked": len(told), "wrong": [*public.faults(found.PUBLIC, cases), *wrong]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
