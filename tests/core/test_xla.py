"""The handler of XLA's custom call: native calls without the GIL, errors as messages, and shutdown that waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from ctypes import pointer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")

import xla_frames
from xla_frames import Call, Extension, Metadata, Version, sized

import sizewise as sw
from sizewise import _core, thread_count
from sizewise.backends import _xla
from sizewise.errors import UnsupportedError

native = _core.native()
assert native is not None, "these tests are of the native core"

VERSION = (0, 3)
INTERNAL, ABORTED = 13, 10
MAX_REGISTERED = 1024 + 16
SHAPE, SIZE = (2, 9, 8, 3), (5, 6)
TESTS = Path(__file__).parents[1]


class Fallback:
    """The real fallback, which counts its calls."""

    def __init__(self, function: Callable[..., Any] = _xla._resize) -> None:
        self.n_calls, self.function = 0, function

    def __call__(self, *args: Any) -> Any:
        self.n_calls += 1
        return self.function(*args)


def install(fallback: Callable[..., Any]) -> int:
    """Have the handler call this function, with no calls registered; return its address."""
    native.xla_clear()
    address: int = native.xla_handler(*VERSION, fallback)
    return address


@pytest.fixture(autouse=True)
def restore() -> Iterator[None]:
    yield
    install(_xla._resize)


def noise(shape: tuple[int, ...] = SHAPE, dtype: str = "float32") -> np.ndarray:
    values = np.random.default_rng([*shape]).standard_normal(shape)
    return (values if "float" in dtype else np.abs(values) * 60).astype(dtype)


def text(x: np.ndarray, size: tuple[int, int] = SIZE, n_threads: int | None = None, **options: Any) -> Any:
    """Return the attribute of a resize of axes 1 and 2."""
    plan = sw.make_plan(x.shape[1:3], size, **options)
    return plan.to_text(), (1, 2), n_threads


def call(address: int, x: np.ndarray | None = None, size: tuple[int, int] = SIZE, **options: Any) -> Call:
    x = noise() if x is None else x
    out = np.full((x.shape[0], *size, *x.shape[3:]), 99, x.dtype)
    return Call(address, x, out, text(x, size, **options))


def is_right(one: Call, **options: Any) -> bool:
    """Return whether a call succeeds and gives the bits that NumPy arrays get."""
    one.out[...] = 99
    failure = one.run()
    assert failure is None, failure
    return one.out.tobytes() == sw.resize(one.x, one.out.shape[1:3], **options).tobytes()


def fresh(code: str) -> str:
    """Run code in another process, which must succeed; return its output."""
    path = os.pathsep.join([str(TESTS), str(Path(sw.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


# The registry.


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_python_runs_once_for_each_kind_of_call(dtype: str) -> None:
    fallback = Fallback()
    address = install(fallback)
    small, large = noise(dtype=dtype), noise((4, 300, 310, 3), dtype)
    calls = [
        call(address, small),
        call(address, large, (200, 190)),
        call(address, small, (7, 6)),
        call(address, small, n_threads=2),
    ]
    for _ in range(3):
        assert all(is_right(one) for one in calls)
    assert fallback.n_calls == len(calls)
    assert native.xla_clear() == len(calls)
    assert is_right(calls[0]) and fallback.n_calls == len(calls) + 1


def test_bfloat16_runs_natively() -> None:
    import ml_dtypes

    fallback = Fallback()
    one = call(install(fallback), noise().astype(ml_dtypes.bfloat16))
    assert all(is_right(one) for _ in range(3)) and fallback.n_calls == 1


def test_arrays_in_several_passes_go_through_python_each_time() -> None:
    fallback, x = Fallback(), noise()
    out = np.empty((2, 4, 5, 6), np.float32)
    plan = sw.make_plan(x.shape[1:], out.shape[1:], "lanczos3")
    one = Call(install(fallback), x, out, (plan.to_text(), (1, 2, 3), None))
    for n in range(1, 4):
        out[...] = 99
        assert one.run() is None and fallback.n_calls == n
        assert out.tobytes() == sw.resize(x, out.shape[1:], "lanczos3", axes=(1, 2, 3)).tobytes()
    assert native.xla_clear() == 0


def test_empty_and_unaligned_arrays() -> None:
    address = install(_xla._resize)
    assert call(address, np.zeros((0, 9, 8, 3), np.float32)).run() is None
    memory = np.zeros(noise().nbytes + 1, np.uint8)[1:]
    x = memory.view(np.float32).reshape(SHAPE)
    x[...] = noise()
    assert not x.flags.aligned and is_right(call(address, x)) and native.xla_clear() == 0


def test_full_registry_drops_calls_and_stays_correct() -> None:
    fallback = Fallback()
    address, x = install(fallback), noise((1, 4, 4, 1))
    # Spaces make another text of the same call.
    plan_text, axes, _ = text(x, (2, 2))
    calls = []
    for n in range(3000):
        one = Call(address, x, np.empty((1, 2, 2, 1), np.float32), (plan_text + " " * (n % 60), axes, n // 60 + 1))
        calls.append(one)
        assert is_right(one)
    assert fallback.n_calls == len(calls)
    assert is_right(calls[-1]) and fallback.n_calls == len(calls)  # the last one is registered
    assert all(is_right(one) for one in calls) and fallback.n_calls > len(calls)
    assert MAX_REGISTERED / 2 < native.xla_clear() <= MAX_REGISTERED


def test_long_texts_are_not_registered() -> None:
    fallback, x = Fallback(), noise()
    plan_text, axes, n_threads = text(x)
    one = Call(install(fallback), x, np.empty((2, *SIZE, 3), np.float32), (plan_text + " " * 5000, axes, n_threads))
    assert is_right(one) and is_right(one) and fallback.n_calls == 2 and native.xla_clear() == 0


def test_clear_cache_drops_registered_calls() -> None:
    one = call(install(_xla._resize))
    assert is_right(one)
    sw.clear_cache()
    assert native.xla_clear() == 0 and is_right(one)


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    returned = []
    fallback = Fallback(lambda *args: returned.append(_xla._resize(*args)) or returned[-1])
    address, x = install(fallback), noise((8, 224, 224, 3))
    monkeypatch.setenv("SIZEWISE_THREADS", "3")
    for given, n_threads in ((None, 3), (1, 1), (2, 2)):
        assert is_right(call(address, x, (512, 512), n_threads=given)) and returned[-1][2] == n_threads
    assert is_right(call(address)) and returned[-1][2] == 1  # small
    monkeypatch.delenv("SIZEWISE_THREADS")
    monkeypatch.setattr(thread_count, "_cores", lambda: 2)
    monkeypatch.setattr(thread_count, "_quota", lambda: 2)
    native.xla_clear()
    with ThreadPoolExecutor(1) as pool:  # whether this one is registered does not matter for later calls
        assert pool.submit(is_right, call(address, x, (512, 512))).result() and returned[-1][2] == 2


# Errors.


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (KeyboardInterrupt("stop"), "sizewise: KeyboardInterrupt: stop"),
        (SystemExit(3), "sizewise: SystemExit: 3"),
        (UnsupportedError("größer, 不"), "sizewise: UnsupportedError: größer, 不"),
        (Unprintable(), "sizewise: an exception that has no message"),
        (ValueError("\udc80"), "sizewise: an exception that has no message"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_exceptions_become_errors(raised: BaseException, message: str) -> None:
    def fail(*args: object) -> None:
        raise raised

    one = call(install(fail))
    assert one.run() == (message, INTERNAL)
    install(_xla._resize)
    assert is_right(one)


def test_an_interrupt_becomes_an_error() -> None:
    def wait(*args: object) -> None:
        while True:
            pass

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt("now")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        one = call(install(wait))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert one.run() == ("sizewise: KeyboardInterrupt: now", INTERNAL)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_fallback_that_cannot_start_is_an_error() -> None:
    message, code = call(install(lambda: None)).run()
    assert message.startswith("sizewise: TypeError: ") and code == INTERNAL


def test_invalid_registrations_are_errors() -> None:
    made = _xla._resize
    wrong: list[tuple[Callable[..., Any], str]] = [
        (lambda *args: 5, "SystemError"),
        (lambda *args: (object(), *made(*args)[1:]), "ValueError: cannot register an object that is not a Call"),
        (lambda *args: (*made(*args)[:1], np.array([0, 99], np.int64).tobytes(), 1, 0), "a band outside the rows"),
        (lambda *args: (*made(*args)[:1], np.array([-1, 2], np.int64).tobytes(), 1, 0), "a band outside the rows"),
        (lambda *args: (made(*args)[0], "bands", 1, 0), "TypeError"),
    ]
    for fallback, message in wrong:
        failure = call(install(fallback)).run()
        assert failure is not None and message in failure[0]
        assert native.xla_clear() == 0
    other = []
    call(install(lambda *args: other.append(made(*args))), noise((1, 9, 8, 3))).run()
    message, _ = call(install(lambda *args: other[0])).run()
    assert "arrays of other sizes" in message


@pytest.mark.parametrize("name", ["frame", "arguments", "results", "attributes", "source", "target"])
def test_structures_of_another_size_are_rejected(name: str) -> None:
    one = call(install(_xla._resize))
    assert is_right(one)
    structure = one.frame if name == "frame" else getattr(one, name, None) or getattr(one.frame, name)
    structure.size += 8
    message = one.run()[0]
    assert message.startswith("sizewise: XLA's structure ") and message.endswith(" has another size here")
    structure.size -= 8
    assert is_right(one)


def test_other_arguments_are_rejected() -> None:
    one = call(install(_xla._resize))
    for part in (one.frame.arguments, one.frame.results, one.frame.attributes):
        part.count = 2
        assert "other arguments than one array" in one.run()[0]
        part.count = 1
        part.types[0] += 1
        assert "other arguments than one array" in one.run()[0]
        part.types[0] -= 1
    one.source.dtype = xla_frames.CODES["complex64"]
    assert "a dtype that cannot be resized" in one.run()[0]
    one.source.dtype = 1 << 20
    assert "a dtype that cannot be resized" in one.run()[0]


def test_only_the_execute_stage_does_something() -> None:
    one = call(install(_xla._resize))
    for stage in (0, 1, 2):
        one.frame.stage = stage
        assert one.run() is None and (one.out == 99).all()


def test_the_version_is_answered() -> None:
    one = call(native.xla_handler(0, 2, _xla._resize))
    metadata = sized(Metadata, Version(24), 7)
    one.frame.extensions = pointer(sized(Extension, 1, None, pointer(metadata)))
    assert one.run() is None and (one.out == 99).all()
    assert (metadata.version.major, metadata.version.minor, metadata.traits) == (0, 2, 0)
    metadata.size += 4
    assert "XLA's structure Metadata" in one.run()[0]


# Threads, forks and shutdown.


def test_calls_from_several_threads_while_the_registry_is_cleared() -> None:
    address, done = install(_xla._resize), threading.Event()

    def work(n: int) -> bool:
        one = call(address, noise((n + 1, 40, 41, 3)), (30 + n, 50), n_threads=1 + n % 2)
        return all(is_right(one) for _ in range(100))

    def clear() -> None:
        while not done.wait(0.001):
            native.xla_clear()

    clearer = threading.Thread(target=clear)
    clearer.start()
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(work, range(6)))
    done.set()
    clearer.join()
    assert all(results)


HEAD = """
import os, sys, threading, time
import numpy as np
import sizewise as sw
from sizewise import _core
from sizewise.backends import _xla
from xla_frames import Call

