"""compat.tensorflow: TensorFlow's own signatures, dtypes and pixels, read from the TensorFlow that is installed."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from frameworks import assert_within

import sizewise as sw
from sizewise.compat import tensorflow as ours
from sizewise.errors import ArgumentError, MissingExtraError, UnknownNameError
from sizewise.parity import reference

IMAGE = np.random.default_rng(0).uniform(0, 255, (2, 13, 9, 3))
V1 = tf.compat.v1.image
ORIGINALS = {
    "resize": tf.image.resize,
    "resize_bilinear": V1.resize_bilinear,
    "resize_nearest_neighbor": V1.resize_nearest_neighbor,
    "resize_bicubic": V1.resize_bicubic,
    "resize_area": V1.resize_area,
    "scale_and_translate": tf.raw_ops.ScaleAndTranslate,
    "Resizing": tf.keras.layers.Resizing,
}
METHODS = [value for name, value in vars(tf.image.ResizeMethod).items() if name.isupper()]
DTYPES = ("uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64")
SIZES = [(6, 20), (26, 4), (13, 9)]


def parameters(call):
    """Names, kinds and defaults of a call's arguments."""
    return [(one.name, one.kind, one.default) for one in inspect.signature(call).parameters.values()]


def assert_same(actual, expected, ulp):
    """Asserts TensorFlow's shape, dtype and, to that many units in the last place, pixels."""
    assert actual.shape == expected.shape and actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    if actual.dtype.is_integer:
        assert np.abs(actual.numpy().astype(int) - expected.numpy()).max() <= ulp, "pixels differ"
    else:
        assert_within(actual.numpy(), expected.numpy(), IMAGE, ulp)


def allowed(dialect, method):
    return reference.of(dialect).ulp[method]


class TestSignatures:
    def test_every_name_has_an_original(self):
        assert set(ours.__all__) == set(ORIGINALS)

    @pytest.mark.parametrize("name", ORIGINALS)
    def test_the_words_are_those_of_the_original(self, name):
        assert parameters(getattr(ours, name)) == parameters(ORIGINALS[name])

    def test_control_a_drift_is_seen(self):
        assert parameters(ours.resize_area) != parameters(V1.resize_bicubic)
        assert parameters(lambda images, size, align_corners=True, name=None: 0) != parameters(V1.resize_area)


