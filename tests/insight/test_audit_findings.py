"""Findings of audits: each where it applies, and nowhere else."""

from __future__ import annotations

import inspect
import itertools
import re
from dataclasses import replace

import pytest
import tensorflow as tf
import torch.nn.functional as F
from onnx import defs
from tensorflow.lite.python import schema_py_generated as schema

from sizewise.insight.audit import TARGETS, Model, Node, audit_nodes
from sizewise.resize_spec import ResizeSpec


def found(spec, input_size=(16, 16), output_size=(8, 8), *, scale=None, targets=()):
    """Return (severity, text) of each finding of one node."""
    node = Node("n", "Resize", input_size, output_size, scale=scale, spec=spec)
    return [(one.severity, one.message) for one in audit_nodes("m", Model("made up", (node,)), targets).findings]


def onnx(method="linear", antialias=False, **options):
    return ResizeSpec.of("onnx", method, antialias, options)


LEGACY = {"coordinate_transformation_mode": "asymmetric"}
CORNERS = {"coordinate_transformation_mode": "align_corners"}


@pytest.mark.parametrize(("output", "severity"), [((4, 4), "high"), ((6, 6), "medium"), ((7, 16), "medium")])
def test_pixels_that_are_never_read(output, severity):
    [first, *_] = found(ResizeSpec.of("torch", "bilinear"), (16, 16), output)
    assert first[0] == severity
    assert "pixels are never read, and get no gradient" in first[1]


@pytest.mark.parametrize(
    ("spec", "sizes"),
    [
        (onnx("linear", True), ((16, 16), (4, 4))),
        (onnx("linear"), ((16, 16), (8, 8))),  # every second pixel's border: both are read
        (onnx("linear"), ((4, 4), (16, 16))),
        (onnx("cubic"), ((16, 16), (16, 16))),
        (ResizeSpec.of("tensorflow", "area"), ((16, 16), (4, 4))),
    ],
)
def test_resizes_without_findings(spec, sizes):
    assert found(spec, *sizes) == []


def test_shifts():
    [(severity, text)] = found(onnx(**LEGACY), (8, 8), (16, 8))
    shift, _, boxes = text.partition("; ")
    assert (severity, shift) == ("high", "the image shifts by 0.5 output pixel up relative to half-pixel centers")
    assert boxes == "boxes scaled by n_out / n_in are off by up to 0.5"
    [(severity, text)] = found(ResizeSpec.of("tflite", "bilinear"), (8, 8), (10, 12))
    shift, _, boxes = text.partition("; ")
    assert boxes == "boxes scaled by n_out / n_in are off by up to 0.25"
    assert (
        shift == "the image shifts by 0.125 output pixel up and 0.25 output pixel left relative to half-pixel centers"
    )
    assert severity == "medium"
    assert found(ResizeSpec.of("torch", "nearest"), (8, 8), (16, 16)) == []  # an integer factor shifts nothing


def test_aligned_corners():
    [(severity, text)] = found(onnx(**CORNERS), (8, 8), (16, 16))
    assert (severity, text.partition(":")[0]) == ("medium", "aligned corners")


def test_scales_that_give_a_fractional_size():
    text = "scale 1.5 gives 10.5 pixels for 7, truncated to 10, while the coordinates use the scale"
    assert ("low", text) in found(onnx(), (7, 7), (None, None), scale=(1.5, 1.5))
    assert found(onnx(), (8, 8), (None, None), scale=(1.5, 1.5)) == []
    torch = ResizeSpec.of("torch", "bilinear", options={"align_corners": True})
    assert not any("scale 1.5" in text for _, text in found(torch, (7, 7), (None, None), scale=(1.5, 1.5)))
    findings = found(onnx(**CORNERS), (7, 7), (None, None), scale=(1.5, 1.5))
    assert any("onnxruntime aligns the corners of the 10" in text for _, text in findings)


@pytest.mark.parametrize(
    ("spec", "target", "severity", "why"),
    [
        (onnx(**CORNERS), "opencv", "high", "opencv has no linear resize with aligned corners"),
        (onnx("cubic"), "tflite", "high", "tflite cannot do this: tflite has no cubic resize"),
        (onnx("linear", True), "tfjs", "high", "tfjs does not antialias linear"),
        (ResizeSpec.of("tensorflow", "bicubic"), "torch", "medium", "torch's cubic has a = -0.75, not a = -0.5"),
        (
            onnx("nearest"),
            "tflite",
            "high",
            "tflite takes pixel floor((o + 0.5) * step), not ceil(",
        ),
        (ResizeSpec.of("torch", "bilinear"), "pillow", "high", "pillow always antialiases linear that shrinks"),
    ],
)
def test_targets(spec, target, severity, why):
    findings = found(spec, (16, 16), (8, 6), targets=[target])
    assert any(why in text and rank == severity for rank, text in findings), findings


