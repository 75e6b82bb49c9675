"""Signal handlers raise in the middle of any call: soft time limits, alarms. What they raise reaches the caller.

The exception is raised at every line of Sizewise that a call runs, one after the other, as a handler could raise it.
"""

from __future__ import annotations

import random
import signal
import sys
from collections.abc import Callable
from linecache import getline
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from PIL import Image
from samples import ALL

import sizewise as sw
from sizewise.errors import FileError
from sizewise.files import reading

PACKAGE = str(Path(sw.__file__).parent)
X = np.arange(48 * 64 * 3, dtype=np.float32).reshape(48, 64, 3)
STEP = 1 if ALL else 7  # lines of a call between two signals
LARGE = np.zeros((1500, 1500, 3), np.float32)


class TimeIsUp(Exception):
    """Exception of a signal handler, of no package that Sizewise knows."""


def raised_at(n: int, call: Callable[[], Any], error: Exception) -> bool:
    """Run the call, and raise the error at the n-th line of Sizewise; return whether the call has that many lines."""
    left = n

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        # Leaving a `with` counts as its line again, though no handler can run there and keep its lock locked.
        if event == "line" and not getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with "):
            left -= 1
            if left < 0:
                raise error
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return left < 0


def refused(x: Any, size: Any) -> None:
    with pytest.raises(sw.errors.ArgumentError):
        sw.resize(x, size)


CALLS: dict[str, Callable[[], Any]] = {
    "list sizes": lambda: sw.resize(X, [24, 32], "lanczos3", threads=1),
    "NumPy sizes": lambda: sw.resize(X, np.array([24, 32]), "area"),
    "scale": lambda: sw.resize(X, scale=0.5),
    "nested lists": lambda: sw.resize([[1.0, 2.0], [3.0, 4.0]], (3, 3), axes=(0, 1)),
    "uint8 of Pillow": lambda: sw.resize(X.astype(np.uint8), (24, 32), "bicubic", dialect="pillow"),
    "options": lambda: sw.resize(X, (24, 32), "cubic", dialect="onnx", cubic_coeff_a=-0.5),
    "two threads": lambda: sw.resize(LARGE, (700, 700), threads=2),
    "gradient": lambda: sw.resize_grad(X, (96, 128)),
    "tile": lambda: sw.make_plan((48, 64), (24, 32)).tile((slice(0, 4), slice(0, 32)))[1](X[:9]),
    "refusal": lambda: refused(X, (0, object())),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("error", [TimeIsUp("over"), TimeoutError("over")], ids=["own class", "TimeoutError"])
def test_an_exception_of_a_signal_handler_at_any_line_reaches_the_caller(name: str, error: Exception) -> None:
    call, n = CALLS[name], len(name) % STEP
    sw.clear_cache()
    expected = call()
    while True:
        sw.clear_cache()
        try:
            if not raised_at(n, call, error):
                break
        except type(error):
            n += STEP
            continue
        pytest.fail(f"line {n} of the call took the handler's exception for something else")
    assert n > 10
    if isinstance(expected, np.ndarray):
        assert np.array_equal(call(), expected)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.fromarray(X.astype(np.uint8)).save(path)
    n = 0
    while True:
        try:
            if not raised_at(n, lambda: reading.read(path), TimeIsUp()):
                break
        except TimeIsUp:
            n += 1
            continue
        pytest.fail(f"line {n} of reading a file took the handler's exception for a broken file")
    assert n > 10


def test_control_broken_files_are_errors_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n broken")
    with pytest.raises(FileError):
        reading.read(path)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timer")
def test_alarms() -> None:
    """Alarms at random moments of many calls: each ends its call with the handler's exception, and with no other."""
    alarms = 0

    def ring(*_: object) -> None:
        nonlocal alarms
        alarms += 1
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    moments, ended = random.Random(0), 0
    try:
        for _ in range(400):
            seen = alarms
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-5, 4e-4))
                while alarms == seen:
                    sw.resize(X, [24, 32], threads=np.int64(2))
            except TimeIsUp:
                ended += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Python itself drops what is raised inside its garbage collection, or in the last line of the loop.
    assert alarms == 400 and ended >= 380
