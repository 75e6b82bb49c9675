"""One table for all backends: the same arguments give the same pixels for arrays of every library."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import array_api_strict
import autograd
import dask.array as da
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
import torch

import sizewise as sw
from sizewise import backends


class Library(NamedTuple):
    """How to make an array of NumPy's, and how to read one; the engines that it has."""

    make: Callable[[np.ndarray], Any]
    read: Callable[[Any], np.ndarray]
    engines: tuple[str | None, ...] = (None, "kernel", "framework")


class Boxed:
    """An array that autograd boxes when it is used."""

    def __init__(self, x: np.ndarray) -> None:
        self.x = x


LIBRARIES = {
    "numpy": Library(lambda x: x, lambda x: x),
    "torch": Library(torch.from_numpy, lambda x: x.numpy()),
    "jax": Library(jnp.asarray, np.asarray),
    "tensorflow": Library(tf.constant, lambda x: x.numpy()),
    "autograd": Library(Boxed, np.asarray),
    "dask": Library(lambda x: da.from_array(x, chunks=tuple(max(1, n // 2) for n in x.shape)), np.asarray),
    "array_api": Library(array_api_strict.asarray, np.asarray, (None, "framework")),
}
SHAPE = (2, 9, 14, 3)
CALLS: dict[str, Callable[..., Any]] = {
    "shrink": lambda x, **more: sw.resize(x, (4, 5), **more),
    "grow": lambda x, **more: sw.resize(x, (20, 17), "bicubic", **more),
    "nearest": lambda x, **more: sw.resize(x, (4, 20), "nearest", **more),
    "pillow": lambda x, **more: sw.resize(x, (4, 20), "lanczos", dialect="pillow", **more),
    "torch": lambda x, **more: sw.resize(x, (20, 5), "bicubic", dialect="torch", align_corners=True, **more),
    "scale": lambda x, **more: sw.resize(x, scale=0.7, dialect="opencv", method="linear", **more),
    "gradient": lambda x, **more: sw.resize_grad(x, (20, 6), **more),
    "plan": lambda x, **more: sw.make_plan((9, 14), (3, 3), "area").apply(x, **more),
}
WHOLE = ("shrink", "nearest", "pillow")  # of uint8, too


def called(call: Callable[[Any], Any], x: Any) -> Any:
    return autograd.make_vjp(call)(x.x)[1] if isinstance(x, Boxed) else call(x)


def test_every_backend_is_here() -> None:
    assert {*LIBRARIES, "pillow"} == set(backends.names())  # images are of two axes: test_pillow


@pytest.mark.parametrize("dtype", [np.float32, np.uint8], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", LIBRARIES)
def test_the_same_numbers_everywhere(name: str, dtype: type) -> None:
    library, random = LIBRARIES[name], np.random.default_rng(0)
    x = random.standard_normal(SHAPE).astype(dtype) if dtype is np.float32 else random.integers(0, 256, SHAPE, dtype)
    for label, call in CALLS.items():
        if (dtype is np.uint8 and label not in WHOLE) or (name == "autograd" and dtype is np.uint8):
            continue
        expected = call(x, axes=(1, 2))
        for engine in library.engines:
            made = library.read(called(lambda x: call(x, axes=(1, 2), engine=engine), library.make(x)))
            assert made.dtype == expected.dtype and made.shape == expected.shape, (label, engine)
            if engine == "framework" or name == "array_api":
                allowed = 4 * np.spacing(np.abs(x).max()) if dtype is np.float32 else 0
                assert np.abs(made.astype(float) - expected.astype(float)).max() <= allowed, (label, engine)
            else:
                assert made.tobytes() == expected.tobytes(), (label, engine)


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_default_axes(name: str) -> None:
    library = LIBRARIES[name]
    made = library.read(called(lambda x: sw.resize(x, (4, 5)), library.make(np.ones(SHAPE, np.float32))))
    assert made.shape == ((2, 9, 4, 5) if name == "torch" else (2, 4, 5, 3))


@pytest.mark.parametrize("name", LIBRARIES)
def test_eight_threads(name: str) -> None:
    library = LIBRARIES[name]
    images = [np.random.default_rng(seed).standard_normal((40, 50, 3)).astype(np.float32) for seed in range(8)]

    def one(image: np.ndarray) -> bytes:
        return library.read(called(lambda x: sw.resize(x, (13, 60), axes=(0, 1)), library.make(image))).tobytes()

    expected = [one(image) for image in images]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, images * 4)) == expected * 4


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_nan_reaches_its_own_outputs_only(name: str) -> None:
    library = LIBRARIES[name]
    x = np.ones((30, 20, 3), np.float32)
    x[10, 7, 1], x[20, 3, 2] = np.nan, np.inf
    expected = sw.resize(x, (11, 30))
    for engine in library.engines:
        made = library.read(called(lambda x: sw.resize(x, (11, 30), axes=(0, 1), engine=engine), library.make(x)))
        assert (np.isnan(made) == np.isnan(expected)).all() and (np.isinf(made) == np.isinf(expected)).all(), engine


@pytest.mark.parametrize("name", LIBRARIES)
def test_an_unknown_engine_is_refused(name: str) -> None:
    library = LIBRARIES[name]
    with pytest.raises(sw.errors.UnknownNameError, match="known: framework, kernel"):
        called(lambda x: sw.resize(x, (4, 5), engine="gpu"), library.make(np.ones(SHAPE, np.float32)))
