"""Fit of preprocessors and models: inputs as the real exporters write them, planted mismatches, and good fits."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
import tensorflow as tf
from onnx import TensorProto, helper, numpy_helper, parser

from sizewise.errors import ArgumentError, FileError, UnknownNameError
from sizewise.insight.audit import Quantization, audit, read
from sizewise.preprocess import (
    Cast,
    CenterCrop,
    Decode,
    Exact,
    Fit,
    Layout,
    Normalize,
    PadTo,
    Preprocessor,
    Rescale,
    Resize,
    ShortestEdge,
)

keras = tf.keras
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
RESIZE, UNIT, IMAGENET = Resize(Exact(32, 32)), Rescale(1 / 255), Normalize(MEAN, STD)
FLOATS = Cast("float32")
CHW = Layout("CHW")
GOOD = Preprocessor([RESIZE, UNIT, IMAGENET, CHW])


def onnx_model(path, nodes="", shape="1, 3, 32, 32", dtype="float", constants=""):
    """Write a model of a convolution after some nodes, from onnx's text form; the nodes end with the value `z`."""
    nodes = nodes or "z = Identity(x)"
    text = f"""<ir_version: 9, opset_import: ["" : 19]>
    g ({dtype}[{shape}] x) => (float[n, 4, h, w] y) <float[4, 3, 3, 3] w{", " if constants else ""}{constants}> {{
        {nodes}
        y = Conv(z, w)
    }}"""
    model = parser.parse_model(text)
    weights = numpy_helper.from_array(np.ones((4, 3, 3, 3), np.float32), "w")
    stored = [one for one in model.graph.initializer if one.name != "w"]
    del model.graph.initializer[:]
    model.graph.initializer.extend([*stored, weights])
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def findings(path, recipe, **more):
    return [(one.severity, one.message) for one in audit(path, preprocess=recipe, **more).fit.findings]


def values(recipe, path):
    return {one.name: one.fits for one in audit(path, preprocess=recipe).fit.aspects}


def test_a_good_fit_has_no_finding(tmp_path):
    path = onnx_model(tmp_path / "m.onnx")
    fit = audit(path, preprocess=GOOD).fit
    assert fit.findings == ()
    assert (fit.input.name, fit.input.shape, fit.input.dtype) == ("x", (1, 3, 32, 32), "float32")
    assert (fit.input.layout, fit.input.layer) == ("NCHW", "Conv")
    letterbox = Preprocessor([Resize(Fit(32, 32)), PadTo(32, 32, fill=(114.0,)), UNIT, CHW])
    crop = Preprocessor([Resize(ShortestEdge(36)), CenterCrop(32, 32), UNIT, CHW])
    assert findings(path, letterbox) == findings(path, crop) == []
    # The same values in the real runtime.
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    photo = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    assert session.run(None, {"x": GOOD([photo])})[0].shape == (1, 4, 30, 30)


@pytest.mark.parametrize(
    ("steps", "severity", "message"),
    [
        ([Resize(Exact(48, 32)), UNIT, CHW], "high", "the input takes images of 32x32; the recipe gives 48x32"),
        ([Resize(ShortestEdge(32)), UNIT, CHW], "high", "the recipe's size depends on the image: 32x42 for an image"),
        ([RESIZE, UNIT], "high", "the input has channels first (NCHW); the recipe gives HWC"),
        ([Decode("L"), RESIZE, UNIT, CHW], "high", "the input has 3 channels; the recipe gives 1"),
        ([RESIZE, UNIT, Cast("float16"), CHW], "medium", "the input takes float32; the recipe gives float16"),
        ([RESIZE, FLOATS, CHW], "low", "the model begins with Conv, and rescales nothing"),
    ],
)
def test_planted_mismatches(tmp_path, steps, severity, message):
    [(found, text)] = findings(onnx_model(tmp_path / "m.onnx"), Preprocessor(steps))
    assert found == severity and message in text


def test_swapped_sizes(tmp_path):
    path = onnx_model(tmp_path / "m.onnx", shape="1, 3, 32, 48")
    assert "swapped" in findings(path, Preprocessor([Resize(Exact(48, 32)), UNIT, CHW]))[0][1]
    assert findings(path, Preprocessor([Resize(Exact(32, 48)), UNIT, CHW])) == []


