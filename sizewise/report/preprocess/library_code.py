"""Code of other libraries that does what a recipe does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...errors import UnsupportedError
from ...preprocess import Preprocessor, readers


class LibraryCode(NamedTuple):
    """A library, and either code that gives the same result or the reason why it has none."""

    library: str
    code: str
    reason: str


def library_codes(recipe: Preprocessor) -> list[LibraryCode]:
    """Return the code of each library that has a configuration for this recipe.

    >>> from sizewise.preprocess import Preprocessor
    >>> recipe = Preprocessor.load({"preprocess_cfg": {"size": 224}})
    >>> [one.library for one in library_codes(recipe) if one.code]
    ['timm', 'open_clip']
    """
    return [_code(recipe, name, write) for name, write in _WRITERS.items()]


def _code(recipe: Preprocessor, name: str, write: Callable[[Mapping[str, Any]], str]) -> LibraryCode:
    label = readers.label(name)
    try:
        return LibraryCode(label, write(recipe.write(name)), "")
    except UnsupportedError as error:
        return LibraryCode(label, "", str(error))


def _format(config: Mapping[str, Any]) -> str:
    """Return a dictionary as Python code, one entry a line."""
    lines = [f'    "{name}": {json.loads(json.dumps(value))!r},\n' for name, value in config.items()]
    return f"{{\n{''.join(lines)}}}"


def _huggingface(config: Mapping[str, Any]) -> str:
    kind = config["image_processor_type"]
    arguments = {name: value for name, value in config.items() if name != "image_processor_type"}
    return f"""from transformers import {kind}

config = {_format(arguments)}
processor = {kind}(**config)
batch = processor(images=[image], return_tensors="np")["pixel_values"]"""


def _timm(config: Mapping[str, Any]) -> str:
    return f"""from timm.data import create_transform

config = {_format(config)}
result = create_transform(**config, is_training=False)(image)"""


def _open_clip(config: Mapping[str, Any]) -> str:
    return f"""from open_clip.transform import PreprocessCfg, image_transform_v2

config = {_format(config["preprocess_cfg"])}
result = image_transform_v2(PreprocessCfg(**config), is_train=False)(image)"""


def _ultralytics(config: Mapping[str, Any]) -> str:
    given = dict(config["ultralytics"])
    arguments = {"new_shape": given.pop("imgsz"), **given}
    return f"""import numpy
from ultralytics.data.augment import LetterBox

config = {_format(arguments)}
pixels = LetterBox(**config)(image=numpy.asarray(image))  # RGB bytes, channels last
result = pixels.transpose(2, 0, 1).astype("float32") / 255"""


_WRITERS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "huggingface": _huggingface,
    "timm": _timm,
    "open_clip": _open_clip,
    "ultralytics": _ultralytics,
}
