"""Fused execution against the same steps one by one, in every dialect that crops may follow."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from sizewise.preprocess import (
    CenterCrop,
    CropBox,
    Exact,
    Layout,
    Normalize,
    Preprocessor,
    Rescale,
    Resize,
    ShortestEdge,
    batches,
)

IMAGE = np.random.default_rng(0).integers(0, 256, (48, 64, 3), np.uint8)
DIALECTS = [
    ("bicubic", "pillow"),
    ("bicubic", "pillow@12"),
    ("bilinear", "torch"),
    ("bilinear", "opencv"),
    ("area", "opencv"),
    ("bicubic", "opencv@4"),
    ("nearest", "opencv"),
    ("bilinear", "standard"),
    ("nearest", "tensorflow"),
]


@pytest.mark.parametrize(("method", "dialect"), DIALECTS)
@pytest.mark.parametrize("crop", [CenterCrop(28, 28), CropBox(3, 5, 20, 24)], ids=["center", "box"])
@pytest.mark.parametrize("rule", [ShortestEdge(32), Exact(48, 70), Exact(90, 100)], ids=str)
@pytest.mark.parametrize("tail", [[], [Rescale(1 / 255), Normalize((0.4,), (0.2,)), Layout("CHW")]], ids=["u8", "f4"])
def test_results_are_those_of_the_steps(method, dialect, crop, rule, tail):
    pre = Preprocessor([Resize(rule, method, dialect), crop, *tail])
    for image in (IMAGE, IMAGE[::-1], np.asfortranarray(IMAGE)):
        *_, (_, expected) = pre.trace(image)
        result = pre(image)
        assert result.dtype == expected.dtype
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_index_is_done_once(threads):
    done = []
    results = batches._map(lambda index: done.append(index) or -index, 100, threads)
    assert results == [-index for index in range(100)]
    assert sorted(done) == list(range(100))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_ends_the_batch(threads):
    started, lock = [], threading.Lock()

    def fail(index):
        with lock:
            started.append(index)
        if index == 3:
            raise ZeroDivisionError
        threading.Event().wait(0.001)

    with pytest.raises(ZeroDivisionError):
        batches._map(fail, 1000, threads)
    assert len(started) < 100
