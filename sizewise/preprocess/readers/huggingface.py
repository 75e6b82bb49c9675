"""Reader and writer of transformers' image processors: `preprocessor_config.json` and processor objects.

Read are the classes of `CLASSES` in `_huggingface_classes.py`, by either backend of transformers 5:

- "torchvision": PyTorch resizes bytes; rescaling and normalizing are one operation with float32 constants;
- "pil": Pillow resizes; rescaling in float64, rounded to float32; normalizing in float32.

Images become RGB: with do_convert_rgb, transparent pixels over white; without it, where transformers takes only RGB,
without their alpha. Qwen2-VL and its kin and SigLIP 2 are read up to their normalized pixels: cutting them into patches
is not a step. Of a video, each frame is an image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, UnsupportedError, unknown_name
from ..margin_steps import PadTo
from ..pointwise_steps import Normalize, Rescale
from ..size_rules import Exact, Fit, ShortestEdge, ShortestEdgeWithin
from ..steps import CenterCrop, Decode, Layout, PadBatch, Resize, Step
from ._common import cannot_write, verified
from ._huggingface_classes import BASE, CLASSES, COMMON, OWN, TORCHVISION_ONLY, WITHOUT_EFFECT
from ._huggingface_models import class_of
from ._huggingface_pipelines import METHODS, PIPELINES, fuse
from ._huggingface_refused import REFUSED
from ._huggingface_values import Values, require_types

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "Hugging Face transformers"
BACKENDS = ("torchvision", "pil")
WHITE = (255.0, 255.0, 255.0)
_TYPES = ("image_processor_type", "feature_extractor_type")
_VIDEO = "video_processor_type"
_FLAGS = tuple(key for key in BASE if key.startswith("do_"))  # no other library has these keys


def recognizes(config: Any) -> bool:
    """Return whether a dictionary or object is an image processor of transformers.

    >>> recognizes({"image_processor_type": "ViTImageProcessor"}), recognizes({"input_size": [3, 224, 224]})
    (True, False)
    """
    if isinstance(config, Mapping):
        is_nested = isinstance(config.get("image_processor"), Mapping)
        return is_nested or any(key in config for key in (*_TYPES, _VIDEO, *_FLAGS))
    name = type(config).__name__
    return hasattr(config, "to_dict") and ("ImageProcessor" in name or "FeatureExtractor" in name)


def read(config: Any, backend: str | None = None) -> tuple[Step, ...]:
    """Return the steps of a configuration or processor; `backend` is "torchvision" or "pil".

    Without it, classes that end in "Pil" have that backend, and others torchvision, as from AutoImageProcessor.

    >>> [step.name for step in read({"image_processor_type": "ViTImageProcessor"}, backend="pil")]
    ['decode', 'resize', 'rescale', 'normalize', 'layout']
    """
    name, values = _class_and_values(config)
    if backend is None:
        backend = "pil" if name.endswith("Pil") else "torchvision"
    if backend not in BACKENDS:
        raise unknown_name("backend", backend, BACKENDS)
    short = _short_name(name, values)
    if backend == "pil" and short in TORCHVISION_ONLY:
        raise UnsupportedError(f"{short}ImageProcessor has no backend of Pillow; use backend='torchvision'")
    kind, defaults = CLASSES[short]
    _require_keys(short, kind, values)
    require_types(short, {key: value for key, value in values.items() if key not in WITHOUT_EFFECT})
    # A value of None stays None, which turns do_* off; a size of None is the default in classes that fill it in.
    given = {key: value for key, value in values.items() if value is not None or key != "size"}
    if "pad_and_return_pixel_mask" in given:  # the name of do_pad before transformers 4.27
        given.setdefault("do_pad", given["pad_and_return_pixel_mask"])
    filled = Values(short, kind, backend, {**BASE, **defaults, **given}, defaults)
    decode = Decode(background=WHITE) if filled["do_convert_rgb"] else Decode()
    steps = PIPELINES[kind](filled)
    batch = [step for step in steps if isinstance(step, PadBatch)]
    return (decode, *(step for step in steps if not isinstance(step, PadBatch)), Layout("CHW"), *batch)


def _class_and_values(config: Any) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(config, Mapping):
        return type(config).__name__, config.to_dict()
    if isinstance(config.get("image_processor"), Mapping):
        config = config["image_processor"]
    for key in _TYPES:
        if isinstance(config.get(key), str):
            return config[key], config
    if _VIDEO in config:
        raise UnsupportedError(f"{config[_VIDEO]} cannot be read: it takes videos, and recipes take images")
    if isinstance(config.get("model_type"), str) and (found := class_of(config["model_type"])):
        return found, config
    raise ArgumentError('the configuration names no class; add it, such as "image_processor_type": "ViTImageProcessor"')


def _short_name(name: str, values: Mapping[str, Any]) -> str:
    """Return the name of a class without its suffix; raise UnsupportedError for a class that is not read."""
    short = (
        name.removesuffix("Pil").removesuffix("Fast").removesuffix("ImageProcessor").removesuffix("FeatureExtractor")
    )
    if short in REFUSED:
        raise UnsupportedError(f"{name} cannot be read: {REFUSED[short]}")
    if short not in CLASSES or short == name:
        if "sampling_rate" in values:
            raise UnsupportedError(f"{name} cannot be read: it takes audio, and recipes take images")
        if "auto_map" in values:
            raise UnsupportedError(f"{name} cannot be read: it is code of the model, not a class of transformers")
        known = [f"{one}ImageProcessor" for one in (*CLASSES, *REFUSED)]
        raise unknown_name("image processor", name, known, similarity=0.91)
    return short


def _require_keys(short: str, kind: str, values: Mapping[str, Any]) -> None:
    known = (*COMMON, *OWN.get(kind, ()))
    for key in values:
        if key not in known and key not in WITHOUT_EFFECT:
            raise unknown_name(f"key of {short}ImageProcessor", key, known)


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return a configuration of CLIPImageProcessor that says the same; raise UnsupportedError if there is none."""
    config: dict[str, Any] = {"do_resize": False, "do_center_crop": False, "do_rescale": False, "do_normalize": False}
    config["do_convert_rgb"] = bool(preprocessor.decode.background)
    steps = [step for step in preprocessor.canonical if not isinstance(step, (Decode, Layout))]
    backend = "torchvision"
    for step in steps:
        if isinstance(step, Resize):
            backend = "pil" if step.dialect == "pillow" else "torchvision"
        if isinstance(step, Rescale) and step.compute == "float64":
            backend = "pil"
    for step in steps:
        config |= _write_step(step, backend, any(isinstance(one, Rescale) for one in steps))
    config["image_processor_type"] = "CLIPImageProcessor" + ("Pil" if backend == "pil" else "")
    written: dict[str, Any] = verified(NAME, preprocessor, config, read)
    return written


