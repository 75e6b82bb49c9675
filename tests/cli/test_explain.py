"""`sizewise explain`: every option, every error, and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sizewise as sw
from sizewise.cli import explain as command_module
from sizewise.insight.explanation import explain

SNAPSHOT = Path(__file__).with_name("explain_16x16_4x4.txt")


def test_default_text_at_80_columns(command):
    assert command("explain", "16x16", "4x4") == (0, SNAPSHOT.read_text(encoding="utf-8"), "")


def test_no_line_is_cut_or_padded(command):
    for columns in (("16x16", "4x4"), ("480x640", "224x224"), ("1000x1000", "4x4"), ("1024", "224")):
        _, out, _ = command("explain", *columns)
        assert "…" not in out
        assert all(len(line) <= 80 and line == line.rstrip() for line in out.splitlines())


def test_json_holds_the_facts(command):
    code, out, err = command("explain", "16x16", "4x4", "--json")
    record, facts = json.loads(out), explain((16, 16), (4, 4))
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert list(record) == ["input_size", "output_size", "variants", "notes"]
    assert (record["input_size"], record["output_size"], record["notes"]) == ([16, 16], [4, 4], [])
    for one, fact in zip(record["variants"], facts.variants, strict=True):
        np.testing.assert_array_equal(one.pop("gradient"), fact.gradient)
        assert one.pop("options") == dict(fact.options)
        assert one.pop("input_size") == list(fact.input_size)
        assert one.pop("output_size") == list(fact.output_size)
        assert one.pop("ratio") == (fact.ratio if fact.percent == 100 else None)  # JSON has no infinity
        assert [tuple(found.values()) for found in one.pop("findings")] == [
            (found.severity, found.message, found.message) for found in fact.findings
        ]
        for axis, known in zip(one.pop("axes"), fact.axes, strict=True):
            assert_same_axis(axis, known)
        assert one == {name: getattr(fact, name) for name in one}
        assert list(one) == [
            "label", "dialect", "method", "antialias", "reached", "pixels", "percent", "total", "largest", "variation",
        ]  # fmt: skip


def assert_same_axis(axis, known):
    """The record of an axis contains its facts and its taps."""
    dense = np.zeros((axis["n_out"], axis["n_in"]))
    for row, start, weights in zip(dense, axis.pop("start"), axis.pop("weights"), strict=True):
        row[start : start + len(weights)] = weights
    np.testing.assert_array_equal(dense, known.taps.dense())
    np.testing.assert_allclose(axis.pop("frequency"), known.response.frequency, rtol=1e-5)
    np.testing.assert_allclose(axis.pop("strength"), known.response.strength, rtol=1e-5, atol=1e-12)
    assert axis == {
        "n_in": 16, "n_out": 4, "taps": [known.fewest, known.most], "sums": [known.least_sum, known.most_sum],
        "negative": known.negative, "empty": 0, "shift": known.placement.shift,
        "shift_out": known.placement.shift_out, "stretch": known.placement.stretch, "limit": known.response.limit,
        "alias": known.response.alias, "alias_at": known.response.alias_at, "alias_share": known.response.alias_share,
    }  # fmt: skip


@pytest.mark.parametrize(("size", "kept"), [("64x64", True), ("64x65", False), ("4097", False)])
def test_json_leaves_out_large_gradients_and_says_so(command, size, kept):
    one = json.loads(command("explain", size, "x".join(["4"] * len(size.split("x"))), "--json")[1])["variants"][0]
    assert ("gradient" in one, "note" in one) == (kept, not kept)
    if not kept:
        assert one["note"] == f"gradient left out: {one['pixels']:,} pixels are more than 4,096"


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        (["--method", "lanczos3"], ["half-pixel centers", "with antialiasing"]),
        (["--method", "nearest"], ["TensorFlow 1", "half-pixel centers"]),
        (["--antialias"], ["standard"]),
        (["--no-antialias"], ["standard, antialias=False"]),
        (["--dialect", "tfjs"], ["tfjs"]),
        (["--dialect", "tfjs", "--dialect", "Standard"], ["tfjs", "standard"]),
        (["--dialect", "tfjs", "--option", "align_corners=true"], ["tfjs, align_corners=True"]),
        (["--dialect", "tfjs", "--option", "half_pixel_centers=TRUE", "--option", "align_corners=false"],
         ["tfjs, half_pixel_centers=True"]),
        (["--dialect", "tensorflow1", "--method", "nearest"], ["tensorflow1"]),
        (["--dialect", "torch", "--dialect", "tfjs", "--method", "nearest", "--method", "bicubic"],
         ["torch nearest", "tfjs nearest", "torch bicubic"]),
        (["--variant", "torch bicubic antialias=true align_corners=false"], ["torch, antialias=True"]),
        (["--variant", "tfjs", "--variant", "tfjs nearest"], ["tfjs bilinear", "tfjs nearest"]),
        (["--dialect", "torch", "--variant", "onnx linear coordinate_transformation_mode=asymmetric"],
         ["torch bilinear", "onnx linear, asymmetric"]),
        (["--variant", "onnx linear coordinate_transformation_mode=tf_crop_and_resize roi=0,0,1,0.5"],
         ["onnx, tf_crop_and_resize, roi=0,0,1,0.5"]),
    ],
)  # fmt: skip
def test_options_choose_the_variants(command, arguments, labels):
    code, out, err = command("explain", "16x16", "4x4", *arguments, "--json")
    assert (code, err) == (0, "")
    assert [one["label"] for one in json.loads(out)["variants"]] == labels


def test_variants_left_out_are_named(command):
    _, out, _ = command("explain", "16x16", "4x4", "--method", "lanczos3")
    assert out.endswith("\nLeft out: TensorFlow 1 (unknown method of dialect 'tensorflow1': 'lanczos3')\n")
    _, out, _ = command("explain", "16", "4", "--dialect", "torch", "--dialect", "tfjs", "--method", "bicubic")
    assert out.endswith("\nLeft out: tfjs bicubic (unknown method of dialect 'tfjs': 'bicubic')\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["16xa", "4x4"], "IN is '16xa'; write lengths like 16x16, 480x640 or 1024"),
        (["16x16", ""], "OUT is ''; write lengths like 16x16, 480x640 or 1024"),
        (["16x16", "4x4x"], "OUT is '4x4x'; write lengths like 16x16, 480x640 or 1024"),
        (["9" * 5000, "4"], f"IN is '{'9' * 5000}'; write lengths like 16x16, 480x640 or 1024"),
        (["0x16", "4x4"], "input_size: entry 0 is 0; every entry must be an integer of at least 1"),
        (["16x16", "4"], "IN is 16x16 and OUT is 4; give both one length per axis"),
        (["16x16", "4x4", "--dialect", "tfsj"], "unknown dialect: 'tfsj'; did you mean 'tfjs'? known: "),
        (["16x16", "4x4", "--method", "lanczso"], "unknown method of dialect 'standard': 'lanczso'; did you mean"),
        (["16x16", "4x4", "--dialect", "tfjs", "--method", "bicubic"], "unknown method of dialect 'tfjs': 'bicubic';"),
        (["16x16", "4x4", "--dialect", "tfjs", "--option", "align_corner=true"],
         "unknown option of dialect 'tfjs': 'align_corner'; did you mean 'align_corners'?"),
        (["16x16", "4x4", "--dialect", "tfjs", "--option", "align_corners=yes"],
         "align_corners of dialect 'tfjs' must be one of False, True, not 'yes'"),
        (["16x16", "4x4", "--option", "corners"], "--option is 'corners'; write it like align_corners=true"),
        (["16x16", "4x4", "--option", "=true"], "--option is '=true'; write it like align_corners=true"),
        (["16x16", "4x4", "--option", "method=nearest"], "unknown option of dialect 'standard': 'method'"),
        (["16x16", "4x4", "--dialect", "tfjs", "--antialias"], "tfjs: method 'bilinear' has no antialias=True"),
        (["16x16", "4x4", "--dialect", "tfjs", "--option", "align_corners=true", "--option", "half_pixel_centers=true"],
         "tfjs: align_corners and half_pixel_centers cannot both be True"),
        (["16x16", "4x4", "--dialect", "torch", "--dialect", "tfjs", "--method", "bilinaer"],
         "unknown method of dialect 'tfjs': 'bilinaer'; did you mean 'bilinear'?"),
        (["16x16", "4x4", "--variant", ""], "variant '': write it like 'torch bicubic antialias=true"),
        (["16x16", "4x4", "--variant", "torch bicubic sharp"], "variant 'torch bicubic sharp': write it like"),
        (["16x16", "4x4", "--variant", "torch antialias=3"], "variant 'torch antialias=3': write it like"),
        (["16x16", "4x4", "--variant", "torch corners="], "an option of a variant is 'corners='; write it like"),
        (["16x16", "4x4", "--variant", "torhc"], "unknown dialect: 'torhc'; did you mean 'torch'?"),
        (["16x16", "4x4", "--html", "a", "--png", "a"], "--html and --png are both 'a'; give them different files"),
        (["2147483647", "4"], "the coverage of an axis of 2,147,483,647 pixels would take 773,094,112,920 bytes;"),
        (["16x16"], "Missing argument 'OUT'"),
        (["16x16", "4x4", "8x8"], "Got unexpected extra argument"),
        (["16x16", "4x4", "--dialekt", "tfjs"], "No such option: --dialekt"),
    ],
)  # fmt: skip
def test_errors_are_one_line_on_stderr(command, monkeypatch, arguments, message):
    monkeypatch.setattr("sizewise.memory_limits.physical_memory", lambda: 2**34)
    code, out, err = command("explain", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"sizewise: {message}")
    assert err.count("\n") == 1


def test_misspelled_commands_get_a_suggestion(command):
    code, out, err = command("explian", "16x16", "4x4")
    assert (code, out) == (2, "")
    assert err.startswith("sizewise: No such command 'explian'")


def test_version_and_help(command):
    assert command("--version") == (0, f"sizewise {sw.__version__}\n", "")
    assert command("--version", "--json") == (0, f'{{"sizewise": "{sw.__version__}"}}\n', "")
    for arguments in ([], ["--help"]):
        code, out, err = command(*arguments)
        assert (code, err) == (0, "")
        assert "explain" in out
    assert "--dialect" in command("explain", "--help")[1]


def test_an_interrupt_is_exit_code_130(command, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command_module.explanation, "explain", interrupted)
    assert command("explain", "16x16", "4x4")[0] == 130


@pytest.mark.parametrize(
    ("word", "value"),
    [("true", True), ("False", False), ("3", 3), ("-0.75", -0.75), ("1e3", 1000.0), ("cubic", "cubic")],
)
def test_option_values(word, value):
    name, parsed = command_module.parse_option(f"key={word}")
    assert (name, parsed, type(parsed)) == ("key", value, type(value))
