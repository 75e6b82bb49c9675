"""Golden vectors of a recipe: images, the array after every step, and hashes, for the tests of another runtime."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from ..files import arrays, writing
from . import array_ops, decoding
from .preprocessor import Preprocessor

SIZES = ((37, 53), (64, 48), (120, 90))  # odd, wide and tall images of noise and gradients


def write(recipe: Preprocessor, folder: Path, images: dict[str, Any] | None = None) -> Path:
    """Write the vectors of some images, or of synthetic ones, to a folder; return the path of the manifest."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "manifest.json").is_file():
        raise ArgumentError(f"{os.fspath(folder)!r} has other files; give a new folder, or one of golden vectors")
    chosen = {f"image{i}": _synthetic(size, i) for i, size in enumerate(SIZES)} if images is None else images
    decoded = {name: decoding.to_pixels(image, recipe.decode, None) for name, image in chosen.items()}
    for pixels in decoded.values():
        recipe.sizes(pixels.shape[:2])  # an image that the recipe refuses is an error before anything is written
    folder.mkdir(parents=True, exist_ok=True)
    record = {**recipe.to_dict(), "images": [_write_image(recipe, folder, *one) for one in decoded.items()]}
    writing.write_text(folder / "manifest.json", json.dumps(record, indent=2) + "\n")
    return folder / "manifest.json"


def verify(folder: Path) -> list[str]:
    """Return the names of files of a folder whose contents do not have the hash of the manifest."""
    record = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    entries = [entry for image in record["images"] for entry in (image["input"], *image["steps"])]
    return [one["file"] for one in entries if _hash((folder / one["file"]).read_bytes()) != one["sha256"]]


def fingerprint(recipe: Preprocessor) -> str:
    """Return the hash that `write` puts in the manifest for the result of the first synthetic image.

    It is empty where the recipe refuses an image of that size.

    >>> len(fingerprint(Preprocessor([])))
    64
    """
    pixels = _synthetic(SIZES[0], 0)
    try:
        recipe.sizes(SIZES[0])
    except ArgumentError:
        return ""
    result = [pixels, *(array_ops.convert(x, "numpy") for _, x in recipe.trace(pixels))][-1]
    return _hash(arrays.encode_npy(np.ascontiguousarray(result)))


def _write_image(recipe: Preprocessor, folder: Path, name: str, pixels: NDArray) -> dict[str, Any]:
    """Write the pixels of an image and the array after each step; return their entry of the manifest."""
    entry: dict[str, Any] = {"name": name, "input": _write(folder, f"{name}-input.npy", pixels), "steps": []}
    for index, (step, x) in enumerate(recipe.trace(pixels), 1):
        file = _write(folder, f"{name}-{index}-{step.name}.npy", array_ops.convert(x, "numpy"))
        entry["steps"].append({"step": step.name, **file})
    return entry


def _write(folder: Path, name: str, array: NDArray) -> dict[str, Any]:
    data = arrays.encode_npy(np.ascontiguousarray(array))
    with writing.atomic_write(folder / name) as file:
        file.write(data)
    return {"file": name, "shape": list(array.shape), "dtype": array.dtype.name, "sha256": _hash(data)}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _synthetic(size: tuple[int, int], seed: int) -> NDArray[np.uint8]:
    noise = np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)
    noise[: size[0] // 2] = np.linspace(0, 255, size[1], dtype=np.uint8)[:, None]
    return noise
