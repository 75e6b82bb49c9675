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
from numpy.typing import NDArray

from .. import api, validation
from ..dialects import Request
from ..dialects import pillow as rules
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError, short_repr, unknown_name
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
_MODES = (
    "1", "F", "I", "I;16", "I;16B", "I;16L", "I;16N", "L", "LA", "LAB", "La", "P", "PA", "RGB", "RGBA", "RGBX", "RGBa",
    "CMYK", "HSV", "YCbCr",
)  # fmt: skip
# As which 16-bit numbers filters read those of a mode, whatever they are (Resample.c).
_SIXTEEN = {"I;16": "<u2", "I;16L": "<u2", "I;16B": f"{'<' if sys.byteorder == 'little' else '>'}u2", "I;16N": ">u2"}
_SIGNS = {"LAB": np.array([0, 128, 128], np.uint8)}  # bits that Pillow turns over wherever bytes go in or out
_DIALECTS = ("pillow", "pillow@12")
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
        return _DIALECTS[_release() < 13]
    if not isinstance(given, str) or given not in _DIALECTS:
        raise unknown_name("dialect of Pillow", given, _DIALECTS)
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
    """A Pillow image resized."""
    box = call.box
    if image.size == call.size[::-1] and (box is None or (isinstance(box, tuple) and box == (0, 0, *image.size))):
        return image.copy()
    if image.mode not in _MODES:
        raise UnsupportedError(
            f"mode {image.mode} cannot be resized here; convert to one of {', '.join(_MODES)}: image.convert(mode)"
        )
    if image.mode in ("1", "P"):
        call = call._replace(method="nearest")
    if image.mode in _PREMULTIPLIED and call.method != "nearest":
        if call.dialect == "pillow@12":  # which forgets it on the way
            call = call._replace(gap=None)
        return _picture(image.convert(_PREMULTIPLIED[image.mode]), call).convert(image.mode)
    image.load()
    pixels = np.asarray(image)
    if image.mode == "1":
        pixels = pixels.view(np.uint8)
    if image.mode in _SIXTEEN:
        pixels = pixels.view(_SIXTEEN[image.mode])
    signs = _SIGNS.get(image.mode)
    resized = _pixels(pixels if signs is None else pixels ^ signs, call)
    return _like(image, resized if signs is None else resized ^ signs)


def _pixels(pixels: NDArray, call: _Call) -> NDArray:
    """The pixels of an image resized: those of an empty one are 0."""
    if 0 in pixels.shape and call.box is None and min(call.size) > 0:
        return np.zeros((*call.size, *pixels.shape[2:]), pixels.dtype)
    resized: NDArray = _array(pixels, call)
    return resized


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


def _array(x: Any, call: _Call) -> Any:
    """An array of bands resized, by the rule of its dtype."""
    dtype = kind(x, "image")
    if min(call.size) < 1:
        raise ArgumentError(f"size is {call.size[::-1]}; width and height must be 1 or more")
    if dtype not in ("uint8", "bool", *_FLOATS, *_ROUNDED):
        raise DtypeError(
            f"Pillow has no mode for {dtype}; convert to uint8 (modes L, RGB), int32 (I), uint16 (I;16) or float32 (F)"
        )
    if dtype == "bool":
        call = call._replace(method="nearest")
    if dtype == "uint16" or (dtype == "int32" and call.method != "nearest"):
        if not isinstance(x, np.ndarray):
            raise UnsupportedError(f"{dtype} is for NumPy arrays here, not {type(x).__name__}; convert to float32")
        return (_picked if call.method == "nearest" else _rounded_passes)(x, _plan(x, call))
    return api.resize(x, call.size, call.method, dialect=call.dialect, axes=(0, 1), box=call.box, reducing_gap=call.gap)


def _plan(x: NDArray, call: _Call) -> Plan:
    words = {"dialect": call.dialect, "box": call.box, "reducing_gap": call.gap}
    return api.make_plan(x.shape[:2], call.size, call.method, **words)


def _rounded_passes(x: NDArray, plan: Plan) -> NDArray:
    """Whole numbers of modes I and I;16: sums in float64, rounded after each pass."""
    reduction = rules.reduction(plan.request)
    if reduction is not None:
        if x.dtype.itemsize == 2:
            raise UnsupportedError("reducing_gap is not for uint16, mode I;16 (Pillow refuses it too); leave it out")
        x, plan = _reduced(x, plan.request, reduction.blocks), Plan(reduction.request, reduction.taps)
    order = plan.arithmetic(np.dtype(np.float32)).order or ()  # mode F has the same order of passes, and no rounding
    resized = x.copy()
    for axis in order:
        if not plan.taps[axis].is_identity:
            sums = Plan(plan.request, (plan.taps[axis],)).apply(resized.astype(np.float64), axis)
            resized = _rounded(sums, x.dtype)
    return resized


def _reduced(x: NDArray, request: Request, blocks: tuple[Taps, ...]) -> NDArray:
    """The means of blocks of pixels: their sums times the reciprocal of their count, rounded (Reduce.c)."""
    ones = tuple(Taps(one.n_in, one.start, np.sign(one.weights)) for one in blocks)
    sums = Plan(request, ones).apply(x.astype(np.float64), (0, 1))
    counts = np.multiply.outer(blocks[0].count, blocks[1].count)
    return _rounded(sums * (1.0 / counts.reshape(*counts.shape, *[1] * (x.ndim - 2))), x.dtype)


def _picked(x: NDArray, plan: Plan) -> NDArray:
    """NEAREST of mode I;16: each coordinate is computed by itself, where all other modes add up their step."""
    for axis, (part, n_out) in enumerate(zip(rules.parts(plan.request), plan.output_size, strict=True)):
        step = np.float64(part.high - part.low) / n_out
        x = x.take((np.float64(part.low) + (np.arange(n_out) + 0.5) * step).astype(np.int64), axis)
    return x


def _rounded(x: NDArray, dtype: np.dtype) -> NDArray:
    """The nearest whole numbers, halves away from zero, within the dtype."""
    limits = np.iinfo(dtype)
    whole: NDArray = np.clip(np.trunc(x + np.copysign(0.5, x)), limits.min, limits.max).astype(dtype)
    return whole
