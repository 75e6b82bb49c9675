"""Worker process of a framework: results, errors, printed output, and its end."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np
import pytest

import sizewise as sw
from sizewise import parity
from sizewise.parity import reference, subprocess_worker

REQUEST = sw.make_plan((4, 4), (2, 2), dialect="pillow").request


def in_worker(function: object) -> reference.Reference:
    return subprocess_worker.run_in_subprocess(replace(reference.of("pillow"), resize=function))


def test_worker_returns_the_same_pixels() -> None:
    x = np.arange(16, dtype=np.float32).reshape(4, 4, 1)
    direct, remote = reference.of("pillow"), subprocess_worker.run_in_subprocess(reference.of("pillow"))
    assert (remote.resize(x, REQUEST) == direct.resize(x, REQUEST)).all()
    assert remote.gradient is None
    assert in_worker(os.getpid).resize() != os.getpid()
    assert in_worker(os.getpid).resize() == in_worker(os.getpid).resize()  # one process for all


def test_errors_are_raised_and_prints_are_dropped() -> None:
    with pytest.raises(subprocess_worker.WorkerError, match="ValueError"):
        in_worker(math.sqrt).resize(-1)
    assert in_worker(print).resize("not an answer") is None
    assert in_worker(math.sqrt).resize(4) == 2


def test_a_worker_that_ends_is_an_error() -> None:
    subprocess_worker._worker.cache_clear()
    try:
        with pytest.raises(subprocess_worker.WorkerError, match="ended"):
            in_worker(os._exit).resize(3)
        with pytest.raises(subprocess_worker.WorkerError, match="ended"):
            in_worker(math.sqrt).resize(4)
    finally:
        subprocess_worker._worker.cache_clear()
    assert in_worker(math.sqrt).resize(4) == 2


def test_is_installed_checks_the_release() -> None:
    pillow = reference.of("pillow")
    assert pillow.is_installed() and "pillow" in parity.installed()
    assert not reference.of("pillow@12").is_installed()
    assert not replace(pillow, module="nowhere").is_installed()
    assert not replace(pillow, since=99).is_installed()
