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
MAX_MESSAGE = 5000  # characters
EXTRA_BYTES = 4 * 2**30  # on top of the memory in use; a call that allocates more fails
HANG = 500.0


def try_value(case: FunctionCase, argument: str, name: str) -> str:
    """Return the outcome of a call with one bad value; a call that works is repeated, once it is compiled."""
    outcome = once(case, argument, name)
    return once(case, argument, name) if outcome.startswith("works,") else outcome


def once(case: FunctionCase, argument: str, name: str) -> str:
    """Return the outcome of one call, and the time or memory that it took beyond the limits."""
    arguments = {**case.good(), argument: VALUES[name]()}
    tracemalloc.reset_peak()
    before, begin = tracemalloc.get_traced_memory()[0], time.process_time()
    outcome = _outcome(case, arguments)
    seconds, peak = time.process_time() - begin, tracemalloc.get_traced_memory()[1] - before
    if seconds > SECONDS:
        return f"{outcome}, after {seconds:.1f} s"
    if peak > BYTES:
        return f"{outcome}, with {peak / 2**20:.0f} MB"
    return outcome


def _outcome(case: FunctionCase, arguments: dict[str, object]) -> str:
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        case.call(**arguments)
    except SizewiseError as error:
        return "refused" if 0 < len(str(error)) < MAX_MESSAGE else f"refused in {len(str(error))} letters"
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
        limit = int(sizes.read().split()[0]) * resource.getpagesize() + EXTRA_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    tracemalloc.start()
    outcomes = [answer for name, case in cases.items() for answer in answers(name, case, one_in)]
    wrong = [f"{call}: {outcome}, not {wanted}" for call, outcome, wanted in outcomes if outcome != wanted]
    sys.stdout.write(json.dumps({"asked": len(outcomes), "wrong": [*public.faults(found.PUBLIC, cases), *wrong]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
