"""Bad model files: other formats, truncated, damaged or with false sizes; each raises one clear error quickly."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
import zipfile
from dataclasses import replace

import fuzz_models
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from sizewise.errors import FileError, MissingExtraError, UnknownNameError
from sizewise.insight.audit import Difference, Model, Node, audit, audit_nodes, noise, read
from sizewise.insight.audit._saved_model_schema import message
from sizewise.parity.references.tflite import _model as lite_model
from sizewise.resize_spec import ResizeSpec


def onnx_model(sizes=(1, 1, 8, 8), shape=(1, 1, 4, 4)):
    stored = numpy_helper.from_array(np.array(sizes, np.int64), "n")
    node = helper.make_node("Resize", ["x", "", "", "n"], ["y"], mode="linear")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y"))
    graph = helper.make_graph([node], "g", [x], [y], [stored])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])


def saved_model():
    saved = message("SavedModel")
    graph = saved.meta_graphs.add().graph_def
    graph.node.add(name="x", op="Placeholder")
    size = graph.node.add(name="n", op="Const").attr.add(key="value").value.tensor
    size.dtype, size.tensor_content = 3, struct.pack("<2i", 8, 8)
    size.tensor_shape.dim.add(size=2)
    graph.node.add(name="y", op="ResizeBilinear", input=["x", "n"])
    return saved.SerializeToString()


def keras_file(path, config, **zipping):
    with zipfile.ZipFile(path, "w", **zipping) as archive:
        archive.writestr("config.json", config if isinstance(config, (str, bytes)) else json.dumps(config))
    return path


UP = {"class_name": "UpSampling2D", "config": {"name": "up", "size": [2, 2], "interpolation": "bilinear"}}


@pytest.fixture
def whole(tmp_path):
    """Return a small valid file of each format."""
    keras = keras_file(tmp_path / "k.keras", {"class_name": "Sequential", "config": {"layers": [UP]}})
    node = [{"name": "x", "op": "Placeholder"}, {"name": "y", "op": "ResizeBilinear", "input": ["x", "n"]}]
    return {
        "m.onnx": onnx_model().SerializeToString(),
        "m.tflite": lite_model("bilinear", {"align_corners": False, "half_pixel_centers": True}, "float32"),
        "saved_model.pb": saved_model(),
        "m.keras": keras.read_bytes(),
        "model.json": json.dumps({"modelTopology": {"node": node}, "weightsManifest": []}).encode(),
    }


def outcome(path, data):
    """Return the number of nodes, or the start of the error."""
    path.write_bytes(data)
    try:
        return len(audit(path).nodes)
    except FileError as error:
        assert "\n" not in str(error)
        assert repr(os.fspath(path)) in str(error)
        return "error"


def test_valid_files_are_read(whole, tmp_path):
    assert [outcome(tmp_path / name, data) for name, data in whole.items()] == [1] * 5


@pytest.mark.parametrize("name", ["m.onnx", "m.tflite", "saved_model.pb", "m.keras", "model.json"])
def test_truncated_and_damaged_files_raise_one_error_or_give_the_rest(whole, name, tmp_path):
    data, random = whole[name], np.random.default_rng(6)
    cut = [outcome(tmp_path / name, data[:length]) for length in range(0, len(data), max(1, len(data) // 80))]
    assert cut.count("error") >= 0.6 * len(cut)
    for _ in range(100):
        damaged = bytearray(data)
        for place in random.integers(0, len(data), 3):
            damaged[place] = random.integers(256)
        outcome(tmp_path / name, bytes(damaged))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.onnx", b"", "is not an ONNX model, or is truncated"),
        ("a.onnx", b"not a model at all", "is not an ONNX model, or is truncated"),
        ("a.tflite", b"\0" * 64, "is not a TFLite model: it has no TFL3 mark"),
        ("a.tflite", b"\xff\xff\xff\x7fTFL3" + b"\0" * 64, "its tables point outside the file"),
        ("a.pb", b"\xff" * 40, "is not a SavedModel, or is truncated"),
        ("a.json", b"[1, 2]", "is JSON, but not of a model"),
        ("a.json", b'{"modelTopology": 3}', "is JSON, but not a TF.js model: it has no modelTopology"),
        ("a.json", b'{"modelTopology": {"node": [3]}}', "has an invalid topology"),
        ("a.json", b'{"a": ' * 100_000, "is truncated, or not JSON"),
        ("a.keras", b"PK\x03\x04" + b"\0" * 40, "is a damaged zip file"),
        ("a.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 40, "HDF5 is Keras's old format; save the model as .keras"),
        ("a.pth", b"\x80\x02}q\0.", "a pickle is code, which audit never runs"),
        ("a.png", b"\x89PNG\r\n", "is not a model that audit reads: it reads .onnx, .tflite, .keras"),
    ],
)
def test_other_files_are_refused_in_one_line(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError) as caught:
        read(tmp_path / name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="No such file or directory"):
        read(tmp_path / "nothing.onnx")
    with pytest.raises(FileError, match=r"is a folder without saved_model.pb or model.json"):
        read(tmp_path)
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(FileError, match="it is not a file"):
        read(tmp_path / "pipe.onnx")


@pytest.mark.parametrize("kind", fuzz_models.CHANGES)
def test_mutated_files_raise_one_error_or_give_the_rest(kind):
    assert fuzz_models.run([kind], range(300)) == []


def test_control_the_fuzzer_reports_other_errors(tmp_path, monkeypatch):
    def fail(*_):
        raise IndexError("list index out of range")

    monkeypatch.setattr(fuzz_models, "audit", fail)
    assert fuzz_models.fault("onnx", 1, tmp_path).startswith("IndexError: list index out of range at test_audit_bad")


def without(model, *fields):
    """Return a model whose first node lacks some fields."""
    for name in fields:
        model.graph.node[0].ClearField(name)
    return model.SerializeToString()


def of_opset(opset):
    model = onnx_model()
    model.opset_import[0].version = opset
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (without(onnx_model(), "output"), "Resize 'Resize 0' has no input, or no output"),
        (without(onnx_model(), "input"), "Resize 'y' has no input, or no output"),
        (of_opset(9), "opset 9 has no Resize"),
        (of_opset(0), "opset 0 has no Resize"),
    ],
)
def test_damaged_nodes_of_onnx(data, message, tmp_path):
    (tmp_path / "m.onnx").write_bytes(data)
    with pytest.raises(FileError, match=message):
        audit(tmp_path / "m.onnx")


def test_names_that_are_not_utf8(tmp_path):
    (tmp_path / "m.onnx").write_bytes(onnx_model().SerializeToString().replace(b"\x01y", b"\x01\xff"))
    [node] = read(tmp_path / "m.onnx").nodes
    assert (node.name, node.output_size) == ("\ufffd", (8, 8))


def test_large_results_are_compared_in_parts(tmp_path):
    """This bounds time and memory."""
    spec = ResizeSpec.of("onnx", "linear", options={"coordinate_transformation_mode": "asymmetric"})
    node = Node("n", "Resize", (2000, 1500), (4096, 1500), spec=spec)
    [one] = audit_nodes("m", Model("made up", (node,)), ("tflite", "opencv")).nodes
    same, other = (each.noise for each in one.predictions)
    assert same.largest < 1e-3
    assert other.largest > 0.1
    sizes = (2000, 1500), (4096, 1500)
    plans = node.make_plan(*sizes), replace(one.predictions[1].port.spec, size=sizes[1]).make_plan(sizes[0])
    whole = Difference.of(*(plan(noise(sizes[0]), axes=(0, 1)) for plan in plans))
    assert other.largest == pytest.approx(whole.largest, rel=0.1)
    assert other.mean == pytest.approx(whole.mean, rel=0.1)


def test_a_torch_file_is_not_unpickled(tmp_path):
    mark = tmp_path / "ran"
    with zipfile.ZipFile(tmp_path / "m.pt", "w") as archive:
        archive.writestr("m/data.pkl", f"cos\nsystem\n(S'touch {mark}'\ntR.")
    with pytest.raises(FileError, match=r"it is a PyTorch file; a pickle is code.*use sizewise.watch"):
        read(tmp_path / "m.pt")
    assert not mark.exists()


def test_a_zip_bomb_takes_neither_time_nor_memory(tmp_path):
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("config.json", "w") as opened:
        for _ in range(20):
            opened.write(b" " * (10 << 20))
    code = (
        "import sys; from sizewise.insight.audit import read\n"
        f"try: read({os.fspath(path)!r})\n"
        "except OSError as error: sys.stdout.write(f'{error}\\n{open(\"/proc/self/status\").read()}')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    message, *status = done.stdout.splitlines()
    assert "config.json is longer than 67,108,864 bytes, which no configuration is" in message
    [peak] = [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
    assert peak < 300_000  # kilobytes; unpacked, it has 200 MB


@pytest.mark.parametrize("lie", [10, 2**31 - 1])
def test_a_zip_with_false_sizes(lie, tmp_path):
    path = keras_file(tmp_path / "m.keras", {"class_name": "Sequential", "config": {"layers": [UP]}})
    data = path.read_bytes()
    at = data.index(b"PK\x01\x02")
    path.write_bytes(data[: at + 20] + struct.pack("<2I", lie, lie) + data[at + 28 :])
    with pytest.raises(FileError, match="is a damaged zip file"):
        read(path)


def test_models_nested_too_deep(tmp_path):
    model = UP
    for _ in range(60):
        model = {"class_name": "Sequential", "config": {"layers": [model]}}
    with pytest.raises(FileError, match="its models are nested more than 32 deep"):
        read(keras_file(tmp_path / "m.keras", model))


@pytest.mark.parametrize("sizes", [(1, 1, 2**40, 2**40), (1, 1, 2**31 - 1, 8), (1, 1, 100_000, 100_000)])
def test_huge_sizes_are_refused_before_allocation(sizes, tmp_path):
    onnx.save(onnx_model(sizes), tmp_path / "m.onnx")
    before = time.monotonic()
    [one] = audit(tmp_path / "m.onnx", ["torch"]).nodes
    assert time.monotonic() - before < 5
    assert (one.plan, one.predictions) == (None, ())
    assert one.findings[0].severity == "high"
    assert "pixels" in one.note


def test_a_tensor_with_a_false_shape(tmp_path):
    model = onnx_model()
    model.graph.initializer[0].dims[:] = [1 << 50]
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    [node] = read(tmp_path / "m.onnx").nodes
    assert node.input_size == (4, 4)


def test_values_shared_exponentially_often(tmp_path):
    nodes = [helper.make_node("Concat", [f"n{i}", f"n{i}"], [f"n{i + 1}"], axis=0) for i in range(60)]
    nodes.append(helper.make_node("Resize", ["x", "", "", "n60"], ["y"], mode="linear"))
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, 1, 4, 4)) for name in ("x", "y"))
    first = numpy_helper.from_array(np.array([1], np.int64), "n0")
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", [x], [y], [first])), tmp_path / "m.onnx")
    before = time.monotonic()
    assert len(read(tmp_path / "m.onnx").nodes) == 1
    assert time.monotonic() - before < 5


def test_external_data_is_not_read(tmp_path):
    model = onnx_model()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    [node] = read(tmp_path / "m.onnx").nodes
    assert node.input_size == (4, 4)


@pytest.mark.parametrize(
    ("name", "package"),
    [("m.onnx", "onnx"), ("m.tflite", "flatbuffers.table"), ("saved_model.pb", "google.protobuf.message")],
)
def test_missing_packages_are_named(whole, name, package, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(whole[name])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r'pip install "sizewise\[audit\]"'):
        read(tmp_path / name)


def test_an_unknown_target_is_refused_before_the_file_is_read(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown target: 'torhc'; did you mean 'torch'"):
        audit(tmp_path / "nothing.onnx", ["torhc"])