def test_dynamic_sizes_take_every_image(tmp_path):
    path = onnx_model(tmp_path / "m.onnx", shape="n, 3, h, w")
    recipe = Preprocessor([Resize(ShortestEdge(32)), UNIT, CHW])
    assert findings(path, recipe) == []
    assert values(recipe, path) == {"size": None, "layout": True, "channels": True, "dtype": True, "values": None}


def test_uint8_inputs_take_bytes(tmp_path):
    path = onnx_model(tmp_path / "m.onnx", "z = Cast<to = 1>(x)", dtype="uint8")
    assert findings(path, Preprocessor([RESIZE, CHW])) == []
    [(severity, text)] = findings(path, GOOD)
    assert (severity, text) == ("high", "the input takes uint8; the recipe gives float32")


NORMALIZING = """
    a = Cast<to = 1>(x)
    b = Sub(a, mean)
    z = Div(b, std)"""


def normalizing(path, scale):
    """Write a model that normalizes pixels from 0 to `scale` itself."""
    mean, std = (", ".join(f"{scale * one:.6f}" for one in given) for given in (MEAN, STD))
    constants = f"float[1, 3, 1, 1] mean = {{{mean}}}, float[1, 3, 1, 1] std = {{{std}}}"
    return onnx_model(path, NORMALIZING, constants=constants)


def test_normalized_twice(tmp_path):
    for scale, good, missing in ((255, FLOATS, None), (1, UNIT, FLOATS)):
        path = normalizing(tmp_path / f"{scale}.onnx", scale)
        [given] = read(path).inputs
        np.testing.assert_allclose(given.scaling.scale, 1 / (scale * np.array(STD)), rtol=1e-5)
        np.testing.assert_allclose(given.scaling.offset, -np.array(MEAN) / STD, rtol=1e-5)
        assert given.scaling.nodes == ("b", "z")
        assert given.layout == "NCHW"
        [(severity, text)] = findings(path, GOOD)
        assert severity == "high" and text.endswith("the recipe gives -2.118 to 2.64: they are normalized twice")
        assert findings(path, Preprocessor([RESIZE, good, CHW])) == []
        if missing:
            [(_, text)] = findings(path, Preprocessor([RESIZE, missing, CHW]))
            assert text.endswith("the recipe gives 0 to 255: they are never rescaled")


def test_control_arithmetic_between_layers_is_no_normalization(tmp_path):
    path = onnx_model(tmp_path / "m.onnx", "a = Relu(x)\n z = Div(a, k)", constants="float k = {255.0}")
    assert read(path).inputs[0].scaling.is_identity
    assert findings(path, GOOD) == []
    computed = onnx_model(tmp_path / "n.onnx", "a = ReduceMax(x)\n z = Div(x, a)")
    assert findings(computed, GOOD) == []


def test_a_transpose_tells_the_layout(tmp_path):
    path = onnx_model(tmp_path / "m.onnx", "z = Transpose<perm = [0, 3, 1, 2]>(x)", shape="n, h, w, c")
    assert read(path).inputs[0].layout == "NHWC"
    assert findings(path, Preprocessor([RESIZE, UNIT])) == []
    assert findings(path, GOOD)[0][1].startswith("the input has channels last (NHWC)")


def test_quantized_onnx_inputs(tmp_path):
    constants = "float s = {0.02}, uint8 o = {128}"
    path = onnx_model(
        tmp_path / "m.onnx", "q = QuantizeLinear(x, s, o)\n z = DequantizeLinear(q, s, o)", constants=constants
    )
    [given] = read(path).inputs
    assert given.quantization == Quantization(pytest.approx(0.02), 128, "uint8")
    assert findings(path, GOOD)[0][1] == (
        "the quantized input holds -2.56 to 2.54; the recipe gives -2.118 to 2.64: 2 % of that range is clipped"
    )
    assert findings(path, Preprocessor([RESIZE, UNIT, Normalize((0.5,), (0.5,)), CHW])) == []


@pytest.fixture(scope="module")
def keras_model():
    x = keras.Input((32, 32, 3), name="image")
    y = keras.layers.Rescaling(1 / 255, name="rescale")(x)
    y = keras.layers.Normalization(mean=MEAN, variance=[one**2 for one in STD], name="normalize")(y)
    return keras.Model(x, keras.layers.Conv2D(4, 3, name="convolution")(y))


BYTES = Preprocessor([RESIZE, FLOATS])
HWC = Preprocessor([RESIZE, UNIT, IMAGENET])


