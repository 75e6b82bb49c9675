"""Audit: every resize of a model, what it does, and how other runtimes compute it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ... import validation
from ...errors import ArgumentError, ArgumentTypeError, FileError, UnsupportedError, short_repr
from ...plan import Plan
from ...preprocess import Preprocessor
from ...resolve import require_lengths
from ..coverage import Coverage, coverage
from ..findings import Finding
from ..image_pair import read_image
from ..notebook import HasPage
from ..placement import Placement, placement
from .findings import SEVERITIES, find, find_grids, sort_findings
from .fit import Fit, check_fit
from .node import Model, Node, resolve_sizes
from .port import require_target
from .predict import MAX_LENGTH, MAX_PIXELS, Pixels, Prediction, predict, trials_of, unit_range
from .readers import read

EXAMPLE = (224, 224)
MAX_PATH = 4096  # characters of the name of a file with its folders: no system has longer ones
Done = Callable[[int, int, str], None]  # called with the number of finished nodes, of all, and the next one's name


@dataclass(frozen=True)
class Audited:
    """One node and its facts; `plan` is None where it has no plan, and `note` says why.

    `is_example` says that sizes were unknown, and those of the example were used.
    """

    node: Node
    plan: Plan | None = None
    is_example: bool = False
    coverage: Coverage | None = None
    placement: tuple[Placement, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    findings: tuple[Finding, ...] = ()
    note: str = ""


@dataclass(frozen=True, repr=False)
class Audit(HasPage):
    """All resizes of a model, and the fit of a preprocessor if one was given."""

    page_function = ("audit.html", "audit_page")
    source: str
    kind: str
    nodes: tuple[Audited, ...]
    targets: tuple[str, ...] = ()
    example: tuple[int, int] = EXAMPLE
    image: str = ""
    fit: Fit | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of the input and of all nodes, the worst first."""
        found = [*(self.fit.findings if self.fit else ()), *(one for node in self.nodes for one in node.findings)]
        return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))

    @property
    def worst(self) -> str:
        """The severity of the worst finding; empty where there is none."""
        return next((one.severity for one in self.findings), "")

    def reaches(self, severity: str) -> bool:
        """Return whether there is a finding of that severity or worse; never for "none"."""
        limit = SEVERITIES[: SEVERITIES.index(severity) + 1] if severity in SEVERITIES else ()
        return self.worst in limit

    def __repr__(self) -> str:
        lines = [f"{one.severity:<7} {one.node!r}: {one.message}. {one.fix}".rstrip() for one in self.findings]
        return "\n".join([f"{self.source}: {self.kind}; resizes: {len(self.nodes)}, findings: {len(lines)}", *lines])


def audit(
    path: str | os.PathLike[str],
    targets: str | Sequence[str] = (),
    *,
    example: Sequence[int] = EXAMPLE,
    image: Any = None,
    image_name: str = "",
    preprocess: Any = None,
    input_name: str | None = None,
    done: Done | None = None,
) -> Audit:
    """Audit a model file: every resize, its effect on pixels and gradients, and how other runtimes compute it.

    `targets` are runtimes (onnxruntime, tflite, torch, ...), `example` the (height, width) of inputs of unknown size,
    and `image` one to try besides noise: pixels (floats from 0 to 1), or the name of a file. `preprocess` is a
    Preprocessor, or a configuration that it loads, to check against the model's input: the one that takes images, or
    the one named `input_name`. The model is not run.

    >>> import json, pathlib, tempfile, sizewise as sw
    >>> up = {"name": "up", "size": [2, 2], "interpolation": "bilinear", "batch_input_shape": [None, 8, 8, 3]}
    >>> layers = {"name": "model", "layers": [{"class_name": "UpSampling2D", "config": up}]}
    >>> model = {"modelTopology": {"model_config": {"class_name": "Sequential", "config": layers}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.json")
    ...     _ = path.write_text(json.dumps(model))
    ...     facts = sw.audit(path)
    >>> facts.kind, facts.worst
    ('TF.js layers model', 'high')
    """
    _require_path(path)
    targets = validation.require_texts(targets, "targets")
    for target in targets:
        require_target(target)
    height, width = require_lengths(example, 2, "example")
    pixels = None if image is None else unit_range(read_image(image, "image"))
    name = validation.require_text(image_name, "image_name")
    if done is not None and not callable(done):
        raise ArgumentTypeError(f"done must be a function of three arguments, not {short_repr(done)}")
    if input_name is not None:
        validation.require_text(input_name, "input_name")
        if preprocess is None:
            raise ArgumentError(
                f"input_name is {short_repr(input_name)}, but there is no preprocess to check against it"
            )
    recipe = preprocess if preprocess is None or isinstance(preprocess, Preprocessor) else Preprocessor.load(preprocess)
    model = read(path)
    fit = None if recipe is None else check_fit(model.inputs, recipe, _recipe_name(preprocess), input_name)
    facts = audit_nodes(
        os.fspath(path), model, targets, example=(height, width), image=pixels, image_name=name, done=done
    )
    return replace(facts, fit=fit)


