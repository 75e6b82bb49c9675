"""C functions around Python's: an answer always, and no call once they are closed."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from ctypes import CFUNCTYPE, Structure, addressof, c_int64, c_void_p, cast

import pytest

from sizewise.kernels.callbacks import Guard


class Api(Structure):
    _fields_ = (("unused", c_int64), ("fail", c_void_p))


class Frame(Structure):
    _fields_ = (("unused", c_int64 * 3), ("api", c_void_p))


FAILED = 77
FAILURE = c_int64(FAILED)
fail = CFUNCTYPE(c_int64, c_int64)(lambda address: c_int64.from_address(address).value)
API = Api(0, cast(fail, c_void_p))
FRAME = Frame((c_int64 * 3)(5, 6, 7), addressof(API))


class Guarded:
    """A Python function behind a guard, called with a frame of which it sees the address."""

    def __init__(self, function: Callable[[int], int]) -> None:
        def run(frame: int, answer: int) -> None:
            c_int64.from_address(answer).value = function(frame)

        self.kept = CFUNCTYPE(None, c_int64, c_int64)(run)
        path = Frame.api.offset, Api.fail.offset
        self.guard = Guard(cast(self.kept, c_void_p).value, path, addressof(FAILURE))
        self.call = CFUNCTYPE(c_int64, c_int64)(self.guard.address)

    def __call__(self) -> int:
        return self.call(addressof(FRAME))


def test_an_answer_is_passed_on() -> None:
    assert Guarded(lambda frame: Frame.from_address(frame).unused[1])() == 6
    assert Guarded(lambda frame: 0)() == 0


def test_no_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    raised = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: raised.append(what.exc_type))

    def interrupted(frame: int) -> int:
        raise KeyboardInterrupt

    assert Guarded(interrupted)() == FAILED
    assert raised == [KeyboardInterrupt]


def test_a_closed_guard_does_not_call() -> None:
    calls = []
    guarded = Guarded(lambda frame: calls.append(frame) or 3)
    assert guarded() == 3
    guarded.guard.close()
    assert guarded() == FAILED
    assert len(calls) == 1


def test_closing_waits_for_calls_that_run() -> None:
    begun, done = threading.Event(), []

    def slow(frame: int) -> int:
        begun.set()
        time.sleep(0.2)
        done.append(True)
        return 4

    guarded = Guarded(slow)
    worker = threading.Thread(target=guarded)
    worker.start()
    begun.wait()
    assert not done  # the control: it runs
    guarded.guard.close()
    assert done
    worker.join()
