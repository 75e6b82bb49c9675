"""Advice: changes that mend a node, of options that its op really has, each tried at the node's size first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...errors import ArgumentError
from ...plan import Plan
from ..coverage import coverage
from ..placement import placement
from .meaning import DOWN, HALF, UP, Meaning, meaning
from .node import Node, Words

_GRAPH_MODEL = (
    "this layer has no option for it: convert to a graph model (tensorflowjs_converter "
    "--output_format=tfjs_graph_model), which keeps Keras's half-pixel centres"
)
_POOL = {
    "tflite": "average-pool first: TFLite has no antialiasing",
    "tfjs": "average-pool first: TF.js has no antialiasing",
}
_WHOLE = "nearest copies whole pixels: resize by a whole factor, an odd one where it shrinks"


def means(words: Words) -> Meaning:
    """The meaning of a node's words."""
    return meaning(words.dialect, words.method, words.antialias, dict(words.options))


def is_tfjs_layer(node: Node) -> bool:
    """Return whether a node is a layer of TF.js: unlike the ops of its graph models, layers have no flags."""
    return node.words is not None and node.words.dialect == "tfjs" and not node.op.startswith("Resize")


def antialias(node: Node, plan: Plan) -> str:
    """Say how a node that shrinks comes to read all pixels.

    >>> node = Node("n", "RESIZE_BILINEAR", (16, 16), (4, 4), words=Words("tflite", "bilinear"))
    >>> antialias(node, node.words.plan((16, 16), (4, 4)))
    'average-pool first: TFLite has no antialiasing'
    """
    assert node.words is not None
    words = node.words
    if words.dialect == "tensorflow1":  # whose ops have no such option; that of TF2 has no other grid than half-pixel
        words = Words("tensorflow", words.method)
    trial = _plan(replace(words, antialias=True), plan)
    is_full = trial is not None and (read := coverage(trial)).reached == read.pixels
    if not is_full or (words.dialect == "torch" and len(plan.input_size) != 2):  # F.interpolate: bilinear and bicubic
        return _POOL.get(words.dialect, "average-pool first")
    if words.dialect.startswith("onnx"):
        return "set antialias=1 (opset 18 or later)"
    if words.dialect == "torch":
        return "pass antialias=True to interpolate"
    if node.op == "Resizing":
        return "pass antialias=True to Resizing (Keras 3)"
    return "use tf.image.resize(..., antialias=True)"


def antialias_nearest(node: Node) -> str:
    """Say what to use instead of a nearest that leaves out pixels."""
    assert node.words is not None
    smooth = "average-pool first" if node.words.dialect in _POOL else "use a filter that antialiases"
    return f"keep nearest for labels; for images {smooth}"


def center(node: Node, plan: Plan) -> str:
    """Say how a node comes to half-pixel centres, or nearer to them.

    >>> node = Node("up", "ResizeBilinear", (8, 8), (16, 16), words=Words("tfjs", "bilinear"))
    >>> center(node, node.words.plan((8, 8), (16, 16)))
    'set half_pixel_centers=True, as tf.image.resize does, and train with it'
    """
    assert node.words is not None
    own = _off(plan)
    for words, said in _centered(node, node.words):
        trial = _plan(words, plan)
        if trial is not None and _off(trial) <= own / 2:
            return said
    return _WHOLE if plan.is_selection else ""


def _centered(node: Node, words: Words) -> Iterator[tuple[Words, str]]:
    """Words with half-pixel centres that a node could have, and how to come to them."""
    if is_tfjs_layer(node):
        yield replace(words, options=(("half_pixel_centers", True),)), _GRAPH_MODEL
    elif words.dialect.startswith("onnx"):
        yield from _centered_onnx(node, words)
    elif words.dialect == "torch" and words.method == "nearest":
        yield replace(words, method="nearest-exact"), "use mode='nearest-exact', and train with it"
    elif words.dialect == "torch" or words.method == "area":  # which have no flag but this one
        yield replace(words, options=()), "use align_corners=False, and train with it"
    elif words.dialect in ("tensorflow1", "tflite", "tfjs"):
        said = "set half_pixel_centers=True, as tf.image.resize does, and train with it"
        yield replace(words, options=(("half_pixel_centers", True),)), said


def _centered_onnx(node: Node, words: Words) -> Iterator[tuple[Words, str]]:
    kept = [(name, value) for name, value in words.options if name in ("cubic_coeff_a", "exclude_outside")]
    pick = dict(words.options).get("nearest_mode", DOWN)
    newer = " (opset 11 or later)" if 0 < node.since < 11 else ""
    for mode in dict.fromkeys((pick, DOWN, UP)) if words.method == "nearest" else (None,):
        options = [("coordinate_transformation_mode", HALF), *([("nearest_mode", mode)] if mode else [])]
        had = {"coordinate_transformation_mode": HALF, "nearest_mode": DOWN, **dict(words.options)}
        said = " and ".join(f"{name}='{value}'" for name, value in options if had[name] != value)
        if said:
            yield replace(words, options=(*kept, *options)), f"use {said}{newer}, and train with it"


def _plan(words: Words, plan: Plan) -> Plan | None:
    """The plan of these words at the size of another; None where the dialect's framework refuses it."""
    try:
        return words.plan(plan.input_size, plan.output_size)
    except ArgumentError:
        return None


def _off(plan: Plan) -> float:
    """How far a plan is off half-pixel centres, in output pixels: by its shift, or at an edge."""
    return max(max(abs(one.shift_out), one.edge_out) for one in map(placement, plan.taps))


def train_on_grid(node: Node, grid: str, target: str) -> str:
    """Say how a model comes to the grid that a target has."""
    return _GRAPH_MODEL if is_tfjs_layer(node) else f"train with {grid}, which {target} has"


def train_antialiased(node: Node) -> str:
    """Say what to do about a target that always antialiases.

    >>> train_antialiased(Node("n", "RESIZE_BILINEAR", words=Words("tflite", "bilinear")))
    'RESIZE_BILINEAR has no antialiasing: use a runtime that need not antialias, such as opencv'
    """
    assert node.words is not None
    if node.words.dialect == "tensorflow1":
        return "train with tf.image.resize(..., antialias=True)"
    if node.words.dialect in _POOL or node.op.startswith("UpSampling"):
        return f"{node.op} has no antialiasing: use a runtime that need not antialias, such as opencv"
    return "train with antialiasing"


def train_with_slope(node: Node, slope: float) -> str:
    """Say what to do about a cubic of another slope, which only ONNX lets one choose."""
    assert node.words is not None
    if node.words.dialect.startswith("onnx"):
        return f"set cubic_coeff_a={slope:g}, and train with it"
    return "no option changes the slope: train with bilinear, which has none"