@pytest.mark.parametrize("target", ["onnxruntime", "torch", "tflite", "opencv", "jax", "paddle", "tensorflow"])
def test_plain_bilinear_is_the_same_everywhere(target):
    assert found(onnx(), (8, 8), (20, 13), targets=[target]) == []


FLAGS = ({}, {"align_corners": True}, {"half_pixel_centers": True})
GRIDS = ("half_pixel", "pytorch_half_pixel", "half_pixel_symmetric", "align_corners", "asymmetric")
PICKS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def every_op():
    """Yield (op, since, spec) of every node that readers and `watch` return."""
    for grid, mode in itertools.product(GRIDS, ("linear", "cubic")):
        yield "Resize", 19, onnx(mode, coordinate_transformation_mode=grid)
        yield "Resize", 19, onnx(mode, True, coordinate_transformation_mode=grid)
    for grid, pick in itertools.product(GRIDS, PICKS):
        yield "Resize", 19, onnx("nearest", coordinate_transformation_mode=grid, nearest_mode=pick)
    yield "Upsample", 9, onnx(**LEGACY)
    yield "Upsample", 9, onnx("nearest", **LEGACY, nearest_mode="ceil")
    for flags, method in itertools.product(FLAGS, ("bilinear", "nearest")):
        options, name = flags, {"bilinear": "Bilinear", "nearest": "NearestNeighbor"}[method]
        yield f"Resize{name}", 0, ResizeSpec.of("tensorflow1", method, options=options)
        yield f"Resize{name}", 0, ResizeSpec.of("tfjs", method, options=options)
        yield f"RESIZE_{name.upper()}", 0, ResizeSpec.of("tflite", method, options=options)
        yield "ResizeBicubic", 0, ResizeSpec.of("tensorflow1", "bicubic", options=options)
    for flags in FLAGS[:2]:
        yield "ResizeArea", 0, ResizeSpec.of("tensorflow1", "area", options=flags)
        yield "Resizing", 0, ResizeSpec.of("tfjs", "bilinear", options=flags)
    for method in ("bilinear", "nearest"):
        yield "UpSampling2D", 0, ResizeSpec.of("tfjs", method)
    for method, smooth in itertools.product(("bilinear", "bicubic", "lanczos3"), (False, True)):
        yield "ScaleAndTranslate", 0, ResizeSpec.of("tensorflow", method, smooth)
        yield "Resizing", 0, ResizeSpec.of("tensorflow", method, smooth)
    for method in ("bilinear", "nearest", "bicubic"):
        yield "UpSampling2D", 0, ResizeSpec.of("tensorflow", method)
    for method, smooth, corners in itertools.product(("bilinear", "bicubic"), (False, True), (False, True)):
        yield "interpolate", 0, ResizeSpec.of("torch", method, smooth, {"align_corners": corners})
    for method in ("nearest", "nearest-exact", "area"):
        yield "interpolate", 0, ResizeSpec.of("torch", method)


def options_of(dialect, op):
    """Return the options that an op has, from its own package."""
    if dialect.startswith("onnx"):
        return set(defs.get_schema("Resize", 19).attributes)
    if dialect == "torch":
        return {*inspect.signature(F.interpolate).parameters}
    if dialect == "tflite":
        fields = {
            "RESIZE_BILINEAR": schema.ResizeBilinearOptionsT,
            "RESIZE_NEAREST": schema.ResizeNearestNeighborOptionsT,
        }
        return {re.sub("([A-Z])", r"_\1", name).lower() for name in vars(fields[op.removesuffix("NEIGHBOR")]())}
    if op in ("UpSampling2D", "Resizing") and dialect == "tensorflow":
        return {*inspect.signature(getattr(tf.keras.layers, op).__init__).parameters}
    if op in ("UpSampling2D", "Resizing"):  # of TF.js: https://js.tensorflow.org/api/4.22.0/#layers.resizing
        return set()
    return {*inspect.signature(getattr(tf.raw_ops, op)).parameters}


