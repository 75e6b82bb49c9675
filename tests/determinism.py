"""A table of resizes, forwards and backwards, and the SHA-256 of each result, as stored in determinism.json.

The kernels multiply, then add, and never fuse the two, so that the same weights give the same bits on every machine.
Weights that are made of sines and exponentials are as exact as NumPy is, which has other code for processors with
AVX-512: these are stored for each kind of machine. Run as a script, it prints the table that this machine makes;
`--write` stores it.
"""

from __future__ import annotations

import json
import platform
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hashes import digest
from variants import SOME, Variant, noise

STORED = Path(__file__).parent / "determinism.json"
EVERYWHERE = "everywhere"
SHAPE, SIZES = (3, 61, 47, 3), ((90, 70), (30, 20), (20, 101))
CURVED = ("lanczos", "hamming", "gaussian", "sinc")  # methods made of sines and exponentials


class Case(NamedTuple):
    """One resize: a variant, a dtype and a size."""

    variant: Variant
    dtype: str
    size: tuple[int, int]

    @property
    def name(self) -> str:
        return f"{self.variant} {self.dtype}"

    @property
    def machine(self) -> str:
        """Where these bits are to be expected."""
        curved = any(word in self.variant.method for word in CURVED) or self.variant.dialect == "skimage"
        return machine() if curved else EVERYWHERE

    @property
    def x(self) -> np.ndarray:
        return image(SHAPE, self.dtype)

    def forward(self, x: np.ndarray, threads: int | None = None) -> np.ndarray:
        return self.variant.resize(x, self.size, threads=threads)

    def backward(self, y: np.ndarray, threads: int | None = None) -> np.ndarray:
        """Return the gradient for the gradient y of a loss; for integers, that of the sum of their squares."""
        dy = y if y.dtype.kind == "f" else y.astype(np.float32)
        return self.variant.grad(dy, SHAPE[1:3], threads=threads)

    def hashes(self, threads: int | None = None) -> str:
        """The SHA-256 of the result and of the gradient."""
        y = self.forward(self.x, threads)
        return f"{digest(y)} {digest(self.backward(y, threads))}"


@cache
def image(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return noise(shape, dtype)


@cache
def cases() -> tuple[Case, ...]:
    """Each kind of method of every dialect, in the dtypes that images have."""
    return tuple(
        Case(variant, dtype, SIZES[position % len(SIZES)])
        for position, variant in enumerate(SOME)
        for dtype in ("float32", "uint8")
    )


def machine() -> str:
    """The kind of machine, as far as NumPy's sines and exponentials go."""
    features = np._core._multiarray_umath.__cpu_features__ if hasattr(np, "_core") else {}
    wide = " with AVX-512" if any(on for name, on in features.items() if "AVX512" in name or name == "X86_V4") else ""
    return f"{platform.machine()}{wide}"


@cache
def stored() -> dict[str, str]:
    """Return the hashes that are expected of this machine, by name."""
    tables = json.loads(STORED.read_text(encoding="utf-8"))
    return {**tables[EVERYWHERE], **tables.get(machine(), {})}


def table(threads: int | None = None) -> dict[str, str]:
    """Return the hashes of this machine, by name."""
    return {case.name: case.hashes(threads) for case in cases()}


def write() -> None:
    """Stores what this machine makes beside what is stored of others."""
    tables = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    made = table(1)
    for place in (EVERYWHERE, machine()):
        tables[place] = {case.name: made[case.name] for case in cases() if case.machine == place}
    STORED.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write()
    else:
        json.dump(table(), sys.stdout)
