"""Threads, forks, pools and interrupts at once: the bits of a single call, and no deadlock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from recording import Record
from samples import fewer

from sizewise import _core

TESTS = Path(__file__).parent
NATIVE = pytest.mark.skipif(_core.native() is None, reason="there is no native core")
NO_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def started(code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """A new Python that runs the code, and says where it is if it crashes."""
    variables = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}", **environment}
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)


def output(code: str, *arguments: str, **environment: str) -> str:
    """Return the output of a new Python process, which must succeed in time, with nothing on stderr."""
    with started(code, *arguments, **environment) as process:
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
    assert (process.returncode, err) == (0, ""), f"exit {process.returncode}: {err}"
    return out


# --- threads ---------------------------------------------------------------------------------------------------------

SIXTEEN = """
import random, sys, threading
import numpy as np
from hashes import digest
from samples import fewer
from variants import SOME, noise
from engine_limits import set_limits

set_limits(MIN_PARALLEL_WORK=5000)  # so that some of these calls, but not all, are split
sys.setswitchinterval(1e-5)
images = [noise(shape, dtype) for shape in ((13, 11, 3), (2, 24, 17, 4), (40, 9)) for dtype in ("float32", "uint8")]
calls = [(variant, x, size) for variant in SOME[::2] for x in images for size in ((7, 20), (30, 12))]

def resized(call, threads):
    variant, x, size = call
    y = variant.resize(x, size, threads=threads)
    if y.dtype.kind == "f":
        return digest(y) + digest(variant.grad(y, x.shape[-3:-1] if x.ndim > 2 else x.shape, threads=threads))
    return digest(y)

alone = [resized(call, 1) for call in calls]
wrong, done = [], []

def work(seed):
    choose = random.Random(seed)
    try:
        for _ in range(fewer(1000, 8)):
            n = choose.randrange(len(calls))
            if resized(calls[n], choose.choice([None, 1, 2, 3])) != alone[n]:
                wrong.append(calls[n])
        done.append(seed)
    except BaseException as failure:
        wrong.append(failure)

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(done), wrong[:3])
"""


def test_sixteen_threads_a_thousand_calls_each(record_property: Record) -> None:
    assert output(SIXTEEN) == "16 []\n"
    record_property("calls from 16 threads at once", 16 * fewer(1000, 8))


PLANS = """
import sys, threading
import sizewise as sw
from samples import fewer
from sizewise import call_cache, plan
sys.setswitchinterval(1e-6)
wrong = []

def work(seed):
    try:
        for n in range(fewer(300, 5)):
            one = sw.make_plan((n % 150 + 1, 4), (seed + 1, 9), "bicubic")
            sw.resize([[1.0, 2.0]] * (n % 150 + 1), (seed + 1, 9), "bicubic")
            if one.input_size != (n % 150 + 1, 4) or one.output_size != (seed + 1, 9) or one.T.T is not one:
                wrong.append(one)
            if n % 100 == 99:
                plan.clear(), call_cache.clear()
    except BaseException as failure:
        wrong.append(failure)

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
info = plan.build.cache_info()
print(wrong[:3], info.currsize <= info.maxsize == plan.MAX_PLANS, len(call_cache._calls) <= 2 * call_cache.MAX_CALLS)
"""


def test_cached_plans_are_bounded_and_safe_with_threads() -> None:
    assert output(PLANS) == "[] True True\n"


EXIT = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np, sizewise as sw
x = np.ones((600, 600, 3), np.float32)
pool = ThreadPoolExecutor(4)
for _ in range(12):
    done = pool.submit(sw.resize, x, (700, 650), threads=3)
    done.add_done_callback(lambda done: sys.stdout.write(f"{done.result().mean()}\\n"))  # one write: threads take turns
"""  # and the main thread is at its end

DAEMON = """
import threading, time
import numpy as np, sizewise as sw
x = np.ones((900, 900, 3), np.float32)
def work():
    while True:
        sw.resize(x, (1100, 1000), threads=3)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(1)
print("end")
"""


def test_a_pool_of_threads_that_works_on_while_the_interpreter_ends() -> None:
    assert output(EXIT) == "1.0\n" * 12


def test_an_interpreter_that_ends_while_threads_are_in_kernels() -> None:
    assert output(DAEMON) == "end\n"


# --- processes -------------------------------------------------------------------------------------------------------

BUSY = """
import os, signal, sys, threading
import numpy as np, sizewise as sw
x = np.random.default_rng(0).standard_normal((2, 300, 400, 3)).astype(np.float32)
def both():
    y = sw.resize(x, (350, 500), threads=2)
    return y.tobytes() + sw.resize_grad(y, (300, 400), threads=2).tobytes()
expected = both()
stop = threading.Event()
def work():
    while not stop.is_set():
        assert both() == expected
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
codes = []
for _ in range(6):
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        os._exit(0 if both() == expected else 3)
    codes.append(os.waitpid(child, 0)[1])
stop.set()
[thread.join() for thread in threads]
print(codes, both() == expected)
"""


@NO_FORK
def test_fork_while_other_threads_are_inside_kernels(record_property: Record) -> None:
    assert output(BUSY) == "[0, 0, 0, 0, 0, 0] True\n"
    record_property("forks while four threads are inside kernels", 6)


