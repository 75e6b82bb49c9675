"""Each compat function has its original's arguments: same names, order and defaults, read from the original itself."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from functools import reduce
from typing import Any

import onnx
import pytest

REQUIRED, OPTIONAL = inspect.Parameter.empty, "some default, which the original does not document"
Signature = list[tuple[str, Any]]  # names and defaults


def resolve(dotted: str) -> Any:
    """Return the object of a dotted name: modules first, then attributes."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError as missing:
            if missing.name and ".".join(parts[:cut]).startswith(missing.name):
                continue
            raise
        return reduce(getattr, parts[cut:], module)
    raise ModuleNotFoundError(dotted)


def inspected(dotted: str) -> Signature:
    """Return the signature of a Python function."""
    return [(one.name, one.default) for one in inspect.signature(resolve(dotted)).parameters.values()]


def documented(dotted: str) -> Signature:
    """Return the signature in the docstring of a compiled function: f(a, b[, c[, d]]) -> e."""
    text = re.match(r"\w+\(([^)]*)\)", inspect.getdoc(resolve(dotted)) or "")
    assert text, f"the docstring of {dotted} does not begin with its signature"
    needed, _, others = text[1].partition("[")
    return [
        (name.strip(), default)
        for given, default in ((needed, REQUIRED), (others, OPTIONAL))
        for name in re.sub(r"[\[\]]", "", given).split(",")
        if name.strip()
    ]


def operator(name: str) -> Signature:
    """Return the inputs and then the attributes of an ONNX operator, these in alphabetical order."""
    schema = onnx.defs.get_schema(name)
    optional = onnx.defs.OpSchema.FormalParameterOption.Optional
    inputs = [(one.name, None if one.option == optional else REQUIRED) for one in schema.inputs]
    return inputs + [(name, attribute(schema.attributes[name])) for name in sorted(schema.attributes)]


def attribute(one: Any) -> Any:
    if one.required:
        return REQUIRED
    value = onnx.helper.get_attribute_value(one.default_value) if one.default_value.name else None
    return value.decode() if isinstance(value, bytes) else value


# Below sizewise.compat; who reads the original; the original; arguments that are ours alone, all by keyword only.
ROWS: list[tuple[str, Callable[[str], Signature], str, set[str]]] = [
    ("cv2.resize", documented, "cv2.resize", set()),
    ("pillow.resize", inspected, "PIL.Image.Image.resize", {"dialect"}),
    ("onnx.resize", operator, "Resize", {"dialect"}),
    ("torch.interpolate", inspected, "torch.nn.functional.interpolate", set()),
    ("torch.Upsample", inspected, "torch.nn.Upsample", set()),
    ("torchvision.functional.resize", inspected, "torchvision.transforms.v2.functional.resize", set()),
    ("torchvision.functional.resized_crop", inspected, "torchvision.transforms.v2.functional.resized_crop", set()),
    ("torchvision.Resize", inspected, "torchvision.transforms.v2.Resize", set()),
    ("torchvision.RandomResizedCrop", inspected, "torchvision.transforms.v2.RandomResizedCrop", set()),
    ("keras.Resizing", inspected, "keras.layers.Resizing", {"dialect"}),
    ("jax.resize", inspected, "jax.image.resize", set()),
    ("jax.scale_and_translate", inspected, "jax.image.scale_and_translate", set()),
    ("tensorflow.resize", inspected, "tensorflow.image.resize", set()),
    ("tensorflow.resize_bilinear", inspected, "tensorflow.compat.v1.image.resize_bilinear", set()),
    ("tensorflow.resize_nearest_neighbor", inspected, "tensorflow.compat.v1.image.resize_nearest_neighbor", set()),
    ("tensorflow.resize_bicubic", inspected, "tensorflow.compat.v1.image.resize_bicubic", set()),
    ("tensorflow.resize_area", inspected, "tensorflow.compat.v1.image.resize_area", set()),
    ("tensorflow.scale_and_translate", inspected, "tensorflow.raw_ops.ScaleAndTranslate", set()),
]


