"""Reader of timm's data configurations: `resolve_data_config`, `pretrained_cfg`, and config.json with one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, short_repr
from ...validation import as_sequence
from ..pointwise_steps import Normalize, Rescale
from ..size_rules import Exact, KeepRatio, ShortestEdge, Size, SizeRule
from ..steps import CenterCrop, Decode, Layout, Resize, Step
from ._common import cannot_write, color, look_up, pair, positive, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "timm"
KEY = "pretrained_cfg"
DEFAULTS: dict[str, Any] = {
    "input_size": (3, 224, 224),
    "interpolation": "bicubic",
    "mean": (0.485, 0.456, 0.406),
    "std": (0.229, 0.224, 0.225),
    "crop_pct": 0.875,
    "crop_mode": "center",
}
# Keys of a pretrained_cfg about weights and heads, or about other sizes than input_size.
IGNORED = {
    *("url", "file", "state_dict", "hf_hub_id", "hf_hub_filename", "source", "architecture", "tag", "custom_load"),
    *("test_input_size", "test_crop_pct", "test_pool_size", "min_input_size", "fixed_input_size", "pool_size"),
    *("num_classes", "num_features", "labels", "label_offset", "label_names", "label_descriptions", "first_conv"),
    *("classifier", "license", "description", "origin_url", "paper_name", "paper_ids", "notes", "patch_size"),
    "resolution_scale",
}
METHODS = {
    **dict.fromkeys(("bilinear", "random"), "bilinear"),
    **{name: name for name in ("bicubic", "nearest", "box", "hamming")},
    "lanczos": "lanczos",
}


def recognizes(config: Any) -> bool:
    """Return whether a dictionary is a data configuration, or has a `pretrained_cfg`."""
    if not isinstance(config, Mapping):
        return False
    return KEY in config or {"input_size", "interpolation"} <= set(config) or {"crop_pct", "mean"} <= set(config)


def read(config: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of `timm.data.create_transform` without training.

    >>> [step.name for step in read({"input_size": (3, 224, 224), "interpolation": "bicubic"})]
    ['resize', 'center_crop', 'rescale', 'normalize', 'layout']
    """
    cfg = config.get(KEY, config)
    require_keys("a data configuration of timm", cfg, {*DEFAULTS, *IGNORED})
    given = {**DEFAULTS, **{key: value for key, value in cfg.items() if key in DEFAULTS and value is not None}}
    size = given["input_size"]
    if len(as_sequence(size) or ()) != 3 or size[0] not in (1, 3):
        raise ArgumentError(f"input_size is {short_repr(size)}; give (channels, height, width) of 1 or 3 channels")
    mode = look_up("crop_mode", given["crop_mode"], {name: name for name in ("center", "squash", "border")})
    method = look_up("interpolation", given["interpolation"], METHODS)
    mean, std = (color(given[key], key) for key in ("mean", "std"))
    decode = [Decode("L")] if size[0] == 1 else []
    steps = _geometry(mode, pair("input_size", size[1:]), positive("crop_pct", given["crop_pct"]), method, mean)
    return (*decode, *steps, Rescale(255.0, divide=True), Normalize(mean, std), Layout("CHW"))


def _geometry(mode: str, size: Size, crop_pct: float, method: str, mean: tuple[float, ...]) -> tuple[Step, Step]:
    """Return the resize to 1 / crop_pct of the size, rounded down, and the crop."""
    height, width = size
    high, wide = math.floor(height / crop_pct), math.floor(width / crop_pct)
    fill: tuple[float, ...] = (0.0,)
    chosen: SizeRule = KeepRatio(high, wide, inside=mode == "border")
    if mode == "squash":
        chosen = Exact(high, wide)
    elif mode == "border":
        fill = tuple(float(round(255 * one)) for one in mean)
    elif high == wide:
        chosen = ShortestEdge(high)
    return Resize(chosen, method, "pillow"), CenterCrop(height, width, "round", "floor", fill)


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return a data configuration that says the same; raise UnsupportedError if none does."""
    crop = next((step for step in preprocessor.steps if isinstance(step, CenterCrop)), None)
    cfg: dict[str, Any] = {}
    for step in preprocessor.steps:
        if isinstance(step, Resize) and crop is not None and step.method in METHODS:
            rule = step.rule
            inside = isinstance(rule, KeepRatio) and rule.inside
            cfg["crop_mode"] = "squash" if isinstance(rule, Exact) else "border" if inside else "center"
            edge = rule.edge if isinstance(rule, ShortestEdge) else getattr(rule, "height", 0)
            cfg.update(interpolation=step.method, crop_pct=_crop_pct(crop.height, edge))
        elif isinstance(step, Normalize):
            cfg.update(mean=step.mean, std=step.std)
        elif not isinstance(step, (Decode, CenterCrop, Rescale, Layout)):
            raise cannot_write(NAME, step)
    channels = 1 if preprocessor.decode.mode == "L" else 3
    if crop is not None:
        cfg["input_size"] = (channels, crop.height, crop.width)
    config: dict[str, Any] = verified(NAME, preprocessor, cfg, read)
    return config


def _crop_pct(length: int, edge: int) -> float:
    """Return a fraction of few digits of which floor(length / fraction) is the edge."""
    for digits in range(2, 17):
        for fraction in (round(length / edge, digits), round(length / (edge + 0.5), digits)) if edge else ():
            if fraction and math.floor(length / fraction) == edge:
                return fraction
    return 0.875
