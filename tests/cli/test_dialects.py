"""`sizewise dialects`: the list, one description, narrow terminals, JSON, and unknown names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sizewise import dialects

HERE = Path(__file__).parent


def test_list_at_80_columns(command):
    assert command("dialects") == (0, (HERE / "dialects.txt").read_text(encoding="utf-8"), "")


def test_description_at_80_columns(command):
    """Everything but the notes, which are the docstring of the dialect, is in the snapshot."""
    code, out, err = command("dialects", "torch")
    description, heading, notes = out.partition("\nNotes\n")
    assert (code, description + heading, err) == (0, (HERE / "dialects_torch.txt").read_text(encoding="utf-8"), "")
    assert notes.split() == dialects.notes("torch").split()


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_cut_or_padded(command, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for arguments in ((), *((name,) for name in dialects.names())):
        code, out, err = command("dialects", *arguments)
        assert (code, err) == (0, "") and "…" not in out
        assert all(len(line) <= columns and line == line.rstrip() for line in out.splitlines())


def test_json(command):
    code, out, err = command("dialects", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert [one["name"] for one in json.loads(out)] == list(dialects.names())
    one = json.loads(command("dialects", "Torch", "--json")[1])
    assert one["methods"]["bilinear"] == [False, True] and one["contract"]["whole"] == [
        "bilinear",
        "bicubic",
        "lanczos",
    ]
    assert {"labels": ["nearest"], "x": "floor(o * step)", "step": "1 / scale", "to": "", "when": ""} in one["places"]


def test_an_unknown_name(command):
    code, out, err = command("dialects", "torhc")
    assert (code, out) == (2, "") and err.startswith("sizewise: unknown dialect: 'torhc'; did you mean 'torch'?")


def test_nothing_heavy_is_imported(process):
    code = """
import sys
from sizewise.cli.app import run
code = run(["dialects", "torch"]) or run(["translate", "cv2.resize(x, (4, 4))", "--to", "torch"])
heavy = {"torch", "tensorflow", "jax", "cv2", "PIL", "onnx", "scipy", "matplotlib"}
sys.exit(f"imported {heavy & set(sys.modules)}" if heavy & set(sys.modules) else code)
"""
    done = process("-c", code)
    assert (done.returncode, done.stderr) == (0, "")
