"""Advice: changes that fix a node, with options that its op really has, each tried at the node's size."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import ArgumentError
from ...plan import Plan
from ...resize_spec import ResizeSpec
from ..coverage import coverage
from ..placement import placement
from .node import Node

GRAPH_MODEL = (
    "this layer has no option for it: convert to a graph model (tensorflowjs_converter "
    "--output_format=tfjs_graph_model), which keeps Keras's half-pixel centers"
)
_POOL = {
    "tflite": "average-pool first: TFLite has no antialiasing",
    "tfjs": "average-pool first: TF.js has no antialiasing",
}
_INTEGER_FACTOR = "nearest copies whole pixels: resize by an integer factor, an odd one to shrink"
_HALF, _DOWN, _UP = "half_pixel", "round_prefer_floor", "round_prefer_ceil"


def is_tfjs_layer(node: Node) -> bool:
    """Return whether a node is a layer of TF.js: unlike the ops of its graph models, layers have no flags."""
    return node.spec is not None and node.spec.dialect == "tfjs" and not node.op.startswith("Resize")


def antialias(node: Node, plan: Plan) -> str:
    """Return how to make a node that shrinks read all pixels."""
    assert node.spec is not None
    dialect, options = node.spec.dialect, node.spec.unusual
    if dialect == "tensorflow1":  # its ops have no antialiasing; that of TensorFlow 2 has only half-pixel centers
        dialect, options = "tensorflow", {}
    trial = _try_plan(plan, dialect, node.spec.method, True, options)
    is_full = trial is not None and (read := coverage(trial)).reached == read.pixels
    if not is_full or (dialect == "torch" and len(plan.input_size) != 2):  # F.interpolate: bilinear and bicubic
        return _POOL.get(dialect, "average-pool first")
    if dialect.startswith("onnx"):
        return "set antialias=1 (opset 18 or later)"
    if dialect == "torch":
        return "pass antialias=True to interpolate"
    if node.op == "Resizing":
        return "pass antialias=True to Resizing (Keras 3)"
    return "use tf.image.resize(..., antialias=True)"


def antialias_nearest(node: Node) -> str:
    """Return what to use instead of a nearest that skips pixels."""
    assert node.spec is not None
    smooth = "average-pool first" if node.spec.dialect in _POOL else "use a filter that antialiases"
    return f"keep nearest for labels; for images {smooth}"


def center(node: Node, plan: Plan) -> str:
    """Return how to change a node to half-pixel centers, or nearer to them."""
    assert node.spec is not None
    own = _offset(plan)
    for method, options, text in _centered(node, node.spec):
        trial = _try_plan(plan, node.spec.dialect, method, node.spec.antialias, options)
        if trial is not None and _offset(trial) <= own / 2:
            return text
    return _INTEGER_FACTOR if plan.is_selection else ""


def _centered(node: Node, spec: ResizeSpec) -> Iterator[tuple[str, dict[str, object], str]]:
    """Yield methods and options with half-pixel centers that a node could have, and how to set them."""
    half: dict[str, object] = {"half_pixel_centers": True}
    if is_tfjs_layer(node):
        yield spec.method, half, GRAPH_MODEL
    elif spec.dialect.startswith("onnx"):
        yield from _centered_onnx(node, spec)
    elif spec.dialect == "torch" and spec.method == "nearest":
        yield "nearest-exact", spec.unusual, "use mode='nearest-exact', and train with it"
    elif spec.dialect == "torch" or spec.method == "area":  # these have no other flag
        yield spec.method, {}, "use align_corners=False, and train with it"
    elif spec.dialect in ("tensorflow1", "tflite", "tfjs"):
        yield spec.method, half, "set half_pixel_centers=True, as tf.image.resize does, and train with it"


def _centered_onnx(node: Node, spec: ResizeSpec) -> Iterator[tuple[str, dict[str, object], str]]:
    own = dict(spec.options)
    others = {name: own[name] for name in ("cubic_coeff_a", "exclude_outside")}
    newer = " (opset 11 or later)" if 0 < node.since < 11 else ""
    for mode in dict.fromkeys((own["nearest_mode"], _DOWN, _UP)) if spec.method == "nearest" else (None,):
        options = {"coordinate_transformation_mode": _HALF, **({"nearest_mode": mode} if mode else {})}
        change = " and ".join(f"{name}='{value}'" for name, value in options.items() if own[name] != value)
        if change:
            yield spec.method, {**others, **options}, f"use {change}{newer}, and train with it"


def _try_plan(plan: Plan, dialect: str, method: str, antialias: bool, options: dict[str, object]) -> Plan | None:
    """Return the plan of these arguments at the size of another; None where the dialect's framework refuses it."""
    try:
        return ResizeSpec.of(dialect, method, antialias, options, size=plan.output_size).make_plan(plan.input_size)
    except ArgumentError:
        return None


def _offset(plan: Plan) -> float:
    """Return how far a plan is from half-pixel centers, in output pixels: its shift, or that at an edge."""
    return max(max(abs(one.shift_out), one.edge_out) for one in map(placement, plan.taps))


def train_antialiased(node: Node) -> str:
    """Return what to do about a target that always antialiases."""
    assert node.spec is not None
    if node.spec.dialect == "tensorflow1":
        return "train with tf.image.resize(..., antialias=True)"
    if node.spec.dialect in _POOL or node.op.startswith("UpSampling"):
        return f"{node.op} has no antialiasing: use a runtime that can do without it, such as opencv"
    return "train with antialiasing"


def train_with_filter(node: Node, parameter: str) -> str:
    """Return what to do about a cubic filter with another parameter, "a = -0.5", which only ONNX lets one choose."""
    assert node.spec is not None
    if node.spec.dialect.startswith("onnx") and parameter.startswith("a = "):
        return f"set cubic_coeff_a={parameter.removeprefix('a = ')}, and train with it"
    return "no option changes the filter: train with bilinear, which has none"
