"""Ray Data and Ray tasks."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..preprocessor import Preprocessor
from . import _files, import_library
from ._address import connecting
from ._rows import RowFunction, object_array


class RayFunction(RowFunction):
    """A function of `Dataset.map_batches`: columns of NumPy arrays in and out."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        found = self.columns(batch[self.column])
        return {**batch, **{name: v if isinstance(v, np.ndarray) else object_array(v) for name, v in found.items()}}


def make_function(
    pre: Preprocessor, *, column: str = "image", output: str = "pixel_values", on_error: str = "raise"
) -> RayFunction:
    """Return a function for `dataset.map_batches(function)`; cells are arrays, bytes, paths, or {"bytes", "path"}."""
    return RayFunction(pre, column, output, on_error)


def map_ordered(
    function: Callable[[Any], Any], items: Sequence[Any], address: str | None, stop: threading.Event | None
) -> Iterator[Any]:
    """Yield the result of each item, in order; Ray repeats tasks of workers that died, up to three times."""
    ray = import_library("ray", "ray")
    is_own = not ray.is_initialized()
    if is_own:
        local = {} if address else {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        with connecting("ray", address):
            ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **local)
    try:
        workers = int(ray.cluster_resources().get("CPU", 1))
        run = ray.remote(max_retries=3)(_files.run_chunk)
        pending: deque[Any] = deque()
        for chunk in _files.chunks(items, workers):
            if stop is not None and stop.is_set():
                break
            pending.append(run.remote(function, chunk))
            if len(pending) >= max(_files.MAX_PENDING_CHUNKS, 2 * workers):
                yield from ray.get(pending.popleft())
        while pending:
            yield from ray.get(pending.popleft())
    finally:
        if is_own:
            ray.shutdown()
