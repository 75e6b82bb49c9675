"""libvips through pyvips: one image at a time, forward only; its filters are placed and cut off differently."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "pyvips", "pyvips"
_KERNELS = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic", "lanczos3": "lanczos3"}


def version() -> str:
    """Return the version of libvips."""
    import pyvips

    return ".".join(str(pyvips.version(part)) for part in range(3))


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return libvips for a single antialiased image."""
    os.environ["VIPS_CONCURRENCY"] = str(threads)
    import pyvips

    is_supported = case.layout == "NHWC" and case.dtype in ("uint8", "float32") and case.shape[0] == 1
    if case.gradient or not is_supported or not case.antialias or case.method not in _KERNELS:
        return []
    pyvips.cache_set_max(0)  # a cached result would not be computed again
    _, height, width, channels = case.shape
    kind = "uchar" if case.dtype == "uint8" else "float"
    image = pyvips.Image.new_from_memory(source[0].tobytes(), width, height, channels, kind)
    scales = case.size[1] / width, case.size[0] / height
    kernel = _KERNELS[case.method]

    def call() -> Any:
        return image.resize(scales[0], vscale=scales[1], kernel=kernel).write_to_memory()

    def to_array(result: Any) -> Array:
        return np.frombuffer(result, case.dtype).reshape(case.result_shape)

    return [from_call(NAME, call, to_array, same_pixels=False)]
