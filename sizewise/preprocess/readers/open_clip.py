"""Reader of open_clip's `open_clip_config.json`: its key `preprocess_cfg`, and the size in `model_cfg`, for evaluation.

Images become RGB first. open_clip converts them after it resizes and crops, which gives other pixels of palettes, CMYK
and transparent images: convert them before for equal pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, short_repr
from ..pointwise_steps import Normalize, Rescale
from ..size_rules import Exact, KeepRatio, ShortestEdge, SizeRule
from ..steps import CenterCrop, Layout, Resize, Step
from ._common import cannot_write, color, look_up, pair, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "open_clip"
KEY = "preprocess_cfg"
DEFAULTS: dict[str, Any] = {
    "size": 224,
    "mode": "RGB",
    "mean": (0.48145466, 0.4578275, 0.40821073),
    "std": (0.26862954, 0.26130258, 0.27577711),
    "interpolation": "bicubic",
    "resize_mode": "shortest",
    "fill_color": 0,
}
# "random" is a choice while training; evaluation then takes bicubic.
METHODS = {"bicubic": "bicubic", "bilinear": "bilinear", "random": "bicubic"}


def recognizes(config: Any) -> bool:
    """Return whether a dictionary is an open_clip configuration."""
    return isinstance(config, Mapping) and KEY in config


def read(config: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of `open_clip.image_transform_v2` without training.

    >>> [step.name for step in read({"preprocess_cfg": {}})]
    ['resize', 'center_crop', 'rescale', 'normalize', 'layout']
    """
    cfg = config[KEY]
    require_keys("preprocess_cfg", cfg, DEFAULTS)
    given = {**DEFAULTS, **{key: value for key, value in cfg.items() if value is not None}, **_model_size(config)}
    look_up("mode", given["mode"], {"RGB": "RGB"})
    height, width = pair("size", given["size"])
    method = look_up("interpolation", given["interpolation"], METHODS)
    crop = CenterCrop(height, width, "round", "floor", color(given["fill_color"], "fill_color"))
    mode = look_up("resize_mode", given["resize_mode"], {"shortest": 0, "longest": 1, "squash": 2})
    rule: SizeRule
    if mode == 2:
        steps: list[Step] = [Resize(Exact(height, width), method, "pillow")]
    elif mode == 1:
        steps = [Resize(KeepRatio(height, width, inside=True), method, "pillow"), crop]
    else:
        # For a size that is not square, open_clip does not pass the interpolation on: its default is bicubic.
        rule, method = (ShortestEdge(height), method) if height == width else (KeepRatio(height, width), "bicubic")
        steps = [Resize(rule, method, "pillow"), CenterCrop(height, width, "round")]
    mean, std = (color(given[key], key) for key in ("mean", "std"))
    return (*steps, Rescale(255.0, divide=True), Normalize(mean, std), Layout("CHW"))


def _model_size(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the size of the model in the configuration, which wins over that of preprocess_cfg."""
    model: Any = config.get("model_cfg")
    vision = model.get("vision_cfg") if isinstance(model, Mapping) else model
    if vision is None:
        return {}
    if not isinstance(vision, Mapping):
        raise ArgumentError(f"model_cfg is {short_repr(model)}; give an object with vision_cfg, an object with keys")
    return {"size": vision.get("image_size", DEFAULTS["size"])}


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return {"preprocess_cfg": ...} that says the same; raise UnsupportedError if none does."""
    cfg: dict[str, Any] = {"mode": "RGB"}
    for step in preprocessor.steps:
        if isinstance(step, Resize):
            if step.method not in METHODS:
                raise cannot_write(NAME, step)
            rule = step.rule
            inside = isinstance(rule, KeepRatio) and rule.inside
            cfg["resize_mode"] = "squash" if isinstance(rule, Exact) else "longest" if inside else "shortest"
            cfg["interpolation"] = step.method
            if isinstance(rule, (Exact, KeepRatio)):
                cfg["size"] = [rule.height, rule.width]
        elif isinstance(step, CenterCrop):
            cfg.update(size=[step.height, step.width], fill_color=int(step.fill[0]))
        elif isinstance(step, Normalize):
            cfg.update(mean=list(step.mean), std=list(step.std))
        elif not isinstance(step, (Rescale, Layout)):
            raise cannot_write(NAME, step)
    config: dict[str, Any] = verified(NAME, preprocessor, {KEY: cfg}, read)
    return config
