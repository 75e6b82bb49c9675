"""Pillow's Image.resize, word for word: for Pillow's images, and for arrays, with gradients.

>>> import numpy as np
>>> from sizewise.compat import pillow
>>> image = np.zeros((480, 640, 3), np.uint8)
>>> pillow.resize(image, (320, 200), pillow.Resampling.LANCZOS).shape
(200, 320, 3)

An image becomes an image of the same mode, bit for bit as Pillow 13 makes it. Only the last bit may differ, in mode F
with `box`, `reducing_gap` or MKS2021, and in modes I and I;16 in one of 100,000 pixels of MKS2021; and all bits, where
Pillow's own integers overflow. Pillow itself is needed for images only.

An array is the bands of an image: uint8 as in modes L and RGB, bool as in 1, int32 as in I, uint16 as in I;16, float32
as in F; other floats, which Pillow does not have, are summed in float64. Nothing says that one of its bands is alpha:
only images are premultiplied.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import api, checks
from ..dialects import pillow as dialect
from ..errors import ArgumentError, DtypeError, UnsupportedError, shown
from ..plan import Plan
from ..taps import Taps
from ._words import kind, pair


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


_PREMULTIPLIED = {"LA": "La", "RGBA": "RGBa"}
_MODES = ("1", "F", "I", "I;16", "L", "LA", "LAB", "La", "P", "RGB", "RGBA", "RGBX", "RGBa", "CMYK", "HSV", "YCbCr")
_SIGNS = {"LAB": np.array([0, 128, 128], np.uint8)}  # bits that Pillow turns over wherever bytes go in or out
_FLOATS = ("float32", "float64", "float16", "bfloat16")
_ROUNDED = ("int32", "uint16")


def resize(
    image: Any, size: Any, resample: int | None = None, box: Any = None, reducing_gap: float | None = None
) -> Any:
    """The image resized as Image.resize does: an image of its own mode, or an array of its own kind and dtype.

    Args:
        image: an image of Pillow's, or an array, (height, width) or (height, width, bands).
        size: (width, height) of the result.
        resample: a filter of `Resampling`; None is BICUBIC. Modes 1 and P (and bool) are always NEAREST.
        box: the part to resize, (left, upper, right, lower), in pixels that need not be whole; None for all.
        reducing_gap: shrinks by whole factors first, and so far that the filter still shrinks by as much as this.

    >>> resize(np.uint8([[0, 100], [100, 200]]), (1, 2), Resampling.BOX)
    array([[ 50],
           [150]], dtype=uint8)
    """
    method = _method(resample)
    width, height = pair(size, "size")
    if min(width, height) < 1:
        raise ArgumentError(f"size is {shown(size)}; width and height must be 1 or more")
    if _is_picture(image):
        return _picture(image, (height, width), method, box, reducing_gap)
    if not hasattr(image, "shape"):
        raise DtypeError(f"image must be a Pillow image or an array, not {type(image).__name__}")
    if len(image.shape) not in (2, 3):
        raise ArgumentError(
            f"image has shape {tuple(image.shape)}; it must be (height, width) or (height, width, bands)"
        )
    return _array(image, (height, width), method, box, reducing_gap)


def _method(resample: Any) -> str:
    if resample is None:
        return "bicubic"
    try:
        return Resampling(checks.integer(resample, "resample", 0)).name.lower()
    except ValueError:  # which our own errors are, too
        known = ", ".join(f"{one.name} ({one.value})" for one in Resampling)
        raise ArgumentError(f"unknown resampling filter {shown(resample)}; use one of Resampling: {known}") from None


def _is_picture(image: Any) -> bool:
    """Whether it is one of Pillow's; if Pillow is not loaded, there are none."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(image, pillow.Image)


def _picture(image: Any, size: tuple[int, int], method: str, box: Any, gap: Any) -> Any:
    """A Pillow image resized."""
    if image.size == size[::-1] and (box is None or (isinstance(box, tuple) and box == (0, 0, *image.size))):
        return image.copy()
    if image.mode not in _MODES:
        raise UnsupportedError(
            f"mode {image.mode} cannot be resized here; convert to one of {', '.join(_MODES)}: image.convert(mode)"
        )
    if image.mode in ("1", "P"):
        method = "nearest"
    if image.mode in _PREMULTIPLIED and method != "nearest":
        premultiplied = image.convert(_PREMULTIPLIED[image.mode])
        return _picture(premultiplied, size, method, box, gap).convert(image.mode)
    image.load()
    pixels = np.asarray(image)
    if image.mode == "1":
        pixels = pixels.view(np.uint8)
    signs = _SIGNS.get(image.mode)
    resized = _array(pixels if signs is None else pixels ^ signs, size, method, box, gap)
    return _like(image, resized if signs is None else resized ^ signs)


