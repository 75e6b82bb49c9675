"""Sizewise's own entrants, and the copy that shows how fast memory is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import resize, resize_grad
from .cases import Case
from .entrant import Entrant, of_call

Array = NDArray[Any]

NAME = "Sizewise"
INTO = "Sizewise out="
COPY = "copy"
SINGLE = "Sizewise float32"
ALONE = "Sizewise 1 thread"
OWN = (NAME, INTO, SINGLE, ALONE)
_SMALL = 1 << 20  # bytes, below which handing a part of a copy to another thread takes longer than the copy


def call(case: Case, source: Array, **words: Any) -> Any:
    """The call that makes the case's result from its source, ready to be made.

    >>> case = Case((1, 4, 4, 1), (2, 2), "bilinear")
    >>> call(case, case.source())().shape
    (1, 2, 2, 1)
    """
    if case.gradient:
        return partial(resize_grad, source, case.shape[1:3], **case.words, **words)
    return partial(resize, source, case.size, **case.words, **words)


def entrants(case: Case, source: Array, threads: int | None) -> list[Entrant]:
    """The default call, which allocates; the call with `out=`; and what the row is to be compared with besides."""
    words: dict[str, Any] = {} if threads is None else {"threads": threads}
    into = np.empty(case.result_shape, case.dtype)
    found = [
        of_call(NAME, call(case, source, **words)),
        of_call(INTO, call(case, source, out=into, **words)),
    ]
    if case.dtype in ("float16", "float64"):
        single = replace(case, dtype="float32")
        found.append(of_call(SINGLE, call(single, single.source(), **words), same=False))
    if case.dialect == "pillow":
        found.append(of_call(ALONE, call(case, source, threads=1)))
    return found


def copy(case: Case, source: Array, threads: int) -> Entrant:
    """Copies the source and the result from one block of memory to another, on as many threads."""
    result = np.ones(case.result_shape, source.dtype)
    pairs = [(array.reshape(-1), np.ones(array.size, array.dtype)) for array in (source, result)]
    count = threads if sum(array.nbytes for array, _ in pairs) >= _SMALL else 1
    workers = ThreadPoolExecutor(max(count - 1, 1))

    def share(part: int) -> None:
        for array, target in pairs:
            mine = slice(array.size * part // count, array.size * (part + 1) // count)
            np.copyto(target[mine], array[mine])

    def copy_all() -> None:
        others = [workers.submit(share, part) for part in range(1, count)]
        share(0)
        for other in others:
            other.result()

    return of_call(COPY, copy_all, lambda _: result, same=False)