class TestResize:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("method", METHODS)
    def test_pixels_and_dtypes(self, method, dtype):
        x = tf.cast(IMAGE, dtype)
        for size in SIZES:
            for antialias in (False, True):
                for given in (x, x[0]):
                    theirs = tf.image.resize(given, size, method, antialias=antialias)
                    assert_same(
                        ours.resize(given, size, method, antialias=antialias), theirs, allowed("tensorflow", method)
                    )

    def test_control_another_word_is_seen(self):
        x = tf.constant(IMAGE, tf.float32)
        with pytest.raises(AssertionError, match="pixels differ"):
            assert_same(ours.resize(x, (6, 4)), tf.image.resize(x, (6, 4), antialias=True), 4)
        with pytest.raises(AssertionError):
            assert_same(ours.resize(IMAGE, (6, 4), "nearest"), tf.image.resize(x, (6, 4), "nearest"), 0)

    def test_preserve_aspect_ratio(self):
        for size in SIZES:
            theirs = tf.image.resize(IMAGE, size, preserve_aspect_ratio=True)
            assert_same(ours.resize(IMAGE, size, preserve_aspect_ratio=True), theirs, 4)

    def test_sizes_of_every_kind(self):
        for size in ([6, 4], np.array([6, 4]), tf.constant([6, 4]), (np.int32(6), 4)):
            assert ours.resize(IMAGE, size).shape == (2, 6, 4, 3)
        graph = tf.function(lambda x: ours.resize(x, tf.constant([6, 4]), name="small"))
        assert graph(IMAGE).shape == (2, 6, 4, 3)
        names = [op.name for op in graph.get_concrete_function(tf.TensorSpec((2, 13, 9, 3))).graph.get_operations()]
        assert any(name.startswith("small/") for name in names)

    def test_sizes_that_a_graph_computes_from_shapes(self):
        """Of images whose shape is known they are constants, and folded: halves, casts, and lists of them."""
        sizes = [
            lambda x: tf.shape(x)[1:3] // 2,
            lambda x: (tf.shape(x)[1] // 2, 4),
            lambda x: tf.cast(tf.cast(tf.shape(x)[1:3], tf.float32) * 1.5, tf.int32),
        ]
        x = tf.constant(IMAGE)
        for size in sizes:
            mine, theirs = (
                tf.function(lambda x, resize=resize: resize(x, size(x)), autograph=False)(x)
                for resize in (ours.resize, tf.image.resize)
            )
            assert_same(mine, theirs, 4)
        graph = tf.function(lambda x: ours.resize_bilinear(x, tf.shape(x)[1:3] * 2), autograph=False)
        assert_same(graph(x), tf.compat.v1.image.resize_bilinear(x, (26, 18)), 4)

    @pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic", "area", "lanczos3"])
    def test_empty_batches(self, method):
        for shape, size in (((0, 9, 14, 3), (4, 5)), ((0, 9, 14, 3), (9, 14))):
            mine, theirs = (resize(tf.zeros(shape), size, method) for resize in (ours.resize, tf.image.resize))
            assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)

    def test_lists_and_variables(self):
        assert ours.resize([[[1], [2]]], (1, 4), "nearest").numpy().tolist() == [[[1], [1], [2], [2]]]
        assert ours.resize(tf.Variable(tf.ones((4, 4, 1))), (2, 2)).shape == (2, 2, 1)

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
    @pytest.mark.parametrize("method", ["bicubic", "area", "lanczos3", "nearest"])
    def test_gradients_of_every_float(self, method, dtype):
        x = tf.cast(IMAGE, dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = ours.resize(x, (6, 20), method)
        dx = tape.gradient(y, x)
        assert dx.dtype == x.dtype and y.dtype == (x.dtype if method == "nearest" else tf.float32)
        expected = sw.resize_grad(np.ones((6, 20, 1)), (13, 9), method, dialect="tensorflow")
        rounding = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 1e-6)
        np.testing.assert_allclose(dx.numpy()[0, :, :, :1].astype(float), expected, rtol=rounding, atol=rounding)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: ours.resize(IMAGE, (6,)), "size is"),
            (lambda: ours.resize(IMAGE, (6.0, 4.0)), "must be an integer"),
            (lambda: ours.resize(IMAGE, (0, 4)), "at least 1"),
            (lambda: ours.resize(IMAGE[0, 0], (6, 4)), "rank 3 or 4"),
            (lambda: ours.resize_bilinear(IMAGE[0], (6, 4)), "rank 4"),
            (lambda: ours.resize_bilinear(IMAGE, (6, 4), True, None, True), "cannot both be True"),
            (lambda: ours.scale_and_translate(IMAGE, (6, 4), (0, 1), (0, 0)), "positive"),
        ],
    )
    def test_refused(self, call, message):
        with pytest.raises(ArgumentError, match=message):
            call()

    def test_unknown_names(self):
        with pytest.raises(UnknownNameError, match="did you mean 'bilinear'"):
            ours.resize(IMAGE, (6, 4), "bilinaer")
        with pytest.raises(UnknownNameError, match="lanczos3"):
            ours.scale_and_translate(IMAGE, (6, 4), (1, 1), (0, 0), "lanczos4")

    def test_sizes_and_images_that_are_not_known(self):
        graph = tf.function(lambda size: ours.resize(IMAGE, size), autograph=False)
        with pytest.raises(ArgumentError, match="size is a tensor of a graph, and must be known"):
            graph(tf.constant([6, 4]))
        graph = tf.function(ours.resize, input_signature=[tf.TensorSpec((None, None, 3)), tf.TensorSpec(2, tf.int32)])
        with pytest.raises(Exception, match="size is a tensor of a graph, and must be known"):
            graph(IMAGE[0].astype(np.float32), (6, 4))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["bilinear", "nearest_neighbor", "bicubic", "area"])
def test_the_ops_of_version_1(method, dtype):
    x, name = tf.cast(IMAGE, dtype), f"resize_{method}"
    flags = [{}, {"align_corners": True}] + ([{"half_pixel_centers": True}] if method != "area" else [])
    for size in SIZES:
        for options in flags:
            theirs = getattr(V1, name)(x, size, **options)
            ulp = allowed("tensorflow1", method.removesuffix("_neighbor"))
            assert_same(getattr(ours, name)(x, size, **options), theirs, ulp)


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("kernel", ["triangle", "keyscubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"])
def test_scale_and_translate(kernel, antialias):
    for dtype in ("uint8", "float32", "float64"):
        options = {
            "images": tf.cast(IMAGE, dtype),
            "size": (10, 11),
            "scale": tf.constant([0.6, 1.7]),
            "translation": (1.25, -2.0),
            "kernel_type": kernel,
            "antialias": antialias,
        }
        ulp = allowed("tensorflow", {"triangle": "bilinear", "keyscubic": "bicubic"}.get(kernel, kernel))
        assert_same(ours.scale_and_translate(**options), tf.raw_ops.ScaleAndTranslate(**options), ulp)


