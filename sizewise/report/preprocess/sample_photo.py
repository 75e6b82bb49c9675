"""A synthetic photo for pages: a lake below hills, with fine texture, the same in every release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIZE = (360, 480)


def sample_photo(size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
    """Return an RGB image of that (height, width).

    >>> sample_photo((30, 40)).shape
    (30, 40, 3)
    """
    rows, columns = np.mgrid[: size[0], : size[1]]
    y, x = (rows + 0.5) / size[0], (columns + 0.5) / size[1]
    image = _blend((118, 168, 222), (246, 214, 176), y / 0.6)
    image[np.hypot((x - 0.72) * size[1] / size[0], y - 0.2) < 0.075] = (255, 240, 196)
    for level, height, waves, color in (
        (0.5, 0.09, 7.0, (132, 146, 178)),
        (0.58, 0.07, 11.0, (82, 104, 128)),
        (0.63, 0.04, 23.0, (44, 74, 66)),
    ):
        ridge = level - height * (np.sin(waves * x + 40 * level) + 0.4 * np.sin(3.1 * waves * x)) / 1.4
        image[y > ridge] = color
    shore = 0.66
    lake = _blend((150, 176, 196), (40, 66, 92), (y - shore) / (1 - shore))
    lake += (14 * np.sin(6 / np.maximum(y - shore + 0.03, 0.01) + 9 * np.sin(14 * x)))[..., None]
    image = np.where((y > shore)[..., None], lake, image)
    post = (np.abs(x - 0.24) < 0.006) & (y > 0.52) & (y < 0.86)
    boat = (np.abs(x - 0.28) < 0.13 - 0.35 * (y - 0.82)) & (y > 0.82) & (y < 0.9)
    image[post | boat] = (92, 48, 32)
    image[(x > 0.25) & (x < 0.25 + 0.28 * (y - 0.54)) & (y > 0.54) & (y < 0.8)] = (236, 228, 212)
    grain = np.random.default_rng(0).normal(0, 2.0, size)[..., None]
    return np.clip(np.rint(image + grain), 0, 255).astype(np.uint8)


def _blend(top: tuple[int, ...], bottom: tuple[int, ...], part: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.clip(part, 0, 1)[..., None]
    blended: NDArray[np.float64] = (1 - share) * np.array(top, float) + share * np.array(bottom, float)
    return blended
