"""The resampler package: forward, image by image, on NumPy arrays; it antialiases always."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "resampler", "resampler"
_FILTERS = {"bilinear": "triangle", "bicubic": "cubic", "lanczos3": "lanczos3"}


def version() -> str:
    """The package's version."""
    from importlib.metadata import version as installed

    return installed("resampler")


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """The package with the boundary rule that renormalises weights at the edges, as ours does."""
    import resampler

    usual = case.dtype == "float32" and case.layout == "NHWC" and case.dialect == "standard"
    if case.gradient or not usual or not case.antialias or case.method not in _FILTERS:
        return []
    filter_ = _FILTERS[case.method]
    words: dict[str, Any] = {"boundary": "natural", "filter": filter_, "prefilter": filter_, "num_threads": threads}

    def call() -> list[Any]:
        return [resampler.resize(image, case.size, **words) for image in source]

    return [of_call(NAME, call, np.stack)]
