"""libvips through pyvips: one image at a time, forward only; it places and cuts its filters in its own way."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "pyvips", "pyvips"
_KERNELS = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic", "lanczos3": "lanczos3"}


def version() -> str:
    """The version of libvips."""
    import pyvips

    return ".".join(str(pyvips.version(part)) for part in range(3))


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """libvips on one photograph, where its result has the wanted size."""
    os.environ["VIPS_CONCURRENCY"] = str(threads)
    import pyvips

    usual = case.layout == "NHWC" and case.dtype in ("uint8", "float32") and case.shape[0] == 1
    if case.gradient or not usual or not case.antialias or case.method not in _KERNELS:
        return []
    pyvips.cache_set_max(0)  # it would remember the result
    _, height, width, channels = case.shape
    kind = "uchar" if case.dtype == "uint8" else "float"
    image = pyvips.Image.new_from_memory(source[0].tobytes(), width, height, channels, kind)
    scales = case.size[1] / width, case.size[0] / height
    kernel = _KERNELS[case.method]

    def call() -> Any:
        return image.resize(scales[0], vscale=scales[1], kernel=kernel).write_to_memory()

    def see(result: Any) -> Array:
        return np.frombuffer(result, case.dtype).reshape(case.result_shape)

    return [of_call(NAME, call, see, same=False)]
