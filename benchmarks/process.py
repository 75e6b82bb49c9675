"""Measurements in new processes: start-up, memory, the cost of a call, and how cost grows.

`python -m benchmarks.process sizes` (or `threads`, `call`, `pair`, `plans`) is one process: it prints JSON.
"""

from __future__ import annotations

import compileall
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

from . import cold_start

VISITS = 6  # to each size of images

_IMPORT = """
import json, time, numpy
t = time.perf_counter()
import sizewise
print(json.dumps(1e3 * (time.perf_counter() - t)))
"""

_FIRST_CALL = """
import json, time, numpy, sizewise
x = numpy.zeros((64, 64, 3), numpy.float32)
t = time.perf_counter()
sizewise.resize(x, (32, 32))
print(json.dumps(1e3 * (time.perf_counter() - t)))
"""

# The peak of the resident memory during one resize, above that of input, output and plan: the scratch of every thread.
# A first run allocates everything, and its scratch is returned to the system.
_SCRATCH = """
import ctypes, json, numpy, sizewise
def status(key):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))
small, large, method, threads = {small}, {large}, {method!r}, {threads}
sizes = (small, large) if {grows} else (large, small)
x, out = (numpy.ones((*size, 3), numpy.float32) for size in sizes)
sizewise.resize(x, sizes[1], method, out=out, threads=threads)
ctypes.CDLL(None).malloc_trim(0)
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
sizewise.resize(x, sizes[1], method, out=out, threads=threads)
print(json.dumps((status("VmHWM") - before) / threads))
"""


@dataclass(frozen=True)
class Measure:
    """Values of repeated measurements in a new process, and the target for their median, if there is one."""

    name: str
    values: tuple[float, ...]
    unit: str
    target: float | None = None

    @property
    def median(self) -> float:
        """Return the median."""
        return statistics.median(self.values)


@dataclass(frozen=True)
class Curve:
    """Seconds by size or number of threads: (x, seconds) pairs."""

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class ProcessResults:
    """All measurements in new processes."""

    measures: tuple[Measure, ...]
    sizes: tuple[Curve, ...]
    threads: tuple[Curve, ...]
    processors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    starts: Mapping[str, Sequence[float]] = field(default_factory=dict)


def measure(threads: int, repeats: int = 5) -> ProcessResults:
    """Run all measurements, one process after another."""
    import sizewise
    from sizewise_bench.machine import cores

    compileall.compile_dir(Path(sizewise.__file__).parent, quiet=1)  # as pip does; an environment may forbid Python to
    measures = [
        Measure("`import sizewise`, beyond `import numpy`", _repeat(_IMPORT, repeats), "ms", 25.0),
        Measure("first call in a new process", _repeat(_FIRST_CALL, repeats), "ms", 30.0),
        *_scratch(threads, repeats),
    ]
    full, kernel, mapped = (tuple(values) for values in _run_process("call")["microseconds"])
    beyond = tuple(a - b for a, b in zip(full, kernel, strict=True))
    measures += [
        Measure("`sw.resize`, 32x32x3 to 16x16, the full call", full, "us", 6.0),
        Measure("the same, beyond its kernel", beyond, "us", 5.0),
        Measure("the same from an existing plan, `plan(x)`", mapped, "us"),
        *_of_plans(),
    ]
    if cores() > 1:
        measures += [
            Measure(f"one image, 480x640x3 to 224x224, {name}: 2 threads, of the time of 1", tuple(ratios), "", 0.71)
            for name, ratios in _run_process("pair").items()
        ]
    threaded = _curves(_run_process("threads", str(cores()))) if cores() > 1 else ()
    sizes = _curves(_run_process("sizes", str(threads)))
    return ProcessResults(tuple(measures), sizes, threaded, _processors(), _starts(repeats))


def _starts(rounds: int) -> dict[str, list[float]]:
    """Return the seconds of new processes that import a library and resize one image, by library."""
    with cold_start.installed_copy() as environment:
        runs = cold_start.measure(rounds, environment)
    return {name: [run.wall for run in taken] for name, taken in runs.items()}


def _processors(*arguments: str) -> Mapping[str, Sequence[float]]:
    """Return the seconds of CLIP's preprocessing by Sizewise and by the image processors of transformers."""
    if find_spec("transformers") is None:
        return {}
    command = [sys.executable, "-m", "benchmarks.preprocess", "--json", *arguments]
    seconds: dict[str, list[float]] = json.loads(
        subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    )
    return seconds


