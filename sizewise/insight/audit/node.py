"""Node: one resize of a model, as its file tells it. Plain facts; readers make them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...api import make_plan
from ...plan import Plan

Size = tuple[int | None, ...]  # None: not known before the model runs
Options = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Words:
    """How a node resizes, in the words that `make_plan` takes.

    >>> Words("tflite", "bilinear", options=(("align_corners", True),)).plan((4, 4), (2, 2)).output_size
    (2, 2)
    """

    dialect: str
    method: str
    antialias: bool = False
    options: Options = ()

    def plan(
        self, input_size: tuple[int, ...], output_size: tuple[int, ...] | None, scale: tuple[float, ...] | None = None
    ) -> Plan:
        """The plan of that resize; `scale` where the model gives it instead of a size, or beside it."""
        words: dict[str, Any] = {"antialias": self.antialias, "dialect": self.dialect, **dict(self.options)}
        return make_plan(input_size, output_size, self.method, scale=scale, **words)


@dataclass(frozen=True)
class Node:
    """A node that resizes: its name in the model, its op, and the sizes of the axes it resizes.

    `layout` names all axes of its array. `scale` is the model's own, where it has one. `words` are None for what is not
    a plain resize, and `note` then says what it is. `since` is the version of its op, where ops have one.

    >>> node = Node("up", "RESIZE_BILINEAR", (None, 8), (16, 16), words=Words("tflite", "bilinear"))
    >>> node.is_static
    False
    """

    name: str
    op: str
    input_size: Size = ()
    output_size: Size = ()
    layout: str = ""
    scale: tuple[float, ...] | None = None
    words: Words | None = None
    note: str = ""
    since: int = 0

    @property
    def is_static(self) -> bool:
        """Whether both sizes are known before the model runs."""
        return None not in (*self.input_size, *self.output_size)


@dataclass(frozen=True)
class Model:
    """What a reader found: the kind of model, and its nodes in the order of the file.

    >>> Model("ONNX, opset 19", ()).nodes
    ()
    """

    kind: str
    nodes: tuple[Node, ...]


def example_size(count: int, example: tuple[int, int]) -> tuple[int, ...]:
    """The example of (height, width), for so many axes.

    >>> example_size(3, (4, 6)), example_size(1, (4, 6))
    ((4, 4, 6), (6,))
    """
    return (example[0],) * (count - 2) + example if count >= 2 else example[-count:]


def settled(node: Node, example: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """The node's sizes, with those of the example for inputs that are not known, and twice the input for outputs.

    The output is None where the node has a scale to make it from.

    >>> settled(Node("up", "Resize", (None, 8), (None, 16)), (5, 5))
    ((5, 8), (10, 16))
    """
    taken = example_size(len(node.input_size), example)
    inputs = tuple(n or other for n, other in zip(node.input_size, taken, strict=True))
    if node.scale is not None:
        return inputs, None
    return inputs, tuple(n or 2 * n_in for n, n_in in zip(node.output_size, inputs, strict=True))
