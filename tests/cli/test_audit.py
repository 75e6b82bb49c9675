"""`sizewise audit`: text, every option, exit codes, JSON and page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from sizewise.cli import audit as command_module
from sizewise.insight.audit import TARGETS, audit
from sizewise.preprocess import Exact, Layout, Preprocessor, Rescale, Resize

SNAPSHOT = Path(__file__).with_name("audit_model.txt")


def save(path, nodes, shape=(1, 3, 32, 32), sizes=()):
    stored = [numpy_helper.from_array(np.array([1, 3, *size], np.int64), f"n{i}") for i, size in enumerate(sizes)]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * 4)
    graph = helper.make_graph(nodes, "g", [x], [y], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), path)
    return path


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Write a model whose resizes lose pixels, shift the image, or do not exist in TFLite; and a sampling."""
    monkeypatch.chdir(tmp_path)
    legacy = {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}
    nodes = [
        helper.make_node("Resize", ["x", "", "", "n0"], ["a"], name="stem/Resize", mode="linear"),
        helper.make_node("Resize", ["a", "", "", "n1"], ["b"], name="neck/up", **legacy),
        helper.make_node("Resize", ["b", "", "", "n2"], ["c"], name="head/Resize", mode="cubic"),
        helper.make_node("GridSample", ["c", "grid"], ["y"], name="head/sample"),
    ]
    grid = numpy_helper.from_array(np.zeros((1, 5, 5, 2), np.float32))
    nodes.insert(0, helper.make_node("Constant", [], ["grid"], value=grid))
    return save(Path("model.onnx"), nodes, sizes=[(8, 8), (16, 16), (24, 20)])


def test_text_at_80_columns(command, model):
    assert command("audit", model, "--target", "tflite,opencv") == (0, SNAPSHOT.read_text(encoding="utf-8"), "")


def test_no_line_is_cut_or_padded(command, model, monkeypatch):
    for columns in (60, 80, 140):
        monkeypatch.setenv("COLUMNS", str(columns))
        _, out, _ = command("audit", model, "--target", "all")
        assert "…" not in out
        assert all(len(line) <= columns and line == line.rstrip() for line in out.splitlines())


def test_json_holds_the_facts(command, model):
    code, out, err = command("audit", model, "--target", "torch", "--target", "tflite", "--json")
    record, facts = json.loads(out), audit(model, ["torch", "tflite"])
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (record["model"], record["kind"], record["targets"]) == ("model.onnx", "ONNX, opset 19", ["torch", "tflite"])
    assert [one["name"] for one in record["nodes"]] == [one.node.name for one in facts.nodes]
    first = record["nodes"][0]
    assert (first["input_size"], first["output_size"], first["layout"]) == ([32, 32], [8, 8], "NCHW")
    assert first["resize"] == {"dialect": "onnx", "method": "linear", "antialias": False, "options": {}}
    assert first["coverage"]["percent"] == facts.nodes[0].coverage.percent
    assert first["targets"][1]["noise"]["max"] == facts.nodes[0].predictions[1].noise.largest
    assert record["nodes"][2]["targets"][1]["refusal"] == "tflite has no cubic resize"
    assert record["nodes"][3]["resize"] is None
    assert record["findings"][0]["severity"] == record["worst"] == "high"


@pytest.mark.parametrize(("fail_on", "code"), [("none", 0), ("high", 1), ("medium", 1), ("low", 1)])
def test_the_exit_code_follows_the_findings(command, model, fail_on, code):
    assert command("audit", model, "--fail-on", fail_on)[0] == code


def test_fail_on_counts_findings_of_that_severity_or_worse(command, tmp_path):
    node = helper.make_node("Resize", ["x", "", "", "n0"], ["y"], name="r", mode="nearest")
    path = save(tmp_path / "m.onnx", [node], shape=(1, 3, 33, 33), sizes=[(11, 11)])
    assert [command("audit", path, "--fail-on", one)[0] for one in ("high", "medium", "low")] == [0, 0, 1]


def test_nothing_to_audit(command, tmp_path):
    path = save(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["y"])])
    code, out, err = command("audit", path, "--fail-on", "low")
    assert (code, err) == (0, "")
    assert out.endswith("The model contains no resize: nothing to audit.\n")
    page = tmp_path / "page.html"
    assert command("audit", path, "--html", page)[0] == 0
    assert "nothing to audit" in page.read_text(encoding="utf-8")


@pytest.fixture
def recipes(model):
    """Write a recipe that fits the model and one that does not."""
    resize, unit = Resize(Exact(32, 32)), Rescale(1 / 255)
    Preprocessor([resize, unit, Layout("CHW")]).save("good.json")
    Preprocessor([resize, unit]).save("channels.json")
    return model


def test_a_preprocessor_is_checked(command, recipes, tmp_path):
    plain = save(tmp_path / "plain.onnx", [helper.make_node("Relu", ["x"], ["y"])])
    code, out, err = command("audit", plain, "--preprocess", "channels.json", "--fail-on", "high")
    assert (code, err) == (1, "")
    assert "layout    NCHW     CHW" not in out and "layout    NCHW     HWC            no" in out
    assert "The model contains no resize.\n\nhigh  x: the input has channels first (NCHW)" in out
    code, out, err = command("audit", plain, "--preprocess", "good.json", "--fail-on", "low")
    assert (code, err) == (0, "") and out.endswith("The model contains no resize.\n\nNo findings.\n")
    _, without, _ = command("audit", recipes)
    _, out, _ = command("audit", recipes, "--preprocess", "good.json")
    assert without.partition("\n")[2] in out  # the resizes are shown as before


