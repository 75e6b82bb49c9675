"""Mapping of the samples of a shard by several threads: in order, with a bounded window."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from ..errors import CODECS, SizewiseError, is_raised_by

# Takes the name and the bytes of an image, and returns those of the result; errors are reported with the image.
Function = Callable[[str, bytes], tuple[str, bytes]]
Selection = Callable[[str], bool]
IsStopped = Callable[[], bool]
_WINDOW_PER_THREAD = 4  # samples in memory
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Failure:
    """An image that failed; its sample is left out."""

    name: str
    error: str


@dataclass(frozen=True)
class ShardReport:
    """The number of images written, and those that failed."""

    images: int
    failures: tuple[Failure, ...] = ()


class Stopped(Exception):
    """The end of a shard that was stopped before it was written."""


def map_in_order(
    function: Callable[[_Item], _Result], items: Iterable[_Item], threads: int, is_stopped: IsStopped = lambda: False
) -> Iterator[_Result]:
    """Yield the results for all items in order; raise Stopped between two of them once `is_stopped` returns true.

    Items are taken as results are, so only a window of them is in memory.

    >>> list(map_in_order(str, [1, 2, 3], threads=2))
    ['1', '2', '3']
    """
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[_Result]] = deque()
        try:
            for item in items:
                if is_stopped():
                    raise Stopped
                pending.append(pool.submit(function, item))
                if len(pending) >= _WINDOW_PER_THREAD * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def apply(function: Function, name: str, data: bytes) -> tuple[str, bytes] | Failure:
    """Return the result of a function for one image, or its error as a failure."""
    try:
        return function(name, data)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return Failure(name, error_text(error))


def error_text(error: Exception) -> str:
    """Return the message of an error in one line."""
    text = str(error) if isinstance(error, SizewiseError) else f"unexpected {type(error).__name__}: {error}"
    return " ".join(text.split())
