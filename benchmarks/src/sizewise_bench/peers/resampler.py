"""The resampler package: forward, image by image, on NumPy arrays, always antialiased."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "resampler", "resampler"
_FILTERS = {"bilinear": "triangle", "bicubic": "cubic", "lanczos3": "lanczos3"}


def version() -> str:
    """Return the version of the package."""
    from importlib.metadata import version as installed

    return installed("resampler")


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return the package with the boundary rule that normalizes weights at the edges, as Sizewise does."""
    import resampler

    is_supported = case.dtype == "float32" and case.layout == "NHWC" and case.dialect == "standard"
    if case.gradient or not is_supported or not case.antialias or case.method not in _FILTERS:
        return []
    filter_ = _FILTERS[case.method]
    arguments: dict[str, Any] = {"boundary": "natural", "filter": filter_, "prefilter": filter_, "num_threads": threads}

    def call() -> list[Any]:
        return [resampler.resize(image, case.size, **arguments) for image in source]

    return [from_call(NAME, call, np.stack)]