def saved_as(model, kind, folder):
    """Return the file of a Keras model in a format."""
    if kind == "keras":
        model.save(folder / "m.keras")
        return folder / "m.keras"
    if kind == "saved_model":
        model.export(str(folder / "saved"), verbose=False)
        return folder / "saved"
    if kind == "tflite":
        (folder / "m.tflite").write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())
        return folder / "m.tflite"
    config = json.loads(model.to_json())
    (folder / "model.json").write_text(
        json.dumps({"format": "layers-model", "modelTopology": {"model_config": config}})
    )
    return folder / "model.json"


@pytest.mark.parametrize("kind", ["keras", "saved_model", "tflite", "tfjs"])
def test_a_normalization_in_every_format(keras_model, kind, tmp_path):
    path = saved_as(keras_model, kind, tmp_path)
    [given] = read(path).inputs
    assert given.name.startswith("serving_default" if kind == "tflite" else "image")
    assert (given.shape, given.dtype, given.layout) == ((None, 32, 32, 3), "float32", "NHWC")
    # The arithmetic that is read gives the model's own result before its convolution.
    before = keras.Model(keras_model.input, keras_model.get_layer("normalize").output)
    photo = np.random.default_rng(0).integers(0, 256, (1, 32, 32, 3)).astype(np.float32)
    own = np.float32(given.scaling.scale) * photo + np.float32(given.scaling.offset)
    np.testing.assert_allclose(own, before(photo).numpy(), atol=2e-5)
    assert findings(path, BYTES) == []
    [(severity, text)] = findings(path, HWC)
    assert severity == "high" and text.endswith("they are normalized twice")
    assert {message.partition(";")[0] for _, message in findings(path, GOOD)} >= {"the input has channels last (NHWC)"}


@pytest.mark.parametrize("kind", ["keras", "saved_model", "tflite", "tfjs"])
def test_control_a_model_without_normalization(kind, tmp_path):
    model = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Conv2D(4, 3)])
    path = saved_as(model, kind, tmp_path)
    assert read(path).inputs[0].scaling.is_identity
    assert findings(path, HWC) == []
    assert [one[0] for one in findings(path, BYTES)] == ["low"]


def test_models_inside_models_and_arithmetic_of_keras(tmp_path):
    x = keras.Input((32, 32, 3), name="inner_image")
    inner = keras.Model(x, (keras.layers.Conv2D(3, 3, padding="same")((x - 127.5) / 127.5)), name="inner")
    outer = keras.Sequential([keras.Input((32, 32, 3), name="outer_image"), inner])
    path = saved_as(outer, "keras", tmp_path)
    [given] = read(path).inputs
    assert (given.name, given.scaling.expects, given.layer) == ("outer_image", (0.0, 255.0), "Conv2D")
    np.testing.assert_allclose((given.scaling.scale[0], given.scaling.offset[0]), (1 / 127.5, -1.0))
    assert findings(path, BYTES) == []
    assert findings(path, HWC)[0][1].endswith("they are normalized twice")


def quantized(folder, dtype):
    """Write a TFLite model of integers, calibrated on values that are normalized with mean and std 0.5."""
    model = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Conv2D(4, 3)])
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    random = np.random.default_rng(0)
    converter.representative_dataset = lambda: ([random.uniform(-1, 1, (1, 32, 32, 3)).astype("f4")] for _ in range(8))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = dtype
    path = folder / f"{tf.as_dtype(dtype).name}.tflite"
    path.write_bytes(converter.convert())
    return path


def test_quantized_tflite_inputs(tmp_path):
    half = Preprocessor([RESIZE, UNIT, Normalize((0.5,), (0.5,))])
    path = quantized(tmp_path, tf.int8)
    [given] = read(path).inputs
    from ai_edge_litert.interpreter import Interpreter

    details = Interpreter(model_path=str(path)).get_input_details()[0]
    scale, zero = details["quantization"]
    assert (given.dtype, given.quantization) == ("int8", Quantization(pytest.approx(scale), zero, "int8"))
    [(severity, text)] = findings(path, half)
    assert (severity, text) == ("high", "the input takes int8; the recipe gives float32")
    assert any("% of that range is clipped" in text for _, text in findings(path, HWC))
    # The floats in front of a quantized model, and bytes.
    path = quantized(tmp_path, tf.float32)
    assert read(path).inputs[0].quantization.range == pytest.approx((-1, 1), abs=0.02)
    assert findings(path, half) == []
    [(severity, text)] = findings(path, HWC)
    assert severity == "high" and "the recipe gives -2.118 to 2.64: " in text
    [(_, text)] = findings(path, Preprocessor([RESIZE, Rescale(1 / 255 / 255)]))
    assert text.endswith("steps are used")
    path = quantized(tmp_path, tf.uint8)
    assert findings(path, Preprocessor([RESIZE])) == []
    assert findings(path, half)[0][1] == "the input takes uint8; the recipe gives float32"


