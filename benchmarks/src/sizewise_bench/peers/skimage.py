"""scikit-image's transform.resize: forward, image by image, on one thread, antialiased by a Gaussian blur."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "scikit-image", "skimage"
_MAX_CHANNELS = 3  # more take seconds, as does its cubic, a spline


def version() -> str:
    """Return scikit-image's version."""
    import skimage

    return str(skimage.__version__)


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return scikit-image in float32 with edges repeated, as Sizewise does without antialiasing."""
    from skimage import transform

    is_supported = case.dtype == "float32" and case.layout == "NHWC" and case.dialect == "standard"
    if case.gradient or not is_supported or case.method != "bilinear" or case.shape[3] > _MAX_CHANNELS:
        return []
    arguments: dict[str, Any] = {"order": 1, "mode": "edge", "anti_aliasing": case.antialias}

    def call() -> list[Any]:
        return [transform.resize(image, case.size, preserve_range=True, clip=False, **arguments) for image in source]

    return [from_call(NAME, call, np.stack, same_pixels=not case.antialias)]
