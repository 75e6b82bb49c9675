"""Port: the resize of another runtime that comes nearest to a node's, which a port of the model would call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...errors import UnsupportedError, unknown_name
from ...plan import Plan
from ...resize_spec import ResizeSpec
from ..translation import differences as by_formula
from ..translation import syntax
from ..translation.equivalence import Case, try_plan
from ..translation.matching import formula, grid_name, nearest_of_kind
from . import advice
from .node import Node

# Runtime -> the dialect of its resizes. TensorFlow is tf.image.resize; its original ops, which models of version 1 and
# tf.compat.v1 have, are a separate target: their other grids would hide that those of TensorFlow 2 are gone.
TARGETS = {
    "onnxruntime": "onnx",
    "onnx-reference": "onnx-reference",
    "tflite": "tflite",
    "tfjs": "tfjs",
    "torch": "torch",
    "opencv": "opencv",
    "tensorflow": "tensorflow",
    "tensorflow1": "tensorflow1",
    "jax": "jax",
    "paddle": "paddle",
    "pillow": "pillow",
}
_BY_SCALE = ("onnx", "onnx-reference", "torch", "paddle")  # dialects whose calls take the scale of a model that has one
_ONNX = ("onnx", "onnx-reference")  # dialects with the same options
_SIZE = (21, 25, 17)  # output lengths to match at: aligned corners have ties there, which tell roundings apart


@dataclass(frozen=True)
class Port:
    """The nearest resize of a runtime: its spec, whether it is called with the node's scale, and how it differs."""

    spec: ResizeSpec
    by_scale: bool = False
    notes: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


def require_target(target: str) -> str:
    """Return a target, if it is known."""
    if target not in TARGETS:
        raise unknown_name("target", target, TARGETS)
    return target


def port(node: Node, plan: Plan, target: str) -> Port:
    """Return the resize of a runtime that comes nearest to a node's, whose plan is given.

    Raise UnsupportedError where the runtime has no resize of that kind.
    """
    spec, dialect = node.spec, TARGETS[require_target(target)]
    assert spec is not None, "only plain resizes are ported"
    by_scale = node.scale is not None and dialect in _BY_SCALE
    if spec.dialect == dialect:
        return Port(spec, by_scale=node.scale is not None)
    if {spec.dialect, dialect} <= set(_ONNX):
        return Port(replace(spec, dialect=dialect), by_scale)
    axes = len(plan.input_size)
    if axes not in syntax.get(dialect).counts:
        raise UnsupportedError(f"{target} resizes two axes; this node resizes {axes}")
    if spec.unusual.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        raise UnsupportedError(f"{target} cannot resize a region that extends beyond the image")
    found = nearest_of_kind(replace(spec, size=_SIZE[:axes]), dialect)
    if found is None:
        raise UnsupportedError(f"{target} has no {_kind(spec, plan)} resize")
    changes = list(_changes(node, plan, found, target))
    return Port(found, by_scale, tuple(note for note, _ in changes), tuple(fix for _, fix in changes if fix))


def port_plan(found: Port, node: Node, plan: Plan) -> Plan:
    """Return the plan of a port: by the node's scale where that gives the same size, else by the size."""
    if found.by_scale:
        other = replace(found.spec, scale=node.scale).make_plan(plan.input_size)
        if other.output_size == plan.output_size:
            return other
    return replace(found.spec, size=plan.output_size).make_plan(plan.input_size)


def _kind(spec: ResizeSpec, plan: Plan) -> str:
    stated = formula(replace(spec, size=plan.output_size), Case(plan.input_size, plan.output_size))
    return spec.method if stated is None else by_formula.filter_name(stated).partition(",")[0]


def _changes(node: Node, plan: Plan, found: ResizeSpec, target: str) -> Iterator[tuple[str, str]]:
    """Yield what a port changes, each with its fix."""
    assert node.spec is not None
    case = Case(plan.input_size, plan.output_size)
    mine, theirs = (replace(spec, size=plan.output_size) for spec in (node.spec, found))
    if try_plan(mine, plan.input_size) is None or try_plan(theirs, plan.input_size) is None:
        return
    kind = _kind(found, plan)
    for one in by_formula.compare_formulas(mine, theirs, case):
        if one.what == by_formula.COORDINATES:
            yield _grid_change(node, one, kind, target)
        elif one.what == by_formula.WIDENED and one.there == "no":
            smooth = "use its area resize" if target == "opencv" else "pool first"
            yield f"{target} does not antialias {kind}", f"{smooth}, or train without antialiasing"
        elif one.what == by_formula.WIDENED and one.here == "no":
            yield f"{target} always antialiases {kind} that shrinks", advice.train_antialiased(node)
        elif one.what == by_formula.FILTER:
            here, there = (name.partition(", ")[2] or name for name in (one.here, one.there))
            yield f"{target}'s {kind} has {there}, not {here}", advice.train_with_filter(node, there)
        elif one.what == by_formula.EDGES:
            yield f"{target} differs at the border ({one.there}; in the model, {one.here})", ""


def _grid_change(node: Node, one: by_formula.Difference, kind: str, target: str) -> tuple[str, str]:
    here, there = grid_name(one.here), grid_name(one.there)
    if here == there:
        pixel = "pixel " if kind == "nearest" else ""
        taken = ", not ".join(text.partition(", step")[0] for text in (one.there, one.here))
        return f"{target} takes {pixel}{taken}", "resize by integer factors, where runtimes agree more"
    fix = advice.GRAPH_MODEL if advice.is_tfjs_layer(node) else f"train with {there}, which {target} has"
    return f"{target} has no {kind} resize with {here}: {there} instead", fix
