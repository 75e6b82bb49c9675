"""Reader and writer of albumentations: a Compose without random transforms, as an object or as its `to_dict()`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ArgumentError, UnsupportedError, short_repr
from ..margin_steps import CropInside, PadAtLeast
from ..pointwise_steps import Normalize, Rescale
from ..size_rules import Exact, Fill, Fit
from ..steps import CenterCrop, Decode, Layout, Resize, Step
from ._common import cannot_write, color, look_up, package_of, positive, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "albumentations"
CLASS = "__class_fullname__"
METHODS = dict(enumerate(("nearest", "linear", "cubic", "area", "lanczos4", "linear_exact", "nearest_exact")))
# Keys of every transform. Those of masks have no effect on images, and always_apply, before release 2, none with p=1.
_COMMON = (CLASS, "p", "always_apply", "mask_interpolation", "fill_mask", "mask_value", "transpose_mask")
# Keys of each transform that a recipe of images uses.
_SIZE = ("interpolation", "area_for_downscale")
_KEYS = {
    "Resize": ("height", "width", *_SIZE),
    "SmallestMaxSize": ("max_size", "max_size_hw", *_SIZE),
    "LongestMaxSize": ("max_size", "max_size_hw", *_SIZE),
    "PadIfNeeded": (
        *("min_height", "min_width", "pad_height_divisor", "pad_width_divisor"),
        *("position", "border_mode", "fill", "padding", "value"),
    ),
    "CenterCrop": ("height", "width", "pad_if_needed", "pad_position", "border_mode", "fill"),
    "Normalize": ("mean", "std", "max_pixel_value", "normalization"),
    "ToFloat": ("max_value",),
    "ToTensorV2": (),
}

# Keys of a Compose; those beside `transforms` and `p` are for labels, seeds and checks.
_COMPOSE = (
    *(CLASS, "transforms", "p", "bbox_params", "keypoint_params", "additional_targets", "is_check_shapes"),
    *("seed", "telemetry", "strict", "mask_interpolation", "save_applied_params"),
)


def recognizes(config: Any) -> bool:
    """Return whether an object is a Compose of albumentations, or its dictionary."""
    if isinstance(config, Mapping):
        return CLASS in config or (isinstance(config.get("transform"), Mapping) and CLASS in config["transform"])
    return package_of(config) == "albumentations"


def read(config: Any) -> tuple[Step, ...]:
    """Return the steps of a Compose."""
    whole = config if isinstance(config, Mapping) else config.to_dict()
    compose = whole.get("transform", whole)
    steps: list[Step] = []
    _require_plain(compose)
    transforms = compose.get("transforms", [compose])
    if not isinstance(transforms, (list, tuple)):
        raise ArgumentError(f"transforms of a Compose are {short_repr(transforms)}; give a list")
    for one in transforms:
        if not isinstance(one, Mapping) or CLASS not in one:
            raise ArgumentError(f"a transform of albumentations is {short_repr(one)}; give an object with {CLASS}")
        name = str(one[CLASS]).rpartition(".")[2]
        look_up("transform of albumentations", name, _KEYS)
        require_keys(name, one, (*_KEYS[name], *_COMMON))
        if one.get("p", 1.0) != 1.0:
            raise UnsupportedError(f"{name} has p={one['p']}: it is random; recipes take p=1")
        steps.append(_step(name, one))
    return tuple(steps)


def _require_plain(compose: Mapping[str, Any]) -> None:
    """Raise for a Compose that is random, or has keys that are not known."""
    if "transforms" not in compose:
        return
    require_keys("Compose", compose, _COMPOSE)
    if compose.get("p", 1.0) != 1.0:
        raise UnsupportedError(f"Compose has p={compose['p']}: it is random; recipes take p=1")


def _step(name: str, given: Mapping[str, Any]) -> Step:
    for key, allowed in _FIXED.items():
        if given.get(key) not in allowed:
            raise UnsupportedError(f"{name}: {key}={short_repr(given[key])} cannot be read")
    if name in ("Resize", "SmallestMaxSize", "LongestMaxSize"):
        return _resize(name, given)
    if name == "PadIfNeeded":
        position = {"center": "center", "top_left": "start"}[given.get("position") or "center"]
        return PadAtLeast(given["min_height"], given["min_width"], position, "floor", color(given.get("fill", 0.0)))
    if name == "CenterCrop":
        if not given.get("pad_if_needed"):
            return CropInside(given["height"], given["width"])
        return CenterCrop(given["height"], given["width"], "floor", "floor", color(given.get("fill", 0.0)))
    if name == "Normalize":
        limit = np.float32(positive("max_pixel_value", given.get("max_pixel_value", 255.0)))
        mean, std = (np.asarray(color(given[key], key), np.float32) * limit for key in ("mean", "std"))
        return Normalize(tuple(map(float, mean)), tuple(map(float, std)), reciprocal=True)
    if name == "ToFloat":
        return Rescale(positive("max_value", given.get("max_value") or 255.0), divide=True)
    return Layout("CHW")


# Arguments of which only these values can be read.
_FIXED: dict[str, tuple[Any, ...]] = {
    "area_for_downscale": (None,),
    "max_size_hw": (None,),
    "border_mode": (None, 0),
    "pad_height_divisor": (None,),
    "pad_width_divisor": (None,),
    "position": (None, "center", "top_left"),
    "pad_position": (None, "center"),
    "normalization": (None, "standard"),
    "value": (None, 0, [0, 0, 0]),  # the fill of releases before 2, which ignores it
}


def _resize(name: str, given: Mapping[str, Any]) -> Step:
    method = look_up("interpolation of OpenCV", given.get("interpolation", 1), METHODS)
    if name == "Resize":
        return Resize(Exact(given["height"], given["width"]), method, "opencv")
    edge = given["max_size"]
    if not isinstance(edge, int):
        raise UnsupportedError(f"{name}: max_size={short_repr(edge)} is a random choice; give one integer")
    return Resize((Fill if name == "SmallestMaxSize" else Fit)(edge, edge, "round"), method, "opencv")


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return the dictionary of a Compose that says the same, for `A.from_dict`; raise UnsupportedError if none does.

    >>> from sizewise.preprocess import CropInside, Preprocessor
    >>> config = write(Preprocessor([CropInside(224, 224)]))
    >>> config["transform"]["transforms"][0]["height"]
    224
    """
    transforms = [_transform(step) for step in preprocessor.steps if not isinstance(step, Decode)]
    compose = {CLASS: "Compose", "p": 1.0, "transforms": transforms, "bbox_params": None, "keypoint_params": None}
    whole = {"__version__": "2.0.8", "transform": {**compose, "additional_targets": {}, "is_check_shapes": True}}
    config: dict[str, Any] = verified(NAME, preprocessor, whole, read)
    return config


