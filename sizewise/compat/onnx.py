"""ONNX's Resize as a function, with the inputs and attributes of opset 19, and as an operator for its evaluator.

>>> import numpy as np
>>> from sizewise.compat import onnx
>>> image = np.zeros((1, 3, 480, 640), np.float32)
>>> onnx.resize(image, sizes=(1, 3, 240, 320), mode="linear").shape
(1, 3, 240, 320)

Pixels are those of onnxruntime, dialect "onnx", or with `dialect="onnx-reference"` those of onnx's own evaluator; the
dialects document exceptions. `Resize`, a class, is for that evaluator:
`ReferenceEvaluator(model, new_ops=[onnx.Resize])`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import api, dialects, validation
from ..axes import resolve_axes
from ..errors import ArgumentError, MissingExtraError, UnsupportedError, short_repr
from ._arguments import dtype_name, empty_axes, require_known, require_one_of

__all__ = ["Resize", "resize"]  # noqa: F822  (Resize is defined on first use)
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
    """Return X resized as ONNX's Resize does, as an array of the same library and dtype.

    Args:
        X: an array of any rank.
        roi: for `tf_crop_and_resize`, the part of each axis to resize: all starts, then all ends; 1 is the last pixel.
        scales: output over input, one for each axis of X, or for each of `axes`.
        sizes: instead of scales: the lengths of the result, likewise.
        axes: the axes that roi, scales and sizes refer to; all of X by default.
        dialect: "onnx" for the pixels of onnxruntime, "onnx-reference" for those of onnx's ReferenceEvaluator.

    Empty inputs count as not given, as in older models. All other arguments are the operator's attributes.

    >>> resize(np.float32([[0, 1], [2, 3]]), scales=(1, 2), mode="linear")
    array([[0.  , 0.25, 0.75, 1.  ],
           [2.  , 2.25, 2.75, 3.  ]], dtype=float32)
    """
    require_known(dialect, "dialect of ONNX", _DIALECTS)
    options: dict[str, Any] = {
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "cubic_coeff_a": cubic_coeff_a,
        "exclude_outside": exclude_outside,
        "extrapolation_value": extrapolation_value,
        "keep_aspect_ratio_policy": keep_aspect_ratio_policy,
        "nearest_mode": nearest_mode,
    }
    dialects.get(dialect).fill_options(options)  # validates them
    roi = _entries("roi", roi)
    parts = roi if coordinate_transformation_mode == _CROP else None
    name, each = _axes(X, axes, parts, _entries("scales", scales), _entries("sizes", sizes))
    empty = [one.position for one in each if _is_empty(name, one, dialect, options)]
    each = [_unchanged(name, one) if one.position in empty else one for one in each]
    resized = _resized_axes(name, each, dialect, options)
    if resized[0].part is not None:
        options["roi"] = tuple(axis.part[end] for end in (0, 1) for axis in resized if axis.part)
    options |= {name: tuple(axis.target for axis in resized), "axes": tuple(axis.position for axis in resized)}
    return empty_axes(api.resize(X, method=mode, antialias=_flag(antialias), dialect=dialect, **options), empty)


class _Axis(NamedTuple):
    """An axis of X, its target size or scale, and the part of it to resize, if given."""

    position: int
    n_in: int
    target: Any
    part: tuple[float, float] | None


def _axes(X: Any, axes: Any, roi: Any, scales: Any, sizes: Any) -> tuple[str, list[_Axis]]:
    """Return "size" or "scale", whichever is given, and the axes of X with theirs."""
    dtype_name(X, "X")
    rank = len(X.shape)
    where = resolve_axes(tuple(range(rank)) if axes is None else axes, rank, ())
    require_one_of(scales=scales, sizes=sizes)
    for name, given, count in (("roi", roi, 2), ("scales", scales, 1), ("sizes", sizes, 1)):
        if given is not None and len(given) != count * len(where):
            raise ArgumentError(
                f"{name} has {len(given)} numbers for axes {where} of X; give {count} for each of them, "
                "or say in axes which they are for"
            )
    targets = sizes if scales is None else [float(np.float32(one)) for one in scales]
    parts = [None] * len(where) if roi is None else zip(roi[: len(where)], roi[len(where) :], strict=True)
    each = [_Axis(axis, int(X.shape[axis]), *rest) for axis, *rest in zip(where, targets, parts, strict=True)]
    return "size" if scales is None else "scale", each


def _is_empty(name: str, one: _Axis, dialect: str, options: dict[str, Any]) -> bool:
    """Return whether an axis gets a length of 0: by a small scale, or by a size of 0, which onnxruntime rejects."""
    if name == "scale":
        return bool(one.target > 0 and one.n_in > 0 and dialects.get(dialect).length(one.n_in, one.target) == 0)
    return bool(one.target == 0 and dialect != "onnx" and options["keep_aspect_ratio_policy"] == "stretch")


def _unchanged(name: str, one: _Axis) -> _Axis:
    """Return the axis with its own length as the target."""
    return one._replace(target=one.n_in if name == "size" else 1.0, part=one.part and (0.0, 1.0))


def _resized_axes(name: str, each: list[_Axis], dialect: str, options: dict[str, Any]) -> list[_Axis]:
    """Return the axes that change, since a dialect may limit their number; at least one, which copies the array."""
    is_stretched = options["keep_aspect_ratio_policy"] == "stretch"
    if name == "scale" and not is_stretched:
        raise UnsupportedError("keep_aspect_ratio_policy other than 'stretch' is for sizes, not for scales")
    is_changed = [one != _unchanged(name, one) for one in each]
    if not is_stretched:  # one scale for all axes
        input_size, size = tuple(one.n_in for one in each), tuple(one.target for one in each)
        is_cropped = any(one.part not in (None, (0.0, 1.0)) for one in each)
        is_fitted = dialects.get(dialect).fit(input_size, size, options)[0] != input_size
        is_changed = [is_fitted or is_cropped] * len(each)
    changed = [one for one, own in zip(each, is_changed, strict=True) if own]
    return changed or [_unchanged(name, max(each, key=lambda one: one.n_in))]


def _entries(name: str, given: Any) -> list[Any] | None:
    """Return the entries of an input; None if it is empty."""
    if given is None:
        return None
    array = validation.require_real_array(given, name)
    if array.ndim != 1 or array.dtype.kind not in ("iu" if name == "sizes" and array.size else "iuf"):
        kind = "integers" if name == "sizes" else "numbers"
        raise ArgumentError(f"{name} must be a list of {kind}, or None, not {short_repr(given)}")
    return array.tolist() or None


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
    """Return the class of the operator, the only part of this module that needs onnx."""
    try:
        from onnx.reference.op_run import OpRun
    except ModuleNotFoundError:
        raise MissingExtraError("sizewise.compat.onnx.Resize", "onnx") from None

    class Resize(OpRun):
        """Resize for onnx's ReferenceEvaluator, with its pixels.

        A subclass with `dialect = "onnx"` has those of onnxruntime; it must have the same name, by which the evaluator
        finds it.

        >>> from onnx.parser import parse_model
        >>> from onnx.reference import ReferenceEvaluator
        >>> from sizewise.compat import onnx
        >>> graph = '(float[2] x) => (float[4] y) <float[1] scales = {2}> {y = Resize <mode = "linear"> (x, , scales)}'
        >>> model = parse_model('<ir_version: 9, opset_import: ["": 19]> two_times ' + graph)
        >>> ReferenceEvaluator(model, new_ops=[onnx.Resize]).run(None, {"x": np.float32([0, 1])})
        [array([0.  , 0.25, 0.75, 1.  ], dtype=float32)]
        """

        dialect = "onnx-reference"

        def _run(self, X: Any, roi: Any = None, scales: Any = None, sizes: Any = None, **attributes: Any) -> tuple[Any]:
            if self.run_params["opsets"][""] < _FIRST_OPSET:
                raise UnsupportedError(
                    f"Resize of opset 10 has other inputs; convert the model to opset {_FIRST_OPSET} or later: "
                    "onnx.version_converter.convert_version(model, 19)"
                )
            return (resize(X, roi, scales, sizes, dialect=self.dialect, **attributes),)

    return Resize