SIZES = (
    ((16, 16), (8, 8)),
    ((16, 16), (5, 7)),
    ((8, 8), (16, 16)),
    ((9, 9), (3, 3)),
    ((16,), (5,)),
    ((8,) * 3, (3,) * 3),
)


@pytest.mark.parametrize(("op", "since", "spec"), [*every_op()])
def test_advice_names_only_options_that_the_op_has(op, since, spec):
    named = r"(antialias|align_corners|half_pixel_centers|coordinate_transformation_mode|nearest_mode|cubic_coeff_a)="
    for sizes in SIZES:
        if len(sizes[0]) != 2 and spec.dialect in ("tflite", "tfjs", "tensorflow1"):
            continue
        node = Node("n", op, *sizes, spec=spec, since=since)
        for one in audit_nodes("m", Model("made up", (node,)), tuple(TARGETS)).findings:
            instead = "tf.image.resize(" in one.fix
            has = {*inspect.signature(tf.image.resize).parameters} if instead else options_of(spec.dialect, op)
            assert set(re.findall(named, one.fix)) <= has, one
            assert one.fix


CORNERED = ResizeSpec.of("tensorflow1", "area", options={"align_corners": True})


def fix_of(op, spec, input_size, output_size, since=0):
    """Return the fix of the first finding of a node."""
    node = Node("n", op, input_size, output_size, spec=spec, since=since)
    return audit_nodes("m", Model("made up", (node,))).findings[0].fix


@pytest.mark.parametrize(
    ("op", "spec", "sizes", "fix"),
    [
        (
            "UpSampling2D",
            ResizeSpec.of("tfjs", "bilinear"),
            ((8, 8), (16, 16)),
            "this layer has no option for it: convert",
        ),
        (
            "ResizeBilinear",
            ResizeSpec.of("tfjs", "bilinear"),
            ((8, 8), (16, 16)),
            "set half_pixel_centers=True, as tf.image",
        ),
        ("interpolate", ResizeSpec.of("torch", "nearest"), ((16, 16), (5, 5)), "use mode='nearest-exact'"),
        ("interpolate", ResizeSpec.of("torch", "nearest"), ((16, 16), (8, 8)), "nearest copies whole pixels"),
        ("interpolate", ResizeSpec.of("torch", "bilinear"), ((16, 16), (4, 4)), "pass antialias=True to interpolate"),
        ("interpolate", ResizeSpec.of("torch", "bilinear"), ((16,) * 3, (4,) * 3), "average-pool first"),
        ("Resize", onnx("nearest"), ((16, 16), (8, 8)), "nearest copies whole pixels"),  # which has half-pixel centers
        ("Resizing", ResizeSpec.of("tensorflow", "bilinear"), ((16, 16), (4, 4)), "pass antialias=True to Resizing"),
        ("ResizeArea", CORNERED, ((16, 16), (8, 8)), "use align_corners=False"),
    ],
)
def test_fixes(op, spec, sizes, fix):
    assert fix_of(op, spec, *sizes).startswith(fix)


def test_ops_before_opset_11_have_no_coordinate_modes():
    assert "(opset 11 or later)" in fix_of("Upsample", onnx(**LEGACY), (8, 8), (16, 16), since=9)


def test_bilinear_that_copies_pixels_at_one_size_is_not_nearest():
    [first, *_] = found(onnx(**LEGACY), (16, 16), (8, 8))
    assert first[0] == "high"
    assert "192 of 256 pixels are never read" in first[1]


def test_an_image_and_a_mask_on_other_grids():
    sizes = {"input_size": (16, 16), "output_size": (4, 4)}
    nodes = [
        Node("image", "Resize", spec=onnx("linear"), **sizes),
        Node("mask", "Resize", spec=onnx("nearest", nearest_mode="floor", **LEGACY), **sizes),
        Node("other", "Resize", spec=onnx("cubic"), **sizes),
        Node("up", "Resize", (4, 4), (16, 16), spec=onnx("linear", **LEGACY)),
    ]
    facts = audit_nodes("model", Model("ONNX", tuple(nodes)))
    [found] = [one for one in facts.findings if "its grid" in one.message]
    assert (found.severity, found.node) == ("medium", "mask")
    assert found.message == (
        "its grid is up to 0.375 output pixel away from that of 'image', which resizes from and to the same size"
    )
    unknown = {"input_size": (None, None), "output_size": (4, 4)}
    nodes = [replace(one, **unknown) for one in nodes[:2]]
    facts = audit_nodes("model", Model("ONNX", tuple(nodes)))
    assert not any("its grid" in one.message for one in facts.findings)
