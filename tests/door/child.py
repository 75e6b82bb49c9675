"""Knocks at every door of one module with every value, one argument at a time, and tells which answers were wrong.

    python -m door.child functions  ->  {"asked": 5000, "wrong": ["resize(size=NaN): TypeError: ...", ...]}

A call may take a second of processor time and 50 MB; one that crashes, or hangs for minutes, ends all.
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

from door import public
from door.doors import Door
from door.values import VALUES

from sizewise.errors import SizewiseError

SECONDS = 1.0
BYTES = 50 * 2**20
WORDS = 5000  # letters of a message
ROOM = 4 * 2**30  # beyond what the process has: a call that wants more fails, and the machine lives
HANG = 500.0


def knock(door: Door, argument: str, name: str) -> str:
    """What a call with one bad value among good ones comes to; of one that works, once it is compiled."""
    outcome = once(door, argument, name)
    return once(door, argument, name) if outcome.startswith("works,") else outcome


def once(door: Door, argument: str, name: str) -> str:
    """What one call comes to, and what it took too much of."""
    words = {**door.good(), argument: VALUES[name]()}
    tracemalloc.reset_peak()
    before, begin = tracemalloc.get_traced_memory()[0], time.process_time()
    outcome = _called(door, words)
    seconds, peak = time.process_time() - begin, tracemalloc.get_traced_memory()[1] - before
    if seconds > SECONDS:
        return f"{outcome}, after {seconds:.1f} s"
    if peak > BYTES:
        return f"{outcome}, with {peak / 2**20:.0f} MB"
    return outcome


def _called(door: Door, words: dict[str, object]) -> str:
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        door.call(**words)
    except SizewiseError as error:
        return "refused" if 0 < len(str(error)) < WORDS else f"refused in {len(str(error))} letters"
    except door.also:
        return "works"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        faulthandler.cancel_dump_traceback_later()
    return "works"


def answers(name: str, door: Door) -> Iterator[tuple[str, str, str]]:
    """Every call at a door, what came of it and what should; the good call first, which compiles what it needs."""
    door.call(**door.good())
    for argument, taken in door.takes.items():
        for value in VALUES:
            if value not in door.unasked.get(argument, ()):
                wanted = "works" if value in taken else "refused"
                yield f"{name}({argument}={value})", knock(door, argument, value), wanted


def main(module: str) -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    found = importlib.import_module(f"door.{module}")
    doors: dict[str, Door] = found.DOORS
    with open("/proc/self/statm") as sizes:
        room = int(sizes.read().split()[0]) * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    tracemalloc.start()
    told = [answer for name, door in doors.items() for answer in answers(name, door)]
    wrong = [f"{call}: {outcome}, not {wanted}" for call, outcome, wanted in told if outcome != wanted]
    sys.stdout.write(json.dumps({"asked": len(told), "wrong": [*public.faults(found.PUBLIC, doors), *wrong]}))


if __name__ == "__main__":
    main(sys.argv[1])
