"""`sizewise translate`: exit codes, widths, JSON, and bad arguments."""

from __future__ import annotations

import ast
import json

import pytest

BICUBIC = "F.interpolate(x, scale_factor=2, mode='bicubic', align_corners=False)"


@pytest.mark.parametrize("columns", [30, 40, 80, 200])
@pytest.mark.parametrize("to", ["cv2", "jax", "pillow", "onnx"])
def test_any_width(command, monkeypatch, to, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = command("translate", BICUBIC, "--to", to)
    assert err == "" and code == (to == "pillow") and "…" not in out
    if code == 0:  # wrapped lines still contain the call
        assert isinstance(ast.parse(out.partition("\n\n")[0], mode="eval").body, ast.Call)
    assert all(line == line.rstrip() for line in out.splitlines())
    assert all(len(line) <= columns for line in out.partition("\n\n")[2].splitlines() if "." not in line)


def test_json(command):
    code, out, err = command("translate", BICUBIC, "--to", "cv2", "--json")
    record = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert record["result"] == "cv2.resize(x, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)"
    assert record["words"] == {
        "dialect": "torch",
        "method": "bicubic",
        "antialias": False,
        "options": {"align_corners": False, "recompute_scale_factor": False},
        "size": None,
        "scale": [2.0, 2.0],
    }
    assert record["only_where"] is None and record["nearest"] is None and record["reason"] is None
    code, out, _ = command("translate", BICUBIC, "--to", "pillow", "--json")
    record = json.loads(out)
    assert code == 1 and record["result"] is None and 0.01 < record["nearest"]["off"] < 0.3
    assert record["nearest"]["differences"][0] == {
        "what": "filter",
        "here": "cubic, a = -0.75",
        "there": "cubic, a = -0.5",
    }
    assert record["nearest"]["words"]["size"] == [{"times": 2.0}, {"times": 2.0}]


def test_the_range_of_the_check_is_printed(command):
    call = "F.interpolate(x, size=(82, 82), mode='nearest')"
    text = " ".join(command("translate", call, "--to", "cv2")[1].split())
    assert "The same weights at most sizes, but not all: of all input lengths up to 256, " in text
    assert "the first is 2 -> 82." in text
    record = json.loads(command("translate", call, "--to", "cv2", "--json")[1])
    assert (record["compared_up_to"], record["differing_lengths"] > 0) == (256, True)
    exact = command("translate", call, "--to", "cv2", "--input", "2x2")[1]
    assert "INTER_NEAREST)" not in exact.partition("\n")[0]


def test_json_of_conditions_and_rounding(command):
    nearest = "F.interpolate(x, size=(224, 224), mode='nearest')"
    record = json.loads(command("translate", nearest, "--to", "onnx", "--json")[1])
    assert record["only_where"] == "no axis shrinks" and record["rounding"]["what"].endswith("by rounding")
    record = json.loads(command("translate", nearest, "--to", "onnx", "--input", "112x112", "--json")[1])
    assert record["result"] and record["rounding"] is None and record["input_size"] == [112, 112]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BICUBIC,), "--to"),
        ((BICUBIC, "--to", "caffe"), "unknown target: 'caffe'"),
        ((BICUBIC, "--to", "cv2", "--input", "big"), "--input is 'big'; write lengths like"),
        ((BICUBIC, "--to", "cv2", "--input", "4x4x4"), "has 3 lengths"),
        ((BICUBIC, "--to", "cv2", "--input", "0x4"), "at least 1"),
        (("F.interpolate(x, size=(h, w))", "--to", "cv2"), "size is 'h'"),
        (("open('x').read()", "--to", "cv2"), "cannot tell whose call"),
        (("\x1b[31m(\n)", "--to", "cv2"), "cannot read the call"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(command, arguments, message):
    code, out, err = command("translate", *arguments)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1 and "\x1b" not in err