import jax

x = np.random.default_rng(0).standard_normal((4, 300, 300, 3)).astype(np.float32)
address = _xla.handler(jax.ffi.include_dir())


def call(size, n_threads=2):
    out = np.empty((4, *size, 3), np.float32)
    return Call(address, x, out, (sw.make_plan((300, 300), size).to_text(), (1, 2), n_threads))


def is_right(one):
    one.out[...] = 99
    return one.run() is None and (one.out == sw.resize(x, one.out.shape[1:3])).all()

"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_keeps_registered_calls() -> None:
    code = """
one = call((200, 210))
small = call((2, 2))
assert is_right(one) and is_right(small)
end = time.monotonic() + 1000
busy = threading.Thread(target=lambda: [small.run() for _ in iter(lambda: time.monotonic() < end, False)])
busy.start()
for n in range(20):
    child = os.fork()
    if child == 0:
        native = _core.native()
        native.xla_handler(0, 3, None)  # Python cannot fill anything
        passed = is_right(one)
        native.xla_handler(0, 3, _xla._resize)
        passed = passed and is_right(call((30 + n, 40))) and native.xla_clear() >= 2
        os._exit(0 if passed else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
end = 0
busy.join()
"""
    fresh(HEAD + code)


def test_shutdown_waits_for_calls_in_python() -> None:
    code = """
def slow(*args):
    begun.set()
    time.sleep(0.5)
    print("filled")
    return None

begun = threading.Event()
_core.native().xla_handler(0, 3, slow)
threading.Thread(target=call((9, 9)).run, daemon=True).start()
begun.wait()
print("ending")
"""
    assert fresh(HEAD + code).split() == ["ending", "filled"]


