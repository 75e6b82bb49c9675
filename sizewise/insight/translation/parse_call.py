"""Parsing of calls: a line of code as a name and arguments, never run."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ...errors import ArgumentError, unknown_name
from ...resize_spec import Factor

_CONSTANTS: Mapping[str, object] = {"true": True, "false": False, "null": None, "undefined": None}  # of JavaScript
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_FLOOR = ("int", "Math.floor", "math.floor")
_NOT_GIVEN = ("None", "null", "undefined")
_MAX_CHARACTERS = 2000

Size = tuple[int | Factor, ...]


@dataclass(frozen=True)
class Call:
    """A call: the dotted name of the function, and its arguments as written.

    `image` is the resized image where it is not among the arguments: `image.resize(...)`, `Upsample(...)(image)`.
    """

    name: str
    arguments: tuple[ast.expr, ...]
    keywords: tuple[tuple[str, ast.expr], ...]
    image: str = ""

    def bind(self, parameters: Sequence[str], image: str = "", default: str = "") -> Arguments:
        """Return the arguments by parameter name; `image` names that of the image, and `default` is its code."""
        if len(self.arguments) > len(parameters):
            raise ArgumentError(
                f"{self.name} takes {len(parameters)} arguments ({', '.join(parameters)}), got {len(self.arguments)}"
            )
        bound = dict(zip(parameters, self.arguments, strict=False))
        for name, value in self.keywords:
            if name not in parameters:
                raise unknown_name(f"argument of {self.name}", name, parameters)
            if name in bound:
                raise ArgumentError(f"{self.name}: {name} is given twice")
            bound[name] = value
        given = {name: node for name, node in bound.items() if ast.unparse(node) not in _NOT_GIVEN}
        code = ast.unparse(given.pop(image)) if image in given else self.image or default
        if not code:
            raise ArgumentError(f"{self.name} needs {image}, the image")
        return Arguments(self.name, given, code)


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call by parameter name, without those that are None, and the code of the image."""

    function: str
    nodes: Mapping[str, ast.expr]
    image: str

    def require(self, *names: str) -> None:
        """Raise where one of these arguments is missing."""
        missing = [name for name in names if name not in self.nodes]
        if missing:
            raise ArgumentError(f"{self.function} needs {' and '.join(missing)}")

    def value(self, name: str, default: object = None, constants: Mapping[str, object] | None = None) -> Any:
        """Return the value of an argument, or its default; `constants` are names that it may have."""
        return literal(self.nodes[name], name, constants) if name in self.nodes else default

    def values(self, *names: str) -> dict[str, Any]:
        """Return the values of those arguments that are given."""
        return {name: literal(self.nodes[name], name) for name in names if name in self.nodes}

    def flags(self, *names: str) -> dict[str, bool]:
        """Return those arguments that are given as booleans."""
        return {name: bool(value) for name, value in self.values(*names).items()}

    def entries(self, name: str, count: int | None = None, alone: int = 1) -> list[ast.expr]:
        """Return the entries of a tuple or list, `count` of them if given; one number stands for `count or alone`."""
        self.require(name)
        return _entries(self.nodes[name], name, count, alone)

    def size(self, name: str, first: int | None = None, *, of: Sequence[str] = (), swapped: bool = False) -> Size:
        """Return a height and a width, or `swapped` a width and a height."""
        if name not in self.nodes:
            raise ArgumentError(f"{self.function} needs {name}, {'(width, height)' if swapped else '(height, width)'}")
        nodes = self.entries(name, 2)
        return self.lengths(nodes[::-1] if swapped else nodes, name, first, of)

    def lengths(self, nodes: Sequence[ast.expr], name: str, first: int | None = None, of: Sequence[str] = ()) -> Size:
        """Return output lengths; `of` is the code of the input lengths, by default that of `input_lengths`."""
        codes = of or input_lengths(self.image, len(nodes), first)
        return tuple(_length(node, name, code) for node, code in zip(nodes, codes, strict=True))

    def scale(self, nodes: Sequence[ast.expr], name: str) -> tuple[float, ...]:
        """Return positive numbers."""
        values = [literal(node, name) for node in nodes]
        for value in values:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
                raise ArgumentError(f"{name} has {value!r}; every scale must be a positive number")
        return tuple(float(value) for value in values)  # type: ignore[arg-type]

    def size_or_scale(self, axes: int | None) -> dict[str, Any]:
        """Return `size` or `scale_factor` of PyTorch and Paddle, whichever is given, for a number of axes if known."""
        if ("size" in self.nodes) == ("scale_factor" in self.nodes):
            given = "both are" if "size" in self.nodes else "neither is"
            raise ArgumentError(f"give size or scale_factor; {given} given")
        if "size" in self.nodes:
            return {"size": self.lengths(self.entries("size", axes, alone=2), "size", 2)}
        return {"scale": self.scale(self.entries("scale_factor", axes, alone=2), "scale_factor")}


