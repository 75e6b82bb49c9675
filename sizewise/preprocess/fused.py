"""Fast execution of steps over uint8 images in NumPy: the same values with less work.

A crop after a resize computes only the pixels that it keeps, by a tile of the plan. A final run of pointwise steps maps
each byte of a channel to one value, so it is a table of 256 entries per channel, computed by these steps themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import make_plan
from ..engine.look_up import look_up
from ..engine.windows import window_fill
from .size_rules import Size
from .steps import CenterCrop, CropBox, Layout, PadBatch, Resize, Step

Transform = Callable[[NDArray], NDArray]


class FusedSteps:
    """Steps prepared for uint8 images of one size: `shape` and `dtype` of the result, and `write(image, out)`."""

    def __init__(self, steps: Sequence[Step], size: Size, channels: int) -> None:
        steps = [step for step in steps if not isinstance(step, PadBatch)]
        start = len(steps)
        while start and (steps[start - 1].is_pointwise or isinstance(steps[start - 1], Layout)):
            start -= 1
        pointwise = [step for step in steps[start:] if step.is_pointwise]
        orders = [step.order for step in steps[start:] if isinstance(step, Layout)]
        self.transforms, size = _fuse_crops(steps[:start], (*size, channels))
        self.table = _table(pointwise, channels)
        self.is_channels_first = orders[-1:] == ["CHW"]
        self.shape = (channels, *size) if self.is_channels_first else (*size, channels)
        self.dtype = self.table.dtype

    def write(self, image: NDArray, out: NDArray) -> None:
        """Write the result of an image (height, width, channels) to an array of `shape`."""
        for transform in self.transforms:
            image = transform(image)
        look_up(image, self.table, out, channels_first=self.is_channels_first)


@lru_cache(maxsize=64)
def prepare(steps: tuple[Step, ...], size: Size, channels: int) -> FusedSteps | None:
    """Return the fused steps for uint8 images of a size, or None if their arithmetic does not stay in bytes."""
    probe = np.zeros((1, 1, channels), np.uint8)
    is_geometric = True
    for step in steps:
        if step.is_pointwise:
            is_geometric = False
        elif not is_geometric and not isinstance(step, (Layout, PadBatch)):
            return None  # floats are resized, cropped or padded
        elif isinstance(step, Resize) and step.compute is None:
            result = make_plan((1, 1), (1, 1), **step.arguments).arithmetic(probe.dtype).result
            if result != np.uint8:
                return None
    return FusedSteps(steps, size, channels)


def _fuse_crops(steps: Sequence[Step], shape: tuple[int, int, int]) -> tuple[list[Transform], Size]:
    """Return the functions of geometric steps, one for a resize and its crop, and the size of their result."""
    transforms: list[Transform] = []
    size, channels, index = shape[:2], shape[2], 0
    while index < len(steps):
        step, following = steps[index], steps[index + 1] if index + 1 < len(steps) else None
        window = _window(step, following, size)
        if isinstance(step, Resize) and window is not None:
            transforms.append(_tile(step, (*size, channels), window))
            size, index = _size_of(window), index + 2
            continue
        transforms.append(_resize(step, size) if isinstance(step, Resize) and step.compute is None else step.apply)
        size, index = step.output_size(size), index + 1
    return transforms, size


def _window(step: Step, following: Step | None, size: Size) -> tuple[slice, slice] | None:
    """Return the rows and columns of a resize that the crop after it keeps; None if they cannot be fused."""
    if not isinstance(step, Resize) or step.compute is not None or step.options:
        return None
    resized = step.output_size(size)
    if resized == size or not _has_tiles(step, size):  # Pillow copies images of the same size
        return None
    if isinstance(following, CropBox):
        top, left, (height, width) = following.top, following.left, following.output_size(resized)
    elif isinstance(following, CenterCrop) and not any(following.margins(resized)):
        (top, left), height, width = following.offsets(resized), following.height, following.width
    else:
        return None
    return slice(top, top + height), slice(left, left + width)


def _has_tiles(step: Resize, size: Size) -> bool:
    """Return whether uint8 can be resized in tiles: not where it is computed step by step, as by OpenCV."""
    arithmetic = make_plan(size, step.output_size(size), **step.arguments).arithmetic(np.dtype(np.uint8))
    return arithmetic.two_pass is None and arithmetic.reduction is None


def _size_of(window: tuple[slice, slice]) -> Size:
    return window[0].stop - window[0].start, window[1].stop - window[1].start


def _tile(step: Resize, shape: tuple[int, int, int], window: tuple[slice, slice]) -> Transform:
    plan = make_plan(shape[:2], step.output_size(shape[:2]), **step.arguments).for_dtype(np.dtype(np.uint8))
    inputs, tile = plan.tile(window)
    result, fill = (*_size_of(window), shape[2]), window_fill(tile, (inputs[0], inputs[1]), shape)

    def apply(x: NDArray) -> NDArray:
        if fill is None or not x.flags.c_contiguous:
            resized: NDArray = tile.apply(x[inputs], (0, 1), threads=1)
        else:
            resized = np.empty(result, np.uint8)
            fill(x, resized)
        return resized

    return apply


def _resize(step: Resize, size: Size) -> Transform:
    plan = make_plan(size, step.output_size(size), **step.arguments)
    return lambda x: plan.apply(x, (0, 1), threads=1)


def _table(steps: Sequence[Step], channels: int) -> NDArray:
    """Return the result of pointwise steps for each byte: (channels, 256)."""
    x: Any = np.broadcast_to(np.arange(256, dtype=np.uint8)[:, None, None], (256, 1, channels))
    for step in steps:
        x = step.apply(x)
    return np.ascontiguousarray(x[:, 0].T)
