"""Temporary memory is row buffers, not images: 4K -> 720p in float32 takes less than 8 MB beyond input and output."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/status")

CALLS = ["forward", "gradient", "strided", "cropped", "planes", "uint8", "half", "uint8_to_little"]
LIMIT = 8 * 2**20
WHOLE_IMAGE = 720 * 3840 * 3 * 4  # the intermediate of a resize that runs one pass per axis

# Peak resident memory counts what the native core and its threads allocate, too, which tracemalloc cannot see.
MEASURE = """
import sys, tracemalloc
import numpy as np
import sizewise as sw

def resident(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))

before = 0

def restart_peak():
    global before
    tracemalloc.stop()
    tracemalloc.start()
    try:
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")  # the peak starts anew
    except OSError:
        pass  # the old peak stays: a smaller one could hide below it, which the control would show
    before = resident("VmRSS")

def peak_of(call):
    call(True)  # a small call of the same kind: starts the threads
    restart_peak()
    call(False)  # may start it anew, once its own arrays are made
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

def of_dtype(dtype, size):
    def call(warm):
        source, out = np.ones(image.shape, dtype), np.ones((*size, 3), dtype)
        restart_peak()
        sw.resize(source, out.shape[:2], out=out, threads=2)
    return call

uint8, half = of_dtype(np.uint8, (720, 1280)), of_dtype(np.float16, (720, 1280))
uint8_to_little = of_dtype(np.uint8, (8, 8))

def cropped(warm):
    source, out = (image[:300, 5:400], small[:100, 1:132]) if warm else (image[:, 5:], small_out[:, 3:])
    sw.resize(source, out.shape[:2], out=out, threads=2)

def planes(warm):
    source = np.ascontiguousarray(np.moveaxis(image[:300, :400] if warm else image, 2, 0))
    out = np.ones((3, *((100, 133) if warm else (720, 1280))), np.float32)
    if not warm:
        restart_peak()
    sw.resize(source, out.shape[1:], axes=(1, 2), out=out, threads=2)

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


@pytest.mark.parametrize("call", CALLS)
def test_temporary_memory(call: str) -> None:
    assert peak(call) < LIMIT


def test_control_a_whole_intermediate_image_is_seen() -> None:
    assert peak("wasteful") >= WHOLE_IMAGE > LIMIT
