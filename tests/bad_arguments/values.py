"""The table of bad values that every argument is tested with."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np


class Silent:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text for it")


class Liar:
    """A value whose every conversion fails, each in its own way."""

    def __index__(self) -> int:
        raise OverflowError("index")

    def __float__(self) -> float:
        raise ArithmeticError("float")

    def __iter__(self) -> Any:
        raise LookupError("iter")

    def __len__(self) -> int:
        raise MemoryError("len")

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("eq")

    def __bool__(self) -> bool:
        raise RuntimeError("bool")

    __hash__ = object.__hash__


class NoArray:
    """Something with the looks of an array, and nothing behind them."""

    shape = (2, 2)
    dtype = np.dtype(np.float32)


def _loop() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    return deep


# Rebuilt for every call, since some can be read only once.
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "NaN": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "1": lambda: 1,
    "2": lambda: 2,
    "0.5": lambda: 0.5,
    "2**31": lambda: 2**31,
    "2**31 - 1": lambda: 2**31 - 1,
    "2**63": lambda: 2**63,
    "-2**63": lambda: -(2**63),
    "10**99": lambda: 10**99,
    "-10**99": lambda: -(10**99),
    "10**5000": lambda: 10**5000,  # more digits than Python converts to text
    "1e20": lambda: 1e20,
    "-1e20": lambda: -1e20,
    "1e-9": lambda: 1e-9,  # as a scale: a size of 0
    "1e-320": lambda: 1e-320,
    "1e308": lambda: 1e308,
    "True": lambda: True,
    "np.False": lambda: np.False_,
    "complex": lambda: 1j,
    "4x": lambda: "4x",
    "empty text": lambda: "",
    "long text": lambda: "x" * 100_000,
    "no text": lambda: "\ud800\x00",
    "bytes": lambda: b"\x02\x03",
    "[]": list,
    "[1]": lambda: [1],
    "[1, 2, 3]": lambda: [1, 2, 3],
    "[0, 0]": lambda: [0, 0],
    "[2, 2]": lambda: [2, 2],
    "[2, None]": lambda: [2, None],
    "[2, NaN]": lambda: [2, float("nan")],
    "[2**31 - 1] * 2": lambda: [2**31 - 1] * 2,  # bytes that no machine has
    "[2**62] * 2": lambda: [2**62] * 2,  # a product that no int64 holds
    "[10**5000] * 2": lambda: [10**5000] * 2,
    "nested": lambda: [[1, 2], [3, 4]],
    "ragged": lambda: [[1], [2, 3]],
    "loop": _loop,
    "deep": _deep,
    "set": lambda: {2, 3},
    "dict": lambda: {2: 3},
    "generator": lambda: (n for n in (2, 3)),
    "endless": lambda: itertools.count(1),
    "range": lambda: range(10**12),
    "slice": lambda: slice(0, 1),
    "object": object,
    "class": lambda: int,
    "function": lambda: lambda x: x,
    "module": lambda: itertools,
    "silent": Silent,
    "[silent, silent]": lambda: [Silent(), Silent()],
    "liar": Liar,
    "[liar, liar]": lambda: [Liar(), Liar()],
    "looks like an array": NoArray,
    "array of objects": lambda: np.full((2, 2), None),
    "structured array": lambda: np.zeros((2, 2), [("red", np.uint8), ("green", np.uint8)]),
    "structured scalar": lambda: np.zeros(1, [("red", np.uint8)])[0],
    "array of text": lambda: np.full((2, 2), "4x"),
    "array of times": lambda: np.zeros((2, 2), "datetime64[s]"),
    "complex array": lambda: np.zeros((2, 2), np.complex64),
    "masked array": lambda: np.ma.ones((2, 2)),
    "long doubles": lambda: np.zeros((2, 2), np.longdouble),
    "0-d": lambda: np.array(2.0),
    "0-d integer": lambda: np.array(2),
    "1-d integers": lambda: np.array([2, 3]),
    "1-d floats": lambda: np.array([2.0, 3.0]),
    "2-d": lambda: np.ones((2, 2), np.float32),
    "2-d NaN": lambda: np.full((2, 2), np.nan),
    "3-d": lambda: np.ones((2, 2, 3), np.float32),
    "4-d": lambda: np.ones((1, 2, 2, 3), np.float32),
    "33-d": lambda: np.ones((1,) * 33, np.float32),
    "64-d": lambda: np.ones((1,) * 64, np.float32),
    "strided 64-d": lambda: np.ones((1,) * 61 + (2, 2, 6))[..., ::2],
    "empty array": lambda: np.zeros((0, 2), np.float32),
    "no memory": lambda: np.broadcast_to(np.float32(1), (2**20, 2, 2, 2**20)),
    "dtype": lambda: np.dtype(np.float32),
    "dtype of objects": lambda: np.dtype(object),
}