def _recipe_name(preprocess: object) -> str:
    return os.path.basename(os.fspath(preprocess)) if isinstance(preprocess, (str, os.PathLike)) else "preprocessor"


def _require_path(path: object) -> None:
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str):
        raise ArgumentTypeError(f"path must be the name of a model file, not {short_repr(path)}")
    if not 0 < len(name) <= MAX_PATH or "\0" in name:
        raise FileError(f"{short_repr(path)} is no name of a file")


def audit_nodes(
    source: str,
    model: Model,
    targets: Sequence[str] = (),
    *,
    example: tuple[int, int] = EXAMPLE,
    image: Pixels | None = None,
    image_name: str = "",
    done: Done | None = None,
) -> Audit:
    """Audit nodes that were found elsewhere, such as by watching a model run."""
    wanted = tuple(dict.fromkeys(map(require_target, targets)))
    known: dict[object, Audited] = {}  # models repeat the same resize
    nodes = []
    for number, node in enumerate(model.nodes):
        if done is not None:
            done(number, len(model.nodes), node.name)
        key = replace(node, name="", layout="", note="")
        if key not in known:
            known[key] = _audit_node(replace(key, name="\0"), wanted, example, image)
        facts = known[key]
        findings = tuple(replace(finding, node=node.name) for finding in facts.findings)
        named = replace(facts.node, name=node.name, layout=node.layout, note=node.note)
        nodes.append(replace(facts, node=named, findings=findings))
    return Audit(source, model.kind, _with_grids(nodes), wanted, example, image_name)


def _with_grids(nodes: Sequence[Audited]) -> tuple[Audited, ...]:
    """Return the nodes with findings about those that have other grids than nodes of the same sizes."""
    indices = [index for index, one in enumerate(nodes) if one.plan is not None]
    plans = [(one.node, one.plan) for one in nodes if one.plan is not None]
    found = {indices[index]: finding for index, finding in find_grids(plans).items()}
    return tuple(
        replace(one, findings=sort_findings((*one.findings, found[index]))) if index in found else one
        for index, one in enumerate(nodes)
    )


def _audit_node(node: Node, targets: tuple[str, ...], example: tuple[int, int], image: Pixels | None) -> Audited:
    if node.spec is None or not node.input_size:
        return Audited(node)
    try:
        node, plan, refused = _plan_or_reference(node, *resolve_sizes(node, example))
    except ArgumentError as error:
        text = f"{error}" if isinstance(error, _TooLargeError) else f"its own runtime cannot do this: {error}"
        finding = Finding("high", text, node.name, "export another resize")
        return Audited(node, None, findings=(finding,), note=str(error))
    facts, where = coverage(plan), tuple(map(placement, plan.taps))
    trials = trials_of(plan, image) if targets else ()
    predictions = tuple(predict(node, plan, target, image, trials) for target in targets)
    findings = (*refused, *find(node, plan, facts, where, predictions))
    return Audited(node, plan, not node.is_static, facts, where, predictions, findings)


class _TooLargeError(ArgumentError):
    """A node that is larger than the limits."""


def _plan(node: Node, inputs: tuple[int, ...], outputs: tuple[int, ...] | None) -> Plan:
    """Return the plan of a node; raise before anything is built where it is too large."""
    scales = [validation.require_float(scale, "scale") for scale in node.scale or ()]
    likely = outputs or tuple(int(n * scale) for n, scale in zip(inputs, scales, strict=True))
    if any(math.prod(size) > MAX_PIXELS or max(size) > MAX_LENGTH for size in (inputs, likely)):
        sizes = " -> ".join("x".join(map(str, size)) for size in (inputs, likely))
        limits = f"{MAX_PIXELS:,} pixels and {MAX_LENGTH:,} along an axis"
        raise _TooLargeError(f"{sizes}: larger than the limits of {limits}")
    return node.make_plan(inputs, outputs)


def _plan_or_reference(
    node: Node, inputs: tuple[int, ...], outputs: tuple[int, ...] | None
) -> tuple[Node, Plan, tuple[Finding, ...]]:
    """Return a node and its plan; where onnxruntime refuses it, those of onnx's evaluator, and a finding."""
    assert node.spec is not None
    try:
        return node, _plan(node, inputs, outputs), ()
    except UnsupportedError as error:
        if node.spec.dialect != "onnx":
            raise
        text = str(error).partition(" (onnxruntime")[0].removeprefix("onnx: ")
        fix = "export a resize that onnxruntime has"
        finding = Finding("high", f"onnxruntime refuses this node: {text}", node.name, fix)
        other = replace(node, spec=replace(node.spec, dialect="onnx-reference"))
        return other, _plan(other, inputs, outputs), (finding,)
