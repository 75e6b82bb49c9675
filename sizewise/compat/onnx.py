"""ONNX's Resize as a function, with the inputs and attributes of opset 19, and as an operator for its evaluator.

>>> import numpy as np
>>> from sizewise.compat import onnx
>>> image = np.zeros((1, 3, 480, 640), np.float32)
>>> onnx.resize(image, sizes=(1, 3, 240, 320), mode="linear").shape
(1, 3, 240, 320)

Numbers are those of onnxruntime, dialect "onnx", or with `dialect="onnx-reference"` those of onnx's own evaluator; the
dialects say where they are not. `Resize` is for that evaluator: `ReferenceEvaluator(model, new_ops=[onnx.Resize])`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import api, dialects, validation
from ..axes import resolve_axes
from ..errors import ArgumentError, MissingExtraError, UnsupportedError, short_repr, unknown_name
from ._words import emptied, kind

__all__ = ["Resize", "resize"]  # noqa: F822  (Resize is made when it is first used)
__dir__ = __all__.copy

_DIALECTS = ("onnx", "onnx-reference")
_CROP = "tf_crop_and_resize"
_FIRST_OPSET = 11  # Resize of opset 10 has other inputs


def resize(
    X: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    antialias: int = 0,
    axes: Any = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    dialect: str = "onnx",
) -> Any:
    """X resized as ONNX's Resize does, as an array of its own kind and dtype.

    Args:
        X: an array of any rank.
        roi: for `tf_crop_and_resize`, the part of each axis to resize: all starts, then all ends; 1 is the last pixel.
        scales: output over input, one for each axis of X, or for each of `axes`.
        sizes: instead of scales: the lengths of the result, likewise.
        axes: which axes roi, scales and sizes are about; all of X by default.
        dialect: "onnx" for the numbers of onnxruntime, "onnx-reference" for those of onnx's ReferenceEvaluator.

    Inputs that are empty count as not given, as in older models. All other arguments are the operator's attributes.

    >>> resize(np.float32([[0, 1], [2, 3]]), scales=(1, 2), mode="linear")
    array([[0.  , 0.25, 0.75, 1.  ],
           [2.  , 2.25, 2.75, 3.  ]], dtype=float32)
    """
    if not isinstance(dialect, str) or dialect not in _DIALECTS:
        raise unknown_name("dialect of ONNX", dialect, _DIALECTS)
    options: dict[str, Any] = {
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "cubic_coeff_a": cubic_coeff_a,
        "exclude_outside": exclude_outside,
        "extrapolation_value": extrapolation_value,
        "keep_aspect_ratio_policy": keep_aspect_ratio_policy,
        "nearest_mode": nearest_mode,
    }
    dialects.get(dialect).fill_options(options)  # before any of them is looked at
    part = _listed("roi", roi)
    part = part if coordinate_transformation_mode == _CROP else None
    word, each = _axes(X, axes, part, _listed("scales", scales), _listed("sizes", sizes))
    empty = [one.position for one in each if _is_empty(word, one, dialect, options)]
    each = [_unchanged(word, one) if one.position in empty else one for one in each]
    moved = _moved(word, each, dialect, options)
    if moved[0].part is not None:
        options["roi"] = tuple(axis.part[end] for end in (0, 1) for axis in moved if axis.part)
    options |= {word: tuple(axis.wanted for axis in moved), "axes": tuple(axis.position for axis in moved)}
    return emptied(api.resize(X, method=mode, antialias=_flag(antialias), dialect=dialect, **options), empty)


class _Axis(NamedTuple):
    """An axis of X, the size or scale wanted of it, and the part of it to resize, if that was given."""

    position: int
    n_in: int
    wanted: Any
    part: tuple[float, float] | None


def _axes(X: Any, axes: Any, roi: Any, scales: Any, sizes: Any) -> tuple[str, list[_Axis]]:
    """Whether it is a size or a scale that is wanted, and the axes of X that it is wanted of."""
    kind(X, "X")
    rank = len(X.shape)
    where = resolve_axes(tuple(range(rank)) if axes is None else axes, rank, ())
    if (scales is None) == (sizes is None):
        given = "neither was" if scales is None else "both were"
        raise ArgumentError(f"give scales or sizes, one of them; {given} given")
    for name, given, count in (("roi", roi, 2), ("scales", scales, 1), ("sizes", sizes, 1)):
        if given is not None and len(given) != count * len(where):
            raise ArgumentError(
                f"{name} has {len(given)} numbers for axes {where} of X; give {count} for each of them, "
                "or say in axes which they are for"
            )
    wanted = sizes if scales is None else [float(np.float32(one)) for one in scales]
    parts = [None] * len(where) if roi is None else zip(roi[: len(where)], roi[len(where) :], strict=True)
    each = [_Axis(axis, int(X.shape[axis]), *rest) for axis, *rest in zip(where, wanted, parts, strict=True)]
    return "size" if scales is None else "scale", each


def _is_empty(word: str, one: _Axis, dialect: str, options: dict[str, Any]) -> bool:
    """Whether nothing is left of an axis: by a small scale, or a size of 0, which onnxruntime refuses."""
    if word == "scale":
        return bool(one.wanted > 0 and one.n_in > 0 and dialects.get(dialect).length(one.n_in, one.wanted) == 0)
    return bool(one.wanted == 0 and dialect != "onnx" and options["keep_aspect_ratio_policy"] == "stretch")


def _unchanged(word: str, one: _Axis) -> _Axis:
    """The axis left as it is."""
    return one._replace(wanted=one.n_in if word == "size" else 1.0, part=one.part and (0.0, 1.0))


def _moved(word: str, each: list[_Axis], dialect: str, options: dict[str, Any]) -> list[_Axis]:
    """The axes that do not stay as they are, since a dialect may limit their number; at least one, to make a copy."""
    stretch = options["keep_aspect_ratio_policy"] == "stretch"
    if word == "scale" and not stretch:
        raise UnsupportedError("keep_aspect_ratio_policy other than 'stretch' is for sizes, not for scales")
    same = [_unchanged(word, one)._replace(part=one.part) for one in each]
    cropped = [one for one in each if one.part not in (None, (0.0, 1.0))]
    if stretch:
        moved = [one for one, before in zip(each, same, strict=True) if one != before or one in cropped]
    else:  # one scale for all axes
        input_size, size = tuple(one.n_in for one in each), tuple(one.wanted for one in each)
        kept = dialects.get(dialect).fit(input_size, size, options)[0] == input_size
        moved = [] if kept and not cropped else each
    return moved or [max(same, key=lambda one: one.n_in)]


def _listed(name: str, given: Any) -> list[Any] | None:
    """The numbers of an input; None where there are none."""
    if given is None:
        return None
    numbers = validation.require_real_array(given, name)
    if numbers.ndim != 1 or numbers.dtype.kind not in ("iu" if name == "sizes" and numbers.size else "iuf"):
        kind = "integers" if name == "sizes" else "numbers"
        raise ArgumentError(f"{name} must be a list of {kind}, or None, not {short_repr(given)}")
    return numbers.tolist() or None


def _flag(antialias: Any) -> bool:
    if not isinstance(antialias, (bool, np.bool_)) and validation.as_int(antialias) not in (0, 1):
        raise ArgumentError(f"antialias must be 0 or 1, not {short_repr(antialias)}")
    return bool(antialias)


def __getattr__(name: str) -> Any:
    if name == "Resize":
        return _operator()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _operator() -> Any:
    """The class of the operator: it needs onnx, which nothing else here does."""
    try:
        from onnx.reference.op_run import OpRun
    except ModuleNotFoundError:
        raise MissingExtraError("sizewise.compat.onnx.Resize", "onnx") from None

    class Resize(OpRun):
        """Resize for onnx's ReferenceEvaluator: its own numbers. A subclass (of the same name, which the evaluator
        goes by) with `dialect = "onnx"` has those of onnxruntime.
        """

        dialect = "onnx-reference"

        def _run(self, X: Any, roi: Any = None, scales: Any = None, sizes: Any = None, **attributes: Any) -> tuple[Any]:
            if self.run_params["opsets"][""] < _FIRST_OPSET:
                raise UnsupportedError(
                    f"Resize of opset 10 has other inputs; make the model one of opset {_FIRST_OPSET} or later: "
                    "onnx.version_converter.convert_version(model, 19)"
                )
            return (resize(X, roi, scales, sizes, dialect=self.dialect, **attributes),)

    return Resize
