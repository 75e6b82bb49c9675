"""JAX without a registered handler: XLA calls the kernels back through Python, with the same bits.

The one override here: the backend's `_found`, which is false where XLA rejects the handler.
`tests/backends/test_jax_processes.py` runs the rejection itself, in other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from tolerances import assert_same_bits

import sizewise as sw
from sizewise.backends import jax as backend

CALLS = {
    "bilinear": lambda x: sw.resize(x, (3, 7)),
    "nearest": lambda x: sw.resize(x, (3, 9), "nearest"),
    "pillow": lambda x: sw.resize(x, (3, 9), "bicubic", dialect="pillow"),
    "gradient": lambda dy: sw.resize_grad(dy, (7, 2), "bicubic"),
    "three axes": lambda x: sw.resize(x, (2, 7, 3), axes=(1, 2, 3)),
    "outside": lambda x: sw.resize(
        x, (6, 6), "linear", dialect="onnx", coordinate_transformation_mode="tf_crop_and_resize",
        roi=(-0.3, 0.0, 1.2, 0.8), extrapolation_value=5.0,
    ),
}  # fmt: skip
NARROW = ("bfloat16", "uint8")


def noise(dtype: str, shape: tuple[int, ...] = (2, 5, 4, 3)) -> np.ndarray:
    return (np.abs(np.random.default_rng(0).standard_normal(shape)) * 60).astype(jnp.dtype(dtype))


@pytest.fixture(autouse=True)
def _callback(override: Callable[..., None]) -> Iterator[None]:
    """Compile every program as if XLA could not call the kernels."""
    override(backend, _found=[False])
    backend._program.cache_clear()
    yield
    backend._program.cache_clear()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, "float32") for name in CALLS] + [(name, dtype) for name in ("bilinear", "outside") for dtype in NARROW],
)
def test_the_same_bits_as_numpy(name: str, dtype: str) -> None:
    values = noise(dtype)
    x, expected = jnp.asarray(values), CALLS[name](values)
    call = lambda x: CALLS[name](x)  # noqa: E731  # a new function: programs compiled before are kept
    assert backend.NAME not in jax.jit(call).lower(x).as_text()
    assert_same_bits(np.asarray(call(x)), expected)
    assert_same_bits(np.asarray(jax.jit(call)(x)), expected)


def test_without_64_bits_results_have_32() -> None:
    assert sw.resize(jnp.asarray(noise("uint8")), (3, 7), dialect="skimage").dtype == jnp.float32


def test_derivatives_and_batches() -> None:
    with jax.enable_x64(True):
        x = jnp.asarray(noise("float64", (5, 4)) / 60)
        check_grads(lambda x: sw.resize(x, (6, 3)) ** 2, (x,), order=2, modes=("fwd", "rev"))
        images = noise("float64", (3, 5, 4, 2))
        expected = np.stack([sw.resize(image, (6, 3)) for image in images])
        assert_same_bits(np.asarray(jax.vmap(lambda x: sw.resize(x, (6, 3)))(images)), expected)