def _scratch(threads: int, repeats: int) -> list[Measure]:
    if not os.path.exists("/proc/self/clear_refs"):
        return []
    found = []
    for method, grows in (("bilinear", False), ("bicubic", False), ("bicubic", True)):
        fields = {"small": (720, 1280), "large": (2160, 3840), "method": method, "threads": threads, "grows": grows}
        values = _repeat(_SCRATCH.format(**fields), repeats)
        sizes = "720p to 4K" if grows else "4K to 720p"
        name = f"scratch per thread, {sizes}, {method}"
        found.append(Measure(name, tuple(value / 1e6 for value in values), "MB", 1.5))
    return found


def _of_plans() -> list[Measure]:
    values = _run_process("plans")
    times = values["milliseconds"]
    slowest = max(times, key=lambda name: statistics.median(times[name]))
    return [
        Measure(f"a plan, 4000 to 224, antialiased: the slowest of {len(times)}, {slowest}", times[slowest], "ms", 2.0),
        Measure("a cached plan, looked up with `sw.make_plan`", values["microseconds"], "us", 5.0),
    ]


def _repeat(code: str, repeats: int) -> tuple[float, ...]:
    return tuple(_run_code(code) for _ in range(repeats))


def _run_code(code: str) -> float:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout))


def _run_process(*arguments: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.process", *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def _curves(values: Mapping[str, list[tuple[int, float]]]) -> tuple[Curve, ...]:
    return tuple(Curve(name, tuple((int(x), float(y)) for x, y in points)) for name, points in values.items())


def _in_turns(calls: Mapping[str, Callable[[], Any]], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Return the times of each call, in turns, in as many rounds as fit in the seconds, but at least two."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    begin = time.perf_counter()
    for number in range(rounds + 1):
        if number > 2 and time.perf_counter() - begin > seconds:
            break
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: values[1:] for name, values in times.items()}


def _sizes(threads: int, visits: int = VISITS, max_side: int = 16384) -> dict[str, list[tuple[int, float]]]:
    """Time antialiased bilinear halving of one gray float32 image, 64x64 to `max_side`; peers up to 4096x4096.

    Every size is visited several times, so that a slow half minute of the machine affects all alike. Libraries are
    timed one after another, not in turns, since idle workers of one library spin on into the next one's time.
    """
    import cv2
    import numpy as np
    import torch

    import sizewise as sw

    torch.set_num_threads(threads)
    cv2.setNumThreads(threads)
    aten = torch.ops.aten
    sides = [side for side in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384) if side <= max_side]
    images = {side: np.ones((side, side), np.float32) for side in sides}
    times: dict[str, dict[int, list[float]]] = {"Sizewise": {}, "PyTorch NCHW": {}, "OpenCV area": {}}
    for _, side in product(range(visits), sides):
        x, half = images[side], (side // 2, side // 2)
        tensor = torch.from_numpy(x)[None, None]
        calls = {
            "Sizewise": lambda: sw.resize(x, half),
            "PyTorch NCHW": lambda: aten._upsample_bilinear2d_aa.default(tensor, half, False),
            "OpenCV area": lambda: cv2.resize(x, half, interpolation=cv2.INTER_AREA),
        }
        for name, call in calls.items():
            if side <= 4096 or name == "Sizewise":
                seconds = _in_turns({name: call}, 100, 0.25)[name]
                times[name].setdefault(side, []).append(statistics.median(seconds))
    return {
        name: [(side, statistics.median(seconds)) for side, seconds in by_side.items()]
        for name, by_side in times.items()
    }


def _threads(max_threads: int, rounds: int = 20) -> dict[str, list[tuple[int, float]]]:
    """Time 4K to 720p, antialiased bilinear in float32, and its gradient, on 1, 2, 4 ... threads."""
    import cv2
    import numpy as np
    import torch

    import sizewise as sw

    x = np.ones((2160, 3840, 3), np.float32)
    dy = np.ones((720, 1280, 3), np.float32)
    tensor, dy_tensor = (torch.from_numpy(array).permute(2, 0, 1)[None].contiguous() for array in (x, dy))
    small, shape, aten = [720, 1280], [1, 3, 2160, 3840], torch.ops.aten
    curves: dict[str, list[tuple[int, float]]] = {}
    for threads in sorted({1, 2, 3, 4, 6, 8, 12, 16, 24, 32, max_threads}):
        if threads > max_threads:
            break
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads)
        calls = {
            "Sizewise": lambda: sw.resize(x, (720, 1280), threads=threads),
            "Sizewise gradient": lambda: sw.resize_grad(dy, (2160, 3840), threads=threads),
            "PyTorch NCHW": lambda: aten._upsample_bilinear2d_aa.default(tensor, small, False),
            "PyTorch NCHW gradient": lambda: aten._upsample_bilinear2d_aa_backward.default(
                dy_tensor, small, shape, False
            ),
            "OpenCV area": lambda: cv2.resize(x, (1280, 720), interpolation=cv2.INTER_AREA),
        }
        for name, seconds in _in_turns(calls, rounds, 10.0).items():
            curves.setdefault(name, []).append((threads, statistics.median(seconds)))
    return curves


