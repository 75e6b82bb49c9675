"""OpenCV's cv2.resize with the same signature, for any array, with its gradient; OpenCV is not needed.

>>> import numpy as np
>>> from sizewise.compat import cv2
>>> image = np.zeros((480, 640, 3), np.uint8)
>>> cv2.resize(image, (320, 200), interpolation=cv2.INTER_AREA).shape
(200, 320, 3)

Pixels are those of dialect "opencv", which documents how exactly they match: uint8 bit for bit. 16-bit integers are the
exact result, rounded half to even; OpenCV's own differ from it by 1 in about 0.5 % of pixels, with INTER_LINEAR_EXACT
in about 10 %.
"""

from __future__ import annotations

from typing import Any

from .. import api, backends, validation
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError, short_repr
from ._arguments import dtype_name, require_width_height

__all__ = [
    "INTER_AREA", "INTER_CUBIC", "INTER_LANCZOS4", "INTER_LINEAR", "INTER_LINEAR_EXACT", "INTER_NEAREST",
    "INTER_NEAREST_EXACT", "resize",
]  # fmt: skip
__dir__ = __all__.copy

INTER_NEAREST, INTER_LINEAR, INTER_CUBIC, INTER_AREA, INTER_LANCZOS4, INTER_LINEAR_EXACT, INTER_NEAREST_EXACT = range(7)

_METHODS = ("nearest", "linear", "cubic", "area", "lanczos4", "linear_exact", "nearest_exact")
_WEIGHTED = ("uint8", "uint16", "int16", "float32", "float64")  # dtypes that OpenCV's filters accept
_EXACT = (*_WEIGHTED, "int8")  # INTER_LINEAR_EXACT accepts int32 too, with weights so coarse that thousands get lost
_COPIED = (*_WEIGHTED, "bool", "int8", "int32", "uint32", "float16")  # dtypes that it can copy
_DTYPES = {"nearest": _COPIED, "nearest_exact": _COPIED, "linear_exact": _EXACT}
_MAX_CHANNELS = 128
_MAX_AREA_CHANNELS = 4  # of INTER_AREA where output pixels cover fractions of input pixels


def resize(
    src: Any, dsize: Any, dst: Any = None, fx: float = 0, fy: float = 0, interpolation: int = INTER_LINEAR
) -> Any:
    """Return the image resized as cv2.resize does, as an array of the same library and dtype.

    Args:
        src: (height, width) or (height, width, channels). A single channel is dropped, as in OpenCV.
        dsize: (width, height) of the result; None or (0, 0) to compute it from fx and fy.
        dst: an array to write into and to return, if it has the shape and dtype of the result; otherwise it is ignored.
        fx: scale along the width, used without dsize; coordinates are divided by it.
        fy: scale along the height, likewise.
        interpolation: one of the INTER_ constants.

    >>> import numpy as np
    >>> resize(np.float32([[0, 1], [2, 3]]), None, fx=2, fy=1)
    array([[0.  , 0.25, 0.75, 1.  ],
           [2.  , 2.25, 2.75, 3.  ]], dtype=float32)
    """
    dtype, method = dtype_name(src, "src"), _method(interpolation)
    image = _image(src)
    size, scale = _size(dsize, image.shape, fx, fy)
    is_copy = size == tuple(image.shape[:2])
    allowed = _COPIED if is_copy else _DTYPES.get(method, _WEIGHTED)
    if dtype not in allowed:
        raise DtypeError(f"src has dtype {dtype}; OpenCV takes {', '.join(allowed)} here; convert it first")
    if method == "area" and not is_copy and len(image.shape) == 3:
        _require_area_channels(tuple(image.shape), size, scale)
    out = _writable_part(dst, src, (*size, *image.shape[2:]))
    options: dict[str, Any] = {"size": size} if scale is None else {"scale": scale}
    options["channels"] = image.shape[2] if len(image.shape) == 3 else 1
    result = api.resize(image, method=method, dialect="opencv", axes=(0, 1), out=out, **options)
    return result if out is None else dst


