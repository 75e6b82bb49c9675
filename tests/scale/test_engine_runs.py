"""Data engines on some hundred images: the bits of the plain preprocessor, in full after a worker was killed.

`make scale IMAGES=20000` runs them on many, and watches the memory of all their processes.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import daft
import numpy as np
import pytest
from samples import fewer
from scale.run import ROOT, run_engine

# isort: split
import memory  # of this folder, as workers import it
import photos

from sizewise.preprocess import Preprocessor, engines
from sizewise.preprocess.engines.daft import DaftFunction

COUNT = fewer(2_000, 5)
CELLS, N_CALLS = 40, 60
KILLED = ("--kill-after", COUNT // 8)
LEAK = Preprocessor([*photos.PRE.steps[:-1], photos.Keep(), photos.PRE.steps[-1]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photos")
    photos.make(path, COUNT)
    return path


@pytest.fixture(scope="module")
def plain(folder: Path) -> str:
    """Return the SHA-256 of the results of the plain preprocessor."""
    return run_engine("plain", folder)["sha256"]


def require_all(found: dict[str, Any], sha256: str) -> None:
    assert Path(found["package"]).parents[1] == ROOT
    assert (found["count"], found["missing"], found["repeated"], found["sha256"]) == (COUNT, 0, 0, sha256)


@pytest.mark.parametrize("engine", ["datasets", "webdataset", "daft", "command-tar", "command-parquet"])
def test_bits_are_those_of_the_preprocessor(engine: str, folder: Path, plain: str) -> None:
    require_all(run_engine(engine, folder), plain)


@pytest.mark.parametrize("engine", ["ray", "dask", "files_ray", "files_dask"])
def test_results_are_complete_after_a_worker_was_killed(engine: str, folder: Path, plain: str) -> None:
    found = run_engine(engine, folder, *KILLED)
    assert found["killed"]
    require_all(found, plain)


@pytest.mark.parametrize("engine", ["datasets", "webdataset"])
def test_a_killed_worker_is_an_error_where_the_engine_does_not_repeat_tasks(engine: str, folder: Path) -> None:
    with pytest.raises(RuntimeError, match=r"abruptly died|killed by signal|exited unexpectedly"):
        run_engine(engine, folder, *KILLED)


def call(engine: str, pre: Preprocessor) -> Callable[[], Any]:
    """Return a call of an engine's function for some images, in the form that the engine passes them."""
    cells = list(map(photos.photo, range(CELLS)))
    if engine == "daft":  # its make_function returns an expression with this
        function, series = DaftFunction(pre, "image", "pixel_values"), daft.Series.from_pylist(cells)
        return lambda: function(series)
    function = engines.make_function(engine, pre)
    if engine in ("ray", "datasets"):
        return lambda: function({"image": cells})
    return lambda: [function({"jpg": one} if engine == "webdataset" else one) for one in cells]


def allocated_per_image(engine: str, pre: Preprocessor) -> float:
    """Return the bytes per image that stay allocated by Python and NumPy, after the first quarter of the images.

    CPython's cache of attributes keeps up to 4,096 names, and is nearly full after a thousand images.
    """
    run, samples = call(engine, pre), []
    tracemalloc.start()
    try:
        for calls in range(1, N_CALLS + 1):
            run()
            if calls % 5 == 0:
                gc.collect()
                samples.append((calls * CELLS, tracemalloc.get_traced_memory()[0]))
    finally:
        tracemalloc.stop()
        photos.KEPT.clear()
    return memory.growth_per_image(np.array(samples))


@pytest.mark.parametrize("engine", engines.names())
def test_functions_keep_no_object_per_image(engine: str) -> None:
    assert allocated_per_image(engine, photos.PRE) < sys.getsizeof(object())


def test_control_a_planted_leak_is_found() -> None:
    assert allocated_per_image("dask", LEAK) >= photos.RESULT_BYTES
