"""scikit-image's transform.resize: forward, image by image, on one thread. It antialiases by a Gaussian blur."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "scikit-image", "skimage"
_MOST_CHANNELS = 3  # more take seconds, as does its cubic, a spline


def version() -> str:
    """scikit-image's version."""
    import skimage

    return str(skimage.__version__)


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """scikit-image in float32 with its edges repeated, which is what ours does without antialiasing."""
    from skimage import transform

    usual = case.dtype == "float32" and case.layout == "NHWC" and case.dialect == "standard"
    if case.gradient or not usual or case.method != "bilinear" or case.shape[3] > _MOST_CHANNELS:
        return []
    words: dict[str, Any] = {"order": 1, "mode": "edge", "anti_aliasing": case.antialias}

    def call() -> list[Any]:
        return [transform.resize(image, case.size, preserve_range=True, clip=False, **words) for image in source]

    return [of_call(NAME, call, np.stack, same=not case.antialias)]
