"""Fuzzer for out-of-bounds accesses of the kernels: input and output border pages without access rights.

The native kernels have no bounds checks. Here a read or write one element too far ends the process. Run as
`python tests/guard_pages.py SEED COUNT`; it prints how many cases passed, by kernel.
"""

from __future__ import annotations

import ctypes
import json
import random
import sys
from collections import Counter
from math import prod
from typing import Any

import numpy as np
from engine_limits import set_limits
from variants import ALL, max_axes

import sizewise as sw
from sizewise import _core
from sizewise.engine import kernel_call

REAL, WHOLE = [np.float32, np.float32, np.float64, np.float16], [np.uint8, np.uint8, np.uint16]

HAS_BYTE_SHUFFLE = _core.has_byte_shuffle()
FIXED_POINT = [
    one
    for one in ALL
    if (one.dialect in ("opencv", "opencv@4") and one.method in ("linear", "cubic", "lanczos4", "linear_exact"))
    or (one.dialect == "torch" and one.antialias)
]
PAGE = 4096
NO_ACCESS, READ_WRITE, PRIVATE_ANONYMOUS = 0, 3, 0x22

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class GuardedArray:
    """An array whose first or last byte borders a page that may not be touched; bytes beside it must not change."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, *, at_end: bool) -> None:
        n_bytes = prod(shape) * dtype.itemsize
        room = -(-n_bytes // PAGE) * PAGE
        self.length = room + 2 * PAGE
        self.address = libc.mmap(None, self.length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0)
        for page in (self.address, self.address + PAGE + room):
            assert libc.mprotect(page, PAGE, NO_ACCESS) == 0
        self.bytes = np.ctypeslib.as_array((ctypes.c_uint8 * room).from_address(self.address + PAGE))
        self.bytes[:] = 0xFF
        first = room - n_bytes if at_end else 0
        self.around = np.ones(room, bool)
        self.around[first : first + n_bytes] = False
        self.array = self.bytes[first : first + n_bytes].view(dtype).reshape(shape)

    def close(self) -> None:
        assert (self.bytes[self.around] == 0xFF).all(), "something beside the array was written"
        del self.array, self.bytes
        libc.munmap(self.address, self.length)


def random_plan(choose: random.Random) -> tuple[sw.Plan, tuple[int, ...]]:
    """Return a plan of any dialect over one, two or three axes of an NHWC array, forward or transposed."""
    dialect = choose.choice(sw.dialects.names())
    variant = choose.choice([one for one in ALL if one.dialect == dialect])
    axes = choose.choice([(1, 2), (1, 2), (1, 2), (1,), (2,), (2, 0, 1)])[: max_axes(variant)]
    lengths = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 33, 40]
    sizes = [tuple(choose.choice(lengths) for _ in axes) for _ in range(2)]
    plan = variant.plan(*sizes)
    return (plan.T if choose.random() < 0.5 else plan), axes


def fixed_point_plan(choose: random.Random) -> tuple[sw.Plan, tuple[int, ...]]:
    """Return a plan that sums uint8 in fixed point. Most of these shrink: those have the most kernels."""
    variant = choose.choice(FIXED_POINT)
    sizes = [tuple(choose.choice([5, 8, 9, 17, 23, 33, 40, 150]) for _ in range(2)) for _ in range(2)]
    if choose.random() < 0.7:
        sizes = [tuple(map(max, *sizes)), tuple(map(min, *sizes))]
    return variant.plan(*sizes), (1, 2)


def view(array: np.ndarray, kind: str) -> np.ndarray:
    """A part of an array whose rows lie apart, or upside down, and end where the array does."""
    return {"plain": array, "crop": array[:, :, 1:], "flip": array[:, ::-1, 1:], "apart": array[:, :, 1:][::-1]}[kind]


def one_case(choose: random.Random, numbers: np.random.Generator) -> None:
    in_fixed_point = choose.random() < 0.3
    plan, axes = (fixed_point_plan if in_fixed_point else random_plan)(choose)
    channels = [1, 2, 3, 3, 4, 4, 9] if in_fixed_point else [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24]
    shape = [choose.choice([1, 2, 3]), 6, 5, choose.choice(channels)]
    result = list(shape)
    for axis, n_in, n_out in zip(axes, plan.input_size, plan.output_size, strict=True):
        shape[axis], result[axis] = n_in, n_out
    dtypes = [np.uint8] if in_fixed_point else REAL if plan.transposed else REAL + WHOLE
    dtype = np.dtype(choose.choice(dtypes))
    kinds = [choose.choice(["plain", "plain", "crop", "flip", "apart"]) for _ in range(2)]
    made = [plan.arithmetic(dtype).result if number else dtype for number in range(2)]
    arrays = []
    for lengths, kind, made_of in zip((shape, result), kinds, made, strict=True):
        room = [n + (axis == 2 and kind != "plain") for axis, n in enumerate(lengths)]
        arrays.append(GuardedArray(tuple(room), made_of, at_end=choose.random() < 0.5))
    x, out = (view(guarded.array, kind) for guarded, kind in zip(arrays, kinds, strict=True))
    x[...] = numbers.standard_normal(shape) if dtype.kind == "f" else numbers.integers(0, 100, shape)
    expected = x.astype(np.float64)
    for axis, matrix in zip(axes, plan.for_dtype(dtype).matrices(), strict=True):
        expected = np.moveaxis(np.tensordot(matrix, expected, ([1], [axis])), 0, axis)
    fraction = choose.choice([0.0, 1.0])  # non-temporal stores, or ordinary ones
    shuffles = HAS_BYTE_SHUFFLE and choose.random() < 0.5
    set_limits(NONTEMPORAL_FRACTION=fraction, has_byte_shuffle=lambda: shuffles)
    plan.apply(x, axes, out=out, threads=choose.choice([1, 2, 3]))
    check(plan, dtype, out, expected)
    del x, out
    for guarded in arrays:
        guarded.close()


def check(plan: sw.Plan, dtype: np.dtype, out: np.ndarray, expected: np.ndarray) -> None:
    """Results are right to rounding; those that are rounded and clipped in between are checked elsewhere."""
    arithmetic = plan.arithmetic(dtype)
    if arithmetic.fixed_point is not None or (
        arithmetic.intermediate is not None and arithmetic.intermediate.kind != "f"
    ):
        return
    if out.dtype.kind != "f":
        limits = np.iinfo(out.dtype)
        allowed = 1.5 if arithmetic.two_pass else 0.5 + 1e-4
        assert np.abs(out - np.clip(expected, limits.min, limits.max)).max() <= allowed, f"{plan} {dtype}"
        return
    allowed = 64 * np.finfo(out.dtype).eps * max(1.0, np.abs(expected).max())
    assert np.abs(out - expected).max() <= allowed, f"{plan} on {expected.shape} {dtype}"


def count_kernels() -> Counter[str]:
    """Count the runs of each kernel from now on."""
    counts: Counter[str] = Counter()
    run = kernel_call.KernelCall.run

    def counted(call: kernel_call.KernelCall, *args: Any, **options: Any) -> None:
        counts[call.kind] += 1
        run(call, *args, **options)

    kernel_call.KernelCall.run = counted
    return counts


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    set_limits(MIN_PARALLEL_WORK=1)  # split small work between threads, too
    choose, numbers = random.Random(seed), np.random.default_rng(seed)
    runs = count_kernels()
    for _ in range(count):
        one_case(choose, numbers)
    json.dump({"cases": count, "isa": sw.core_info().isa, "runs": runs}, sys.stdout)


if __name__ == "__main__":
    main()
