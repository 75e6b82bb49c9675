"""Resize and Upsample of each opset, as specs of dialect onnx."""

from __future__ import annotations

from typing import Any

from ... import dialects
from ...errors import ArgumentError
from ...resize_spec import ResizeSpec
from ._onnx_values import Values, Vector

KNOWN = (("Upsample", 7), ("Upsample", 9), ("Upsample", 10), *(("Resize", since) for since in (10, 11, 13, 18, 19)))
_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}
_CROP = "tf_crop_and_resize"


def inputs(
    node: Any, since: int, attributes: dict[str, Any], values: Values
) -> tuple[Vector | None, Vector | None, Vector | None]:
    """Return the scales, sizes and roi of a node, as far as they are constant; None for those it does not have."""
    if since == 7:
        return tuple(attributes.get("scales", ())), None, None
    given = [
        values.of(name) if name else () for name in node.input[1:]
    ]  # () for no input; None for one that is not constant
    if since < 11:
        return (given or [()])[0] or _unknown(node, values), None, None
    roi, scales, sizes = (*given, (), (), ())[:3]
    if sizes == ():
        return scales or _unknown(node, values), None, roi or None
    return None, sizes or _unknown(node, values), roi or None


def _unknown(node: Any, values: Values) -> Vector:
    return (None,) * len(values.shape(node.input[0]) or ())


def select_roi(roi: Vector | None, axes: tuple[int, ...], rank: int) -> Vector | None:
    """Return the roi of the resized axes, of one for all axes: all starts, then all ends."""
    if roi is None or len(roi) != 2 * rank:
        return roi
    return tuple(roi[first + axis] for first in (0, rank) for axis in axes)


def spec_of(since: int, attributes: dict[str, Any], scale: tuple[float, ...] | None, roi: Vector | None) -> ResizeSpec:
    """Return the spec of a node, for any size."""
    text = {name: value.decode("utf-8", "replace") for name, value in attributes.items() if isinstance(value, bytes)}
    mode = text.get("mode", "nearest").lower()
    if mode not in _MODES:
        raise ArgumentError(f"Resize has no mode {mode!r}; it has {', '.join(_MODES)}")
    if since < 11:
        return _early(_MODES[mode], scale)
    options: dict[str, object] = {
        name: text.get(name) or attributes[name]
        for name in dialects.get("onnx").options
        if name in attributes and name != "roi"
    }
    if options.get("coordinate_transformation_mode") == _CROP and roi is not None:
        if None in roi:
            raise ArgumentError("its roi is computed when the model runs")
        options["roi"] = roi
    return _checked(_MODES[mode], bool(attributes.get("antialias", 0)), options)


def _early(method: str, scale: tuple[float, ...] | None) -> ResizeSpec:
    """Return the spec before opset 11, which had no coordinate modes: onnxruntime rounds up where it shrinks."""
    options: dict[str, object] = {"coordinate_transformation_mode": "asymmetric"}
    if method == "nearest":
        shrinks = {one < 1 for one in scale or () if one != 1}
        if len(shrinks) == 2:
            raise ArgumentError("before opset 11, nearest that shrinks one axis and enlarges another has two rules")
        options["nearest_mode"] = "ceil" if True in shrinks else "floor"
    return _checked(method, False, options)


def _checked(method: str, antialias: bool, options: dict[str, object]) -> ResizeSpec:
    """Return the spec of valid options, without those that the method ignores."""
    complete = dict(dialects.get("onnx").fill_options(options))
    crops = complete["coordinate_transformation_mode"] == _CROP
    read = {"nearest_mode": method == "nearest", "cubic_coeff_a": method == "cubic", "extrapolation_value": crops}
    relevant = {name: value for name, value in complete.items() if read.get(name, True)}
    return ResizeSpec.of("onnx", method, antialias, relevant)
