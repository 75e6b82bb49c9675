"""transformers, image by image: `image_transforms.resize`, which its image processors call, through Pillow.

Whole processors are timed by `python -m benchmarks.preprocess`.
"""

from __future__ import annotations

from importlib.metadata import version as installed_version

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "transformers", "transformers"
_FILTERS = {"bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos3": "LANCZOS"}


def version() -> str:
    """Return the version of transformers."""
    return installed_version("transformers")


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return the resize of transformers for antialiased uint8 images of three channels."""
    is_supported = case.dtype == "uint8" and case.layout == "NHWC" and case.shape[3] == 3 and case.antialias
    if case.gradient or not is_supported or case.method not in _FILTERS:
        return []
    from PIL import Image
    from transformers import image_transforms

    flag = getattr(Image.Resampling, _FILTERS[case.method])

    def call() -> list[Array]:
        return [image_transforms.resize(image, case.size, flag, input_data_format="channels_last") for image in source]

    return [from_call(NAME, call, np.stack, same_pixels=case.dialect == "pillow")]
