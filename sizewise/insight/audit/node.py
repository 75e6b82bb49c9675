"""Node: one resize of a model, as its file describes it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...plan import Plan
from ...resize_spec import ResizeSpec
from .inputs import Input

Size = tuple[int | None, ...]  # None: not known before the model runs


@dataclass(frozen=True)
class Node:
    """A node that resizes: its name in the model, its op, and the sizes of the axes it resizes.

    `layout` names all axes of its array. `scale` is the model's own, if it has one. `spec` has neither size nor scale;
    it is None for what is not a plain resize, and `note` then says what it is. `since` is the version of its op, for
    ops that have one.
    """

    name: str
    op: str
    input_size: Size = ()
    output_size: Size = ()
    layout: str = ""
    scale: tuple[float, ...] | None = None
    spec: ResizeSpec | None = None
    note: str = ""
    since: int = 0

    @property
    def is_static(self) -> bool:
        """Whether both sizes are known before the model runs."""
        return None not in (*self.input_size, *self.output_size)

    def make_plan(self, input_size: tuple[int, ...], output_size: tuple[int, ...] | None) -> Plan:
        """Return the plan of a plain resize; `output_size` is None where the scale determines it."""
        assert self.spec is not None
        return replace(self.spec, size=output_size, scale=self.scale).make_plan(input_size)


@dataclass(frozen=True)
class Model:
    """The kind of a model, its nodes in the order of the file, and its inputs as far as the file states them."""

    kind: str
    nodes: tuple[Node, ...]
    inputs: tuple[Input, ...] = ()


def resolve_sizes(node: Node, example: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return the sizes of a node, with those of the example for unknown inputs, and twice the input for outputs.

    The output is None where the node has a scale to make it from.
    """
    axes = len(node.input_size)
    assumed = (example[0],) * (axes - 2) + example[-axes:] if axes else ()
    inputs = tuple(n or other for n, other in zip(node.input_size, assumed, strict=True))
    if node.scale is not None:
        return inputs, None
    return inputs, tuple(n or 2 * n_in for n, n_in in zip(node.output_size, inputs, strict=True))
