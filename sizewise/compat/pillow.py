"""Pillow's Image.resize with the same signature: for Pillow's images, and for arrays, with gradients.

>>> import numpy as np
>>> from sizewise.compat import pillow
>>> image = np.zeros((480, 640, 3), np.uint8)
>>> pillow.resize(image, (320, 200), pillow.Resampling.LANCZOS).shape
(200, 320, 3)

An image becomes an image of the same mode, with the bits of the installed Pillow, 12.3 or 13, or of the one that
`dialect` names. Exceptions: the last bit may differ in mode F with `box`, `reducing_gap` or MKS2021, and in modes I and
I;16 in one of 100,000 pixels of MKS2021; all bits, where Pillow's own integers overflow. Filters of I;16B sum integers
with swapped bytes, as Pillow's do. Pillow itself is needed for images only.

An array holds the bands of an image: uint8 as in modes L and RGB, bool as in 1, int32 as in I, uint16 as in I;16,
float32 as in F; other floats, which Pillow does not have, are summed in float64. Arrays have no alpha band: only images
are premultiplied.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np

from .. import api, validation
from ..backends import pillow as images
from ..backends._call import Call
from ..backends.pillow import DIALECTS
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError, short_repr
from ._arguments import dtype_name, require_known, require_width_height

__all__ = ["Resampling", "resize"]
__dir__ = __all__.copy


class Resampling(IntEnum):
    """Pillow's filters, with Pillow's values.

    >>> Resampling.BICUBIC == 3
    True
    """

    NEAREST = 0
    BOX = 4
    BILINEAR = 2
    HAMMING = 5
    BICUBIC = 3
    LANCZOS = 1
    MKS2013 = 6
    MKS2021 = 7


_DTYPES = ("uint8", "bool", "float32", "float64", "float16", "bfloat16", "int32", "uint16")


def resize(
    image: Any,
    size: Any,
    resample: int | None = None,
    box: Any = None,
    reducing_gap: float | None = None,
    *,
    dialect: str | None = None,
) -> Any:
    """Return the image resized as Image.resize does: an image of the same mode, or an array of the same dtype.

    Args:
        image: a Pillow image, or an array of any library, (height, width) or (height, width, bands).
        size: (width, height) of the result.
        resample: a filter of `Resampling`; None is BICUBIC. Modes 1 and P (and bool) are always NEAREST.
        box: the part to resize, (left, upper, right, lower), in pixels, also fractions of them; None for all.
        reducing_gap: shrink by integer factors first, as far as leaves the filter to shrink by at least this factor.
        dialect: "pillow" or "pillow@12"; None is that of the installed Pillow, or the newest without Pillow.

    >>> resize(np.uint8([[0, 100], [100, 200]]), (1, 2), Resampling.BOX)
    array([[ 50],
           [150]], dtype=uint8)
    """
    width, height = require_width_height(size, "size")
    name = DIALECTS[_release() < 13] if dialect is None else require_known(dialect, "dialect of Pillow", DIALECTS)
    options = {"dialect": name, "box": box, "reducing_gap": reducing_gap}
    if images.is_image(image):
        return _resize_image(image, (height, width), _method(resample), options)
    if not hasattr(image, "shape"):
        raise ArgumentTypeError(f"image must be a Pillow image or an array, not {type(image).__name__}")
    if len(image.shape) not in (2, 3):
        raise ArgumentError(
            f"image has shape {tuple(image.shape)}; it must be (height, width) or (height, width, bands)"
        )
    return _resize_array(image, (height, width), _method(resample), options)


@cache
def _release() -> int:
    """Return the major version of the installed Pillow; the newest supported one without Pillow."""
    try:
        import PIL
    except ImportError:
        return 13
    return int(PIL.__version__.partition(".")[0])


def _method(resample: Any) -> str:
    if resample is None:
        return "bicubic"
    try:
        return Resampling(validation.require_int(resample, "resample", 0)).name.lower()
    except ValueError:  # which ArgumentError is, too
        known = ", ".join(f"{one.name} ({one.value})" for one in Resampling)
        raise ArgumentError(
            f"unknown resampling filter {short_repr(resample)}; use one of Resampling: {known}"
        ) from None


def _resize_image(image: Any, size: tuple[int, int], method: str, options: dict[str, Any]) -> Any:
    """Return a Pillow image resized; an empty one becomes zeros."""
    box = options["box"]
    if image.size == size[::-1] and (box is None or (isinstance(box, tuple) and box == (0, 0, *image.size))):
        return image.copy()
    images.require_mode(image)
    _require_positive(size)
    if 0 in image.size and box is None:
        empty = images.array(image)
        return images.image_like(image, np.zeros((*size, *empty.shape[2:]), images.dtype(empty)))
    return api.resize(image, size, "nearest" if image.mode in ("1", "P") else method, **options)


def _require_positive(size: tuple[int, int]) -> None:
    if min(size) < 1:
        raise ArgumentError(f"size is {size[::-1]}; width and height must be 1 or more")


def _resize_array(x: Any, size: tuple[int, int], method: str, options: dict[str, Any]) -> Any:
    """Return an array of bands resized as the mode of its dtype is."""
    dtype = dtype_name(x, "image")
    _require_positive(size)
    if dtype not in _DTYPES:
        raise DtypeError(
            f"Pillow has no mode for {dtype}; convert to uint8 (modes L, RGB), int32 (I), uint16 (I;16) or float32 (F)"
        )
    if dtype == "bool":
        method = "nearest"
    if dtype == "uint16" or (dtype == "int32" and method != "nearest"):
        if not isinstance(x, np.ndarray):
            raise UnsupportedError(f"{dtype} is for NumPy arrays here, not {type(x).__name__}; convert to float32")
        return images.apply(x, Call(api.make_plan(x.shape[:2], size, method, **options), (0, 1)))
    return api.resize(x, size, method, axes=(0, 1), **options)