def _call(repeats: int = 7, loops: int = 5000) -> dict[str, list[list[float]]]:
    """Return the microseconds of a full call, of its kernel alone, and of an existing plan, in turns."""
    import timeit

    import numpy as np

    import sizewise as sw
    from sizewise.engine.executor import executor_for

    x, plan = np.ones((32, 32, 3), np.float32), sw.make_plan((32, 32), (16, 16))
    executor = executor_for(plan, x.shape, x.dtype, (0, 1))
    out = executor(x)
    kernel = executor.passes[0][0].call(x, out)
    assert kernel is not None and len(executor.passes) == 1
    calls = (lambda: sw.resize(x, (16, 16)), lambda: kernel.run(x, out), lambda: plan(x))
    for call in calls:
        timeit.timeit(call, number=loops)
    found = [[timeit.timeit(call, number=loops) / loops * 1e6 for call in calls] for _ in range(repeats)]
    return {"microseconds": [list(column) for column in zip(*found, strict=True)]}


def _pair(rounds: int = 41, loops: int = 20) -> dict[str, list[float]]:
    """Return the time of one image on two threads over that on one, called in a loop, for each round."""
    import numpy as np

    import sizewise as sw

    x = np.random.default_rng(0).random((480, 640, 3), np.float32)
    calls = {
        "float32 antialiased": lambda threads: sw.resize(x, (224, 224), threads=threads),
        "uint8 as Pillow": lambda threads: sw.resize(pixels, (224, 224), dialect="pillow", threads=threads),
    }
    pixels = (255 * x).astype(np.uint8)

    def seconds(call: Callable[[int], Any], threads: int) -> float:
        call(threads)
        begin = time.perf_counter()
        for _ in range(loops):
            call(threads)
        return time.perf_counter() - begin

    return {name: [seconds(call, 2) / seconds(call, 1) for _ in range(rounds)] for name, call in calls.items()}


def _plans(repeats: int = 40, loops: int = 5000) -> dict[str, Any]:
    """Return the milliseconds to build an antialiased plan, by dialect and method, and the microseconds of a lookup."""
    import timeit

    import sizewise as sw
    from sizewise.plan import build

    built: dict[str, list[float]] = {}
    for name in sw.dialects.names():
        for method, flags in sw.dialects.get(name).methods.items():
            if True in flags:
                request = sw.make_plan(4000, 224, method, antialias=True, dialect=name).request
                times = timeit.repeat(lambda: build.__wrapped__(request), number=1, repeat=repeats)
                built[f"{name} {method}"] = [seconds * 1e3 for seconds in times]
    looked_up = timeit.repeat(lambda: sw.make_plan(4000, 224, "lanczos3"), number=loops, repeat=7)
    return {"milliseconds": built, "microseconds": [seconds / loops * 1e6 for seconds in looked_up]}


def main() -> None:
    """Print the measurements that the first argument names."""
    kinds: dict[str, Callable[..., Any]] = {
        "sizes": _sizes, "threads": _threads, "call": _call, "pair": _pair, "plans": _plans,
    }  # fmt: skip
    print(json.dumps(kinds[sys.argv[1]](*map(int, sys.argv[2:]))))


if __name__ == "__main__":
    main()
