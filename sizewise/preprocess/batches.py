"""Batches of images through steps: several at a time, an error in one without loss of the others."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..backends import is_torch_compiling
from ..backends.pillow import is_image
from ..engine import buffer_pool
from ..errors import CODECS, ArgumentTypeError, SizewiseError, is_raised_by
from ..memory_limits import require_memory
from ..thread_count import default_threads
from . import array_ops, decoding, fused
from .steps import DEFAULT_DECODE, Decode, Layout, PadBatch, Step


class Results(NamedTuple):
    """The result or the error of each image; and the array that holds all results in order, if there is one."""

    images: list[Any]
    batch: NDArray | None


def run(
    steps: tuple[Step, ...],
    images: Any,
    layout: str | None,
    library: str | None,
    on_error: str,
    threads: int | None,
) -> Any:
    """Return the result of one image, or of a batch."""
    wanted = library or _library_of(images)
    if is_torch_compiling() and not isinstance(images, Sequence):  # which cannot trace threads and caches
        return convert(_apply(steps, decoding.to_pixels(images, _decode_step(steps), layout)), wanted)
    if is_single(images):
        return convert(run_each(steps, [images], layout, on_error, 1).images[0], wanted)
    if not isinstance(images, Sequence):
        images, layout = decoding.to_pixels(images, _decode_step(steps), layout), "HWC"
        if not isinstance(images, np.ndarray):
            return convert(_apply(steps, images), wanted)
    results = run_each(steps, list(images), layout, on_error, threads)
    batch, _ = collate(steps, results)
    is_list = isinstance(batch, list) or on_error == "return"
    return [convert(one, wanted) for one in batch] if is_list else convert(batch, wanted)


def convert(x: Any, library: str) -> Any:
    """Return an array of another library; an error stays one."""
    return x if isinstance(x, Exception) else array_ops.convert(x, library)


def _library_of(images: Any) -> str:
    """Return the library of the result: that of the first image, or NumPy for files and Pillow images."""
    first = images[0] if isinstance(images, Sequence) and len(images) and not decoding.is_file(images) else images
    is_array = hasattr(first, "shape") and not is_image(first)  # others are refused with the image that they are
    return array_ops.library_of(first) if is_array else "numpy"


def is_single(images: Any) -> bool:
    """Return whether the argument is one image."""
    if decoding.is_file(images) or is_image(images):
        return True
    if isinstance(images, range):  # which may be longer than any list
        raise ArgumentTypeError(f"images are {images}; give a path, bytes, a Pillow image, an array, or a list of them")
    if isinstance(images, Sequence):
        return False
    array_ops.library_of(images)
    return len(images.shape) <= 3


def as_list(images: Any) -> list[Any]:
    """Return the images of an argument."""
    return [images] if is_single(images) else list(images)


def run_each(
    steps: tuple[Step, ...], images: Sequence[Any], layout: str | None, on_error: str, threads: int | None
) -> Results:
    """Return the result of each image, or its error where `on_error` is "return"."""
    decode = _decode_step(steps)
    slots = _Batch(steps, len(images))

    def one(index: int) -> Any:
        try:
            return _run_one(steps, decoding.to_pixels(images[index], decode, layout), slots, index)
        except Exception as error:
            if on_error == "raise" or not is_raised_by(error, *CODECS):
                raise
            return error if isinstance(error, SizewiseError) else SizewiseError(f"unexpected {error!r}")

    results = _map(one, len(images), threads or default_threads())
    has_errors = any(isinstance(result, Exception) for result in results)  # their parts of the batch have no values
    return Results(results, None if has_errors else slots.whole())


def _map(function: Callable[[int], Any], count: int, threads: int) -> list[Any]:
    """Return the results for all indices; after an error, no further one is begun.

    Threads take the next index each, which costs less than a future for each.
    """
    threads = min(threads, count)
    if threads <= 1:
        return [function(index) for index in range(count)]
    results: list[Any] = [None] * count
    pending = deque(range(count))

    def take_indices() -> None:
        while pending:
            try:
                index = pending.popleft()
            except IndexError:  # another thread took the last
                return
            try:
                results[index] = function(index)
            except BaseException:
                pending.clear()
                raise

    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(take_indices) for _ in range(threads - 1)]
        take_indices()
    for other in others:
        other.result()
    return results


class _Batch:
    """The array that results of one shape are written into; `take` returns the memory of one result."""

    def __init__(self, steps: tuple[Step, ...], count: int) -> None:
        self.prepare = cache(partial(fused.prepare, steps))  # without the hash of the steps for each image
        self.count, self.taken, self.lock = count, 0, threading.Lock()
        self.array: NDArray | None = None

    def take(self, index: int, shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
        """Return the memory of the result of an image: part of the batch, unless its shape is not that of the first."""
        with self.lock:
            if self.array is None:
                self.array = _empty((self.count, *shape), dtype)
            if (self.array.shape[1:], self.array.dtype) == (shape, dtype):
                self.taken += 1
                part: NDArray = self.array[index]
                return part
        return _empty(shape, dtype)

    def whole(self) -> NDArray | None:
        """Return the batch, if all results were written into it."""
        return self.array if self.taken == self.count else None


def _empty(shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
    require_memory(math.prod(shape) * dtype.itemsize, "results of shape {}", shape)
    return buffer_pool.empty(shape, dtype)


def _run_one(steps: tuple[Step, ...], x: Any, slots: _Batch, index: int) -> Any:
    if isinstance(x, np.ndarray) and x.dtype == np.uint8 and x.ndim == 3:
        prepared = slots.prepare((x.shape[0], x.shape[1]), x.shape[2])
        if prepared is not None:
            out = slots.take(index, prepared.shape, prepared.dtype)
            prepared.write(x, out)
            return out
    return _apply(steps, x)


def _apply(steps: Sequence[Step], x: Any) -> Any:
    for step in steps:
        x = step.apply(x)
    return np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x


def _decode_step(steps: Sequence[Step]) -> Decode:
    return steps[0] if steps and isinstance(steps[0], Decode) else DEFAULT_DECODE


def collate(steps: Sequence[Step], results: Results) -> tuple[Any, Any]:
    """Return the results as a batch, and the mask of pixels if they are padded to one size.

    Without PadBatch, results of different shapes stay a list; so do those with an error in the place of one.
    """
    good = [one for one in results.images if not isinstance(one, Exception)]
    values: Any = good
    mask = None
    if steps and isinstance(steps[-1], PadBatch) and good:
        is_channels_first = any(isinstance(step, Layout) and step.order == "CHW" for step in steps)
        values, mask = _pad_batch(good, steps[-1], is_channels_first)
    elif results.batch is not None:
        return results.batch, None
    elif len({tuple(one.shape) for one in good}) == 1 and len(good) == len(results.images):
        values = array_ops.stack(good)
    if len(good) == len(results.images):
        return values, mask
    return _with_errors(values, results.images), None if mask is None else _with_errors(mask, results.images)


def _with_errors(good: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """Return the good results in order, with the errors among them."""
    rest = iter(good)
    return [one if isinstance(one, Exception) else next(rest) for one in results]


def _pad_batch(results: list[Any], step: PadBatch, is_channels_first: bool) -> tuple[Any, Any]:
    arrays = [array_ops.convert(one, "numpy") for one in results]
    last = [np.moveaxis(one, 0, -1) if is_channels_first else one for one in arrays]
    height, width = (max(one.shape[axis] for one in last) for axis in (0, 1))
    padded = [array_ops.pad(one, (0, height - one.shape[0], 0, width - one.shape[1]), step.fill) for one in last]
    mask = np.zeros((len(last), height, width), np.int64)
    for index, one in enumerate(last):
        mask[index, : one.shape[0], : one.shape[1]] = 1
    batch = np.stack([np.moveaxis(one, -1, 0) if is_channels_first else one for one in padded])
    return batch, mask
