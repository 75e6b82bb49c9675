"""TensorFlow tensors: NumPy's pixels by either engine, every derivative, graphs, XLA, saved models and memory."""

from __future__ import annotations

import gc
import inspect
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf
from frameworks import assert_within
from subprocesses import run_in_subprocess
from tensorflow_calls import CALLS, IMAGE, tensor
from tolerances import assert_same_bits
from variants import VARIANTS

import sizewise as sw

ENGINES = ("kernel", "framework")
FLOATS = ("float16", "bfloat16", "float32", "float64")
ULP = 4  # of the framework engine, in ULP of the largest value


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def assert_near(actual, expected, ulp=ULP):
    assert_within(np.asarray(actual), np.asarray(expected), IMAGE, ulp)


class TestSameAnswer:
    @pytest.mark.parametrize(
        ("name", "dtype"),
        [
            (name, dtype)
            for name in CALLS
            for dtype in (*FLOATS, "uint8", "int16", "int32", "int64")
            if name != "gradient" or dtype in FLOATS
        ],
    )
    def test_the_kernels_give_the_bits_of_numpy(self, name, dtype):
        x = tf.cast(tf.constant(np.abs(IMAGE) * 50), dtype)
        y = CALLS[name](x)
        assert isinstance(y, tf.Tensor) and y.device == x.device
        assert_same_bits(y.numpy(), CALLS[name](x.numpy()))

    @pytest.mark.parametrize("variant", VARIANTS, ids=str)
    def test_the_framework_engine_gives_those_of_numpy_for_every_variant(self, variant):
        plan = variant.plan((9, 7), (4, 15))
        for one in (plan, plan.T):
            x = np.random.default_rng(1).standard_normal((*one.input_size, 2)).astype(np.float32)
            ours = one.apply(tf.constant(x), engine="framework").numpy()
            assert_within(ours, one(x), x, ULP)

    @pytest.mark.parametrize("dialect", ["standard", "pillow", "torch", "tensorflow"])
    def test_integers_in_the_framework_engine(self, dialect):
        x = np.random.default_rng(2).integers(0, 256, (2, 9, 7, 3), np.uint8)
        for method in ("bilinear", "bicubic"):
            plan = sw.make_plan((9, 7), (5, 16), method, dialect=dialect)
            assert_same_bits(plan.apply(tf.constant(x), engine="framework").numpy(), plan(x))

    def test_a_nan_reaches_the_same_outputs(self):
        x = IMAGE.copy()
        x[0, 4, 4, 1], x[1, 0, 0, 0] = np.nan, np.inf
        for name in ("bilinear", "lanczos3", "one axis"):
            with np.errstate(invalid="ignore"):
                expected = CALLS[name](x)
            assert_same_bits(np.isfinite(CALLS[name](tf.constant(x), engine="framework")), np.isfinite(expected))

    def test_control_other_pixels_are_seen(self):
        x = tensor("float32")
        with pytest.raises(AssertionError, match="pixels differ"):
            assert_near(sw.resize(x, (4, 11), "bicubic"), CALLS["bilinear"](x.numpy()))

    def test_bool_variables_empty_batches_and_other_ranks(self):
        assert sw.resize(tf.constant([[True, False]]), (1, 4), "nearest").numpy().tolist() == [[1, 1, 0, 0]]
        assert_same_bits(CALLS["bilinear"](tf.Variable(IMAGE)).numpy(), CALLS["bilinear"](IMAGE))
        for engine in ENGINES:
            assert sw.resize(tf.zeros((0, 4, 4, 3)), (2, 2), engine=engine).shape == (0, 2, 2, 3)
            assert sw.resize(tf.zeros(5), 3, engine=engine).shape == (3,)


