"""Audits of TensorFlow's files: SavedModels, their conversions to LiteRT, and Keras files."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from audit_measurements import mistakes

from sizewise.insight.audit import audit, read
from sizewise.parity import reference
from sizewise.parity.references import tfjs as tfjs_reference
from sizewise.resize_spec import ResizeSpec

TARGETS = ("tflite", "onnxruntime", "torch", "opencv", "tensorflow1", "tensorflow")
GONE = (
    "legacy",
    "corners",
    "nearest-legacy",
    "nearest-corners",
    "bicubic-legacy",
)  # not in tf.image.resize
NODE_PATH = str(Path(__file__).parents[1] / "node" / "node_modules")
V1 = tf.compat.v1.image
IMAGE = (12, 14)


def resizes(x):
    """Every variant of resize, by name."""
    yield from (
        (name, tf.image.resize(x, size, method, antialias=antialias))
        for name, method, antialias, size in (
            ("bilinear", "bilinear", False, (7, 21)),
            ("nearest", "nearest", False, (7, 21)),
            ("bicubic", "bicubic", False, (7, 21)),
            ("area", "area", False, (5, 6)),
            ("lanczos3", "lanczos3", False, (7, 21)),
            ("lanczos5", "lanczos5", True, (5, 6)),
            ("gaussian", "gaussian", True, (5, 6)),
            ("mitchellcubic", "mitchellcubic", True, (5, 6)),
            ("antialias", "bilinear", True, (5, 6)),
            ("cubic-antialias", "bicubic", True, (5, 6)),
        )
    )
    yield "legacy", V1.resize_bilinear(x, (7, 21))
    yield "corners", V1.resize_bilinear(x, (7, 21), align_corners=True)
    yield "half", V1.resize_bilinear(x, (7, 21), half_pixel_centers=True)
    yield "nearest-legacy", V1.resize_nearest_neighbor(x, (7, 21))
    yield "nearest-corners", V1.resize_nearest_neighbor(x, (7, 21), align_corners=True)
    yield "nearest-half", V1.resize_nearest_neighbor(x, (7, 21), half_pixel_centers=True)
    yield "bicubic-legacy", V1.resize_bicubic(x, (7, 21))
    yield "computed", tf.image.resize(x, tf.shape(x)[1:3] * 2)


LITE = ("bilinear", "nearest", "legacy", "corners", "half", "nearest-legacy", "nearest-corners", "nearest-half")


class Resizers(tf.Module):
    def __init__(self, names=None):
        super().__init__()
        self.names = names

    @tf.function(input_signature=[tf.TensorSpec((1, *IMAGE, 1), tf.float32)])
    def __call__(self, x):
        return {name: tf.identity(y, name) for name, y in resizes(x) if self.names is None or name in self.names}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Audit a SavedModel of all variants; return each with TensorFlow's result of an image."""
    folder, model = tmp_path_factory.mktemp("saved"), Resizers()
    tf.saved_model.save(model, str(folder), signatures=model.__call__)
    run = tf.saved_model.load(str(folder)).signatures["serving_default"]
    names = [name for name, _ in resizes(tf.zeros((1, *IMAGE, 1)))]
    nodes = audit(folder, TARGETS).nodes
    return {
        name: (one, lambda pixels, name=name: run(tf.constant(pixels[None, ..., None]))[name].numpy()[0, ..., 0])
        for name, one in zip(names, nodes, strict=True)
    }


NAMES = [*LITE, "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic", "antialias", "cubic-antialias"]
NAMES += ["bicubic-legacy", "computed"]


@pytest.mark.parametrize("name", NAMES)
def test_saved_models_are_resolved_and_predicted(name, saved):
    one, own = saved[name]
    assert one.node.input_size == IMAGE
    assert one.node.output_size == own(np.zeros(IMAGE, np.float32)).shape
    assert one.node.layout == "NHWC"
    assert mistakes(one, own) == []
    assert (one.predictions[-1].noise.largest > 0.1) == (name in GONE)


def test_control_the_variants_differ(saved):
    one, _ = saved["bilinear"]
    assert mistakes(one, saved["legacy"][1]) != []
    assert len(saved) == len(NAMES)


@pytest.fixture(scope="module")
def lite(tmp_path_factory):
    """Return the same for LiteRT models, of the variants that LiteRT has."""
    model = Resizers(LITE)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([model.__call__.get_concrete_function()], model)
    path = tmp_path_factory.mktemp("lite") / "m.tflite"
    path.write_bytes(converter.convert())
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    tensors = {one["name"]: one["index"] for one in interpreter.get_tensor_details()}

    def run(index, pixels):
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], pixels[None, ..., None])
        interpreter.invoke()
        return interpreter.get_tensor(index)[0, ..., 0]

    nodes = audit(path, ("onnxruntime", "tfjs", "torch", "opencv", "tensorflow")).nodes
    return [(one, lambda pixels, index=tensors[one.node.name]: run(index, pixels)) for one in nodes]


@pytest.fixture
def tfjs(monkeypatch):
    """TF.js of the tests' folder; the earlier lookup, which found none, is discarded."""
    monkeypatch.setenv("NODE_PATH", NODE_PATH)
    tfjs_reference._version.cache_clear()
    yield
    tfjs_reference._version.cache_clear()


def test_lite_models_are_resolved_and_predicted(lite, tfjs):
    if not reference.of("tfjs").is_installed():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("TF.js is missing: run `npm install` in tests/node")
    specs = {(one.node.spec.method, one.node.spec.options) for one, _ in lite}
    assert len(specs) == 6  # two methods, three grids; two of the variants are the same op
    for one, own in lite:
        assert (one.node.input_size, one.node.output_size) == (IMAGE, (7, 21))
        assert mistakes(one, own) == []


