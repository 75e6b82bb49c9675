"""Dask bags and tasks of Dask's distributed scheduler."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..preprocessor import Preprocessor
from . import _files, import_library
from ._address import connecting
from ._rows import RowFunction


class DaskFunction(RowFunction):
    """A function of `Bag.map`: an image in and its result out, or a dictionary in and out if there is a column."""

    def __call__(self, item: Any) -> Any:
        result, error = self.run_one(item[self.column] if self.column else item)
        if not self.column:
            return result if self.on_error == "raise" else {self.output: result, self.error_column: error}
        return {**item, self.output: result, **({} if self.on_error == "raise" else {self.error_column: error})}


def make_function(
    pre: Preprocessor, *, column: str = "", output: str = "pixel_values", on_error: str = "raise"
) -> DaskFunction:
    """Return a function for `bag.map(function)`; items are paths, bytes or arrays, or dictionaries with a `column`."""
    return DaskFunction(pre, column, output, on_error)


def map_ordered(
    function: Callable[[Any], Any], items: Sequence[Any], address: str | None, stop: threading.Event | None
) -> Iterator[Any]:
    """Yield the result of each item, in order; Dask repeats tasks of workers that died, up to three times."""
    distributed = import_library("distributed", "dask")
    arguments = (
        {"address": address} if address else {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
    )
    with connecting("dask", address):
        made = distributed.Client(**arguments)
    with made as client:
        workers = max(1, sum(client.nthreads().values()))
        pending = deque[Any]()
        for chunk in _files.chunks(items, workers):
            if stop is not None and stop.is_set():
                break
            pending.append(client.submit(_files.run_chunk, function, chunk, pure=False))
            if len(pending) >= max(_files.MAX_PENDING_CHUNKS, 2 * workers):
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