class TestDerivatives:
    """Along a line x + t v, every derivative in t is taken by nested tapes."""

    DIRECTION = tf.constant(np.random.default_rng(3).standard_normal(IMAGE.shape))

    def derivatives(self, call, t, order):
        """Return the value and the derivatives up to that order of a nonlinear function of a resize."""
        if order == 0:
            return [tf.reduce_sum(tf.sin(call(tensor() + t * self.DIRECTION)) ** 2)]
        with tf.GradientTape() as tape:
            tape.watch(t)
            lower = self.derivatives(call, t, order - 1)
        return [*lower, tape.gradient(lower[-1], t)]

    @pytest.mark.parametrize("engine", [None, "framework"])
    @pytest.mark.parametrize("name", CALLS)
    def test_up_to_third_order(self, name, engine):
        def call(x):
            return CALLS[name](x, engine=engine)

        def at(t):
            return self.derivatives(call, tf.constant(t, tf.float64), 3)

        step = 1e-5
        exact, before, after = at(0.3), at(0.3 - step), at(0.3 + step)
        for order in (1, 2, 3):
            numerical = float(after[order - 1] - before[order - 1]) / (2 * step)
            assert abs(float(exact[order])) > 1e-3
            np.testing.assert_allclose(float(exact[order]), numerical, rtol=1e-6)

    @pytest.mark.parametrize("jit", [False, True])
    def test_in_graphs_too(self, jit):
        t = tf.constant(0.3, tf.float64)
        compiled = tf.function(lambda t: self.derivatives(CALLS["bilinear"], t, 3), jit_compile=jit)
        np.testing.assert_allclose(compiled(t), self.derivatives(CALLS["bilinear"], t, 3), rtol=1e-12)

    def test_of_a_compiled_function_from_outside(self):
        for engine in ENGINES:
            call = tf.function(lambda x: CALLS["lanczos3"](x, engine=engine))
            t = tf.constant(0.3, tf.float64)
            expected = self.derivatives(CALLS["lanczos3"], t, 3)
            np.testing.assert_allclose(self.derivatives(call, t, 3), expected, rtol=1e-12)

    def test_control_tensorflow_has_no_second_order(self):
        def twice(call, x):
            return gradient(lambda x: gradient(lambda x: call(x) ** 2, x) ** 2, x)

        x = tensor("float32")
        assert twice(lambda x: tf.image.resize(x, (4, 11)), x) is None
        with pytest.raises(LookupError, match="gradient"):
            twice(lambda x: tf.image.resize(x, (4, 11), antialias=True), x)
        assert twice(lambda x: sw.resize(x, (4, 11), dialect="tensorflow", antialias=True), x).shape == x.shape

    @pytest.mark.parametrize("engine", [None, *ENGINES])
    def test_forward_mode(self, engine):
        for name in ("bilinear", "outside"):
            for call in (CALLS[name], tf.function(CALLS[name])):
                x = tensor()
                with tf.autodiff.ForwardAccumulator(x, self.DIRECTION) as forward:
                    y = tf.sin(call(x, engine=engine))
                plain = CALLS[name](IMAGE), CALLS[name](self.DIRECTION.numpy()) - CALLS[name](np.zeros(IMAGE.shape))
                np.testing.assert_allclose(forward.jvp(y), np.cos(plain[0]) * plain[1], atol=1e-13)

    def test_forward_over_reverse(self):
        def cubes(x):
            return tf.reduce_sum(CALLS["bilinear"](x) ** 3)

        x = tensor()
        with tf.autodiff.ForwardAccumulator(x, self.DIRECTION) as forward:
            first = gradient(cubes, x)
        numerical = (gradient(cubes, x + 1e-5 * self.DIRECTION) - gradient(cubes, x - 1e-5 * self.DIRECTION)) / 2e-5
        np.testing.assert_allclose(forward.jvp(first), numerical, atol=1e-7)

    @pytest.mark.parametrize("dtype", FLOATS)
    @pytest.mark.parametrize("engine", ENGINES)
    def test_the_gradient_is_resize_grad_in_the_dtype_of_the_tensor(self, engine, dtype):
        dy = tf.cast(np.random.default_rng(4).standard_normal((2, 4, 11, 3)), dtype)
        x = tensor(dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = CALLS["bilinear"](x, engine=engine)
        assert_same_bits(tape.gradient(y, x, dy).numpy(), sw.resize_grad(dy.numpy(), (9, 7)))

    def test_what_else_takes_derivatives(self):
        x, call = tensor(), CALLS["bilinear"]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x)
            picked = tf.gather(y, [0, 0])  # its gradient is tf.IndexedSlices
        jacobian = tape.jacobian(y, x)
        np.testing.assert_allclose(tf.tensordot(jacobian, self.DIRECTION, 4), call(self.DIRECTION), atol=1e-13)
        np.testing.assert_allclose(tape.gradient(picked, x)[0], 2 * sw.resize_grad(np.ones((4, 11, 3)), (9, 7)))
        np.testing.assert_allclose(tf.vectorized_map(call, x), call(x), atol=1e-14)
        variable = tf.Variable(x)
        with tf.GradientTape() as tape:
            y = tf.function(lambda: call(variable))() + call(variable)
        np.testing.assert_allclose(tape.gradient(y, variable), 2 * gradient(call, x))