def test_lite_models_of_integers_and_custom_ops(tmp_path):
    def sample():
        yield from ([np.random.default_rng(0).random((1, *IMAGE, 1), np.float32)] for _ in range(4))

    model = Resizers(("half",))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([model.__call__.get_concrete_function()], model)
    converter.optimizations, converter.representative_dataset = [tf.lite.Optimize.DEFAULT], sample
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    (tmp_path / "m.tflite").write_bytes(converter.convert())
    [node] = read(tmp_path / "m.tflite").nodes
    assert node.note == "computed in int8; the values here are those of float32"
    model = Resizers(("area",))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([model.__call__.get_concrete_function()], model)
    converter.allow_custom_ops = True
    (tmp_path / "n.tflite").write_bytes(converter.convert())
    [node] = read(tmp_path / "n.tflite").nodes
    assert (node.op, node.spec, node.output_size) == ("ResizeArea", None, (5, 6))
    assert node.note == "a custom op, whose code is not in the file"


def test_graphs_of_tensorflow_1_and_crops(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, (None, None, None, 3), name="x")
        y = V1.resize_bilinear(tf.nn.relu(x), (8, 9), name="small")
        z = tf.image.crop_and_resize(y, [[0, 0, 1.2, 1]], [0], (4, 4), name="crop")
        tf.compat.v1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"z": z})
    small, crop = read(tmp_path / "m").nodes
    assert (small.name, small.input_size, small.output_size) == ("small", (None, None), (8, 9))
    assert small.spec == ResizeSpec.of("tensorflow1", "bilinear")
    assert (crop.op, crop.spec, crop.input_size) == ("CropAndResize", None, (8, 9))


@pytest.fixture(scope="module")
def keras_model():
    keras = tf.keras
    x = keras.Input((*IMAGE, 1))
    y = keras.layers.Resizing(7, 21, name="plain")(x)
    inner = keras.Sequential([keras.layers.UpSampling2D((2, 3), interpolation="bilinear", name="up")], name="inner")
    z = keras.layers.TimeDistributed(keras.layers.UpSampling2D(2, name="each"))(keras.layers.Reshape((1, *IMAGE, 1))(x))
    outputs = [
        y,
        keras.ops.image.resize(x, (5, 6), "bicubic", antialias=True),
        inner(x),
        keras.layers.UpSampling2D(2, name="nearest")(x),
        keras.layers.Resizing(5, 5, crop_to_aspect_ratio=True, name="cropped")(x),
        keras.layers.CenterCrop(4, 4, name="center")(x),
        keras.layers.Resizing(5, 6, "lanczos3", name="lanczos")(x),
        keras.layers.UpSampling1D(3, name="line")(keras.layers.Reshape((IMAGE[0] * IMAGE[1], 1))(x)),
        z,
        keras.layers.Lambda(lambda t: t + 1, name="code")(x),
    ]
    return keras.Model(x, outputs)


def test_keras_files_are_resolved_and_predicted(keras_model, tmp_path):
    keras_model.save(tmp_path / "m.keras")
    facts = audit(tmp_path / "m.keras", TARGETS)
    results = ("plain", "resize", "inner/up", "nearest", "cropped", "center", "lanczos", "line")
    found = {one.node.name: one for one in facts.nodes}
    assert list(found) == [*results, "time_distributed/each"]

    def run(number, pixels):
        return keras_model(pixels[None, ..., None])[number].numpy()[0, ..., 0]

    for number, name in enumerate(results):
        one = found[name]
        if one.plan is not None and len(one.node.input_size) == 2:
            assert one.node.input_size == IMAGE
            assert one.node.output_size == run(number, np.zeros(IMAGE, np.float32)).shape
            assert mistakes(one, lambda pixels, number=number: run(number, pixels)) == []
    assert found["cropped"].node.note.startswith("crop_to_aspect_ratio")
    assert (found["line"].node.input_size, found["line"].node.output_size) == ((168,), (504,))


def test_code_in_a_keras_file_is_never_run(tmp_path):
    mark = tmp_path / "ran"
    layers = [
        {"module": "builtins", "class_name": "Lambda", "config": {"function": f"open({str(mark)!r}, 'w')"}},
        {"module": "os", "class_name": "system", "config": {"command": f"touch {mark}"}},
        {"module": "keras.layers", "class_name": "UpSampling2D", "config": {"name": "up", "size": [2, 2]}},
    ]
    with zipfile.ZipFile(tmp_path / "m.keras", "w") as archive:
        archive.writestr("config.json", json.dumps({"class_name": "Sequential", "config": {"layers": layers}}))
    [node] = read(tmp_path / "m.keras").nodes
    assert (node.name, node.input_size, node.scale) == ("up", (None, None), (2.0, 2.0))
    assert not mark.exists()


@pytest.mark.parametrize("layer", ["UpSampling2D", "Resizing"])
def test_graphs_of_keras_layers_have_half_pixel_centers(layer, tmp_path):
    """Graph models are the advice for TF.js's layers, which do not: its converter writes them from these graphs."""
    keras = tf.keras
    x = keras.Input((8, 8, 1))
    up = (
        keras.layers.UpSampling2D(2, interpolation="bilinear")
        if layer == "UpSampling2D"
        else keras.layers.Resizing(7, 9)
    )
    keras.Model(x, up(x)).export(str(tmp_path / "m"), verbose=False)
    assert {one.spec for one in read(tmp_path / "m").nodes} == {
        ResizeSpec.of("tensorflow1", "bilinear", options={"half_pixel_centers": True})
    }