def _transform(step: Step) -> dict[str, Any]:
    """Return the transform of a step."""
    if isinstance(step, Resize):
        return _write_resize(step)
    if isinstance(step, Layout) and step.order == "CHW":
        return {CLASS: "ToTensorV2", "p": 1.0, "transpose_mask": False}
    if isinstance(step, Rescale) and step.divide and not step.offset:
        return {CLASS: "ToFloat", "p": 1.0, "max_value": step.scale}
    if isinstance(step, Normalize) and step.reciprocal:
        mean, std = ([float(x) for x in values] for values in (step.mean, step.std))
        # The limit of 1 keeps the values as they are: Normalize multiplies them by it in float32.
        return {CLASS: "Normalize", "p": 1.0, "mean": mean, "std": std, "max_pixel_value": 1.0}
    if isinstance(step, (CropInside, CenterCrop)):
        size = {"height": step.height, "width": step.width}
        fill = _fill(step.fill) if isinstance(step, CenterCrop) else 0.0
        padding = {"pad_position": "center", "border_mode": 0, "fill": fill}
        return {CLASS: "CenterCrop", "p": 1.0, **size, "pad_if_needed": isinstance(step, CenterCrop), **padding}
    if isinstance(step, PadAtLeast):
        size = {"min_height": step.height, "min_width": step.width}
        place = {"position": "top_left" if step.position == "start" else "center", "border_mode": 0}
        divisors = {"pad_height_divisor": None, "pad_width_divisor": None}
        return {CLASS: "PadIfNeeded", "p": 1.0, **size, **divisors, **place, "fill": _fill(step.fill)}
    raise cannot_write(NAME, step)


def _write_resize(step: Resize) -> dict[str, Any]:
    rule = step.rule
    codes = {method: code for code, method in METHODS.items()}
    if step.dialect != "opencv" or step.spec.method not in codes:
        raise cannot_write(NAME, step)
    if isinstance(rule, Exact):
        size: dict[str, Any] = {CLASS: "Resize", "height": rule.height, "width": rule.width}
    elif isinstance(rule, (Fill, Fit)) and rule.height == rule.width:
        size = {CLASS: "SmallestMaxSize" if isinstance(rule, Fill) else "LongestMaxSize", "max_size": rule.height}
    else:
        raise cannot_write(NAME, step)
    return {**size, "p": 1.0, "interpolation": codes[step.spec.method], "mask_interpolation": 0}


def _fill(fill: tuple[float, ...]) -> Any:
    """Return a color as albumentations takes it: a number, or one per channel."""
    return fill[0] if len(set(fill)) == 1 else list(fill)
