"""Dialect "jax" against the real jax.image, forward and gradient; and where JAX contradicts itself.

JAX compiles every shape: fewer are compared than for other frameworks.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from live import assert_gradient, assert_matrix, assert_others_differ, assert_pixels, noise
from samples import ALL, sample
from variants import EVERY, PLACED, Variant

import sizewise as sw
from sizewise.errors import UnsupportedError
from sizewise.parity import reference
from sizewise.testing import dot_test

OURS = [variant for variant in EVERY if variant.dialect == "jax"]
MIXING = [variant for variant in OURS if variant.method != "nearest"]
# With antialiasing cubic-pytorch is cubic.
DIFFERENT = [one for one in MIXING if (one.method, one.antialias) != ("cubic-pytorch", True)]
MOVED = [variant for variant in PLACED if variant.dialect == "jax"]

SIZES = [((9, 14), (23, 5)), ((1, 13), (4, 13)), ((100, 37), (37, 100)), ((301, 240), (300, 101))]
LENGTHS = [(7, 5), (13, 24), (22, 1), (700, 313), (313, 700)]
WEIGHT_ERROR = 1e-6  # of a weight in float32
DOUBLE_ERROR = 1e-14  # in float64


def assert_same_indices(pairs: list[tuple[int, int]]) -> int:
    """Assert the same pixels for these lengths, compiled together; return how many exact arithmetic would change."""

    @jax.jit
    def every(rows: list[jax.Array]) -> list[jax.Array]:
        return [jax.image.resize(row, (n_out,), "nearest") for row, (_, n_out) in zip(rows, pairs, strict=True)]

    theirs = every([np.arange(n_in, dtype=np.int32) for n_in, _ in pairs])
    for index, pair in zip(theirs, pairs, strict=True):
        assert (sw.index_map(*pair, dialect="jax") == np.asarray(index)).all(), pair
    return sum(
        bool((sw.index_map(*pair) != np.asarray(index)).any()) for index, pair in zip(theirs, pairs, strict=True)
    )


def test_nearest_reads_the_same_pixel() -> None:
    random = np.random.default_rng(0)
    small = [tuple(pair) for pair in random.integers(1, 257, (300, 2)).tolist()]
    large = [tuple(pair) for pair in random.integers(1, 4001, (250, 2)).tolist()]
    pairs = [(10, 25), *sample([*small, *large], 5)]
    others = sum(assert_same_indices(pairs[first : first + 50]) for first in range(0, len(pairs), 50))
    assert others > (5 if ALL else 0)  # control: float32, multiplied in that order, matters


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_pixels_and_gradients(variant: Variant) -> None:
    for sizes in sample(SIZES, 2, variant):
        assert_pixels(variant, *sizes)
    assert_gradient(variant, *SIZES[0])


@pytest.mark.parametrize("variant", sample(MOVED, 2), ids=str)
def test_translations(variant: Variant) -> None:
    assert_pixels(variant, *SIZES[0])
    assert_gradient(variant, *SIZES[0])


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_matrices(variant: Variant) -> None:
    for n_in, n_out in sample(LENGTHS, 2, variant):
        assert_matrix(variant, n_in, n_out, WEIGHT_ERROR, axes=(n_out % 2,))


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_float64(variant: Variant) -> None:
    """With jax_enable_x64 coordinates are float64."""
    assert_matrix(variant, 13, 24, DOUBLE_ERROR, np.float64, axes=(0,))
    assert_matrix(variant, 700, 313, DOUBLE_ERROR, np.float64, axes=(0,))


def test_control_float32_is_not_float64() -> None:
    plan, x = MIXING[0].plan((700, 2), (313, 2)), noise((700, 2, 1))
    theirs = reference.of("jax").resize(x, plan.request)
    single, double = plan(x), plan(x.astype(np.float64))
    assert 3 * np.abs(single - theirs).max() < np.abs(double - theirs).max()


@pytest.mark.parametrize("variant", sample([*DIFFERENT, *MOVED[:3]], 2), ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    others = [one for one in (*DIFFERENT, *MOVED) if not (one in MOVED and variant in MOVED)]
    assert_others_differ(variant, others)


@pytest.mark.parametrize("variant", MOVED, ids=str)
def test_scales_and_translations(variant: Variant) -> None:
    random, empty = np.random.default_rng(0), 0
    for _ in range(20):
        arguments = {"scale": random.uniform(0.2, 3, 2).tolist(), "translation": random.uniform(-8, 8, 2).tolist()}
        assert_pixels(variant, (9, 14), (23, 5), **arguments)
        plan = variant.plan((9, 14), (23, 5), **arguments)
        empty += sum(int((taps.count == 0).sum()) for taps in plan.taps)
        dot_test(plan)
    assert empty > 50  # empty rows


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64, np.bool_], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_dtypes_of_integers(method: str, dtype: type) -> None:
    x = (100 * noise((7, 9, 2))).clip(0, 255).astype(dtype)
    plan = sw.make_plan((7, 9), (11, 4), method, dialect="jax")
    theirs, ours = reference.of("jax").resize(x, plan.request), plan(x)
    assert ours.dtype == theirs.dtype
    assert np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max() <= (
        255 * 2e-6 if method == "linear" else 0
    )


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("variant", OURS[::3], ids=str)
def test_floats_of_16_bits(variant: Variant, dtype: type) -> None:
    """JAX rounds weights and intermediates to 16 bits; the dialect only the result."""
    x = noise((7, 9, 2)).astype(dtype)
    plan = variant.plan((7, 9), (11, 4))
    theirs, ours = reference.of("jax").resize(x, plan.request), plan(x)
    assert ours.dtype == theirs.dtype == dtype
    allowed = (
        0 if variant.method == "nearest" else 4 * float(ml_dtypes.finfo(dtype).eps) * np.abs(noise((7, 9, 2))).max()
    )
    assert np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max() <= allowed


def test_other_numbers_of_axes() -> None:
    for shape, size in [((9,), (14,)), ((4, 5, 6), (7, 3, 9))]:
        x = noise(shape)
        theirs = np.asarray(jax.image.resize(x, size, "cubic"))
        ours = sw.resize(x, size, "tricubic", dialect="jax", axes=range(len(shape)))
        assert np.abs(ours - theirs).max() <= 20 * np.spacing(np.float32(np.abs(x).max()))


class TestContradictions:
    """Calls for which JAX gives two results, or contradicts its documentation."""

    def test_area_that_grows_much_is_0(self) -> None:
        """Weights are lengths in input pixels, and JAX treats sums below 1.2e-4 as 0."""
        theirs = jax.image.resize(jnp.ones(1), (10_000,), "area")
        assert (np.asarray(theirs) == 0).all()
        assert (sw.resize(np.ones(1, np.float32), 10_000, "area", dialect="jax") == 1).all()

    def test_nearest_depends_on_how_it_is_compiled(self) -> None:
        """Compiled step by step, it is (o + 0.5) * n_in / n_out in float32; the dialect follows jax.jit."""
        row = jnp.arange(10)
        together = np.asarray(jax.image.resize(row, (25,), "nearest"))
        with jax.disable_jit():
            apart = np.asarray(jax.image.resize(row, (25,), "nearest"))
        assert (together != apart).any()
        assert (sw.index_map(10, 25, dialect="jax") == together).all()


def test_nearest_has_no_translation() -> None:
    with pytest.raises(ValueError, match="Nearest neighbor"):
        jax.image.scale_and_translate(jnp.ones(4), (2,), (0,), jnp.ones(1), jnp.zeros(1), "nearest")
    with pytest.raises(UnsupportedError, match="translation"):
        sw.make_plan((4,), (2,), "nearest", dialect="jax", translation=0)


def test_a_scale_beside_the_size_needs_a_translation() -> None:
    with pytest.raises(UnsupportedError, match="translation"):
        sw.make_plan((4, 4), (2, 2), dialect="jax", scale=0.75)
    assert sw.make_plan((4, 4), (2, 2), dialect="jax", scale=0.5).matrices()[0].tolist() == (
        sw.make_plan((4, 4), (2, 2), dialect="jax").matrices()[0].tolist()
    )


@pytest.mark.parametrize("method", ["nearest", "area"])
def test_antialias_is_accepted_and_ignored(method: str) -> None:
    """True is JAX's default for all methods."""
    x = noise((9, 14, 1))
    theirs = [np.asarray(jax.image.resize(x, (4, 30, 1), method, antialias=flag)) for flag in (True, False)]
    ours = [sw.resize(x, (4, 30), method, dialect="jax", antialias=flag) for flag in (True, False, None)]
    assert (theirs[0] == theirs[1]).all() and (ours[0] == ours[2]).all() and (ours[1] == ours[2]).all()
