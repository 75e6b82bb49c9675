"""Dask arrays: the bits of the call in memory for any chunks, lazily, in few tasks, on one machine and on several."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator
from math import prod
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import Variant, noise

import sizewise as sw
from sizewise import thread_count
from sizewise.backends import dask as backend
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError

CHUNKS: dict[str, Any] = {
    "1": 1,
    "7": 7,
    "17": 17,
    "256": 256,
    "uneven": ((1, 11, 2, 5), (9, 1, 8), (1, 1)),
    "lines": (19, 1, 2),
    "channels": (19, 18, 1),
}
CALLS: dict[str, dict[str, Any]] = {
    "shrink": {"size": (8, 7)},
    "grow": {"size": (25, 40), "method": "bicubic"},
    "both": {"size": (30, 8), "method": "lanczos3"},
    "area": {"size": (5, 30), "method": "area"},
    "nearest": {"size": (8, 40), "method": "nearest"},
    "same": {"size": (19, 18)},
    "torch": {"size": (8, 30), "dialect": "torch"},
    "tensorflow1": {"size": (8, 30), "dialect": "tensorflow1"},
    "pillow": {"size": (8, 30), "method": "lanczos", "dialect": "pillow"},
    "jax": {"size": (30, 7), "method": "cubic", "dialect": "jax"},
}
SHAPE = (19, 18, 2)


def back(options: dict[str, Any], input_size: tuple[int, ...]) -> dict[str, Any]:
    """Return the arguments of the gradient of a call."""
    return {**{name: value for name, value in options.items() if name != "size"}, "input_size": input_size}


def assert_same(lazy: da.Array, expected: np.ndarray) -> None:
    """Assert that shape, dtype and chunks are known before the result is computed, and that its bits are expected."""
    assert isinstance(lazy, da.Array) and type(lazy._meta) is np.ndarray
    assert lazy.shape == expected.shape and lazy.dtype == lazy._meta.dtype == expected.dtype
    assert all(n > 0 for axis in lazy.chunks for n in axis)
    assert_same_bits(lazy.compute(), expected)
    if lazy.npartitions < 100:  # the same as with large blocks, which are read in place
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(backend, "MIN_SHARED_BYTES", 0)
            assert_same_bits(lazy.compute(), expected)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("name", CALLS)
def test_any_chunks(name: str, chunks: str) -> None:
    options = CALLS[name]
    x = noise(SHAPE if chunks != "1" else (9, 8, 2), np.float32)
    lazy = da.from_array(x, chunks=CHUNKS[chunks])
    assert_same(sw.resize(lazy, **options), sw.resize(x, **options))
    grad = back(options, (13, 30))
    assert_same(sw.resize_grad(lazy, **grad), sw.resize_grad(x, **grad))


@pytest.mark.parametrize("dtype", ["float64", "float16", "uint8", "int16", "int64", "bool", ">f4", ">u2"])
@pytest.mark.parametrize("name", CALLS)
def test_every_dtype(name: str, dtype: str) -> None:
    x = noise(SHAPE, np.dtype(dtype).newbyteorder("=")).astype(dtype)
    lazy = sw.resize(da.from_array(x, chunks=(7, 17, 1)), **CALLS[name])
    assert_same(lazy, sw.resize(x, **CALLS[name]))


def test_every_variant(variant: Variant) -> None:
    plan = variant.plan((19, 23), (8, 31))
    for one, chunks in ((plan, 7), (plan.T, (5, 9))):
        x = noise(one.input_size)
        assert_same(one(da.from_array(x, chunks=chunks)), one(x))


def test_other_axes() -> None:
    x = noise((4, 21, 2, 18), np.float32)
    lazy = da.from_array(x, chunks=(3, 7, 1, 5))
    for axes, size in (((1,), 9), ((3,), 40), ((1, 3), (9, 40)), ((0, 1, 3), (6, 9, 40)), ((3, 1), (40, 9)), (-1, 7)):
        assert_same(sw.resize(lazy, size, axes=axes), sw.resize(x, size, axes=axes))
    line = noise((50,))
    assert_same(sw.resize(da.from_array(line, chunks=8), 20), sw.resize(line, 20))
    assert_same(sw.resize(lazy, (10, 3)), sw.resize(x, (10, 3)))  # by default axes 1 and 2: channels last


def test_a_scale_and_a_value_outside() -> None:
    x = noise((30, 20), np.float32)
    lazy = da.from_array(x, chunks=(8, 20))
    assert_same(sw.resize(lazy, scale=0.37, dialect="torch"), sw.resize(x, scale=0.37, dialect="torch"))
    crop = {"dialect": "onnx", "coordinate_transformation_mode": "tf_crop_and_resize", "roi": (0.5, 0.4, 1.5, 1.4)}
    plan = sw.make_plan((30, 20), (31, 33), "linear", extrapolation_value=7.0, **crop)
    for one in (plan, plan.linear):
        assert_same(one(lazy), one(x))
    assert (plan(x) == 7).any()


def test_what_is_not_finite_reaches_what_reads_it() -> None:
    x = noise((40, 40))
    x[20, 20], x[3, 39] = np.nan, np.inf
    assert_same(sw.resize(da.from_array(x, chunks=9), (17, 50), "lanczos3"), sw.resize(x, (17, 50), "lanczos3"))


def test_chunks_of_length_0_and_empty_batches() -> None:
    x = noise((6, 10, 2))
    lazy = da.from_array(x, chunks=((4, 0, 2), (3, 7), (2,)))
    assert 0 in lazy.chunks[0]
    assert_same(sw.resize(lazy, (4, 5)), sw.resize(x, (4, 5)))
    empty = sw.resize(da.zeros((0, 8, 8, 3), chunks=4), (4, 5))
    assert empty.compute().shape == (0, 4, 5, 3)


class Unreadable:
    """An array that must not be read, and notes what is."""

    def __init__(self, shape: tuple[int, ...], readable: bool = False) -> None:
        self.shape, self.ndim, self.dtype, self.readable = shape, len(shape), np.dtype(np.float32), readable
        self.read: list[tuple[slice, ...]] = []

    def __getitem__(self, key: tuple[slice, ...]) -> np.ndarray:
        assert self.readable, f"{key} was read"
        self.read.append(key)
        return np.ones([len(range(*one.indices(n))) for one, n in zip(key, self.shape, strict=True)], self.dtype)


def test_nothing_is_computed_until_asked() -> None:
    source = Unreadable((10**6, 10**6))  # four terabytes
    lazy = sw.resize(da.from_array(source, chunks=(10**5, 10**5)), (10**5, 10**5), "nearest")
    assert lazy.shape == (10**5, 10**5) and lazy.dtype == np.float32 and lazy.npartitions == 100
    grad = sw.resize_grad(lazy, (10**6, 10**6), "nearest")
    assert grad.shape == (10**6, 10**6)
    with pytest.raises(AssertionError, match="was read"):
        lazy[:5, :5].compute()


def test_a_part_reads_only_what_it_needs() -> None:
    source = Unreadable((4000, 4000), readable=True)
    lazy = sw.resize(da.from_array(source, chunks=(400, 400)), (1000, 1000))
    assert lazy[150:160, 150:160].compute().shape == (10, 10)
    read = [key for key in source.read if key[0].stop]  # Dask itself looks at nothing, to see its type
    assert len(read) == 9  # one block, and those beside it


def test_results_larger_than_memory_are_allowed() -> None:
    lazy = sw.resize(da.zeros((50_000, 50_000), chunks=10_000), (2_000_000, 2_000_000), "nearest")
    assert lazy.nbytes > 2**44
    assert max(map(max, lazy.chunks)) <= 10_000


def tasks_of(lazy: da.Array) -> int:
    """How many tasks the resize adds."""
    return len(lazy.dask.layers[lazy.name])


@pytest.mark.parametrize("size", [(1000, 1500), (8000, 12_000), (4000, 6000), (400, 60_000)], ids=str)
@pytest.mark.parametrize("method", ["bilinear", "lanczos3"])
def test_few_tasks(method: str, size: tuple[int, int]) -> None:
    x = da.zeros((4000, 6000, 3), chunks=(500, 500, 3))
    lazy = sw.resize(x, size, method)
    assert tasks_of(lazy) <= 10 * lazy.npartitions  # a chunk, and the parts of at most nine blocks
    grad = sw.resize_grad(lazy, (4000, 6000), method)
    assert tasks_of(grad) <= 10 * grad.npartitions


def test_whole_blocks_need_no_task_of_their_own() -> None:
    lazy = sw.resize(da.zeros((10, 64, 64, 3), chunks=(1, 64, 64, 3)), (32, 32))
    assert tasks_of(lazy) == 10
    lazy = sw.resize(da.zeros((64, 64), chunks=16), (32, 32), "area")
    assert tasks_of(lazy) == lazy.npartitions == 16


@pytest.mark.parametrize(
    ("chunks", "n_out", "expected"),
    [
        ((4, 4, 2), 5, (2, 2, 1)),
        ((4, 4, 2), 10, (4, 4, 2)),
        ((4, 4, 2), 30, (12, 12, 6)),
        ((1,) * 10, 3, (1, 1, 1)),
        ((256, 256), 51, (26, 25)),
        ((7, 0, 3), 10, (7, 3)),
        ((5,), 1, (1,)),
    ],
)
def test_chunks_follow_those_of_the_array(chunks: Any, n_out: int, expected: tuple[int, ...]) -> None:
    assert sw.resize(da.zeros((sum(chunks),), chunks=(chunks,)), n_out).chunks == (expected,)


def test_chunks_never_vanish_and_hardly_grow() -> None:
    random = np.random.default_rng(0)
    for _ in range(100):
        shape, size = (tuple(map(int, random.integers(1, 20_000, 2))) for _ in range(2))
        x = da.zeros((*shape, 3), chunks=(*(max(n // int(random.integers(1, 20)), 1) for n in shape), 3))
        lazy = sw.resize(x, size, "nearest")
        assert lazy.shape == (*size, 3) and all(min(axis) > 0 for axis in lazy.chunks)
        bytes_in, bytes_out = (8 * prod(map(max, one.chunks)) for one in (x, lazy))
        assert bytes_out <= 1.5 * max(bytes_in, backend.MIN_CHUNK_BYTES) + 1e5


def test_growing_tenfold_cuts_chunks_again() -> None:
    lazy = sw.resize(da.zeros((8, 2000, 3000), chunks=(1, 1000, 1000)), (20_000, 30_000), axes=(1, 2))
    assert lazy.chunks == ((1,) * 8, (1000,) * 20, (1000,) * 30)
    lazy = sw.resize(da.zeros((2000, 3000), chunks=1000), (200, 60_000))
    assert lazy.chunks == ((100,) * 2, (10_000,) * 6)


def test_steps_of_opencv_need_whole_images() -> None:
    x = noise((2, 31, 26, 3), np.uint8)
    options = {"size": (12, 60), "method": "cubic", "dialect": "opencv"}
    lazy = da.from_array(x, chunks=(1, 31, 26, 3))
    assert_same(sw.resize(lazy, **options), sw.resize(x, **options))
    with pytest.raises(UnsupportedError, match=r"float32, or .* in one piece: x.rechunk\(\{1: -1, 2: -1\}\)"):
        sw.resize(lazy.rechunk(7), **options)
    real = x.astype(np.float32)
    assert_same(sw.resize(da.from_array(real, chunks=7), **options), sw.resize(real, **options))


def test_the_framework_engine() -> None:
    x = noise(SHAPE, np.uint8)
    assert_same(sw.resize(da.from_array(x, chunks=7), (40, 12), engine="framework"), sw.resize(x, (40, 12)))


def test_equal_calls_have_equal_names() -> None:
    lazy = da.zeros((8, 8), chunks=4)
    assert sw.resize(lazy, (4, 4)).name == sw.resize(lazy, (4, 4)).name == sw.make_plan((8, 8), (4, 4))(lazy).name
    others = [sw.resize(lazy, (4, 5)), sw.resize(lazy, (4, 4), "area"), sw.resize(lazy + 1, (4, 4))]
    others += [sw.resize(lazy, (4, 4), threads=1), sw.resize_grad(lazy, (4, 4))]
    assert len({one.name for one in [sw.resize(lazy, (4, 4)), *others]}) == 6


def test_a_graph_is_pickled_in_words() -> None:
    x = noise((600, 800), np.float32)
    lazy = sw.resize(da.zeros((600, 800), chunks=100, dtype=np.float32) + 1, (900, 300), "lanczos3")
    assert len(pickle.dumps(dict(lazy.dask))) < 400 * len(dict(lazy.dask))
    read = pickle.loads(pickle.dumps(lazy))
    assert_same(read, sw.resize(np.ones_like(x), (900, 300), "lanczos3"))


def test_one_thread_inside_a_task() -> None:
    seen: list[tuple[bool, int]] = []

    def look(block: np.ndarray) -> np.ndarray:
        seen.append((threading.current_thread() is threading.main_thread(), thread_count.default_threads()))
        return block

    lazy = sw.resize(da.ones((64, 64), chunks=16).map_blocks(look, meta=np.empty((0, 0))), (32, 32))
    with dask.config.set(scheduler="threads", num_workers=2):
        lazy.compute()
    assert set(seen) == {(False, 1)}
    seen.clear()
    lazy.compute(scheduler="synchronous")
    assert {main for main, _ in seen} == {True}
    with pytest.raises(ArgumentError, match="threads must be an integer"):
        sw.resize(lazy, (8, 8), threads=0)


def test_many_threads_at_once() -> None:
    x = noise((200, 180, 3), np.float32)
    expected = sw.resize(x, (120, 250), "bicubic")
    lazy = sw.resize(da.from_array(x, chunks=(33, 40, 3)), (120, 250), "bicubic")
    assert_same_bits(lazy.compute(scheduler="threads", num_workers=8), expected)


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    """A cluster of two processes."""
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(memory_limit=0, **settings) as cluster, distributed.Client(cluster) as client:
        yield client


def test_a_cluster(client: distributed.Client) -> None:
    assert len(set(client.run(os.getpid).values()) - {os.getpid()}) == 2
    x = noise((60, 70, 3), np.float32)
    lazy = client.persist(da.from_array(x, chunks=(17, 20, 2)))
    for options in ({"size": (31, 90), "method": "lanczos3"}, {"size": (90, 31), "dialect": "torch"}):
        assert_same(sw.resize(lazy, **options), sw.resize(x, **options))
        grad = back(options, (44, 55))
        assert_same(sw.resize_grad(lazy, **grad), sw.resize_grad(x, **grad))
    assert set(client.run(thread_count.default_threads).values()) == {1}


@pytest.mark.parametrize(
    ("lazy", "error", "says"),
    [
        (lambda x: x[x > 0], ArgumentError, r"unknown sizes; find them out first: x.compute_chunk_sizes\(\)"),
        (lambda x: x.astype(complex), DtypeError, "cannot resize an array of dtype complex128"),
        (
            lambda x: x.map_blocks(np.ma.array, meta=np.ma.array([[]])),
            UnsupportedError,
            r"blocks .*MaskedArray; only NumPy's",
        ),
        (lambda x: dask.delayed(x), ArgumentTypeError, r"cannot resize a dask.delayed.Delayed; use a dask.array.Array"),
    ],
)
def test_what_cannot_be_resized_is_refused(lazy: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        sw.resize(lazy(da.ones((8, 8), chunks=4)), (4, 4))


def test_blocks_that_are_not_what_they_say_are_refused() -> None:
    lazy = da.ones((8, 8), chunks=4).map_blocks(np.ma.masked_array, meta=np.empty((0, 0)))
    with pytest.raises(ArgumentTypeError, match="a masked array would lose its mask"):
        sw.resize(lazy, (4, 4)).compute()


def test_bad_words_are_refused() -> None:
    lazy = da.ones((8, 8), chunks=4)
    with pytest.raises(ArgumentError, match="out cannot be used with Dask arrays"):
        sw.resize(lazy, (4, 4), out=np.empty((4, 4)))
    with pytest.raises(DtypeError, match="gradients exist for floating dtypes only"):
        sw.resize_grad(lazy.astype(int), (4, 4))
    with pytest.raises(ArgumentError, match="this plan resizes 9x9"):
        sw.make_plan((9, 9), (4, 4))(lazy)


def test_control_blocks_resized_on_their_own_differ() -> None:
    x = noise((60, 60))
    lazy = da.from_array(x, chunks=20)
    blocks = lazy.map_blocks(lambda block: sw.resize(block, (8, 8)), chunks=(8, 8), dtype=x.dtype)
    expected = sw.resize(x, (24, 24))
    assert blocks.shape == expected.shape
    seams = (blocks.compute() != expected).mean()
    assert seams > 0.2
    assert prod(sw.resize(lazy, (24, 24)).numblocks) == 9