def differences(ours: Callable[..., Any], original: Signature, own: set[str]) -> list[str]:
    """Return messages about differences of our signature from the original. A method's `self` may have any name."""
    parameters = inspect.signature(ours).parameters
    found = [f"{name} is ours alone, and not by keyword only" for name in own if parameters[name].kind.value < 3]
    mine = [(name, one.default) for name, one in parameters.items() if name not in own]
    if len(mine) != len(original):
        found.append(f"{len(mine)} arguments: {[name for name, _ in mine]}, not {[name for name, _ in original]}")
    for (name, default), (expected, known) in zip(mine, original, strict=False):
        if expected not in (name, "self"):
            found.append(f"{name} stands where {expected} does")
        if (default is REQUIRED) != (known is REQUIRED) or not (known is OPTIONAL or default == known):
            found.append(f"{name}={default!r}, not {known!r}")
    return found


@pytest.mark.parametrize(("ours", "reader", "original", "own"), ROWS, ids=[row[0] for row in ROWS])
def test_same_arguments(ours: str, reader: Callable[[str], Signature], original: str, own: set[str]) -> None:
    assert differences(resolve(f"sizewise.compat.{ours}"), reader(original), own) == []


def made_up(a: Any, b: Any = None, c: int = 1, *, mine: int = 0) -> None:
    """A stand-in for one of our functions."""


@pytest.mark.parametrize(
    ("original", "expected"),
    [
        ([("a", REQUIRED), ("b", None), ("c", 1)], []),
        ([("self", REQUIRED), ("b", OPTIONAL), ("c", OPTIONAL)], []),
        ([("a", REQUIRED), ("c", 1), ("b", None)], ["b stands where c does", "b=None, not 1"]),
        ([("a", REQUIRED), ("b", None), ("c", 2)], ["c=1, not 2"]),
        ([("a", REQUIRED), ("b", REQUIRED), ("c", 1)], ["b=None, not <class 'inspect._empty'>"]),
        ([("a", REQUIRED), ("b", None)], ["3 arguments: ['a', 'b', 'c'], not ['a', 'b']"]),
    ],
)
def test_control_a_drift_is_seen(original: Signature, expected: list[str]) -> None:
    assert differences(made_up, original, {"mine"})[: len(expected) or None] == expected


def test_control_readers() -> None:
    assert ("fx", OPTIONAL) in documented("cv2.resize") and documented("cv2.resize")[0] == ("src", REQUIRED)
    assert ("mode", "nearest") in operator("Resize") and operator("Resize")[0] == ("X", REQUIRED)
    assert differences(made_up, inspected("PIL.Image.Image.resize"), {"mine"})


INTERPOLATIONS = ("NEAREST", "LINEAR", "CUBIC", "AREA", "LANCZOS4", "LINEAR_EXACT", "NEAREST_EXACT")
CONSTANTS = [("cv2", "cv2", [f"INTER_{name}" for name in INTERPOLATIONS])]


@pytest.mark.parametrize(("ours", "original", "names"), CONSTANTS, ids=[row[0] for row in CONSTANTS])
def test_same_constants(ours: str, original: str, names: list[str]) -> None:
    for name in names:
        assert getattr(resolve(f"sizewise.compat.{ours}"), name) == getattr(resolve(original), name), name


def test_same_filters_of_pillow() -> None:
    ours, original = resolve("sizewise.compat.pillow.Resampling"), resolve("PIL.Image.Resampling")
    assert {one.name: one.value for one in ours} == {one.name: one.value for one in original}


@pytest.mark.parametrize(("name", "package"), [("cv2", "cv2"), ("pillow", "PIL"), ("onnx", "onnx")])
def test_the_original_is_not_needed(name: str, package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from sizewise.compat import {name}; import numpy as np; "
    call = {"cv2": "resize(x, (3, 3))", "pillow": "resize(x, (3, 3))", "onnx": "resize(x, sizes=(3, 3))"}[name]
    code += f"assert {name}.{call.replace('x,', 'np.ones((4, 4), np.float32),')}.shape == (3, 3)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_operator_of_onnx_needs_onnx() -> None:
    code = (
        "import sys; sys.modules['onnx.reference.op_run'] = None\nfrom sizewise import errors\n"
        "from sizewise.compat import onnx\ntry:\n    onnx.Resize\nexcept errors.MissingExtraError as e:\n"
        "    assert 'sizewise[onnx]' in str(e)\nelse:\n    raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="Resise"):
        resolve("sizewise.compat.onnx").Resise