def _like(image: Any, pixels: NDArray) -> Any:
    """A Pillow image of these pixels, with the mode, the palette and the information of another."""
    pillow = sys.modules["PIL.Image"]
    raw = "1;8" if image.mode == "1" else image.mode
    made = pillow.frombytes(image.mode, pixels.shape[1::-1], np.ascontiguousarray(pixels).data, "raw", raw)
    made.info = {key: list(value) if isinstance(value, list) else value for key, value in image.info.items()}
    if image.palette is not None:
        made.palette = image.palette.copy()
        made.palette.dirty = 1  # to be taken over when it is first needed
    return made


def _array(x: Any, size: tuple[int, int], method: str, box: Any, gap: Any) -> Any:
    """An array of bands resized, by the rule of its dtype."""
    dtype = kind(x, "image")
    if dtype not in ("uint8", "bool", *_FLOATS, *_ROUNDED):
        raise DtypeError(
            f"Pillow has no mode for {dtype}; convert to uint8 (modes L, RGB), int32 (I), uint16 (I;16) or float32 (F)"
        )
    if dtype == "bool":
        method = "nearest"
    by_numpy = dtype == "uint16" or (dtype == "int32" and method != "nearest")
    if by_numpy and not isinstance(x, np.ndarray):
        raise UnsupportedError(f"{dtype} is for NumPy arrays here, not {type(x).__name__}; convert to float32")
    if gap is not None and method != "nearest" and dtype not in _FLOATS and isinstance(x, np.ndarray):
        x, box = _reduced(x, size, method, box, gap)
        gap = None
    if by_numpy:
        return (_picked if method == "nearest" else _rounded_passes)(x, size, method, box)
    return api.resize(x, size, method, dialect="pillow", axes=(0, 1), box=box, reducing_gap=gap)


def _reduced(x: NDArray, size: tuple[int, int], method: str, box: Any, gap: Any) -> tuple[NDArray, Any]:
    """The means of blocks that `reducing_gap` takes first, in x's own dtype, and the box that is left to resize."""
    plan = api.make_plan(x.shape[:2], size, method, dialect="pillow", box=box, reducing_gap=gap)
    rows, columns = dialect.parts(plan.request)
    if rows.means is None or columns.means is None:
        return x, box
    if x.dtype == np.uint16:
        raise UnsupportedError("reducing_gap is not for uint16, mode I;16 (Pillow refuses it too); leave it out")
    blocks = tuple(Taps(part.n_in, part.start, np.sign(part.weights)) for part in (rows.means, columns.means))
    most = blocks[0].width * blocks[1].width * 255
    exact = np.float32 if x.dtype == np.uint8 and most < 2**24 else np.float64  # holds every sum
    sums = Plan(plan.request, blocks).apply(x.astype(exact), (0, 1))
    counts = np.multiply.outer(rows.means.count, columns.means.count).reshape(rows.n, columns.n, *[1] * (x.ndim - 2))
    left = (float(columns.low), float(rows.low), float(columns.high), float(rows.high))
    return _means(sums, counts, x.dtype), left


def _means(sums: NDArray, counts: NDArray[np.int64], dtype: np.dtype) -> NDArray:
    """Sums of so many pixels over their count, rounded as Pillow rounds them (Reduce.c)."""
    if dtype != np.uint8:
        return _rounded(sums * (1.0 / counts), dtype)
    share = (np.float32(2**24) / counts.astype(np.float32)).astype(np.int64)  # 1/count in 24 bits
    means: NDArray = ((sums.astype(np.int64) + counts // 2) * share >> 24).astype(np.uint8)
    return means


def _rounded_passes(x: NDArray, size: tuple[int, int], method: str, box: Any) -> NDArray:
    """Whole numbers of modes I and I;16: sums in float64, rounded after each pass."""
    plan = api.make_plan(x.shape[:2], size, method, dialect="pillow", box=box)
    order = plan.arithmetic(np.dtype(np.float32)).order or ()  # mode F has the same order of passes, and no rounding
    resized = x.copy()
    for axis in order:
        if not plan.taps[axis].is_identity:
            sums = Plan(plan.request, (plan.taps[axis],)).apply(resized.astype(np.float64), axis)
            resized = _rounded(sums, x.dtype)
    return resized


def _picked(x: NDArray, size: tuple[int, int], method: str, box: Any) -> NDArray:
    """NEAREST of mode I;16: each coordinate is computed by itself, where all other modes add up their step."""
    plan = api.make_plan(x.shape[:2], size, method, dialect="pillow", box=box)
    for axis, (part, n_out) in enumerate(zip(dialect.parts(plan.request), plan.output_size, strict=True)):
        step = np.float64(part.high - part.low) / n_out
        x = x.take((np.float64(part.low) + (np.arange(n_out) + 0.5) * step).astype(np.int64), axis)
    return x


def _rounded(x: NDArray, dtype: np.dtype) -> NDArray:
    """The nearest whole numbers, halves away from zero, within the dtype."""
    limits = np.iinfo(dtype)
    whole: NDArray = np.clip(np.trunc(x + np.copysign(0.5, x)), limits.min, limits.max).astype(dtype)
    return whole
