"""Audits of TF.js's model.json: graph models and layers models, which the real TF.js also loads and runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from audit_measurements import mistakes

from sizewise.insight.audit import audit, noise, read, synthetic_photo

NODE_PATH = Path(__file__).parents[1] / "node" / "node_modules"
IMAGE, SIZE = (12, 14), (7, 21)
TARGETS = ("tflite", "onnxruntime", "torch", "opencv")
FLAGS = {"legacy": (False, False), "corners": (True, False), "half": (False, True)}
# Loads model.json from disk, and prints every output for every image.
SCRIPT = """
const tf = require('@tensorflow/tfjs');
const fs = require('fs');
const { file, images, shape, outputs } = JSON.parse(fs.readFileSync(0));
const { modelTopology, weightsManifest } = JSON.parse(fs.readFileSync(file));
const folder = require('path').dirname(file);
const shards = weightsManifest.flatMap((group) => group.paths.map((name) => fs.readFileSync(folder + '/' + name)));
const weightData = new Uint8Array(Buffer.concat(shards)).buffer;
const artifacts = { modelTopology, weightData, weightSpecs: weightsManifest.flatMap((group) => group.weights) };
const layers = 'model_config' in modelTopology;
const run = (model, image) => {
  const x = tf.tensor(image, shape);
  return layers ? model.predict(x) : model.execute({ x }, outputs);
};
const plain = (y) => ({ shape: y.shape, values: Array.from(y.dataSync()) });
tf.setBackend('cpu').then(async () => {
  const model = layers ? await tf.loadLayersModel(tf.io.fromMemory(artifacts)) : tf.loadGraphModelSync(artifacts);
  process.stdout.write(JSON.stringify(images.map((image) => [run(model, image)].flat().map(plain))));
});
"""


def answer(script, question):
    """Return the output of a script for the real TF.js."""
    if shutil.which("node") is None or not (NODE_PATH / "@tensorflow" / "tfjs").is_dir():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("TF.js is missing: run `npm install` in tests/node")
    environment = {**os.environ, "NODE_PATH": str(NODE_PATH)}
    done = subprocess.run(
        ["node", "-e", script], input=json.dumps(question), capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run(file, outputs):
    """Return every output of the real TF.js, for noise and for a picture."""
    images = [make(IMAGE).ravel().tolist() for make in (noise, synthetic_photo)]
    answers = answer(SCRIPT, {"file": str(file), "images": images, "shape": [1, *IMAGE, 1], "outputs": outputs})
    arrays = [[np.array(one["values"], "f4").reshape(one["shape"])[0, ..., 0] for one in each] for each in answers]
    by_image = dict(zip((noise(IMAGE).tobytes(), synthetic_photo(IMAGE).tobytes()), arrays, strict=True))
    return [lambda pixels, number=number: by_image[pixels.tobytes()][number] for number in range(len(outputs))]


def dims(*lengths):
    return {"dim": [{"size": str(n)} for n in lengths]}


def graph(folder, *, manifest=None):
    """Write a graph model of every op and grid, with its weights in two files, and a size across both."""
    placed = {"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": dims(-1, *IMAGE, 1)}}
    node = [{"name": "x", "op": "Placeholder", "attr": placed}]
    for name in ("weights", "size"):
        node.append({"name": name, "op": "Const", "attr": {"dtype": {"type": "DT_INT32"}}})
    node.append({"name": "relu", "op": "Relu", "input": ["x"]})
    for op in ("ResizeBilinear", "ResizeNearestNeighbor"):
        for name, (corners, half) in FLAGS.items():
            attributes = {"align_corners": {"b": corners}, "half_pixel_centers": {"b": half}, "T": {"type": "DT_FLOAT"}}
            node.append({"name": f"{op}-{name}", "op": op, "input": ["relu", "size"], "attr": attributes})
    specs = [
        {"name": "weights", "shape": [3], "dtype": "int32"},
        {"name": "size", "shape": [2], "dtype": "int32"},
    ]
    data = np.array([1, 2, 3, *SIZE], "<i4").tobytes()
    (folder / "one.bin").write_bytes(data[:14])
    (folder / "two.bin").write_bytes(data[14:])
    weights = manifest or [{"paths": ["one.bin", "two.bin"], "weights": specs}]
    topology = {"node": node, "versions": {"producer": 1}}
    record = {"format": "graph-model", "modelTopology": topology, "weightsManifest": weights}
    (folder / "model.json").write_text(json.dumps(record))
    return folder / "model.json"


def test_graph_models_are_resolved_and_predicted(tmp_path):
    facts = audit(graph(tmp_path), TARGETS)
    names = [one.node.name for one in facts.nodes]
    assert facts.kind == "TF.js graph model"
    assert names == [f"{op}-{flag}" for op in ("ResizeBilinear", "ResizeNearestNeighbor") for flag in FLAGS]
    for one, own in zip(facts.nodes, run(tmp_path / "model.json", names), strict=True):
        assert (one.node.input_size, one.node.output_size, one.node.spec.dialect) == (IMAGE, SIZE, "tfjs")
        assert mistakes(one, own) == []


LAYERS = ("bilinear", "nearest")


def layers(folder):
    """Write a layers model as tensorflowjs writes those of Keras."""
    shape = {"batch_input_shape": [None, *IMAGE, 1], "dtype": "float32"}
    inner = [{"class_name": "InputLayer", "config": {**shape, "name": "x"}, "inbound_nodes": [], "name": "x"}]
    sampling = {"data_format": "channels_last", "trainable": True, "dtype": "float32", "size": [2, 3]}
    for name in LAYERS:
        config = {**sampling, "name": name, "interpolation": name}
        calls = {"inbound_nodes": [[["x", 0, 0, {}]]], "name": name}
        inner.append({"class_name": "UpSampling2D", "config": config, **calls})
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [[name, 0, 0] for name in LAYERS]}
    config = {"class_name": "Functional", "config": {"name": "model", "layers": inner, **ends}}
    topology = {"keras_version": "2.15.0", "backend": "tensorflow", "model_config": config}
    record = {"format": "layers-model", "modelTopology": topology, "weightsManifest": [{"paths": [], "weights": []}]}
    (folder / "model.json").write_text(json.dumps(record))
    return folder


def test_layers_models_are_resolved_and_predicted(tmp_path):
    facts = audit(layers(tmp_path), ("tflite", "onnxruntime", "opencv", "tensorflow", "tensorflow1"))
    assert facts.kind == "TF.js layers model"
    assert tuple(one.node.name for one in facts.nodes) == LAYERS
    for one, own in zip(facts.nodes, run(tmp_path / "model.json", LAYERS), strict=True):
        assert (one.node.input_size, one.node.is_static) == (IMAGE, True)  # batch_input_shape is that of InputLayer
        assert one.node.output_size == own(noise(IMAGE)).shape
        assert mistakes(one, own) == []
    assert any("the image shifts" in one.message for one in facts.findings)  # the grid is not that of Keras itself


def test_target_tensorflow_is_version_2(tmp_path):
    facts = audit(layers(tmp_path), ("tensorflow", "tensorflow1"))
    two, one = facts.nodes[0].predictions
    assert (two.port.spec.dialect, one.port.spec.dialect) == ("tensorflow", "tensorflow1")
    assert two.noise.largest > 0.3
    assert one.noise.largest < 1e-5


@pytest.mark.parametrize("crops", [False, True])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_resizing_aligns_corners_unless_it_crops(crops, method, tmp_path):
    """The layer is called alone: inside a model, that of TF.js 4.22 mistakes a list of tensors for one."""
    config = {"name": "small", "height": 7, "width": 21, "interpolation": method, "crop_to_aspect_ratio": crops}
    inner = [{"class_name": "Resizing", "config": {**config, "batch_input_shape": [None, *IMAGE, 1]}}]
    model = {"class_name": "Sequential", "config": {"name": "m", "layers": inner}}
    (tmp_path / "model.json").write_text(json.dumps({"modelTopology": {"model_config": model}}))
    [one] = audit(tmp_path).nodes
    assert (one.node.input_size, one.node.output_size) == (IMAGE, (7, 21))
    given = {"height": 7, "width": 21, "interpolation": method, "cropToAspectRatio": crops}
    script = (
        "const tf = require('@tensorflow/tfjs');"
        "const [config, pixels, shape] = JSON.parse(require('fs').readFileSync(0));"
        "tf.setBackend('cpu').then(() => process.stdout.write(JSON.stringify("
        "Array.from(tf.layers.resizing(config).apply(tf.tensor(pixels, shape)).dataSync()))));"
    )
    pixels = noise(IMAGE)
    theirs = np.array(answer(script, [given, pixels.ravel().tolist(), [1, *IMAGE, 1]]), "f4").reshape(7, 21)
    assert np.abs(one.plan(pixels, axes=(0, 1)) - theirs).max() < 1e-6


def test_sizes_are_inferred_from_previous_layers(tmp_path):
    """Keras 2 writes shapes beside InputLayer only, or beside the first layer of a Sequential."""
    convolution = {"name": "c", "kernel_size": [3, 3], "strides": [2, 2], "padding": "valid"}
    pool = {"name": "p", "pool_size": [2, 2], "strides": [2, 2], "padding": "same"}
    up = {"name": "up", "size": [2, 2], "interpolation": "bilinear"}
    inner = [
        {"class_name": "Conv2D", "config": {"batch_input_shape": [None, 31, 40, 3], **convolution}},
        {"class_name": "MaxPooling2D", "config": pool},
        {"class_name": "BatchNormalization", "config": {"name": "b"}},
        {"class_name": "UpSampling2D", "config": up},
        {"class_name": "UpSampling2D", "config": {**up, "name": "again"}},
    ]
    model = {"class_name": "Sequential", "config": {"name": "m", "layers": inner}}
    (tmp_path / "model.json").write_text(json.dumps({"modelTopology": {"model_config": model}}))
    first, second = read(tmp_path).nodes
    assert (first.input_size, first.output_size) == ((8, 10), (16, 20))
    assert second.input_size == (16, 20)


def test_weights_in_other_folders_are_not_read(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "two.bin").write_bytes(np.array(SIZE, "<i4").tobytes())
    specs = [{"name": "size", "shape": [2], "dtype": "int32"}]
    for path in ("../two.bin", str(tmp_path / "two.bin"), "missing.bin"):
        nodes = read(graph(tmp_path / "inner", manifest=[{"paths": [path], "weights": specs}])).nodes
        assert {one.output_size for one in nodes} == {(None, None)}