class TestGraphs:
    @pytest.mark.parametrize("jit", [False, True])
    @pytest.mark.parametrize("name", CALLS)
    def test_a_graph_gives_what_eager_code_does(self, name, jit):
        x = tensor("float32")
        compiled = tf.function(CALLS[name], jit_compile=jit)
        assert_near(compiled(x), CALLS[name](x))
        assert_near(
            gradient(lambda x: compiled(x) ** 2, x), gradient(lambda x: CALLS[name](x) ** 2, x), 64 if jit else 8
        )
        assert compiled.get_concrete_function(x).output_shapes == CALLS[name](x).shape

    @pytest.mark.parametrize("dtype", [*FLOATS, "uint8"])
    def test_kernels_in_a_graph_give_the_bits_of_numpy(self, dtype):
        x = tf.cast(tf.constant(np.abs(IMAGE) * 50), dtype)
        y = tf.function(lambda x: CALLS["bilinear"](x, engine="kernel"))(x)
        assert_same_bits(y.numpy(), CALLS["bilinear"](x.numpy()))

    def test_graphs_use_tensorflows_own_ops_by_default(self):
        spec = tf.TensorSpec((2, 9, 7, 3))
        kinds = {
            engine: {
                op.type
                for op in tf.function(lambda x: CALLS["lanczos3"](x, engine=engine))
                .get_concrete_function(spec)
                .graph.get_operations()
            }
            for engine in (None, *ENGINES)
        }
        assert not any("PyFunc" in kind for kind in kinds[None] | kinds["framework"])
        assert any("PyFunc" in kind for kind in kinds["kernel"])

    @pytest.mark.parametrize("engine", [None, *ENGINES])
    @pytest.mark.parametrize("name", ["bilinear", "lanczos3", "nearest", "outside"])
    def test_batch_and_channels_may_be_unknown(self, name, engine):
        @tf.function(input_signature=[tf.TensorSpec((None, 9, 7, None))])
        def call(x):
            return CALLS[name](x, engine=engine)

        for batch in (1, 3):
            x = np.repeat(IMAGE[:1], batch, axis=0).astype(np.float32)
            assert_near(call(x), CALLS[name](x))
            assert gradient(call, tf.constant(x)).shape == x.shape
        known = CALLS[name](IMAGE).shape[1:3]
        assert call.get_concrete_function().output_shapes.as_list() == [None, *known, None]

    @pytest.mark.parametrize(
        "call",
        [
            lambda x: sw.resize(x, tf.shape(x)[1:3] // 2),
            lambda x: sw.resize(x, (tf.shape(x)[1] // 2, tf.shape(x)[2] // 2)),
            lambda x: sw.resize(x, tf.constant([4, 3])),
            lambda x: sw.resize(x, (x.shape[1] // 2, x.shape[2] // 2)),
            lambda x: sw.resize(x, scale=tf.constant(0.45)),
        ],
    )
    def test_sizes_that_the_graph_knows(self, call):
        x = tensor("float32")
        assert_near(tf.function(call)(x), call(x))
        assert call(x).shape == (*x.shape[:1], 4, 3, 3)

    @pytest.mark.parametrize("engine", [None, *ENGINES])
    def test_tf_data(self, engine):
        images = tf.data.Dataset.from_tensor_slices(IMAGE.astype(np.float32))
        results = images.map(lambda x: CALLS["bilinear"](x, engine=engine), num_parallel_calls=2).batch(2)
        assert results.element_spec.shape.as_list() == [None, 4, 11, 3]
        assert_near(next(iter(results)), CALLS["bilinear"](IMAGE.astype(np.float32)))

    def test_an_eager_tensor_inside_a_graph(self):
        x = tensor("float32")
        assert_near(tf.function(lambda: CALLS["bilinear"](x))(), CALLS["bilinear"](x))

    def test_autograph_leaves_our_code_unconverted(self):
        files = []

        class Probe:
            """An integer that records the files between the public function and itself."""

            def __init__(self, value):
                self.value = value

            def __index__(self):
                frames = inspect.stack()[1:]
                entry = next(n for n, frame in enumerate(frames) if frame.function in ("resize", "apply"))
                files.extend(frame.filename for frame in frames[: entry + 1])
                return self.value

        plan = sw.make_plan((9, 7), (3, 3))
        for call in (
            lambda x: sw.resize(x, (Probe(3), Probe(3))),
            lambda x: plan(x, axes=(Probe(1), Probe(2))),
            lambda x: plan.apply(x, axes=(Probe(1), Probe(2))),
        ):
            tf.function(call)(tensor())
        assert any(file.endswith("api.py") for file in files) and any(file.endswith("plan.py") for file in files)
        assert not any("autograph_generated" in file for file in files)


SAVED = """
    import sys, numpy as np, tensorflow as tf
    model = tf.saved_model.load(sys.argv[1])
    x = tf.constant(np.load(sys.argv[1] + "/x.npy"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model.resize(x)
    assert "sizewise" not in sys.modules
    np.save(sys.argv[1] + "/y.npy", y)
    np.save(sys.argv[1] + "/dx.npy", tape.gradient(y, x))
    try:
        model.kernels(x)
    except Exception as error:
        assert "pyfunc" in str(error), error
    else:
        raise AssertionError("a saved model held a kernel")
    jit = tf.function(model.resize, jit_compile=True)
    np.testing.assert_allclose(jit(x), y, atol=1e-5)
"""
DEVICES = """
    import tensorflow as tf
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
    )
    import sizewise as sw
    for device in ("CPU:0", "CPU:1"):
        with tf.device(device):
            x, dy = tf.ones((2, 8, 8, 3)), tf.ones((2, 3, 3, 3))
        for engine in (None, "kernel", "framework"):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = sw.resize(x, (3, 3), engine=engine)
            assert y.device.endswith(device), (device, engine, y.device)
            assert tape.gradient(y, x, dy).device.endswith(device)
"""


def test_a_saved_model_runs_without_sizewise(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((None, 9, 7, 3))])
        def resize(self, x):
            return CALLS["lanczos3"](x)

        @tf.function(input_signature=[tf.TensorSpec((None, 9, 7, 3))])
        def kernels(self, x):
            return CALLS["lanczos3"](x, engine="kernel")

    x, where = tensor("float32"), str(tmp_path / "model")
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    model = Model()
    tf.saved_model.save(model, where, options=options)
    np.save(where + "/x.npy", x)
    run_in_subprocess(SAVED, where)
    assert_near(np.load(where + "/y.npy"), CALLS["lanczos3"](x))
    assert_near(np.load(where + "/dx.npy"), gradient(CALLS["lanczos3"], x))


def test_results_stay_on_the_device_of_the_tensor():
    run_in_subprocess(DEVICES)


class TestMemory:
    @pytest.mark.parametrize("engine", ENGINES)
    def test_tapes_keep_nothing_of_the_image(self, engine):
        x = tensor()
        with tf.GradientTape() as tape:
            tape.watch(x)
            image = x + 1
            kept = weakref.ref(image)
            y = CALLS["bilinear"](image, engine=engine)
            del image
            gc.collect()
            assert kept() is None
        assert tape.gradient(y, x).shape == x.shape

    def test_control_a_tape_that_keeps_an_image_is_seen(self):
        x = tensor()
        with tf.GradientTape() as tape:
            tape.watch(x)
            image = x + 1
            kept = weakref.ref(image)
            y = tf.sin(image)
            del image
            gc.collect()
            assert kept() is not None
        assert tape.gradient(y, x).shape == x.shape

    def test_results_live_on_while_their_memory_is_used_again(self):
        results = [sw.resize(tf.fill((64, 64, 3), float(n)), (512, 512)) for n in range(12)]
        del results[::2]
        more = [sw.resize(tf.fill((64, 64, 3), 100.0 + n), (512, 512)) for n in range(12)]
        assert (
            [float(tf.reduce_max(y)) for y in results]
            == [float(tf.reduce_min(y)) for y in results]
            == [1, 3, 5, 7, 9, 11]
        )
        assert [float(tf.reduce_max(y)) for y in more] == [100.0 + n for n in range(12)]

    def test_eight_threads(self):
        images = [tf.constant(IMAGE * n) for n in range(8)]

        def work(x):
            return [gradient(lambda x: CALLS[name](x) ** 2, x).numpy() for name in ("bilinear", "lanczos3")] * 5

        expected = [work(x) for x in images]
        with ThreadPoolExecutor(8) as pool:
            for ours, theirs in zip(pool.map(work, images), expected, strict=True):
                for one, other in zip(ours, theirs, strict=True):
                    assert_same_bits(one, other)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]
