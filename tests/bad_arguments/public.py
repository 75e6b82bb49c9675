"""The public functions of modules and classes, and those without a function case."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import GenericAlias, UnionType
from typing import Any

from bad_arguments.function_case import FunctionCase

# Public names without a function case, and why.
INNER = {
    **dict.fromkeys(
        (
            "float_option",
            "per_axis_option",
            "flag_option",
            "keep_size",
            "per_axis",
            "scale_and_translation",
            "is_floating",
            "float_arithmetic",
            "request_to_text",
        ),
        "for authors of dialects",
    ),
    **dict.fromkeys(
        (
            "Arithmetic",
            "Dialect",
            "FixedPoint",
            "OpenOption",
            "Reduction",
            "Request",
            "TwoPassInteger",
            "IntegerTaps",
            "Formula",
        ),
        "plain records",
    ),
    **dict.fromkeys(("AxisGeometry", "CoreInfo", "Filter", "Geometry"), "plain records"),
    "Plan.bind": "for backends, which know the shape and dtype of an array",
    **dict.fromkeys(("Resampling", "ResizeMethod"), "enumerations"),
    "onnx.Resize": "onnx's own arguments, which onnx checks",
    "Resizing": "Keras's own arguments, which Keras checks",
    "ModeError": "an error",
    "functional.center_crop": "torchvision's own",
}


def functions(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes of a module, or the public methods of a class."""
    for name in getattr(thing, "__all__", vars(thing)):
        found = getattr(thing, name)
        own = inspect.isclass(thing) or hasattr(thing, "__all__") or getattr(found, "__module__", "") == thing.__name__
        is_alias = isinstance(found, GenericAlias | UnionType)  # a type alias such as `tuple[int, ...]`
        if not name.startswith("_") and own and callable(found) and not is_alias:
            yield name, found


def faults(scanned: dict[str, Any], cases: dict[str, FunctionCase]) -> Iterator[str]:
    """Yield the functions without a case, and the arguments that no case tries; `scanned` by their prefixes."""
    for before, thing in scanned.items():
        for name, function in functions(thing):
            full = f"{before}{name}"
            if {full, name} & INNER.keys():
                continue
            asked = [case for known, case in cases.items() if known.partition(" ")[0] == full]
            if not asked:
                yield f"{full} has no function case"
            for argument in arguments(function):
                if not any(argument in case.takes for case in asked):
                    yield f"{full}: no case tries {argument}"


def arguments(function: Any) -> list[str]:
    """Return the names of a function's arguments."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind not in kinds and one.name != "self"]
