"""What audits find: each finding where it belongs, and not where it does not."""

from __future__ import annotations

import pytest

from sizewise.insight.audit import Model, Node, Words, audit_nodes


def found(words, input_size=(16, 16), output_size=(8, 8), *, scale=None, targets=()):
    """(severity, words) of each finding of one node."""
    node = Node("n", "Resize", input_size, output_size, scale=scale, words=words)
    return [(one.severity, one.words) for one in audit_nodes("m", Model("made up", (node,)), targets).findings]


def onnx(method="linear", antialias=False, **options):
    return Words("onnx", method, antialias, tuple(options.items()))


LEGACY = {"coordinate_transformation_mode": "asymmetric"}
CORNERS = {"coordinate_transformation_mode": "align_corners"}


@pytest.mark.parametrize(("output", "severity"), [((4, 4), "high"), ((6, 6), "medium"), ((7, 16), "medium")])
def test_pixels_that_are_never_read(output, severity):
    [first, *_] = found(Words("torch", "bilinear"), (16, 16), output)
    assert first[0] == severity
    assert "pixels are never read, and get no gradient" in first[1]


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        (onnx("linear", True), ((16, 16), (4, 4))),
        (onnx("linear"), ((16, 16), (8, 8))),  # every second pixel's border: both are read
        (onnx("linear"), ((4, 4), (16, 16))),
        (onnx("cubic"), ((16, 16), (16, 16))),
        (Words("tensorflow", "area"), ((16, 16), (4, 4))),
    ],
)
def test_nothing_stands_out(words, sizes):
    assert found(words, *sizes) == []


def test_the_image_moves():
    [(severity, words)] = found(onnx(**LEGACY), (8, 8), (16, 8))
    assert (severity, words) == ("high", "the image moves by 0.5 output pixel up against half-pixel centres")
    [(severity, words)] = found(Words("tflite", "bilinear"), (8, 8), (10, 12))
    assert words == "the image moves by 0.125 output pixel up and 0.25 output pixel left against half-pixel centres"
    assert severity == "medium"
    assert found(Words("torch", "nearest"), (8, 8), (16, 16)) == []  # by a whole factor nothing moves


def test_aligned_corners():
    [(severity, words)] = found(onnx(**CORNERS), (8, 8), (16, 16))
    assert (severity, words.partition(":")[0]) == ("medium", "aligned corners")


def test_scales_that_make_no_whole_number():
    words = "scale 1.5 makes 10.5 pixels of 7, cut off to 10, while coordinates keep the scale"
    assert ("low", words) in found(onnx(), (7, 7), (None, None), scale=(1.5, 1.5))
    assert found(onnx(), (8, 8), (None, None), scale=(1.5, 1.5)) == []
    torch = Words("torch", "bilinear", options=(("align_corners", True),))
    assert not any("scale 1.5" in words for _, words in found(torch, (7, 7), (None, None), scale=(1.5, 1.5)))
    findings = found(onnx(**CORNERS), (7, 7), (None, None), scale=(1.5, 1.5))
    assert any("onnxruntime aligns the corners of these" in words for _, words in findings)


@pytest.mark.parametrize(
    ("words", "target", "severity", "why"),
    [
        (onnx(**CORNERS), "opencv", "high", "opencv has no linear resize with aligned corners"),
        (onnx("cubic"), "tflite", "high", "tflite cannot do this: tflite has no cubic resize"),
        (onnx("linear", True), "tfjs", "high", "tfjs does not antialias linear"),
        (Words("tensorflow", "bicubic"), "torch", "medium", "torch's cubic has the slope -0.75, not -0.5"),
        (
            onnx("nearest"),
            "tflite",
            "high",
            "tflite takes the nearest pixel, ties up, not",
        ),
        (Words("torch", "bilinear"), "pillow", "high", "pillow always antialiases linear that shrinks"),
    ],
)
def test_targets(words, target, severity, why):
    findings = found(words, (16, 16), (8, 6), targets=[target])
    assert any(why in said and rank == severity for rank, said in findings), findings


@pytest.mark.parametrize("target", ["onnxruntime", "torch", "tflite", "opencv", "jax", "paddle", "tensorflow"])
def test_plain_bilinear_is_the_same_everywhere(target):
    assert found(onnx(), (8, 8), (20, 13), targets=[target]) == []
