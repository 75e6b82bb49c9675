"""Pillow's Image.resize, word for word: for Pillow's images, and for arrays, with gradients.

>>> import numpy as np
>>> from sizewise.compat import pillow
>>> image = np.zeros((480, 640, 3), np.uint8)
>>> pillow.resize(image, (320, 200), pillow.Resampling.LANCZOS).shape
(200, 320, 3)

An image becomes an image of the same mode, bit for bit as the installed Pillow makes it: 12.3 or 13, or the one that
`dialect` names. Only the last bit may differ, in mode F with `box`, `reducing_gap` or MKS2021, and in modes I and I;16
in one of 100,000 pixels of MKS2021; and all bits, where Pillow's own integers overflow. Filters of I;16B mix numbers of
swapped bytes, as Pillow's do. Pillow itself is needed for images only.

An array is the bands of an image: uint8 as in modes L and RGB, bool as in 1, int32 as in I, uint16 as in I;16, float32
as in F; other floats, which Pillow does not have, are summed in float64. Nothing says that one of its bands is alpha:
only images are premultiplied.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import api, validation
from ..backends import pillow as images
from ..backends.pillow import DIALECTS
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError, short_repr, unknown_name
from ._words import kind, pair

__all__ = ["Resampling", "resize"]
__dir__ = __all__.copy


class Resampling(IntEnum):
    """Pillow's filters, by Pillow's numbers.

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


_FLOATS = ("float32", "float64", "float16", "bfloat16")
_ROUNDED = ("int32", "uint16")


class _Call(NamedTuple):
    """How an image is resized; the size is (height, width)."""

    size: tuple[int, int]
    method: str
    box: Any
    gap: Any
    dialect: str


def resize(
    image: Any,
    size: Any,
    resample: int | None = None,
    box: Any = None,
    reducing_gap: float | None = None,
    *,
    dialect: str | None = None,
) -> Any:
    """The image resized as Image.resize does: an image of its own mode, or an array of its own kind and dtype.

    Args:
        image: an image of Pillow's, or an array, (height, width) or (height, width, bands).
        size: (width, height) of the result.
        resample: a filter of `Resampling`; None is BICUBIC. Modes 1 and P (and bool) are always NEAREST.
        box: the part to resize, (left, upper, right, lower), in pixels that need not be whole; None for all.
        reducing_gap: shrinks by whole factors first, and so far that the filter still shrinks by as much as this.
        dialect: "pillow" or "pillow@12"; None is that of the installed Pillow, and of the newest if there is none.

    >>> resize(np.uint8([[0, 100], [100, 200]]), (1, 2), Resampling.BOX)
    array([[ 50],
           [150]], dtype=uint8)
    """
    width, height = pair(size, "size")
    call = _Call((height, width), _method(resample), box, reducing_gap, _dialect(dialect))
    if _is_picture(image):
        return _picture(image, call)
    if not hasattr(image, "shape"):
        raise ArgumentTypeError(f"image must be a Pillow image or an array, not {type(image).__name__}")
    if len(image.shape) not in (2, 3):
        raise ArgumentError(
            f"image has shape {tuple(image.shape)}; it must be (height, width) or (height, width, bands)"
        )
    return _array(image, call)


def _dialect(given: Any) -> str:
    """The name of the dialect that is asked for, or that of the installed Pillow."""
    if given is None:
        return DIALECTS[_release() < 13]
    if not isinstance(given, str) or given not in DIALECTS:
        raise unknown_name("dialect of Pillow", given, DIALECTS)
    return given


@cache
def _release() -> int:
    """The release of the installed Pillow; the newest that is known where there is none."""
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
    except ValueError:  # which our own errors are, too
        known = ", ".join(f"{one.name} ({one.value})" for one in Resampling)
        raise ArgumentError(
            f"unknown resampling filter {short_repr(resample)}; use one of Resampling: {known}"
        ) from None


def _is_picture(image: Any) -> bool:
    """Whether it is one of Pillow's; if Pillow is not loaded, there are none."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(image, pillow.Image)


def _picture(image: Any, call: _Call) -> Any:
    """A Pillow image resized; the pixels of an empty one are 0."""
    box = call.box
    if image.size == call.size[::-1] and (box is None or (isinstance(box, tuple) and box == (0, 0, *image.size))):
        return image.copy()
    images.require_mode(image)
    if image.mode in ("1", "P"):
        call = call._replace(method="nearest")
    _require_size(call)
    if 0 in image.size and box is None:
        empty = images.array(image)
        return images.image_like(image, np.zeros((*call.size, *empty.shape[2:]), images.dtype(empty)))
    return api.resize(image, call.size, call.method, dialect=call.dialect, box=box, reducing_gap=call.gap)


def _require_size(call: _Call) -> None:
    if min(call.size) < 1:
        raise ArgumentError(f"size is {call.size[::-1]}; width and height must be 1 or more")


def _array(x: Any, call: _Call) -> Any:
    """An array of bands resized, by the rule of its dtype."""
    dtype = kind(x, "image")
    _require_size(call)
    if dtype not in ("uint8", "bool", *_FLOATS, *_ROUNDED):
        raise DtypeError(
            f"Pillow has no mode for {dtype}; convert to uint8 (modes L, RGB), int32 (I), uint16 (I;16) or float32 (F)"
        )
    if dtype == "bool":
        call = call._replace(method="nearest")
    if dtype == "uint16" or (dtype == "int32" and call.method != "nearest"):
        if not isinstance(x, np.ndarray):
            raise UnsupportedError(f"{dtype} is for NumPy arrays here, not {type(x).__name__}; convert to float32")
        words = {"dialect": call.dialect, "box": call.box, "reducing_gap": call.gap}
        return images.apply(api.make_plan(x.shape[:2], call.size, call.method, **words), x, (0, 1))
    return api.resize(x, call.size, call.method, dialect=call.dialect, axes=(0, 1), box=call.box, reducing_gap=call.gap)
