"""Shared parts of the ONNX tests: options, index lists, and any Resize node in onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from samples import sample

import sizewise as sw
from sizewise.parity import reference
from sizewise.parity.references import onnx

# Index lists of ONNX's own evaluator are compared for all lengths up to this. Each takes a millisecond;
# those up to 256 (`make test-indices`) take ten minutes.
LIMIT = 256 if "SIZEWISE_INDEX_LIMIT" in os.environ else 64
MODES = sw.dialects.get("onnx-reference").options["coordinate_transformation_mode"]
TF_NEAREST = "tf_half_pixel_for_nn"  # of opsets 11 and 12, which onnx's evaluator does not have
NEAREST_MODES = sw.dialects.get("onnx").options["nearest_mode"]
CROP = "tf_crop_and_resize"
VALUE = -1.0  # of pixels outside


@dataclass(frozen=True)
class Case:
    """A method and options, the same for all axes."""

    method: str
    antialias: bool
    options: tuple[tuple[str, Any], ...] = ()

    def plan(self, dialect: str, *sizes: Any, roi: tuple[float, float] = (0.1, 1.05), **more: Any) -> sw.Plan:
        """Return the plan; a crop reads the same part of every axis, some of it outside the image."""
        arguments = dict(self.options)
        if arguments.get("coordinate_transformation_mode") == CROP:
            axes = len(sizes[0])
            arguments |= {"roi": (roi[0],) * axes + (roi[1],) * axes, "extrapolation_value": VALUE}
        return sw.make_plan(*sizes, method=self.method, antialias=self.antialias, dialect=dialect, **arguments, **more)

    def __str__(self) -> str:
        return "-".join([self.method, *["antialias"] * self.antialias, *(f"{value}" for _, value in self.options)])


def picking(modes: Sequence[str] = MODES) -> list[Case]:
    """Return `nearest` with at most one option away from its default."""
    options = [(("coordinate_transformation_mode", mode),) for mode in modes]
    options += [(("nearest_mode", mode),) for mode in NEAREST_MODES[1:]]
    return [Case("nearest", False, message) for message in options]


def picking_both(modes: Sequence[str] = MODES) -> list[Case]:
    """Return `nearest` with two options away from their defaults."""
    return [
        Case("nearest", False, (("coordinate_transformation_mode", mode), ("nearest_mode", nearest)))
        for mode in modes[1:]
        for nearest in NEAREST_MODES[1:]
    ]


def mixing(excluding: set[tuple[str, bool]], modes: Sequence[str] = MODES) -> list[Case]:
    """Return `linear` and `cubic` with at most one option away from its default."""
    cases = []
    for method in ("linear", "cubic"):
        for antialias in (False, True):
            options = [(("coordinate_transformation_mode", mode),) for mode in modes]
            options += [(("cubic_coeff_a", a),) for a in (-0.5, -0.6) if method == "cubic"]
            options += [(("exclude_outside", 1),)] * ((method, antialias) in excluding)
            cases += [Case(method, antialias, message) for message in options]
    return cases


def our_indices(dialect: str, case: Case, n_in: int, lengths: list[int]) -> list[np.ndarray]:
    """Yield the pixels that the dialect reads for each length; `VALUE` marks those outside."""
    plan = case.plan(dialect, (n_in,) * len(lengths), lengths)
    return [np.where(taps.count == 0, VALUE, taps.start) for taps in plan.taps]


def their_indices(dialect: str, case: Case, n_in: int, lengths: list[int]) -> list[np.ndarray]:
    """Yield the pixels that the framework reads for each length."""
    x = np.arange(n_in, dtype=np.float32).reshape(n_in, 1, 1)
    request = case.plan(dialect, (n_in, 1), (lengths[0], 1)).request
    session, inputs = onnx.node(x, request, reference.of(dialect).module)
    sizes = (np.array((n_out, 1), np.int64) for n_out in lengths)
    return [session.run(None, {**inputs, "sizes": size})[0][0, 0, :, 0] for size in sizes]


def index_lists(
    dialect: str, case: Case, n_in: int, lengths: list[int]
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield both lists for each length."""
    lists = our_indices(dialect, case, n_in, lengths), their_indices(dialect, case, n_in, lengths)
    yield from zip(lengths, *lists, strict=True)


def differing(case: Case, ours: str, theirs: str) -> int:
    """Return how many lists of one dialect differ from those of the other's framework."""
    lists = (
        (our_indices(ours, case, *lengths), their_indices(theirs, case, *lengths)) for lengths in long_lengths(200)
    )
    return sum(bool((mine != other).any()) for pair in lists for mine, other in zip(*pair, strict=True))


def all_lengths(limit: int) -> Iterator[tuple[int, list[int]]]:
    """Yield input lengths, about 32 of them or in `make test-all` every one, with all lengths of results."""
    yield from ((n_in, list(range(1, limit + 1))) for n_in in sample(range(1, limit + 1), max(1, limit // 32)))


def long_lengths(count: int, longest: int = 4000) -> Iterator[tuple[int, list[int]]]:
    """Yield `count` random pairs of all orders of magnitude, ten per input length."""
    lengths = np.exp(np.random.default_rng(0).uniform(0, np.log(longest), (count // 10, 11))).astype(int).tolist()
    yield from ((n_in, sorted(others)) for n_in, *others in lengths)


def noise(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


def run(x: np.ndarray, sizes: tuple[int, ...], axes: tuple[int, ...], **attributes: Any) -> np.ndarray:
    """Return the result of a Resize node in onnxruntime, along any axes; raise what onnxruntime raises."""
    session = _session(x.dtype, x.ndim, axes, tuple(attributes.items()))
    return session.run(None, {"x": x, "sizes": np.array(sizes, np.int64)})[0]


@cache
def _session(dtype: np.dtype, rank: int, axes: tuple[int, ...], attributes: tuple[tuple[str, Any], ...]) -> Any:
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    given, result = (helper.make_tensor_value_info(name, kind, [None] * rank) for name in ("x", "y"))
    sizes = helper.make_tensor_value_info("sizes", TensorProto.INT64, [len(axes)])
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], axes=axes, **dict(attributes))
    graph = helper.make_graph([node], "resize", [given, sizes], [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