# A thread imports the native core at its first call, slowly. A child that is forked meanwhile resizes, too.
IMPORTING = """
import os, signal, sys, threading, time
from importlib.machinery import PathFinder
import numpy as np, sizewise as sw
from sizewise import fork_safety
if sys.argv[1] == "control":
    fork_safety.FORK_TIMEOUT = 0.01  # the fork goes ahead
begun = threading.Event()
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name != "sizewise._core._native":
            return None
        spec = PathFinder.find_spec(name, path)
        load = spec.loader.exec_module
        def load_slowly(module):
            begun.set()
            time.sleep(1)
            load(module)
        spec.loader.exec_module = load_slowly
        return spec
sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=sw.resize, args=(np.ones(4, np.float32), (8,), "nearest"))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(int(sys.argv[2]))
    sw.resize(np.ones(4, np.float32), (8,), "nearest")
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


@NO_FORK
@NATIVE
def test_fork_while_another_thread_imports_the_native_core() -> None:
    assert output(IMPORTING, "test", "60") == "0\n"


@NO_FORK
@NATIVE
def test_control_a_fork_that_does_not_wait_never_ends() -> None:
    assert output(IMPORTING, "control", "4") == f"{int(signal.SIGALRM)}\n"


# Children that fork again, from threads that resize, before and after the pool of the native core has workers.
NESTED = """
import os, signal, threading
import numpy as np, sizewise as sw
x = np.random.default_rng(0).standard_normal((300, 400, 3)).astype(np.float32)
def resized():
    return sw.resize(x, (350, 500), threads=3).tobytes()
def forked(depth):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        good = resized() == expected and (depth == 0 or forked(depth - 1) == 0) and resized() == expected
        os._exit(0 if good else 3)
    return os.waitpid(child, 0)[1]
expected = sw.resize(x, (350, 500), threads=1).tobytes()
codes = [forked(2)]
assert resized() == expected
codes.append(forked(2))
def fork_in_thread():
    codes.append(forked(1))
threads = [threading.Thread(target=fork_in_thread) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(codes, resized() == expected)
"""


@NO_FORK
def test_forks_of_forks_and_forks_in_threads() -> None:
    assert output(NESTED) == "[0, 0, 0, 0, 0] True\n"


LAZY = """
import os, signal, threading, time
from sizewise.fork_safety import lazy
begun, go_on = threading.Event(), threading.Event()
class Slow:
    @lazy
    def value(self):
        begun.set()
        go_on.wait(0.5)
        return 1
slow = Slow()
threading.Thread(target=lambda: slow.value).start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(slow.value)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), slow.value, Slow.value is Slow.__dict__["value"])
"""


@NO_FORK
def test_fork_while_another_thread_computes_a_cached_value() -> None:
    assert output(LAZY) == "1 1 True\n"


POOL = """
import multiprocessing, sys
import numpy as np, sizewise as sw
x = np.random.default_rng(0).standard_normal((8, 60, 70, 3)).astype(np.float32)
def one(n):
    return sw.resize(x[n % 8], (90, 50), "lanczos3", threads=2).tobytes()
if __name__ == "__main__":
    whole = sw.resize(x, (90, 50), "lanczos3", threads=2)
    with multiprocessing.get_context("fork").Pool(8) as pool:
        print(pool.map(one, range(64)) == [whole[n % 8].tobytes() for n in range(64)])
"""


@NO_FORK
def test_a_pool_of_eight_processes() -> None:
    assert output(POOL) == "True\n"


FIRST = """
import sys
import numpy as np, sizewise as sw
sys.stdin.readline()
print(sw.resize(np.arange(8, dtype="f4"), (4,), "nearest").tolist())
"""


def test_first_calls_of_sixteen_processes_at_once(record_property: Record) -> None:
    processes = []
    for _ in range(16):
        variables = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
        command = [sys.executable, "-X", "faulthandler", "-c", FIRST]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes.append(subprocess.Popen(command, env=variables, **pipes))
    record_property("processes with their first call at once", len(processes))
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [(*process.communicate(timeout=600), process.returncode) for process in processes]
    assert results == [("[1.0, 3.0, 5.0, 7.0]\n", "", 0)] * 16


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------

# Some seconds of work on little memory: one image, five hundred times.
LONG = """
import signal, sys, time
import numpy as np, sizewise as sw
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it otherwise
dtype, threads = sys.argv[1], int(sys.argv[2])
small = (np.random.default_rng(0).random((2000, 2000)) * 200).astype(dtype)
x = np.broadcast_to(small, (3000, 2000, 2000))
expected = sw.resize(small, (100, 100), "lanczos3", threads=1)
print("ready", flush=True)
try:
    sw.resize(x, (100, 100), "lanczos3", axes=(1, 2), threads=threads)
    print("not interrupted", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(np.array_equal(sw.resize(small, (100, 100), "lanczos3", threads=threads), expected))
"""


def seconds_to_stop(dtype: str, threads: int) -> float:
    """How long a resize goes on after Ctrl-C; afterwards it must work as before."""
    with started(LONG, dtype, str(threads)) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", process.communicate()
            time.sleep(0.3)
            begin = time.perf_counter()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            took = time.perf_counter() - begin
            # Not `communicate`, which knows nothing of lines that came together with the one above.
            assert process.stderr is not None
            assert (process.stdout.read(), process.stderr.read()) == ("True\n", "")
        finally:
            process.kill()
    return took


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
@pytest.mark.parametrize(("dtype", "threads"), [("float32", 1), ("float32", 2), ("float32", 8), (">f4", 2)])
def test_ctrl_c_ends_a_long_resize_within_a_second(dtype: str, threads: int) -> None:
    # A machine that is busy with something else may take its time once, but not three times.
    assert any(seconds_to_stop(dtype, threads) < 1.0 for _ in range(3))
