"""JAX arrays: the kernels' own bits inside XLA's programs, every derivative, and every transformation."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import export
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import jet
from jax.test_util import check_grads

import sizewise as sw
from sizewise import _core, backends, call_cache, plan
from sizewise.backends import _xla
from sizewise.backends import jax as ours
from sizewise.errors import ArgumentError, DtypeError, UnsupportedError

PLAN = sw.make_plan((5, 4), (2, 2), "area")
CALLS = {
    "bilinear": lambda x, **options: sw.resize(x, (3, 7), **options),
    "lanczos3": lambda x, **options: sw.resize(x, (7, 3), "lanczos3", **options),
    "nearest": lambda x, **options: sw.resize(x, (3, 9), "nearest", **options),
    "jax": lambda x, **options: sw.resize(x, (8, 2), "cubic", dialect="jax", **options),
    "pillow": lambda x, **options: sw.resize(x, (3, 9), "bicubic", dialect="pillow", **options),
    "torch": lambda x, **options: sw.resize(x, (8, 2), "bicubic", dialect="torch", align_corners=True, **options),
    "one axis": lambda x, **options: sw.resize(x, 6, "bicubic", axes=1, **options),
    "three axes": lambda x, **options: sw.resize(x, (2, 7, 3), axes=(1, 2, 3), **options),
    "gradient": lambda dy, **options: sw.resize_grad(dy, (7, 2), "bicubic", **options),
    "plan": lambda x, **options: PLAN(x, **options),
    "wide": lambda x, **options: sw.resize(x, (1, 1), "lanczos5", **options),
    "outside": lambda x, **options: sw.resize(
        x, (6, 6), "linear", dialect="onnx", coordinate_transformation_mode="tf_crop_and_resize",
        roi=(-0.3, 0.0, 1.2, 0.8), extrapolation_value=5.0, **options,
    ),
}  # fmt: skip
DTYPES = ("float16", "bfloat16", "uint8", "int8", "int16", "int32", "uint32", "bool")
LONG = ("float64", "int64")
SHAPE = (2, 5, 4, 3)


def noise(shape: tuple[int, ...] = SHAPE, dtype: str = "float32") -> np.ndarray:
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    values = np.random.default_rng([*shape]).standard_normal(shape)
    return (values if "float" in dtype else np.abs(values) * 60).astype(kind)


def same(result: jax.Array, expected: np.ndarray) -> bool:
    """Return whether a JAX array holds exactly these bits."""
    assert isinstance(result, jax.Array) and result.shape == expected.shape
    return result.dtype == expected.dtype and np.asarray(result).tobytes() == expected.tobytes()


def assert_near(result: jax.Array, expected: np.ndarray) -> None:
    """Assert a difference of at most 4 ULP of the largest value, or of 1 at rare ties of integers."""
    assert result.dtype == expected.dtype and result.shape == expected.shape
    difference = np.abs(np.asarray(result).astype(np.float64) - expected.astype(np.float64))
    if jnp.issubdtype(expected.dtype, jnp.floating):
        assert difference.max() <= 4 * float(np.spacing(np.abs(expected).max()))
    else:  # XLA may fuse multiply and add, which moves ties
        assert difference.max() <= 1 and difference.mean() < 0.02


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, "float32") for name in CALLS]
    + [(name, dtype) for name in ("lanczos3", "pillow") for dtype in DTYPES + LONG]
    + [(name, dtype) for name in ("outside", "jax") for dtype in ("bfloat16", "uint8", "float64")],
)  # fmt: skip
def test_the_same_bits_as_numpy(name: str, dtype: str) -> None:
    values = noise(dtype=dtype)
    expected = CALLS[name](values)
    with jax.enable_x64(dtype in LONG):
        x = jnp.asarray(values)
        assert same(CALLS[name](x), expected)
        assert same(jax.jit(CALLS[name])(x), expected)
        assert_near(CALLS[name](x, engine="framework"), expected)


def test_control_another_bit_is_seen() -> None:
    x = noise()
    expected = CALLS["bilinear"](x)
    expected.flat[7] = np.nextafter(expected.flat[7], 9)
    assert not same(CALLS["bilinear"](jnp.asarray(x)), expected)
    with pytest.raises(AssertionError):
        assert_near(CALLS["bilinear"](jnp.asarray(x)), expected + np.float32(1e-5))


@pytest.mark.parametrize("name", CALLS)
def test_every_call_has_its_derivatives(name: str) -> None:
    with jax.enable_x64(True):
        check_grads(CALLS[name], (jnp.asarray(noise((1, 5, 4, 2), "float64")),), order=1, modes=("fwd", "rev"))


@pytest.mark.parametrize("engine", backends.ENGINES)
@pytest.mark.parametrize("name", ["lanczos3", "outside", "gradient"])
def test_derivatives_up_to_third_order(name: str, engine: str) -> None:
    with jax.enable_x64(True):
        x = jnp.asarray(noise((5, 4, 1), "float64"))
        check_grads(lambda x: CALLS[name](x, engine=engine) ** 2, (x,), order=3, modes=("fwd", "rev"))


def test_control_a_wrong_derivative_is_seen() -> None:
    @jax.custom_vjp
    def wrong(x: jax.Array) -> jax.Array:
        return sw.resize(x, (3, 7))

    pull = lambda _, dy: (sw.resize_grad(dy, (5, 4), "nearest"),)  # noqa: E731
    wrong.defvjp(lambda x: (wrong(x), None), pull)
    with jax.enable_x64(True), pytest.raises(AssertionError):
        check_grads(wrong, (jnp.asarray(noise((5, 4), "float64")),), order=1, modes=("rev",))


def test_gradients_transposes_and_tangents_are_the_plan() -> None:
    x, dy = noise(), noise((2, 3, 7, 3))
    expected = sw.resize_grad(dy, (5, 4))
    y, pull = jax.vjp(CALLS["bilinear"], jnp.asarray(x))
    assert same(pull(jnp.asarray(dy))[0], expected)
    assert same(jax.linear_transpose(CALLS["bilinear"], y[:, :1, :1].repeat(5, 1).repeat(4, 2))(dy)[0], expected)
    assert same(jax.jvp(CALLS["bilinear"], (jnp.zeros(SHAPE),), (jnp.asarray(x),))[1], CALLS["bilinear"](x))
    assert same(jax.linearize(CALLS["bilinear"], jnp.zeros(SHAPE))[1](x), CALLS["bilinear"](x))


@pytest.mark.parametrize("name", ["bilinear", "outside", "gradient"])
def test_taylor_coefficients(name: str) -> None:
    """`jet` of a product of two resizes returns the same as nested derivatives."""
    x, terms = jnp.asarray(noise()), [jnp.asarray(noise(dtype="float32") * k) for k in (1, 2, 3)]
    call = lambda x: jnp.sin(CALLS[name](x)) * CALLS[name](x)  # noqa: E731
    derivatives = [lambda t: call(x + t * terms[0] + t**2 / 2 * terms[1] + t**3 / 6 * terms[2])]
    for _ in terms:
        derivatives.append(jax.jacfwd(derivatives[-1]))
    value, series = jax.jit(lambda: jet.jet(call, (x,), (terms,)))()
    expected = jax.jit(lambda t: [derivative(t) for derivative in derivatives])(0.0)
    for coefficient, derivative in zip([value, *series], expected, strict=True):
        np.testing.assert_allclose(coefficient, derivative, rtol=2e-3, atol=2e-3)


def test_a_value_outside_the_image_has_no_derivative() -> None:
    x, call = noise(), CALLS["outside"]
    value, tangent = jax.jvp(call, (jnp.asarray(x),), (jnp.asarray(x),))
    outside = np.asarray(value) == 5.0
    assert outside.any() and (np.asarray(tangent)[outside] == 0).all()
    assert same(value, call(x)) and same(tangent, np.where(outside, np.float32(0), call(x)))


def test_hessian() -> None:
    x = jnp.asarray(noise((4, 3)))
    matrix = np.kron(*sw.make_plan((4, 3), (3, 5)).matrices())
    hessian = jax.hessian(lambda x: (sw.resize(x, (3, 5)) ** 2).sum())(x).reshape(12, 12)
    assert np.abs(np.asarray(hessian) - 2 * matrix.T @ matrix).max() < 1e-6


@pytest.mark.parametrize("name", ["bilinear", "lanczos3", "one axis", "gradient"])
@pytest.mark.parametrize("in_axes", range(5))
def test_vmap_is_stacking(name: str, in_axes: int) -> None:
    images = noise((3, *SHAPE))
    expected = np.stack([CALLS[name](image) for image in images])
    x = jnp.asarray(np.moveaxis(images, 0, in_axes))
    assert same(jax.vmap(CALLS[name], in_axes)(x), expected)
    assert same(jax.jit(jax.vmap(CALLS[name], in_axes, 2))(x), np.moveaxis(expected, 0, 2).copy())


def test_vmaps_and_derivatives_nest() -> None:
    images = jnp.asarray(noise((2, 3, *SHAPE)))
    loss = lambda x: (CALLS["lanczos3"](x) ** 2).sum()  # noqa: E731
    one_by_one = jnp.stack([jnp.stack([jax.grad(loss)(image) for image in row]) for row in images])
    assert jnp.allclose(jax.vmap(jax.vmap(jax.grad(loss)), in_axes=1, out_axes=1)(images), one_by_one, atol=1e-5)
    assert jnp.allclose(jax.grad(lambda x: jax.vmap(jax.vmap(loss))(x).sum())(images), one_by_one, atol=1e-5)


def test_inside_scan_cond_remat_and_disabled_jit() -> None:
    x = jnp.asarray(noise())
    expected = CALLS["bilinear"](noise())
    _, scanned = jax.lax.scan(lambda carry, image: (carry, CALLS["bilinear"](image)), 0, x[:, None])
    assert same(scanned[:, 0], expected)
    assert same(jax.lax.cond(x.sum() > -1e9, CALLS["bilinear"], lambda x: jnp.zeros((2, 3, 7, 3)), x), expected)
    loss = lambda x: (CALLS["bilinear"](x) ** 2).sum()  # noqa: E731
    assert (jax.grad(jax.checkpoint(loss))(x) == jax.grad(loss)(x)).all()
    with jax.disable_jit():
        assert same(CALLS["bilinear"](x), expected)
        assert same(jax.jit(CALLS["bilinear"])(x), expected)


@pytest.mark.parametrize(
    "policy",
    [
        jax.checkpoint_policies.everything_saveable, jax.checkpoint_policies.nothing_saveable,
        jax.checkpoint_policies.dots_saveable, jax.checkpoint_policies.save_only_these_names("resized"),
    ],
)  # fmt: skip
def test_policies_of_checkpoint(policy: Callable[..., bool]) -> None:
    x = jnp.asarray(noise())
    loss = lambda x: (jnp.sin(checkpoint_name(CALLS["bilinear"](x), "resized")) ** 2).sum()  # noqa: E731
    assert (jax.jit(jax.grad(jax.checkpoint(loss, policy=policy)))(x) == jax.jit(jax.grad(loss))(x)).all()


def test_custom_derivatives_around_it() -> None:
    @jax.custom_vjp
    def resize(x: jax.Array) -> jax.Array:
        return sw.resize(x, (3, 7))

    resize.defvjp(lambda x: (resize(x), None), lambda _, dy: (sw.resize_grad(dy, (5, 4)),))
    x = jnp.asarray(noise())
    ours, plain = (jax.grad(lambda x: (call(x) ** 2).sum()) for call in (resize, CALLS["bilinear"]))
    assert (jax.jit(jax.vmap(ours))(x) == jax.jit(jax.vmap(plain))(x)).all()


def test_loops_and_branches_have_derivatives() -> None:
    x = jnp.asarray(noise())
    there_and_back = lambda x: sw.resize(sw.resize(x, (3, 7)), (5, 4))  # noqa: E731
    thrice = lambda x: there_and_back(there_and_back(there_and_back(x)))  # noqa: E731
    loops = {
        "fori": lambda x: jax.lax.fori_loop(0, 3, lambda _, x: there_and_back(x), x),
        "scan": lambda x: jax.lax.scan(lambda x, _: (there_and_back(x), None), x, length=3)[0],
        "switch": lambda x: jax.lax.switch(x.size, [jnp.zeros_like, thrice], x),
    }
    for loop in loops.values():
        assert np.allclose(loop(x), thrice(x), atol=1e-6)
        assert np.allclose(jax.grad(lambda x: (loop(x) ** 2).sum())(x), jax.grad(lambda x: (thrice(x) ** 2).sum())(x))
    until = lambda x: jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, there_and_back(s[1])), (0, x))[1]  # noqa: E731
    assert np.allclose(jax.jvp(until, (x,), (x,))[1], thrice(x), atol=1e-6)


@pytest.mark.parametrize("dialect", ["tensorflow", "standard"])
def test_gradients_have_the_dtype_of_the_input(dialect: str) -> None:
    for dtype in ("float16", "bfloat16", "float32"):
        x = jnp.asarray(noise(dtype=dtype))
        dx = jax.grad(lambda x: sw.resize(x, (3, 7), dialect=dialect).astype(jnp.float32).sum())(x)
        assert dx.dtype == x.dtype and dx.shape == x.shape


def test_without_64_bits_results_have_32() -> None:
    values = noise(dtype="uint8")
    expected = sw.resize(values, (3, 7), dialect="skimage")
    assert expected.dtype == np.float64
    for engine in backends.ENGINES:
        result = sw.resize(jnp.asarray(values), (3, 7), dialect="skimage", engine=engine)
        assert_near(result, expected.astype(np.float32))
    with jax.enable_x64(True):
        assert same(sw.resize(jnp.asarray(values), (3, 7), dialect="skimage"), expected)


def test_arrays_and_tracers_are_found() -> None:
    seen = []
    jax.jit(jax.vmap(jax.grad(lambda x: seen.append(backends.backend_for(x)) or x.sum())))(jnp.ones((2, 3)))
    jax.jvp(lambda x: seen.append(backends.backend_for(x)) or x, (1.0,), (1.0,))
    jax.eval_shape(lambda x: seen.append(backends.backend_for(x)) or x, jnp.ones(3))
    assert [*seen, backends.backend_for(jnp.ones(3))] == [ours] * 4


def test_eight_threads_at_once() -> None:
    x = jnp.asarray(noise((4, 40, 40, 3)))
    compiled = jax.jit(jax.value_and_grad(lambda x, k: (sw.resize(x * k, (70, 60)) ** 2).sum()))
    want = [jax.tree.map(np.asarray, compiled(x, float(k))) for k in range(8)]

    def work(k: int) -> bool:
        value, dx = compiled(x, float(k))
        eager = sw.resize(x * k, (70, 60), threads=2)
        return bool(value == want[k][0]) and same(dx, want[k][1]) and float(eager.sum()) is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, [*range(8)] * 20))


def test_donated_memory() -> None:
    for shape, size in (((6, 8), (8, 6)), ((6, 8), (6, 8)), ((64, 80, 3), (80, 64))):
        values = noise(shape)
        x, expected = jnp.array(values), sw.resize(values * 1, size)
        assert same(jax.jit(lambda x: sw.resize(x, size), donate_argnums=0)(x), expected)
        y = jnp.array(values)
        assert same(jax.jit(lambda x: sw.resize(x + 0, size) + x.sum() * 0, donate_argnums=0)(y), expected)


def test_an_empty_batch() -> None:
    x = jnp.zeros((0, 5, 4, 3))
    assert CALLS["bilinear"](x).shape == (0, 3, 7, 3)
    assert jax.jit(jax.grad(lambda x: CALLS["lanczos3"](x).sum()))(x).shape == x.shape
    assert jax.vmap(CALLS["bilinear"])(jnp.zeros((2, 0, 5, 4, 3))).shape == (2, 0, 3, 7, 3)
    assert CALLS["bilinear"](x, engine="framework").shape == (0, 3, 7, 3)


def test_a_loss_through_a_resize() -> None:
    image, target = jnp.asarray(noise((16, 16, 3))), jnp.zeros((4, 4, 3))
    loss = lambda image: jnp.mean((sw.resize(image, (4, 4)) - target) ** 2)  # noqa: E731
    value, dx = jax.jit(jax.value_and_grad(loss))(image)
    small = sw.resize(np.asarray(image), (4, 4))
    assert np.isclose(value, (small**2).mean())
    assert np.allclose(dx, sw.resize_grad(2 * small / small.size, (16, 16)), atol=1e-7)


def test_equal_arguments_share_one_program() -> None:
    x = jnp.asarray(noise())
    traced = jax.jit(CALLS["bilinear"])
    traced(x), CALLS["bilinear"](x)
    before = ours._program.cache_info().misses, traced._cache_size()
    plan.clear()
    call_cache.clear()
    traced(x), CALLS["bilinear"](x), sw.make_plan((5, 4), (3, 7))(x)
    assert (ours._program.cache_info().misses, traced._cache_size()) == before
    assert ours._program.cache_info().maxsize is not None


def lowered(call: object, x: object) -> str:
    return jax.jit(call).lower(x).as_text()


def test_engines_are_what_they_say() -> None:
    x = jnp.asarray(noise())
    for engine, kernels in ((None, True), ("kernel", True), ("framework", False)):
        assert (ours.NAME in lowered(lambda x: sw.resize(x, (3, 7), engine=engine), x)) is kernels


@pytest.mark.parametrize("platform", ["cuda", "tpu", "rocm"])
def test_other_devices(platform: str) -> None:
    x = jnp.asarray(noise())
    call = lambda x, **options: jax.grad(lambda x: sw.resize(x, (3, 7), **options).sum())(x)  # noqa: E731
    exported = export.export(jax.jit(call), platforms=[platform])(x)
    assert "custom_call" not in exported.mlir_module() and "gather" in exported.mlir_module()
    with pytest.raises(UnsupportedError, match=f"the kernels run on the CPU, and this is compiled for {platform}"):
        export.export(jax.jit(lambda x: call(x, engine="kernel")), platforms=[platform])(x)


def test_export_with_a_batch_of_any_length() -> None:
    x = noise()
    for engine in ("framework", "kernel"):
        call = jax.jit(lambda x: sw.resize(x, (3, 7), engine=engine))
        shape = jax.ShapeDtypeStruct((*export.symbolic_shape("b"), 5, 4, 3), jnp.float32)
        allowed = [export.DisabledSafetyCheck.custom_call(ours.NAME)] if engine == "kernel" else []
        exported = export.export(call, disabled_checks=allowed)(shape)
        loaded = export.deserialize(exported.serialize())
        assert_near(loaded.call(x), sw.resize(x, (3, 7)))


def test_exported_programs_need_no_sizewise() -> None:
    """Without engine=, a program consists of JAX's own ops; with "kernel", it needs our handler."""
    x = noise()
    exported = export.export(jax.jit(lambda x: (sw.resize(x, (3, 7)) ** 2).sum()))(x)
    loaded = export.deserialize(exported.serialize(vjp_order=1))
    assert "custom_call" not in exported.mlir_module()
    assert_near(jax.grad(loaded.call)(x), np.asarray(jax.grad(lambda x: (sw.resize(x, (3, 7)) ** 2).sum())(x)))
    with pytest.raises(ValueError, match=f"custom_call @{ours.NAME}"):
        export.export(jax.jit(lambda x: sw.resize(x, (3, 7), engine="kernel")))(x).serialize()


