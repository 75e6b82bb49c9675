"""What is measured in processes of its own: start-up times and memory. Printed as JSON by a child process."""

from __future__ import annotations

import json
import subprocess
import sys

_IMPORT = """
import json, time, numpy
t = time.perf_counter()
import sizewise
print(json.dumps(time.perf_counter() - t))
"""

_FIRST_CALL = """
import json, time, numpy, sizewise
x = numpy.zeros((64, 64, 3), numpy.float32)
t = time.perf_counter()
sizewise.resize(x, (32, 32))
print(json.dumps(time.perf_counter() - t))
"""

# The peak of the resident memory while one resize runs, above what input and output themselves take.
_MEMORY = """
import json, numpy, sizewise
def status(key):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))
x = numpy.ones((2160, 3840, 3), numpy.float32)
sizewise.resize(x[:256, :256], (85, 85))
sizewise.resize(numpy.ascontiguousarray(x[:512, :512]), (170, 170), threads=2)
out = numpy.ones((720, 1280, 3), numpy.float32)
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
sizewise.resize(x, (720, 1280), out=out)
print(json.dumps(status("VmHWM") - before))
"""


def _child(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout))


def measure(repeats: int = 5) -> list[tuple[str, str, str]]:
    """Rows of (what, the best and the median of the repeats, the bar)."""
    rows = []
    for what, code, unit, factor, bar in (
        ("`import sizewise`, beyond `import numpy`", _IMPORT, "s", 1.0, "0.15 s"),
        ("first call in a new process, machine code on disk", _FIRST_CALL, "s", 1.0, "1 s"),
        ("memory of a 4K -> 720p float32 resize beyond input and output", _MEMORY, "MB", 1e-6, "8 MB"),
    ):
        values = sorted(_child(code) * factor for _ in range(repeats))
        rows.append((what, f"{values[0]:.3f} ({values[len(values) // 2]:.3f}) {unit}", bar))
    return rows
