"""jax.image's own signatures: word for word, the same pixels, and the same errors where there is one."""

from __future__ import annotations

import inspect
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from samples import sample

import sizewise as sw
from sizewise.compat import jax as ours
from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.parity import reference

METHODS = ("nearest", "linear", "cubic", "cubic-pytorch", "lanczos3", "lanczos5", "area")
ALIASES = {"bilinear": "linear", "trilinear": "linear", "triangle": "linear", "bicubic": "cubic", "tricubic": "cubic"}
SHAPE, RESULT = (2, 9, 14, 3), (2, 23, 5, 3)
ULP = reference.of("jax").ulp


def noise(dtype: str = "float32") -> jax.Array:
    values = np.random.default_rng(0).standard_normal(SHAPE)
    return jnp.asarray(values if "float" in dtype else np.abs(values) * 60).astype(dtype)


def assert_same(result: jax.Array, expected: jax.Array, x: jax.Array, ulp: float) -> None:
    assert isinstance(result, jax.Array)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    largest = max(float(jnp.abs(x).max()), float(jnp.abs(expected).max()))
    allowed = ulp * float(np.spacing(np.array(largest, expected.dtype)))
    assert float(jnp.abs(result.astype(jnp.float32) - expected.astype(jnp.float32)).max()) <= allowed


@pytest.mark.parametrize("name", ["resize", "scale_and_translate"])
def test_signatures(name: str) -> None:
    mine, theirs = (inspect.signature(getattr(module, name)).parameters.values() for module in (ours, jax.image))
    assert [(one.name, one.kind, one.default) for one in mine] == [(one.name, one.kind, one.default) for one in theirs]


def test_control_another_signature_is_seen() -> None:
    mine, theirs = (inspect.signature(call).parameters for call in (sw.resize, jax.image.resize))
    assert list(mine) != list(theirs)


def test_methods_are_all_there() -> None:
    assert ours.ResizeMethod is jax.image.ResizeMethod
    assert sorted(one.name.lower().replace("_", "-") for one in jax.image.ResizeMethod) == sorted(METHODS)


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_pixels_of_resize(method: str, antialias: bool) -> None:
    x = noise()
    expected = jax.image.resize(x, RESULT, method, antialias)
    assert_same(ours.resize(x, RESULT, method, antialias), expected, x, ULP[method])
    by_name = ours.ResizeMethod[method.upper().replace("-", "_")]
    assert (ours.resize(x, RESULT, by_name, antialias) == ours.resize(x, RESULT, method, antialias)).all()


def test_control_another_method_is_seen() -> None:
    x = noise()
    with pytest.raises(AssertionError):
        assert_same(ours.resize(x, RESULT, "linear"), jax.image.resize(x, RESULT, "linear", False), x, ULP["linear"])


@pytest.mark.parametrize(("method", "antialias"), sample(product(METHODS[1:], [True, False]), 2))
def test_pixels_of_scale_and_translate(method: str, antialias: bool) -> None:
    x, moved = noise(), (jnp.array([2.0, 0.35]), jnp.array([1.25, -0.5]))
    expected = jax.image.scale_and_translate(x, RESULT, (1, 2), *moved, method, antialias)
    assert_same(ours.scale_and_translate(x, RESULT, (1, 2), *moved, method, antialias), expected, x, ULP[method])
    swapped = ours.scale_and_translate(x, RESULT, (-2, 1), *(one[::-1] for one in moved), method, antialias)
    assert_same(swapped, expected, x, ULP[method])


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("method", METHODS[1:])
def test_a_negative_scale_flips_the_image(method: str, antialias: bool) -> None:
    x = noise()
    for scale, translation in [((-1.0, 1.3), (11.5, 0.25)), ((-0.4, -2.5), (6.0, 20.0))]:
        moved = (jnp.array(scale), jnp.array(translation))
        expected = jax.image.scale_and_translate(x, RESULT, (1, 2), *moved, method, antialias)
        assert method == "area" or np.count_nonzero(expected) > 40
        assert_same(ours.scale_and_translate(x, RESULT, (1, 2), *moved, method, antialias), expected, x, ULP[method])
        theirs, mine = (
            jax.grad(lambda x, call=call: (call(x, RESULT, (1, 2), *moved, method, antialias) ** 2).sum())(x)
            for call in (jax.image.scale_and_translate, ours.scale_and_translate)
        )
        assert np.abs(mine - theirs).max() <= 1e-4 * np.abs(theirs).max()


