"""The cases that are timed: sizes, method, direction. Peers and Sizewise read the same list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sizewise as sw

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Case:
    """One resize of a float32 batch, channels last: forward, or its gradient."""

    shape: tuple[int, int, int, int]
    size: tuple[int, int]
    method: str
    antialias: bool
    gradient: bool

    @property
    def name(self) -> str:
        """The row's name in every table."""
        antialias = " antialias" if self.antialias else ""
        shape, size = "x".join(map(str, self.shape)), "x".join(map(str, self.size))
        return f"{self.method}{antialias} {'gradient' if self.gradient else 'forward'} {shape} -> {size}"

    @property
    def words(self) -> dict[str, object]:
        """What makes Sizewise give the pixels that TensorFlow 2 and PyTorch give."""
        if self.antialias:
            return {"method": self.method, "dialect": "standard"}
        return {"method": self.method, "dialect": "tensorflow1", "half_pixel_centers": True}

    def data(self) -> tuple[Array, Array]:
        """Random images, and a random gradient of the result."""
        random = np.random.default_rng(0)
        n, _, _, channels = self.shape
        return random.random(self.shape, np.float32), random.random((n, *self.size, channels), np.float32)

    def ours(self) -> Callable[[], Array]:
        """The call that is timed: the default one, which allocates its result."""
        images, dy = self.data()
        if self.gradient:
            return lambda: sw.resize_grad(dy, self.shape[1:3], **self.words)
        return lambda: sw.resize(images, self.size, **self.words)


_GROW, _SHRINK = ((8, 224, 224, 3), (512, 512)), ((8, 512, 512, 3), (224, 224))
_GREY, _FEATURES = ((24, 512, 512, 1), (224, 224)), ((4, 64, 64, 64), (128, 128))
_PHOTO = ((1, 2160, 3840, 3), (720, 1280))

CASES = [
    Case(shape, size, method, antialias, gradient)
    for method, antialias, sizes in (
        ("bilinear", False, (_GROW, _SHRINK, _GREY, _FEATURES, _PHOTO)),
        ("nearest", False, (_GROW, _SHRINK, _GREY, _FEATURES, _PHOTO)),
        ("bilinear", True, (_GROW, _SHRINK, _GREY, _FEATURES, _PHOTO)),
        ("bicubic", True, (_GROW, _SHRINK, _PHOTO)),
    )
    for shape, size in sizes
    for gradient in (False, True)
]
