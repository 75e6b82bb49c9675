"""Memory that the kernels read and write: that of the frameworks' arrays, without copies.

The one override here: `recorded_calls` wraps `Executor.__call__`, through which all backends reach the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import dask.array as da
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf
import torch
from tolerances import assert_same_bits

import sizewise as sw
from sizewise import _core
from sizewise.backends import dask as dask_backend
from sizewise.engine.executor import Executor


class Buffers(NamedTuple):
    """The addresses of the input and of the result of a kernel call, and the shape of the input."""

    source: int
    result: int
    shape: tuple[int, ...]


@pytest.fixture
def recorded_calls(override: Callable[..., None]) -> list[Buffers]:
    """Return the list of the buffers of every kernel call from Python."""
    calls: list[Buffers] = []
    run = Executor.__call__

    def record(self: Executor, x: np.ndarray, *others: object) -> np.ndarray:
        result = run(self, x, *others)
        calls.append(Buffers(address(x), address(result), x.shape))
        return result

    override(Executor, __call__=record)
    return calls


def address(x: np.ndarray) -> int:
    return x.__array_interface__["data"][0]


def noise(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    values = np.abs(np.random.default_rng([*shape]).standard_normal(shape))
    return (values if "float" in dtype else values * 60).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.uint8], ids=str)
def test_torch(recorded_calls: list[Buffers], dtype: torch.dtype) -> None:
    x = torch.from_numpy(noise((2, 3, 5, 4), "float32")).to(dtype)
    for one in (x, x.to(memory_format=torch.channels_last), x[1:, :, 1:], x.flip(0)):
        recorded_calls.clear()
        y = sw.resize(one, (3, 7))
        assert [call[:2] for call in recorded_calls] == [(one.data_ptr(), y.data_ptr())]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "uint8", "bool"])
@pytest.mark.parametrize("size", [(4, 4), (600, 700)])
def test_tensorflow(recorded_calls: list[Buffers], dtype: str, size: tuple[int, int]) -> None:
    x = tf.cast(tf.constant(noise((2, 9, 7, 3), "float64") * 9), dtype)
    y = sw.resize(x, size, "nearest" if dtype == "bool" else "bilinear")
    assert [call[:2] for call in recorded_calls] == [(address(np.asarray(x)), address(np.asarray(y)))]
    assert recorded_calls[0].result % 64 == 0
    assert not np.asarray(x).flags.owndata


def test_control_a_copy_of_a_tensor_has_another_address() -> None:
    x = tf.ones((4, 4))
    assert address(np.asarray(x)) == address(np.from_dlpack(x)) != address(x.numpy())


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "uint8"])
@pytest.mark.parametrize("shape", [(32, 32, 3), (4, 200, 200, 3)])
def test_jax(recorded_calls: list[Buffers], shape: tuple[int, ...], dtype: str) -> None:
    x = jnp.asarray(noise(shape, dtype))
    for resize in (lambda x: sw.resize(x, (50, 50)), jax.jit(lambda x: sw.resize(x, (50, 50)))):
        _core.native().xla_clear()  # else the core repeats its call without Python
        y = resize(x).block_until_ready()
        assert recorded_calls[-1][:2] == (x.unsafe_buffer_pointer(), y.unsafe_buffer_pointer())
    _core.native().xla_clear()
    jax.jit(lambda x: sw.resize(x[::-1], (50, 50)))(x).block_until_ready()
    assert recorded_calls[-1].source != x.unsafe_buffer_pointer()  # the control: an array that XLA itself computed


@pytest.mark.parametrize("size", [(300, 500), (1500, 900)], ids=str)
def test_dask_reads_large_blocks_in_place(recorded_calls: list[Buffers], size: tuple[int, int]) -> None:
    x = noise((900, 1400), "float32")
    blocks = [x[:, :700].copy(), x[:, 700:].copy()]
    meta = np.empty((0, 0), np.float32)
    lazy = da.map_blocks(lambda block_id: blocks[block_id[1]], chunks=((900,), (700, 700)), meta=meta)  # no copies
    expected = sw.resize(x, size, "lanczos3")
    recorded_calls.clear()
    assert blocks[0].nbytes > dask_backend.MIN_SHARED_BYTES
    result = sw.resize(lazy, size, "lanczos3").compute(scheduler="synchronous")
    assert_same_bits(result, expected)
    ranges = [range(address(block), address(block) + block.nbytes) for block in blocks]
    copies = [prod(call.shape) for call in recorded_calls if not any(call.source in own for own in ranges)]
    assert copies and max(copies) < 0.1 * blocks[0].size
    assert len(recorded_calls) - len(copies) == len(blocks)