@pytest.mark.parametrize(("method", "dtype"), sample(product(METHODS, ["float32", "uint8"]), 3))
def test_empty_images_and_results(method: str, dtype: str) -> None:
    x, nothing = jnp.zeros((2, 8, 9), dtype), jnp.zeros((2, 0, 9), dtype)
    calls = [("resize", x, (2, 0, 4)), ("resize", x, (2, 0, 9)), ("resize", x, (0, 8, 9)), ("resize", x[:0], (0, 4, 4))]
    if method != "nearest":
        placed = ((1, 2), jnp.array([0.5, 2.0]), jnp.array([1.0, 0.0]))
        calls += [
            ("scale_and_translate", one, shape, *placed) for one in (x, nothing) for shape in ((2, 0, 4), (2, 3, 4))
        ]
    for name, *args in calls:
        mine, theirs = (getattr(module, name)(*args, method) for module in (ours, jax.image))
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype) and (mine == theirs).all(), (name, args[1])


def test_a_scale_of_zero_is_refused() -> None:
    with pytest.raises(ArgumentError, match="other than 0"):
        ours.scale_and_translate(noise(), RESULT, (1, 2), (0.0, 1.0), (0.0, 0.0), "linear")


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "bfloat16", "float32"])
def test_dtypes(dtype: str) -> None:
    x = noise(dtype)
    for method in ("nearest", "linear"):
        for shape in (RESULT, SHAPE):
            expected = jax.image.resize(x, shape, method)
            assert_same(ours.resize(x, shape, method), expected, x, ULP[method])
    same = ours.scale_and_translate(x, SHAPE, (), jnp.zeros(0), jnp.zeros(0), "linear")
    assert_same(same, jax.image.scale_and_translate(x, SHAPE, (), jnp.zeros(0), jnp.zeros(0), "linear"), x, 0)


def test_64_bits() -> None:
    with jax.enable_x64(True):
        for x in (jnp.asarray(np.asarray(noise()), jnp.float64), jnp.arange(2 * 9 * 14 * 3).reshape(SHAPE)):
            result, expected = ours.resize(x, RESULT, "cubic"), jax.image.resize(x, RESULT, "cubic")
            assert result.dtype == expected.dtype == jnp.float64
            assert jnp.allclose(result, expected, rtol=1e-12, atol=1e-12)


def test_names_of_methods_and_kinds_of_images() -> None:
    x = noise()
    for alias, method in ALIASES.items():
        assert (ours.resize(x, RESULT, alias) == ours.resize(x, RESULT, method)).all()
    assert isinstance(ours.resize(np.asarray(x), RESULT, "linear"), jax.Array)
    assert (ours.resize(np.asarray(x), list(RESULT), "linear") == ours.resize(x, RESULT, "linear")).all()
    assert ours.resize(jnp.asarray(3), (), "linear") == 3


def test_every_axis_may_be_resized() -> None:
    x = noise()
    result = (3, 5, 20, 4)
    assert_same(ours.resize(x, result, "linear"), jax.image.resize(x, result, "linear"), x, 2 * ULP["linear"])


@pytest.mark.parametrize("method", ["linear", "lanczos3"])
def test_compiled_differentiated_and_batched(method: str) -> None:
    x = noise()
    call = lambda x: ours.resize(x, (23, 5, 3), method)  # noqa: E731
    theirs = lambda x: jax.image.resize(x, (23, 5, 3), method)  # noqa: E731
    assert (jax.jit(jax.vmap(call))(x) == ours.resize(x, RESULT, method)).all()
    gradients = [jax.jit(jax.grad(lambda x: (one(x) ** 2).sum()))(x[0]) for one in (call, theirs)]
    assert jnp.abs(gradients[0] - gradients[1]).max() < 1e-4
    static = jax.jit(ours.resize, static_argnums=(1, 2))
    assert (static(x, RESULT, method) == ours.resize(x, RESULT, method)).all()


def test_refusals() -> None:
    x = noise()
    with pytest.raises(ArgumentError, match="shape has 3 entries"):
        ours.resize(x, RESULT[1:], "linear")
    with pytest.raises(ArgumentError, match="did you mean 'linear'"):
        ours.resize(x, RESULT, "linea")
    with pytest.raises(ArgumentError, match="must be a name or a"):
        ours.resize(x, RESULT, 1)
    with pytest.raises(UnsupportedError, match="no method 'nearest'"):
        ours.scale_and_translate(x, RESULT, (1,), jnp.ones(1), jnp.zeros(1), "nearest")
    with pytest.raises(ArgumentError, match=r"translation has shape \(1,\)"):
        ours.scale_and_translate(x, RESULT, (1, 2), jnp.ones(2), jnp.zeros(1), "linear")
    with pytest.raises(UnsupportedError, match="scale is traced"):
        jax.grad(lambda s: ours.scale_and_translate(x, RESULT, (1,), s, jnp.zeros(1), "linear").sum())(jnp.ones(1))
    for call in (ours.resize, jax.image.resize):  # as JAX has them
        with pytest.raises(ValueError):
            call(x, RESULT[1:], "linear")
        with pytest.raises(ValueError):
            call(x, RESULT, "no method")
