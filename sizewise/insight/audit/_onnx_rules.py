"""What Resize and Upsample of each opset mean, in the words of dialect onnx."""

from __future__ import annotations

from typing import Any

from ... import dialects
from ...errors import ArgumentError
from ._onnx_values import Values, Whole
from .node import Words

KNOWN = (("Upsample", 7), ("Upsample", 9), ("Upsample", 10), *(("Resize", since) for since in (10, 11, 13, 18, 19)))
_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}
_CROP = "tf_crop_and_resize"


def inputs(
    node: Any, since: int, attributes: dict[str, Any], values: Values
) -> tuple[Whole | None, Whole | None, Whole | None]:
    """The scales, sizes and roi that a node is given, as far as they are constant; None for those it is not given."""
    if since == 7:
        return tuple(attributes.get("scales", ())), None, None
    given = [values.of(name) if name else () for name in node.input[1:]]  # () is given nothing; None is not constant
    if since < 11:
        return (given or [()])[0] or _unknown(node, values), None, None
    roi, scales, sizes = (*given, (), (), ())[:3]
    if sizes == ():
        return scales or _unknown(node, values), None, roi or None
    return None, sizes or _unknown(node, values), roi or None


def _unknown(node: Any, values: Values) -> Whole:
    return (None,) * len(values.shape(node.input[0]) or ())


def part(roi: Whole | None, axes: tuple[int, ...], rank: int) -> Whole | None:
    """Of a roi for all axes, that of those which are resized: all starts, then all ends."""
    if roi is None or len(roi) != 2 * rank:
        return roi
    return tuple(roi[first + axis] for first in (0, rank) for axis in axes)


def words(
    since: int, attributes: dict[str, Any], scale: tuple[float, ...] | None, roi: Whole | None
) -> tuple[Words, str]:
    """How the node resizes, and what has to be said of it."""
    text = {name: value.decode("utf-8", "replace") for name, value in attributes.items() if isinstance(value, bytes)}
    mode = text.get("mode", "nearest").lower()
    if mode not in _MODES:
        raise ArgumentError(f"mode {mode!r} is none that Resize has ({', '.join(_MODES)})")
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
    return _checked(_MODES[mode], bool(attributes.get("antialias", 0)), options), ""


def _early(method: str, scale: tuple[float, ...] | None) -> tuple[Words, str]:
    """Before opset 11 there were no coordinates to choose from. onnxruntime picks the pixel above where it shrinks."""
    options: dict[str, object] = {"coordinate_transformation_mode": "asymmetric"}
    if method == "nearest":
        shrinks = {one < 1 for one in scale or () if one != 1}
        if len(shrinks) == 2:
            raise ArgumentError("before opset 11, nearest that shrinks one axis and enlarges another has two rules")
        options["nearest_mode"] = "ceil" if True in shrinks else "floor"
    return _checked(method, False, options), ""


def _checked(method: str, antialias: bool, options: dict[str, object]) -> Words:
    """The words, every one of them known, without those that the method does not look at."""
    chosen = dialects.get("onnx")
    chosen.resolve_antialias(method, antialias)
    usual = dict(chosen.fill_options({}))
    complete = dict(chosen.fill_options(options))
    crops = complete["coordinate_transformation_mode"] == _CROP
    seen = {"nearest_mode": method == "nearest", "cubic_coeff_a": method == "cubic", "extrapolation_value": crops}
    words = {name: value for name, value in complete.items() if value != usual[name] and seen.get(name, True)}
    return Words("onnx", method, antialias, tuple(words.items()))