def _write_step(step: Step, backend: str, is_rescaled: bool) -> dict[str, Any]:
    if isinstance(step, Resize):
        numbers = {name: number for number, name in METHODS[backend].items()}
        if step.method not in numbers:
            raise cannot_write(NAME, step)
        return {"do_resize": True, "resample": numbers[step.method], "size": _write_rule(step)}
    if isinstance(step, CenterCrop):
        return {"do_center_crop": True, "crop_size": {"height": step.height, "width": step.width}}
    if isinstance(step, Rescale):
        return {"do_rescale": True, "rescale_factor": step.scale}
    if isinstance(step, Normalize):
        if backend == "pil" or is_rescaled or max(map(abs, step.mean)) <= 1:
            return {"do_normalize": True, "image_mean": list(step.mean), "image_std": list(step.std)}
        mean, std = _split(step.mean), _split(step.std)
        return {
            "do_rescale": True,
            "rescale_factor": 1 / 255,
            "do_normalize": True,
            "image_mean": mean,
            "image_std": std,
        }
    if isinstance(step, PadTo):
        return {"do_pad": True, "pad_size": {"height": step.height, "width": step.width}}
    raise cannot_write(NAME, step)


def _split(values: Sequence[float]) -> list[float]:
    """Return the shortest decimals that become these constants when they are divided by 1/255."""
    found = []
    for value in values:
        decimals = (round(value / 255, digits) for digits in range(1, 18))
        found.append(next((one for one in decimals if fuse([one], 1 / 255) == (value,)), value / 255))
    return found


def _write_rule(step: Resize) -> dict[str, int]:
    rule = step.rule
    if isinstance(rule, Exact):
        return {"height": rule.height, "width": rule.width}
    if isinstance(rule, ShortestEdge) and rule.max_edge is None and rule.multiple == 1:
        return {"shortest_edge": rule.edge}
    if isinstance(rule, ShortestEdgeWithin) and rule.multiple == 1:
        return {"shortest_edge": rule.edge, "longest_edge": rule.max_edge}
    if isinstance(rule, Fit) and rule.enlarge:
        return {"max_height": rule.height, "max_width": rule.width}
    raise cannot_write(NAME, step)