def input_lengths(image: str, count: int, first: int | None = None) -> list[str]:
    """Return the code of the input lengths; `first` is the first resized axis, by default that of channels last."""
    start = -1 - count if first is None else first
    return [f"{image}.shape[{axis}]" for axis in range(start, start + count)]


def parse(text: str) -> Call:
    """Parse the text of a call."""
    source = text.strip().rstrip(";").strip()
    if len(source) > _MAX_CHARACTERS:
        raise ArgumentError(f"the call has {len(source):,} characters; at most {_MAX_CHARACTERS:,} are read")
    try:
        tree = ast.parse(source, mode="eval").body
        ast.unparse(tree)  # recurses as deep as the readers do
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "Python cannot parse it"
        raise ArgumentError(f"cannot read the call {_short(source)!r}: {why}; write it as in Python") from None
    if not isinstance(tree, ast.Call):
        raise ArgumentError(f"{_short(source)!r} is not a call; write one like F.interpolate(x, scale_factor=2)")
    if isinstance(tree.func, ast.Call):  # a layer, created and called
        given = [*tree.args, *(one.value for one in tree.keywords)]
        if len(given) != 1:
            raise ArgumentError(f"{_short(source)!r} calls a layer with {len(given)} arguments; it takes one image")
        return _call(tree.func, ast.unparse(given[0]))
    return _call(tree, "")


def _call(tree: ast.Call, image: str) -> Call:
    for one in (*tree.args, *(one.value for one in tree.keywords)):
        if isinstance(one, ast.Starred):
            raise ArgumentError(f"cannot read {ast.unparse(one)!r}: write every argument out")
    if any(one.arg is None for one in tree.keywords):
        raise ArgumentError("cannot read arguments given as **: write every argument out")
    keywords = tuple((one.arg or "", one.value) for one in tree.keywords)
    return Call(ast.unparse(tree.func), tuple(tree.args), keywords, image)


def literal(node: ast.expr, name: str, constants: Mapping[str, object] | None = None) -> object:
    """Return the value of an argument: a number, string or list of them, or a constant by the last part of its name."""
    known = {**_CONSTANTS, **(constants or {})}
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(literal(one, name, constants) for one in node.elts)
    if isinstance(node, (ast.Name, ast.Attribute)):
        last = ast.unparse(node).rpartition(".")[2]
        if last in known:
            return known[last]
        if constants and isinstance(node, ast.Attribute):
            raise unknown_name(f"value of {name}", last, constants)
    if _is_array(node):
        return literal(node.args[0], name, constants)
    number = _number(node)
    if number is not None:
        return number
    raise ArgumentError(
        f"{name} is {_short(ast.unparse(node))!r}, which is unknown without running the code; write its value"
    )


def _is_array(node: ast.expr) -> TypeGuard[ast.Call]:
    """Return whether it is np.array([...]), or that of another module."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("array") and len(node.args) == 1


def _number(node: ast.expr) -> float | None:
    """Return a number, or a sum, product or quotient of two."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _number(node.operand)
        return None if inner is None else -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _number(node.left), _number(node.right)
        if left is not None and right is not None and not (isinstance(node.op, ast.Div) and right == 0):
            value: float = _OPERATORS[type(node.op)](left, right)
            return value
    return None


def _length(node: ast.expr, name: str, of: str) -> int | Factor:
    """Return a length: an integer, or a multiple of the input length, whose code is `of`."""
    factor = _factor(node, of)
    if factor is not None:
        return Factor(factor)
    value = literal(node, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(f"{name} has {value!r}; every length must be an integer of at least 1")
    return value


def _factor(node: ast.expr, of: str) -> float | None:
    """Return the number that `of` is multiplied by."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _FLOOR and len(node.args) == 1:
        return _factor(node.args[0], of)
    if ast.unparse(node) == of:
        return 1.0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if ast.unparse(one) == of:
                return _number(other)
    return None


def _entries(node: ast.expr, name: str, count: int | None, alone: int) -> list[ast.expr]:
    if _is_array(node):
        return _entries(node.args[0], name, count, alone)
    if isinstance(node, (ast.Tuple, ast.List)):
        if count is not None and len(node.elts) != count:
            raise ArgumentError(f"{name} is {ast.unparse(node)}, with {len(node.elts)} entries; give {count}")
        return list(node.elts)
    return [node] * (count or alone)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