def test_unknown_lengths_are_refused() -> None:
    shape = jax.ShapeDtypeStruct((2, *export.symbolic_shape("h, w"), 3), jnp.float32)
    with pytest.raises(ArgumentError, match="cannot resize an axis of unknown length"):
        export.export(jax.jit(lambda x: sw.resize(x, (3, 7), engine="framework")))(shape)


def test_sizes_that_are_known() -> None:
    x, expected = jnp.asarray(noise()), sw.resize(noise(), (3, 7))
    assert same(sw.resize(x, jnp.array([3, 7])), expected)
    assert same(jax.jit(lambda x, n: sw.resize(x, (3, n)), static_argnums=1)(x, 7), expected)
    assert same(jax.jit(lambda x: sw.resize(x, (x.shape[1] - 2, x.shape[2] + 3)))(x), expected)
    assert jax.eval_shape(lambda x: sw.resize(x, scale=2), x).shape == (2, 10, 8, 3)


def test_bad_input() -> None:
    x = jnp.asarray(noise())
    with pytest.raises(ArgumentError, match="out cannot be used with JAX arrays"):
        sw.resize(x, (3, 7), out=np.empty((2, 3, 7, 3), np.float32))
    with pytest.raises(TypeError, match="grad requires real- or complex-valued inputs"):
        jax.grad(lambda x: sw.resize(x, (3, 7)).sum())(x.astype(int))
    with pytest.raises(DtypeError, match="gradients exist for floating dtypes only, not int32"):
        jax.jit(CALLS["gradient"])(x.astype(jnp.int32))
    with pytest.raises(DtypeError, match="cannot resize an array of dtype complex64"):
        sw.resize(x + 1j, (3, 7))
    with pytest.raises(DtypeError, match="cannot resize an array of dtype key"):
        sw.resize(jax.random.split(jax.random.key(0), (4, 4)), (3, 7))
    with pytest.raises(ArgumentError, match="threads"):
        sw.resize(x, (3, 7), threads=0)
    for traced in (
        lambda x, n: sw.resize(x, (3, n)), lambda x, n: sw.resize(x, jnp.stack([n, n])),
        lambda x, n: sw.resize(x, n, axes=1), lambda x, n: sw.resize(x, scale=(1, n)),
        lambda x, n: sw.resize_grad(x, (n, 7)), lambda x, n: sw.make_plan((5, 4), (n, 7))(x),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=r"is traced by JAX \(int32.*static argument: jax.jit\(f, static_arg"):
            jax.jit(traced)(x, 7)
    with pytest.raises(ArgumentError, match="plans built from custom taps cannot be compiled"):
        sw.Plan(PLAN.request, PLAN.taps)(x)
    with pytest.raises(UnsupportedError, match='use engine="kernel"'):
        sw.resize(x.astype(jnp.uint8), (3, 7), dialect="opencv", engine="framework")


def test_exceptions_inside_are_errors_of_jax() -> None:
    def interrupted(*buffers: object) -> None:
        raise KeyboardInterrupt("stop")

    call, x, native = jax.jit(lambda x: sw.resize(x, (9, 8))), jnp.asarray(noise()), _core.native()
    call(x)
    version = _xla.version(jax.ffi.include_dir())
    try:
        native.xla_handler(*version, interrupted)
        assert same(call(x), sw.resize(noise(), (9, 8)))  # without Python
        native.xla_clear()
        with pytest.raises(Exception, match="sizewise: KeyboardInterrupt: stop"):
            call(x).block_until_ready()
    finally:
        native.xla_handler(*version, _xla._resize)
    assert same(call(x), sw.resize(noise(), (9, 8)))