def test_the_fit_in_json_and_on_the_page(command, recipes):
    arguments = ("audit", recipes, "--preprocess", "channels.json", "--input", "x", "--json", "--html", "page.html")
    record = json.loads(command(*arguments)[1])
    fit = record["preprocess"]
    assert (fit["config"], fit["input"]["name"], fit["input"]["shape"]) == ("channels.json", "x", [1, 3, 32, 32])
    assert fit["fits"] == {"size": True, "layout": False, "channels": True, "dtype": True, "values": None}
    assert fit["result"]["sizes"][0] == {"image": [480, 640], "result": [32, 32]}
    assert [one["message"] for one in record["findings"] if one["node"] == "x"] == [
        "the input has channels first (NCHW); the recipe gives HWC"
    ]
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h2>Input and recipe</h2>" in page and "the recipe gives HWC" in page
    assert "--preprocess=channels.json --input=x --html=..." in page
    assert json.loads(command("audit", recipes, "--json")[1])["preprocess"] is None


def test_unknown_sizes_are_reported_as_examples(command, tmp_path):
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], name="r", mode="linear")
    scales = helper.make_node("Constant", [], ["s"], value_floats=[1.0, 1.0, 2.0, 2.0])
    path = save(tmp_path / "m.onnx", [scales, node], shape=("n", "c", "h", "w"))
    _, out, _ = command("audit", path, "--size", "10x20")
    assert "?x? times 2x2" in out
    assert "Unknown sizes (?) are taken as 10x20" in out


def test_image_option(command, model, tmp_path):
    np.save(tmp_path / "flat.npy", np.full((40, 30, 3), 128, np.uint8))
    _, out, _ = command("audit", model, "--target", "opencv", "--image", tmp_path / "flat.npy", "--json")
    record = json.loads(out)
    assert record["image"] == "flat.npy"
    [made] = record["nodes"][1]["targets"]
    assert made["noise"]["max"] > 0.1 > 1e-5 > made["image"]["max"]  # a flat image does not show it
    np.save(tmp_path / "wild.npy", np.full((4, 4), 300.0))
    code, out, err = command("audit", model, "--image", tmp_path / "wild.npy")
    assert (code, out, err) == (2, "", "sizewise: an image of floats must have pixels from 0 to 1\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--target", "tensorrt"], 2, "unknown target: 'tensorrt'; did you mean 'tensorflow'? known: "),
        (["--fail-on", "always"], 2, "unknown severity of --fail-on: 'always';"),
        (["--size", "224"], 2, "--size is 224; give a height and a width of 1 or more, like 224x224"),
        (["--size", "0x4"], 2, "--size is 0x4; give a height and a width"),
        (["--size", "big"], 2, "--size is 'big'; write lengths like"),
        (["--image", "nothing.png"], 1, "cannot read 'nothing.png': No such file or directory"),
        (["--preprocess", "nothing.json"], 1, "cannot read 'nothing.json': No such file or directory"),
        (["--preprocess", "model.onnx"], 1, "'model.onnx' is not JSON"),
        (["--input", "x"], 2, "--input is 'x', but there is no --preprocess to check against it"),
        (["--html", "no/such/folder/page.html"], 1, "cannot write 'no/such/folder/page.html'"),
        (["--html", "model.onnx"], 2, "--html 'model.onnx' is MODEL itself; give it another name"),
    ],
)
def test_bad_arguments_are_one_line(command, model, arguments, code, message):
    got, out, err = command("audit", model, *arguments)
    assert (got, out, err.count("\n")) == (code, "", 1)
    assert message in err


@pytest.mark.parametrize("name", ["nothing.onnx", "a\nb\x1b[31m.onnx"])
def test_unreadable_files_are_one_line_without_escape_codes(command, tmp_path, name):
    (tmp_path / "a\nb\x1b[31m.onnx").write_bytes(b"no model")
    code, out, err = command("audit", tmp_path / name)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "\x1b" not in err


def test_names_from_a_model_are_escaped(command, tmp_path):
    name = "up\n\x1b[31m<script>alert(1)</script>[bold]"
    node = helper.make_node("Resize", ["x", "", "", "n0"], ["y"], name=name, mode="linear")
    path = save(tmp_path / "a\x1b[2Jb.onnx", [node], sizes=[(8, 8)])
    code, out, _ = command("audit", path, "--html", tmp_path / "page.html")
    assert (code, "\x1b" in out) == (0, False)
    assert "[bold]" in "".join(out.split())
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_the_page_is_self_contained_with_a_card_per_node(command, model):
    code, _, _ = command("audit", model, "--target", "opencv", "--html", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert code == 0
    assert page.count('<section class="card node">') == 4
    assert page.count('class="heat"') == 3
    assert 'src="http' not in page
    assert "sizewise audit model.onnx --target=opencv --html=..." in page
    assert [path.name for path in Path().iterdir() if path.suffix == ".part"] == []


def test_progress_bar_on_a_terminal(command, model, monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    code, out, err = command("audit", model, "--json")
    assert (code, json.loads(out)["kind"]) == (0, "ONNX, opset 19")
    assert "head/sample" in err


def test_all_targets(model):
    assert command_module._targets(["all"]) == tuple(TARGETS)
    assert command_module._targets(["torch,tflite", "jax"]) == ("torch", "tflite", "jax")


def test_help_loads_no_framework(process):
    heavy = {"torch", "tensorflow", "jax", "onnx", "cv2", "PIL", "matplotlib"}
    code = f"import sys; from sizewise.cli.app import run; run(['audit', '--help']); heavy = {heavy!r}"
    done = process("-c", f"{code}; sys.exit(bool(heavy & set(sys.modules)))")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--fail-on" in done.stdout
