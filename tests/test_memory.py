"""Temporary memory is row buffers, not images: 4K -> 720p in float32 takes less than 8 MB beyond input and output."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/status")

LIMIT = 8 * 2**20
WHOLE_IMAGE = 720 * 3840 * 3 * 4  # the intermediate of a resize that runs one pass per axis

# Peak resident memory counts what Numba and the threads allocate, too, which tracemalloc cannot see.
MEASURE = """
import sys, tracemalloc
import numpy as np
import sizewise as sw

def resident(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))

def peak_of(call):
    call(True)  # a small call of the same kind: compiles, and starts the threads
    tracemalloc.start()
    try:
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")  # the peak starts anew
    except OSError:
        pass  # the old peak stays: a smaller one could hide below it, which the control would show
    before = max(resident("VmRSS"), 0)
    call(False)
    return max(resident("VmHWM") - before, tracemalloc.get_traced_memory()[1])

image = np.ones((2160, 3840, 3), np.float32)
small = np.ones((720, 1280, 3), np.float32)
image_out, small_out = np.ones_like(image), np.ones_like(small)

def forward(warm):
    if warm:
        sw.resize(image[:300, :400].copy(), (100, 133), threads=2)
    else:
        sw.resize(image, (720, 1280), out=small_out, threads=2)

def gradient(warm):
    if warm:
        sw.resize_grad(small[:100, :133].copy(), (300, 400), threads=2)
    else:
        sw.resize_grad(small, (2160, 3840), out=image_out, threads=2)

def strided(warm):
    source = image[:300, :400] if warm else image[::-1]
    out = np.ones((100, 133, 3), np.float32) if warm else small_out
    sw.resize(source, out.shape[:2], out=out, threads=2)

def wasteful(warm):
    if not warm:
        whole = np.ones((720, 3840, 3), np.float32)
        small_out[...] = whole[:, ::3]

sys.stdout.write(str(peak_of(globals()[sys.argv[1]])))
"""


def peak(call: str) -> int:
    """Bytes of the highest memory during one call in a fresh process, beyond what it held before."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, call], capture_output=True, text=True, check=True, timeout=120
    )
    return int(done.stdout)


@pytest.mark.parametrize("call", ["forward", "gradient", "strided"])
def test_temporary_memory(call: str) -> None:
    assert peak(call) < LIMIT


def test_control_a_whole_intermediate_image_is_seen() -> None:
    assert peak("wasteful") >= WHOLE_IMAGE > LIMIT
