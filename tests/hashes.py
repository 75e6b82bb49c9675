"""Run as a script: prints the SHA-256 of a table of results, and the instruction set that made them."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator

import numpy as np
from variants import SOME, noise

import sizewise as sw

DTYPES = ("float32", "float64", "float16", "uint8")
SHAPES = ((23, 37, 1), (19, 21, 3), (17, 26, 4), (9, 13, 16), (11, 7, 20))
SIZES = ((13, 17), (31, 43), (9, 41))


def digest(array: np.ndarray) -> str:
    """The SHA-256 of an array's bits. Where a NaN is counts, but not which: no standard says that."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def with_gaps(x: np.ndarray) -> np.ndarray:
    """The array with a NaN and infinities."""
    x = x.copy()
    x[3, 2], x[5, 6:8], x[-1, -1] = np.nan, np.inf, -np.inf
    return x


def cases() -> Iterator[tuple[str, np.ndarray]]:
    """Every variant forwards and backwards, in every dtype and number of channels."""
    for variant in SOME:
        for dtype in DTYPES:
            for position, shape in enumerate(SHAPES):
                size, x = SIZES[position % len(SIZES)], noise(shape, dtype)
                y = variant.resize(x, size)
                yield f"{variant} {dtype} {shape} {size}", y
                if y.dtype.kind != "f":
                    continue
                yield f"{variant} {dtype} {shape} {size} gradient", variant.grad(y, shape[:2])
                if x.dtype.kind == "f":
                    yield f"{variant} {dtype} {shape} {size} not finite", variant.resize(with_gaps(x), size)
                    yield f"{variant} {dtype} {shape} one axis", variant.resize(x, size[0], axes=0)


if __name__ == "__main__":
    table = {name: digest(result) for name, result in cases()}
    json.dump({"isa": sw.core_info().isa, "hashes": table}, sys.stdout)
