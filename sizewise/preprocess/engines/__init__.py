"""Preprocessors as functions of data engines: one file per engine, none of which schedules anything itself.

Each file has `make_function(pre, *, column, output, on_error)`, which returns a picklable function in the form that the
engine takes. Engines that run tasks have `map_ordered(function, items, address, stop)` besides, for `run_files`.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Generator, Sequence
from typing import Any

from ...errors import MissingExtraError, unknown_name
from ..preprocessor import Preprocessor

__all__ = ["make_function", "names", "run_files"]
__dir__ = __all__.copy

TASK_ENGINES = ("ray", "dask")


def names() -> tuple[str, ...]:
    """Return the names of the engines.

    >>> names()
    ('daft', 'dask', 'datasets', 'ray', 'webdataset')
    """
    return tuple(sorted(one.name for one in pkgutil.iter_modules(__path__) if not one.name.startswith("_")))


def make_function(engine: str, pre: Preprocessor, **arguments: Any) -> Any:
    """Return a preprocessor as a picklable function, in the form that an engine takes.

    Args:
        engine: one of `names()`.
        pre: the preprocessor.
        arguments: `column` of the images, `output` for the results, and `on_error`: "raise", or "return" to put the
            message of an error beside the results. Engines have different defaults for the names.

    >>> import sizewise as sw
    >>> pre = sw.Preprocessor([sw.preprocess.Resize(sw.preprocess.Exact(2, 2))])
    >>> make_function("datasets", pre, column="photo").column
    'photo'
    """
    return load(engine, names()).make_function(pre, **arguments)


def run_files(
    function: Any, jobs: Sequence[Any], engine: str, address: str | None = None, stop: threading.Event | None = None
) -> Generator[Any, None, None]:
    """Run a preprocessor on files, as tasks of Ray or Dask; yield the outcome of each file, in order.

    Args:
        function: a preprocessor, whose results are written as .npy files; or a picklable function of a job.
        jobs: the files to read and to write: `jobs` of `sizewise.files.jobs.find(inputs, folder, "npy")`.
        engine: "ray" or "dask".
        address: of a cluster, whose workers must see the same folders; by default the cores of this machine are used.
        stop: once it is set, no more tasks are started.

    The engine repeats the tasks of a worker that died; files are written atomically, so each is complete, and there
    once.

    >>> import tempfile, distributed, sizewise as sw
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from sizewise.files import jobs
    >>> pre = sw.Preprocessor([sw.preprocess.CenterCrop(4, 4)])
    >>> cluster = distributed.LocalCluster(processes=False, dashboard_address=None)
    >>> with cluster, tempfile.TemporaryDirectory() as folder:
    ...     photo = Path(folder, "photo.png")
    ...     Image.new("RGB", (8, 6)).save(photo)
    ...     found = jobs.find([photo], Path(folder, "arrays"), "npy")
    ...     for outcome in run_files(pre, found.jobs, "dask", cluster.scheduler_address):
    ...         outcome.status, outcome.job.target.name, outcome.shape
    ('written', 'photo.npy', (4, 4, 3))
    """
    from ..file_jobs import PreprocessFile
    from ._files import absolute, outcomes

    module = load(engine, TASK_ENGINES)
    each = PreprocessFile(function) if isinstance(function, Preprocessor) else function
    return outcomes(module.map_ordered(each, list(map(absolute, jobs)), address, stop), jobs)


def load(engine: str, known: Sequence[str]) -> Any:
    """Return the module of an engine; raise UnknownNameError unless it is `known`."""
    if engine not in known:
        raise unknown_name("engine", engine, known)
    return importlib.import_module(f"{__name__}.{engine}")


def import_library(package: str, extra: str) -> Any:
    """Return a package, or raise MissingExtraError if it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise
        raise MissingExtraError(f"the engine {extra}", extra) from None
