"""Contenders of Sizewise, and the copy that shows the speed of memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sizewise import resize, resize_grad

from .cases import Case
from .contender import Array, Contender, from_call

NAME = "Sizewise"
OUT = "Sizewise out="
COPY = "copy"
FLOAT32 = "Sizewise float32"
ONE_THREAD = "Sizewise 1 thread"
OWN = (NAME, OUT, FLOAT32, ONE_THREAD)
_MIN_THREADED_BYTES = 1 << 20  # a smaller copy takes less time than handing part of it to another thread


def call(case: Case, source: Array, **arguments: Any) -> Callable[[], Array]:
    """Return a function that computes the case's result from its source.

    >>> case = Case((1, 4, 4, 1), (2, 2), "bilinear")
    >>> call(case, case.source())().shape
    (1, 2, 2, 1)
    """
    if case.gradient:
        return partial(resize_grad, source, case.shape[1:3], **case.arguments, **arguments)
    return partial(resize, source, case.size, **case.arguments, **arguments)


def contenders(case: Case, source: Array, threads: int | None) -> list[Contender]:
    """Return the default call, which allocates; the call with `out=`; and other calls to compare the case with."""
    arguments: dict[str, Any] = {} if threads is None else {"threads": threads}
    out = np.empty(case.result_shape, case.dtype)
    found = [
        from_call(NAME, call(case, source, **arguments)),
        from_call(OUT, call(case, source, out=out, **arguments)),
    ]
    if case.dtype in ("float16", "float64"):
        single = replace(case, dtype="float32")
        found.append(from_call(FLOAT32, call(single, single.source(), **arguments), same_pixels=False))
    if case.dialect == "pillow":
        found.append(from_call(ONE_THREAD, call(case, source, threads=1)))
    return found


def copy(case: Case, source: Array, threads: int) -> Contender:
    """Return the contender that copies the source and the result within memory, on the same number of threads."""
    result = np.ones(case.result_shape, source.dtype)
    pairs = [(array.reshape(-1), np.ones(array.size, array.dtype)) for array in (source, result)]
    count = threads if sum(array.nbytes for array, _ in pairs) >= _MIN_THREADED_BYTES else 1
    workers = ThreadPoolExecutor(max(count - 1, 1))

    def copy_part(part: int) -> None:
        for array, target in pairs:
            elements = slice(array.size * part // count, array.size * (part + 1) // count)
            np.copyto(target[elements], array[elements])

    def copy_all() -> None:
        others = [workers.submit(copy_part, part) for part in range(1, count)]
        copy_part(0)
        for other in others:
            other.result()

    return from_call(COPY, copy_all, lambda _: result, same_pixels=False)