class TestResizing:
    @pytest.mark.parametrize("dtype", ["float32", "uint8", "float16"])
    @pytest.mark.parametrize("frame", [{}, {"crop_to_aspect_ratio": True}, {"pad_to_aspect_ratio": True}], ids=str)
    @pytest.mark.parametrize("first", [False, True])
    def test_pixels_are_those_of_keras(self, first, frame, dtype):
        x = tf.cast(np.moveaxis(IMAGE, -1, 1) if first else IMAGE, dtype)
        options = {"data_format": "channels_first" if first else "channels_last", **frame}
        if frame.get("pad_to_aspect_ratio"):
            options["fill_value"] = 7
        for size in [(6, 20), (26, 4), (13, 9)]:
            for method in ("bilinear", "nearest", "bicubic", "lanczos3"):
                for given in (x, x[0]):
                    call = {"interpolation": method, "antialias": method == "lanczos3", **options}
                    theirs = tf.keras.layers.Resizing(*size, **call)(given)
                    mine = ours.Resizing(*size, **call)(given)
                    # Values between two integers may be rounded either way.
                    assert_same(mine, theirs, 1 if dtype == "uint8" else allowed("tensorflow", method))

    def test_control_another_frame_is_seen(self):
        x = tf.constant(IMAGE, tf.float32)
        with pytest.raises(AssertionError, match="pixels differ"):
            assert_same(ours.Resizing(6, 20, crop_to_aspect_ratio=True)(x), tf.keras.layers.Resizing(6, 20)(x), 16)

    def test_a_model_is_trained_saved_and_loaded(self, tmp_path):
        inputs = tf.keras.Input((13, 9, 3))
        outputs = tf.keras.layers.Dense(1)(ours.Resizing(6, 5, "bicubic", antialias=True)(inputs))
        model = tf.keras.Model(inputs, outputs)
        model.compile("sgd", "mse")
        model.fit(IMAGE / 255, np.zeros((2, 6, 5, 1)), verbose=0)
        model.save(tmp_path / "model.keras")
        loaded = tf.keras.models.load_model(tmp_path / "model.keras")
        layer = loaded.layers[1]
        assert type(layer) is ours.Resizing
        assert layer.get_config() == model.layers[1].get_config()
        assert (layer.interpolation, layer.antialias, layer.height) == ("bicubic", True, 6)
        np.testing.assert_array_equal(loaded.predict(IMAGE, verbose=0), model.predict(IMAGE, verbose=0))
        model.export(str(tmp_path / "exported"), verbose=False)
        served = tf.saved_model.load(str(tmp_path / "exported"))
        np.testing.assert_allclose(served.serve(tf.constant(IMAGE, tf.float32)), model(IMAGE), rtol=1e-4, atol=1e-4)

    def test_tf_data_masks_and_shapes(self):
        layer = ours.Resizing(6, 4)
        data = tf.data.Dataset.from_tensor_slices(tf.constant(IMAGE, tf.float32)).map(layer)
        assert data.element_spec.shape == (6, 4, 3)
        assert layer.compute_output_shape((None, 13, 9, 3)) == (None, 6, 4, 3)
        masks = tf.constant(np.random.default_rng(1).integers(0, 5, (2, 13, 9, 1)), tf.uint8)
        both = layer({"images": tf.constant(IMAGE, tf.float32), "segmentation_masks": masks})
        theirs = tf.keras.layers.Resizing(6, 4)({"images": tf.constant(IMAGE, tf.float32), "segmentation_masks": masks})
        np.testing.assert_array_equal(both["segmentation_masks"], theirs["segmentation_masks"])

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"crop_to_aspect_ratio": True, "pad_to_aspect_ratio": True}, "both True"),
            ({"pad_to_aspect_ratio": True, "fill_mode": "reflect"}, "fill_mode must be 'constant'"),
            ({"interpolation": "sharp"}, "unknown method"),
        ],
    )
    def test_refused(self, options, message):
        with pytest.raises(ArgumentError, match=message):
            ours.Resizing(6, 4, **options)(IMAGE)


def test_without_tensorflow():
    code = (
        "import sys; sys.modules['tensorflow'] = None\n"
        "from sizewise.errors import MissingExtraError\n"
        "try:\n    import sizewise.compat.tensorflow\n"
        "except MissingExtraError as error:\n    assert 'sizewise[tensorflow]' in str(error)\n"
        "else:\n    raise SystemExit('imported without TensorFlow')"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert issubclass(MissingExtraError, ImportError)


@pytest.mark.parametrize(
    ("where", "name", "value", "message"),
    [
        (tf.keras.layers, "Resizing", tf.keras.layers.Layer, "needs a newer Keras 3 than 3"),
        (tf.keras.config, "backend", lambda: "jax", "this is Keras on jax"),
    ],
    ids=["too old", "another backend"],
)
def test_a_keras_that_does_not_fit(where, name, value, message, monkeypatch):
    monkeypatch.setattr(where, name, value)
    spec = importlib.util.find_spec("sizewise.compat.tensorflow.layer")
    with pytest.raises(ArgumentError, match=message):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_control_other_names_are_unknown():
    with pytest.raises(AttributeError, match="no attribute 'resize_images'"):
        ours.resize_images
