"""kornia-rs, image by image: uint8 images of three channels, forward only, on one thread per image.

It antialiases bicubic and lanczos only, with other weights.
"""

from __future__ import annotations

from importlib.metadata import version as installed_version
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "kornia-rs", "kornia_rs"
_MODES = {"nearest": "nearest", "bilinear": "bilinear", "bicubic": "bicubic", "lanczos3": "lanczos"}


def version() -> str:
    """Return the version of kornia-rs."""
    return installed_version("kornia_rs")


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return kornia-rs, if it has the interpolation; it takes no number of threads."""
    from kornia_rs import imgproc

    is_supported = case.dtype == "uint8" and case.layout == "NHWC" and case.shape[3] == 3
    if case.gradient or not is_supported or case.method not in _MODES:
        return []
    if case.antialias and case.method == "bilinear":  # accepted, and ignored
        return []
    mode = _MODES[case.method]

    def call() -> list[Any]:
        return [imgproc.resize(image, case.size, mode, antialias=case.antialias) for image in source]

    return [from_call(NAME, call, np.stack, same_pixels=False)]