def _image(src: Any) -> Any:
    """Return the image, without the axis of a single channel."""
    shape = tuple(src.shape)
    if len(shape) not in (2, 3) or 0 in shape:
        raise ArgumentError(
            f"src has shape {shape}; it must be (height, width) or (height, width, channels), not empty"
        )
    if len(shape) == 3 and shape[2] > _MAX_CHANNELS:
        raise UnsupportedError(
            f"src has {shape[2]} channels, and OpenCV takes at most {_MAX_CHANNELS}; "
            'sizewise.resize(..., dialect="opencv") takes any number'
        )
    return src[:, :, 0] if shape[2:] == (1,) else src


def _method(interpolation: Any) -> str:
    """Return the dialect's name of an INTER_ constant; None is the default, as in OpenCV."""
    if interpolation is None:
        return _METHODS[INTER_LINEAR]
    constant = validation.as_int(interpolation)
    if constant is None:
        raise ArgumentTypeError(
            f"interpolation must be an integer, one of the INTER_ constants, not {short_repr(interpolation)}"
        )
    if not 0 <= constant < len(_METHODS):
        known = ", ".join(f"INTER_{name.upper()} ({number})" for number, name in enumerate(_METHODS))
        raise ArgumentError(f"unknown interpolation {short_repr(constant)}; cv2.resize takes {known}")
    return _METHODS[constant]


def _size(dsize: Any, shape: Any, fx: Any, fy: Any) -> tuple[tuple[int, int], tuple[float, float] | None]:
    """Return (height, width) of the result, and (fy, fx) if it follows from them: coordinates then depend on them."""
    scale = [0.0 if one is None else validation.require_float(one, name) for one, name in ((fy, "fy"), (fx, "fx"))]
    width, height = (0, 0) if dsize is None else require_width_height(dsize, "dsize")
    if width > 0 and height > 0:
        return (height, width), None
    if min(scale) <= 0:
        raise ArgumentError(
            f"give dsize, or fx and fy above 0; dsize is {short_repr(dsize)}, fx {short_repr(fx)} "
            f"and fy {short_repr(fy)}"
        )
    limit = float(validation.MAX_AXIS_LENGTH + 1)
    height, width = (round(min(n * one, limit)) for n, one in zip(shape[:2], scale, strict=True))  # half to even
    if min(height, width) < 1:
        raise ArgumentError(
            f"fx {scale[1]} and fy {scale[0]} of an image {shape[1]} wide and {shape[0]} high leave nothing of it; "
            "give larger ones, or dsize"
        )
    return (height, width), (scale[0], scale[1])


def _require_area_channels(shape: tuple[int, ...], size: tuple[int, int], scale: tuple[float, float] | None) -> None:
    """Raise if an image with this number of channels is averaged over fractions of pixels, as OpenCV does."""
    steps = [1.0 / one for one in scale or tuple(n_out / n_in for n_in, n_out in zip(shape[:2], size, strict=True))]
    is_fractional = any(step != round(step) for step in steps)
    if min(steps) >= 1.0 and is_fractional and shape[2] > _MAX_AREA_CHANNELS:
        raise UnsupportedError(
            f"INTER_AREA: OpenCV takes at most {_MAX_AREA_CHANNELS} channels, unless it shrinks by integer factors; "
            f'src has {shape[2]}; sizewise.resize(..., method="area", dialect="opencv") takes any number'
        )


def _writable_part(dst: Any, src: Any, shape: tuple[int, ...]) -> Any:
    """Return the part of dst to write into; None if it does not fit, where OpenCV allocates an array."""
    if dst is None:
        return None
    dtype_name(dst, "dst")
    if backends.backend_for(dst) is not backends.backend_for(src):
        raise ArgumentTypeError(f"dst must be an array of the same library as src, not {type(dst).__name__}")
    if dst.dtype != src.dtype or tuple(dst.shape) not in (shape, (*shape, 1)[:3]):
        return None
    return dst[:, :, 0] if len(dst.shape) > len(shape) else dst