def test_after_shutdown_only_registered_calls_run() -> None:
    code = """
one, other = call((20, 20)), call((30, 30))
assert is_right(one)
assert _core.native().xla_close() == 0
assert is_right(one)
assert other.run() == ("sizewise: Python has ended", 10)
"""
    fresh(HEAD + code)


HOLD = """
import ctypes
import jax, jax.numpy as jnp, numpy as np, sizewise as sw


def chain(x):
    for n in range(8):
        x = sw.resize(x * 1.5, (401 + n % 2, 398 + n % 2))
    return x

x = jnp.asarray(np.random.default_rng(0).standard_normal((8, 400, 400, 3)), jnp.float32)
program = jax.jit(chain).lower(x).compile()
hold_gil = ctypes.PyDLL(None).sleep
if registered:
    program(x).block_until_ready()
y = program(x)
print(y.is_ready())
hold_gil(3); print(y.is_ready())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no sleep")
@pytest.mark.parametrize("registered", [True, False], ids=["registered", "control"])
def test_registered_calls_need_no_gil(registered: bool) -> None:
    assert fresh(f"registered = {registered}\n" + HOLD).split() == ["False", str(registered)]


def test_exported_programs_run_in_other_processes(tmp_path: Path) -> None:
    call = "lambda x: sw.resize(x, (7, 9), 'lanczos3', engine='kernel')"
    head = (
        "import jax, jax.numpy as jnp, numpy as np, sizewise as sw\nfrom jax import export\nfrom pathlib import Path\n"
    )
    path = tmp_path / "program"
    fresh(
        f"{head}allowed = [export.DisabledSafetyCheck.custom_call('sizewise_apply')]\n"
        f"made = export.export(jax.jit({call}), disabled_checks=allowed)(jnp.ones((2, 5, 4, 3)))\n"
        f"Path({str(path)!r}).write_bytes(made.serialize())"
    )
    fresh(
        f"{head}program = export.deserialize(bytearray(Path({str(path)!r}).read_bytes()))\n"
        "x = np.random.default_rng(0).standard_normal((2, 5, 4, 3)).astype(np.float32)\n"
        "sw.resize(jnp.ones((2, 2)), (1, 1))  # tells XLA of the kernels\n"
        f"call = {call}\n"
        "for _ in range(3):\n"
        "    assert (np.asarray(program.call(x)) == call(x)).all()"
    )


def test_without_a_native_core_there_is_no_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    monkeypatch.setattr(_core, "native", lambda: None)
    with pytest.raises(UnsupportedError, match="there is no native core"):
        _xla.handler(jax.ffi.include_dir())