def dims(*lengths):
    return {"dim": [{"size": str(n)} for n in lengths]}


@pytest.mark.parametrize("has_signature", [True, False])
def test_graph_models_of_tfjs(tmp_path, has_signature):
    shape, floats = {"shape": {"shape": dims(-1, 32, 32, 3)}, "dtype": {"type": "DT_FLOAT"}}, {"type": "DT_FLOAT"}
    node = [
        {"name": "x", "op": "Placeholder", "attr": shape},
        {"name": "k", "op": "Const", "attr": {"dtype": floats}},
        {"name": "w", "op": "Const", "attr": {"dtype": floats}},
        {"name": "m", "op": "Mul", "input": ["x", "k"]},
        {"name": "y", "op": "Conv2D", "input": ["m", "w"], "attr": {"data_format": {"s": "TkhXQw=="}}},
    ]
    (tmp_path / "a.bin").write_bytes(np.array([1 / 127.5], "<f4").tobytes())
    manifest = [{"paths": ["a.bin"], "weights": [{"name": "k", "shape": [], "dtype": "float32"}]}]
    record = {"modelTopology": {"node": node}, "weightsManifest": manifest}
    if has_signature:
        info = {"name": "x:0", "dtype": "DT_FLOAT", "tensorShape": dims(-1, 32, 32, 3)}
        record["signature"] = {"inputs": {"image": info}, "outputs": {}}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(record))
    [given] = read(path).inputs
    assert given.name == ("image" if has_signature else "x")
    assert (given.shape, given.dtype, given.layout) == ((None, 32, 32, 3), "float32", "NHWC")
    assert findings(path, BYTES) == []
    assert findings(path, HWC)[0][1].endswith("they are normalized twice")


def two_inputs(path, shapes=((1, 3, 32, 32), (1, 1, 32, 32))):
    infos = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, shape) for i, shape in enumerate(shapes)]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node("Concat", ["x0", "x1"], ["y"], axis=1)], "g", infos, [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)]), path)
    return path


def test_several_inputs_are_asked_for(tmp_path):
    path = two_inputs(tmp_path / "m.onnx")
    with pytest.raises(ArgumentError, match=r"several inputs may take the image: 'x0' \(1x3x32x32 float32\), 'x1'"):
        audit(path, preprocess=GOOD)
    assert findings(path, GOOD, input_name="x0") == []
    assert findings(path, GOOD, input_name="x1")[0][1] == "the input has 1 channel; the recipe gives 3"
    with pytest.raises(UnknownNameError, match="unknown input of the model: 'x2'"):
        audit(path, preprocess=GOOD, input_name="x2")
    other = two_inputs(tmp_path / "n.onnx", ((1, 3, 32, 32), (1, 128)))
    assert findings(other, GOOD) == []
    neither = two_inputs(tmp_path / "o.onnx", ((1, 128), (1, 128)))
    with pytest.raises(ArgumentError, match="no input takes images of three or four axes: 'x0'"):
        audit(neither, preprocess=GOOD)


def test_bad_arguments(tmp_path):
    path = onnx_model(tmp_path / "m.onnx")
    with pytest.raises(ArgumentError, match="input_name is 'x', but there is no preprocess"):
        audit(path, input_name="x")
    with pytest.raises(FileError, match="No such file"):
        audit(path, preprocess=tmp_path / "no.json")
    with pytest.raises(ArgumentError, match="is not a recipe that can be read"):
        audit(path, preprocess={"some": "keys"})
    layer = {"class_name": "Sequential", "config": {"layers": [{"class_name": "Flatten", "config": {"name": "f"}}]}}
    (tmp_path / "model.json").write_text(json.dumps({"modelTopology": {"model_config": layer}}))
    with pytest.raises(ArgumentError, match="the model does not state its inputs"):
        audit(tmp_path / "model.json", preprocess=GOOD)
