"""Auditing: every resize of a model, with what it does and what becomes of it elsewhere. Draws nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ... import validation
from ...errors import ArgumentError, ArgumentTypeError, FileError, UnsupportedError, short_repr
from ...plan import Plan
from ...resolve import require_lengths
from ..coverage import Coverage, coverage
from ..notebook import notebook_page
from ..placement import Placement, placement
from .findings import SEVERITIES, Finding, find
from .node import Model, Node, settled
from .porting import checked
from .prediction import LONGEST, MOST_PIXELS, Pixels, Prediction, predict, too_large, trials_of, unit_range
from .reading import read

EXAMPLE = (224, 224)
MAX_PATH = 4096  # letters of the name of a file, with its folders: no system has longer ones


@dataclass(frozen=True)
class Audited:
    """One node, and what was found out about it; `plan` is None where that is not possible, and `note` says why.

    `is_example` says that sizes were not known, and those of the example were taken.
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
class Audit:
    """All resizes of a model.

    >>> audit_nodes("m", Model("ONNX", ())).worst
    ''
    """

    source: str
    kind: str
    nodes: tuple[Audited, ...]
    targets: tuple[str, ...] = ()
    example: tuple[int, int] = EXAMPLE
    image: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of all nodes, the worst first."""
        found = [one for node in self.nodes for one in node.findings]
        return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))

    @property
    def worst(self) -> str:
        """The severity of the worst finding; empty where there is none."""
        return next((one.severity for one in self.findings), "")

    def reaches(self, severity: str) -> bool:
        """Whether there is a finding of that severity, or a worse one; never for "none"."""
        limit = SEVERITIES[: SEVERITIES.index(severity) + 1] if severity in SEVERITIES else ()
        return self.worst in limit

    def __repr__(self) -> str:
        lines = [f"{one.severity:<7} {one.node!r}: {one.words}. {one.fix}".rstrip() for one in self.findings]
        return "\n".join([f"{self.source}: {self.kind}; resizes: {len(self.nodes)}, findings: {len(lines)}", *lines])

    def _repr_html_(self) -> str | None:
        return notebook_page("audit_page", "page_of", self)


Done = Callable[[int, int, str], None]  # how many nodes are done, of how many, and the next one's name


def audit(
    path: str | os.PathLike[str],
    targets: str | Sequence[str] = (),
    *,
    example: Sequence[int] = EXAMPLE,
    image: Pixels | None = None,
    image_name: str = "",
    done: Done | None = None,
) -> Audit:
    """Return every resize of a model file: what it does to pixels and gradients, and what other runtimes make of it.

    `targets` are runtimes (onnxruntime, tflite, torch, ...), `example` the (height, width) of inputs whose size is not
    known, and `image` one to try besides noise, of the range 0 to 1. Nothing in the file is run.

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
        checked(target)
    height, width = require_lengths(example, 2, "example")
    pixels, name = None if image is None else _read_image(image), validation.require_text(image_name, "image_name")
    if done is not None and not callable(done):
        raise ArgumentTypeError(f"done must be a function of three arguments, not {short_repr(done)}")
    model = read(path)
    return audit_nodes(
        os.fspath(path), model, targets, example=(height, width), image=pixels, image_name=name, done=done
    )


def _read_image(image: object) -> Pixels:
    pixels = validation.require_real_array(image, "image")
    if pixels.ndim not in (2, 3) or not pixels.size:
        raise ArgumentError(f"image has shape {pixels.shape}; it must be (height, width) or (height, width, channels)")
    return unit_range(pixels)


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
    """The same of nodes that were found elsewhere, such as by watching a model run."""
    wanted = tuple(dict.fromkeys(map(checked, targets)))
    known: dict[object, Audited] = {}  # models repeat themselves
    nodes = []
    for number, node in enumerate(model.nodes):
        if done is not None:
            done(number, len(model.nodes), node.name)
        key = replace(node, name="", layout="", note="")
        if key not in known:
            known[key] = _audited(replace(key, name="\0"), wanted, example, image)
        nodes.append(_named(known[key], node))
    return Audit(source, model.kind, tuple(nodes), wanted, example, image_name)


def _named(one: Audited, node: Node) -> Audited:
    """What was found out about a node, as that of another one that is equal but for its name."""
    findings = tuple(replace(finding, node=node.name) for finding in one.findings)
    named = replace(one.node, name=node.name, layout=node.layout, note=node.note)
    return replace(one, node=named, findings=findings)


def _audited(node: Node, targets: tuple[str, ...], example: tuple[int, int], image: Pixels | None) -> Audited:
    if node.words is None or not node.input_size:
        return Audited(node)
    try:
        node, plan, refused = _planned(node, *settled(node, example))
    except ArgumentError as error:
        words = f"{error}" if isinstance(error, _TooLargeError) else f"its own runtime cannot do this: {error}"
        finding = Finding("high", node.name, words, "export another resize")
        return Audited(node, None, findings=(finding,), note=str(error))
    facts, where = coverage(plan), tuple(map(placement, plan.taps))
    trials = trials_of(plan, image) if targets else ()
    predictions = tuple(predict(node, plan, target, image, trials) for target in targets)
    findings = (*refused, *find(node, plan, facts, where, predictions))
    return Audited(node, plan, not node.is_static, facts, where, predictions, findings)


class _TooLargeError(ArgumentError):
    """A node that is larger than what is tried."""


def _plan(node: Node, inputs: tuple[int, ...], outputs: tuple[int, ...] | None) -> Plan:
    """The node's own plan, refused before anything is built where it is larger than what is tried."""
    assert node.words is not None
    scales = [validation.require_float(scale, "scale") for scale in node.scale or ()]
    likely = outputs or tuple(int(n * scale) for n, scale in zip(inputs, scales, strict=True))
    if too_large(inputs, likely):
        limit = f"more than {MOST_PIXELS:,} pixels, or {LONGEST:,} along an axis, are not tried"
        raise _TooLargeError(f"{_by(inputs)} -> {_by(likely)}: {limit}")
    return node.words.plan(inputs, outputs, node.scale)


def _by(size: tuple[int, ...]) -> str:
    return "x".join(map(str, size))


def _planned(
    node: Node, inputs: tuple[int, ...], outputs: tuple[int, ...] | None
) -> tuple[Node, Plan, tuple[Finding, ...]]:
    """A node and its plan, in the words of onnx's own evaluator where onnxruntime refuses it, which is a finding."""
    assert node.words is not None
    try:
        return node, _plan(node, inputs, outputs), ()
    except UnsupportedError as error:
        if node.words.dialect != "onnx":
            raise
        words = str(error).partition(" (onnxruntime")[0].removeprefix("onnx: ")
        fix = "export a resize that onnxruntime has"
        finding = Finding("high", node.name, f"onnxruntime refuses this node: {words}", fix)
        other = replace(node, words=replace(node.words, dialect="onnx-reference"))
        return other, _plan(other, inputs, outputs), (finding,)
