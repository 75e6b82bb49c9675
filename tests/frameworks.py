"""The real frameworks, each behind one function of images with channels last, and the images to compare them on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np


def pairs(longest: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Every (n_in, n_out) up to that length, once along each axis: (height, width) and the size to make of it."""
    for n_in in range(1, longest + 1):
        for n_out in range(1, longest + 1):
            yield (n_in, n_out), (n_out, n_in)


# Long axes: whole and odd factors, almost 1, great shrinks and growths, one axis that stays.
LARGE = [
    ((480, 640), (224, 224)),
    ((100, 37), (37, 100)),
    ((1, 300), (5, 77)),
    ((301, 299), (300, 300)),
    ((64, 48), (64, 200)),
    ((500, 7), (3, 350)),
]


def sizes(count: int, longest: int, seed: int = 0) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Seeded sizes of images and results; a few keep one length, so that passes are left out."""
    random = np.random.default_rng(seed)
    drawn = random.integers(1, longest, (count, 4)).tolist()
    return [((h, w), (h if n % 7 == 0 else a, w if n % 11 == 0 else b)) for n, (h, w, a, b) in enumerate(drawn)]


def image(size: tuple[int, int], channels: int, seed: int = 0) -> np.ndarray:
    """Seeded uint8: by turns noise, black and white pixels, and black and white stripes, which overshoot most."""
    random = np.random.default_rng([seed, *size, channels])
    if seed % 3 == 0:
        return random.integers(0, 256, (*size, channels), np.uint8)
    if seed % 3 == 1:
        return (random.integers(0, 2, (*size, channels), np.uint8) * 255).astype(np.uint8)
    stripes = (np.add.outer(np.arange(size[0]), np.arange(size[1])) // 3 % 2 * 255).astype(np.uint8)
    return np.repeat(stripes[:, :, None], channels, axis=2)


def assert_within(actual: np.ndarray, expected: np.ndarray, x: np.ndarray, ulp: float) -> None:
    """Asserts a difference of at most `ulp` units in the last place of the largest number among inputs and results."""
    assert actual.shape == expected.shape and actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    largest = max(float(np.abs(x).max()), float(np.abs(expected).max()))
    worst = float(np.abs(actual.astype(np.float64) - expected).max() / np.spacing(np.asarray(largest, actual.dtype)))
    assert worst <= ulp, f"pixels differ by {worst:.3g} units in the last place, allowed {ulp}"


def resize_with_pillow(x: np.ndarray, size: tuple[int, int], method: str) -> np.ndarray:
    """uint8 of 1, 3 or 4 bands (CMYK: RGBA would be premultiplied), or one band of float32 or int32."""
    from PIL import Image

    bands = x.shape[2]
    given = Image.fromarray(x[:, :, 0]) if bands == 1 else Image.fromarray(x, {3: "RGB", 4: "CMYK"}[bands])
    resized = given.resize((size[1], size[0]), getattr(Image.Resampling, method.upper()))
    return np.asarray(resized).reshape(*size, bands)


def to_torch(x: np.ndarray, *, contiguous: bool = False):
    """Channels last as a tensor of one image, in the same memory (which torch calls channels_last) or in NCHW."""
    import torch

    tensor = torch.from_numpy(x).permute(2, 0, 1)[None]
    return tensor.contiguous() if contiguous else tensor


def resize_with_torch(x: np.ndarray, size: object, method: str, *, contiguous: bool = False, **words: object):
    """torch.nn.functional.interpolate; `words` are its own, among them scale_factor where size is None."""
    import torch

    tensor = to_torch(x, contiguous=contiguous)
    resized = torch.nn.functional.interpolate(tensor, size=size, mode=method, **words)
    return resized[0].permute(1, 2, 0).contiguous().numpy()


def gradient_with_torch(x: np.ndarray, dy: np.ndarray, method: str, **words: object) -> np.ndarray:
    """The gradient that torch itself reports, at x for dy."""
    import torch

    tensor = to_torch(x).requires_grad_()
    size = None if "scale_factor" in words else dy.shape[:2]
    torch.nn.functional.interpolate(tensor, size=size, mode=method, **words).backward(to_torch(dy))
    return tensor.grad[0].permute(1, 2, 0).contiguous().numpy()


@cache
def opencv() -> Any:
    """OpenCV, told once to use one thread and not to use IPP, which changes its last bits."""
    import cv2

    cv2.ipp.setUseIPP(False)
    cv2.setNumThreads(1)
    return cv2


def resize_with_opencv(x: np.ndarray, size: object, method: str, **words: object) -> np.ndarray:
    """cv2.resize on one thread, without IPP; `words` are its own, among them fx and fy where size is None."""
    cv2 = opencv()
    dsize = None if size is None else size[::-1]
    resized = cv2.resize(x, dsize, interpolation=getattr(cv2, f"INTER_{method.upper()}"), **words)
    return resized.reshape(*resized.shape[:2], x.shape[2])
