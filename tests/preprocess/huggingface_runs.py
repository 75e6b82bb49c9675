"""Image processors of transformers, and what they return, for the tests of the reader of their configurations."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sizewise.preprocess.readers._huggingface_classes import CLASSES


@cache
def modules() -> dict[str, str]:
    """Return the module of each image processor class of transformers, by the names in its files."""
    import transformers

    found = {}
    for path in sorted(Path(str(transformers.__file__)).parent.glob("models/*/image_processing_*.py")):
        if path.parent.name != "auto":
            for name in re.findall(r"^class (\w+ImageProcessor(?:Pil)?)\(", path.read_text(encoding="utf-8"), re.M):
                found[name] = f"transformers.models.{path.parent.name}.{path.stem}"
    return found


def class_of(name: str, backend: str) -> Any:
    """Return the class of a processor; None if transformers has no such backend of it."""
    full = f"{name}ImageProcessor{'Pil' if backend == 'pil' else ''}"
    return getattr(import_module(modules()[full]), full) if full in modules() else None


def cases() -> list[tuple[str, str]]:
    """Return every class that is read with each of its backends."""
    return [
        (name, backend)
        for name in CLASSES
        for backend in ("torchvision", "pil")
        if f"{name}ImageProcessor{'Pil' if backend == 'pil' else ''}" in modules()
    ]


def processor(name: str, backend: str, **arguments: Any) -> Any:
    """Return a processor, without text recognition, which needs a program."""
    ocr = {"apply_ocr": False} if name.startswith("LayoutLM") else {}
    return class_of(name, backend)(**ocr, **arguments)


def small(name: str) -> dict[str, Any]:
    """Return arguments of a class that keep the images small, and are not its defaults."""
    kind, defaults = CLASSES[name]
    arguments: dict[str, Any] = {"size": _SIZES[tuple(sorted(defaults["size"]))]} if "size" in defaults else {}
    if kind == "qwen2_vl":
        area = (defaults["patch_size"] * defaults["merge_size"]) ** 2
        arguments["size"] = {"shortest_edge": 4 * area, "longest_edge": 30 * area}
    if "crop_size" in defaults:
        arguments["crop_size"] = {"height": 70, "width": 61}
    if "pad_size" in defaults:
        arguments["pad_size"] = {"height": 130, "width": 140}
    return arguments | _OWN.get(kind, {})


_SIZES: dict[tuple[str, ...], dict[str, int]] = {
    ("height", "width"): {"height": 65, "width": 48},
    ("longest_edge",): {"longest_edge": 128},
    ("longest_edge", "shortest_edge"): {"shortest_edge": 80, "longest_edge": 133},
    ("max_height", "max_width"): {"max_height": 70, "max_width": 60},
    ("shortest_edge",): {"shortest_edge": 75},
}
_OWN: dict[str, dict[str, Any]] = {
    "bridgetower": {"crop_size": {"shortest_edge": 60}},
    "convnext": {"crop_pct": 0.81},
    "donut": {"size": {"height": 120, "width": 70}},
    "dpt": {"keep_aspect_ratio": True, "ensure_multiple_of": 14},
    "efficientnet": {"rescale_offset": True},
    "fuyu": {"size": {"height": 90, "width": 140}},
    "glpn": {"size_divisor": 16},
    "idefics": {"size": {"height": 65, "width": 65}},
    "janus": {"size": {"height": 65, "width": 65}},
    "pixtral": {"patch_size": {"height": 12, "width": 12}},
    "poolformer": {"crop_pct": 0.93},
    "pplcnet": {"resize_short": 75},
    "siglip2": {"max_num_patches": 40},
    "textnet": {"size_divisor": 16},
    "vilt": {"size_divisor": 8},
}


def image(shape: tuple[int, int], seed: int = 0) -> NDArray:
    """Return random pixels."""
    return np.random.default_rng(sum(shape) + seed).integers(0, 256, (*shape, 3), np.uint8)


def features(real: Any, images: list[Any]) -> dict[str, Any]:
    """Return what a processor returns for images as NumPy arrays; those of a video are its frames."""
    name = type(real).__name__
    extra: dict[str, Any] = {"task_inputs": ["semantic"] * len(images)} if name.startswith("OneFormer") else {}
    if isinstance(images[0], np.ndarray):
        extra["input_data_format"] = "channels_last"
    given = [images] if name.startswith("VideoMAE") else images
    result = real(given, return_tensors="pt", **extra)
    if not hasattr(result, "keys"):  # Idefics
        return {"pixel_values": np.asarray(result)}
    return {key: np.asarray(value) for key, value in result.items() if hasattr(value, "shape")}


def pixels(real: Any, images: list[Any]) -> NDArray:
    """Return the pixel values: (images, channels, height, width)."""
    found = features(real, images)
    values: NDArray = found.get("pixel_values", found.get("images"))
    if values.ndim == 2 or hasattr(real, "max_num_patches"):  # patches
        return values
    return values.reshape(len(images), *values.shape[-3:])


def patches(real: Any, result: NDArray) -> NDArray:
    """Return pixels (channels, height, width) as the patches of Qwen2-VL and its kin, or of SigLIP 2."""
    size, (channels, height, width) = real.patch_size, result.shape
    if hasattr(real, "max_num_patches"):
        grid = result.reshape(channels, height // size, size, width // size, size).transpose(1, 3, 2, 4, 0)
        flat = grid.reshape(-1, size * size * channels)
        return np.pad(flat, ((0, real.max_num_patches - len(flat)), (0, 0)))[None]
    merge, frames = real.merge_size, getattr(real, "temporal_patch_size", 1)
    rows, columns = height // size // merge, width // size // merge
    order = (1, 2, 4, 5, 0, 3, 6) if type(real).__name__.startswith("HunYuan") else (1, 4, 2, 5, 0, 3, 6)
    blocks = result.reshape(channels, rows, merge, size, columns, merge, size).transpose(order)
    repeated = np.repeat(blocks[:, :, :, :, :, None], frames, axis=5)
    return repeated.reshape(rows * columns * merge * merge, -1)
