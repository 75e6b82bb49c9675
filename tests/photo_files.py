"""Image files of random pixels, and what is in folders of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

RNG = np.random.default_rng(0)


def photo(path: Path, height=24, width=32, **arguments) -> np.ndarray:
    pixels = RNG.integers(0, 256, (height, width, 3), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, **arguments)
    return pixels


def names(folder: Path) -> list[str]:
    """Return every file below a folder, including hidden ones."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def pixels_of(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image)


def write_tree(folder: Path) -> Path:
    """Write three photos, one of them in a deeper folder; return the folder."""
    for name in ("in/a.png", "in/b.png", "in/deep/c.png"):
        photo(folder / name)
    return folder
