"""Explanations: which variants they contain, and notes on those left out."""

from __future__ import annotations

import pytest

from sizewise.errors import ArgumentError, ArgumentTypeError, UnknownNameError, UnsupportedError
from sizewise.insight.explanation import explain


def summary(facts):
    return [(one.label, one.dialect, one.method, one.antialias) for one in facts.variants]


def test_default_variants():
    facts = explain((16, 16), (4, 4))
    assert summary(facts) == [
        ("TensorFlow 1", "tensorflow1", "bilinear", False),
        ("TensorFlow 2, PyTorch", "standard", "bilinear", False),
        ("with antialiasing", "standard", "bilinear", True),
    ]
    assert [one.reached for one in facts.variants] == [16, 64, 256]
    assert facts.notes == ()
    assert (facts.input_size, facts.output_size) == ((16, 16), (4, 4))


def test_default_variants_of_4000_to_224():
    shares = [round(one.percent, 1) for one in explain((4000, 4000), (224, 224)).variants]
    assert shares[1:] == [1.1, 100.0]


def test_aliases_of_bilinear_give_the_same_variants():
    assert summary(explain((16,), (4,), "LINEAR"))[0][1:] == ("standard", "bilinear", False)


@pytest.mark.parametrize(
    ("method", "shown", "notes"),
    [
        (
            "nearest",
            ["TensorFlow 1", "half-pixel centers"],
            ["with antialiasing (standard: method 'nearest' has no antialias=True)"],
        ),
        ("bicubic", ["TensorFlow 1", "half-pixel centers", "with antialiasing"], []),
        (
            "mitchell",
            ["half-pixel centers", "with antialiasing"],
            ["TensorFlow 1 (unknown method of dialect 'tensorflow1': 'mitchell')"],
        ),
        (
            "area",
            ["TensorFlow 1", "with antialiasing"],
            ["half-pixel centers (standard: method 'area' has no antialias=False)"],
        ),
    ],
)
def test_a_method_gives_the_variants_that_have_it(method, shown, notes):
    facts = explain((16, 16), (4, 4), method)
    assert [one.label for one in facts.variants] == shown
    assert list(facts.notes) == [f"Left out: {note}" for note in notes]


def test_dialects_give_one_variant_each_in_order_and_once():
    facts = explain((16, 16), (4, 4), "nearest", dialects=["tfjs", "standard", "tfjs"])
    assert summary(facts) == [("tfjs", "tfjs", "nearest", False), ("standard", "standard", "nearest", False)]


def test_dialects_and_methods_give_every_combination_that_exists():
    facts = explain((16, 16), (4, 4), ["nearest", "bicubic"], dialects=["tfjs", "torch", "pillow"])
    assert [one.label for one in facts.variants] == [
        "tfjs nearest", "torch nearest", "pillow nearest", "torch bicubic", "pillow bicubic",
    ]  # fmt: skip
    left_out, grids = facts.notes
    assert left_out == "Left out: tfjs bicubic (unknown method of dialect 'tfjs': 'bicubic')"
    assert grids == (
        "Labels: the grids of torch nearest and pillow nearest are up to 0.5 output pixel apart; "
        "a mask resized with one does not fit an image resized with the other"
    )


def test_an_option_is_for_the_dialects_that_have_it():
    facts = explain((16, 16), (4, 4), dialects=["torch", "pillow"], options={"align_corners": True})
    assert [one.label for one in facts.variants] == ["torch, align_corners=True"]
    assert facts.notes == ("Left out: pillow bilinear (unknown option of dialect 'pillow': 'align_corners')",)


def test_variants_come_last_and_once():
    variants = ["torch bicubic antialias=true", "standard", "tfjs align_corners=true"]
    facts = explain((16, 16), (4, 4), dialects=["standard"], variants=variants)
    assert [one.label for one in facts.variants] == [
        "standard bilinear", "torch bicubic, antialias=True", "tfjs bilinear, align_corners=True",
    ]  # fmt: skip
    assert [one.label for one in explain((8,), (4,), variants=variants[:1]).variants] == ["torch, antialias=True"]


def test_an_invalid_variant_is_refused_even_among_others():
    with pytest.raises(UnknownNameError, match="did you mean 'tfjs'"):
        explain((16,), (4,), variants=["torch", "tfsj"])
    with pytest.raises(UnsupportedError, match="has no antialias=True"):
        explain((16,), (4,), variants=["torch", "tfjs antialias=true"])


def test_a_misspelled_dialect_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'tfjs'"):
        explain((16,), (4,), dialects=["torch", "tfsj"])


def test_repr():
    text = repr(explain((16, 16), (4, 4), "lanczos3"))
    assert text.startswith(
        "half-pixel centers: standard lanczos3, 16x16 -> 4x4, antialias=False\nreached  100 %, 256 of"
    )
    assert text.endswith("\n\nLeft out: TensorFlow 1 (unknown method of dialect 'tensorflow1': 'lanczos3')")


def test_labels_name_changed_arguments():
    one = explain((8, 8), (4, 4), dialects=["tfjs"], options={"half_pixel_centers": True}).variants[0]
    assert one.label == "tfjs, half_pixel_centers=True"
    assert explain((8, 8), (4, 4), antialias=False).variants[0].label == "standard, antialias=False"
    assert explain((8, 8), (4, 4), antialias=True).variants[0].label == "standard"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "bilinaer"}, UnknownNameError, "did you mean 'bilinear'"),
        ({"dialects": ["tfsj"]}, UnknownNameError, "did you mean 'tfjs'"),
        ({"dialects": ["tfjs"], "options": {"align_corner": True}}, UnknownNameError, "did you mean 'align_corners'"),
        ({"options": {"method": "nearest"}}, UnknownNameError, "unknown option of dialect 'standard': 'method'"),
        ({"options": {"scale": 2}}, UnknownNameError, "unknown option of dialect 'standard': 'scale'"),
        ({"dialects": ["tfjs"], "antialias": True}, UnsupportedError, "has no antialias=True"),
        ({"method": "bicubic", "dialects": ["tfjs"]}, UnknownNameError, "known: bilinear, nearest"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        explain((16, 16), (4, 4), **arguments)


def test_sizes_must_agree():
    with pytest.raises(ArgumentError, match="1 length for 2 resized axes"):
        explain((16, 16), (4,))


def test_the_arguments_of_resize_are_named_as_those_of_explain():
    for name, value in (("dialect", "torch"), ("align_corners", True)):
        with pytest.raises(ArgumentTypeError, match=f"explain has no argument '{name}'; write dialects='torch', "):
            explain((16, 16), (4, 4), **{name: value})
