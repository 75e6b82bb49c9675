"""Pillow images: an image in, an image of the same mode out.

Sizes are (height, width), as of arrays, where Pillow's own are (width, height). An image is resized as the array of its
bands is, alpha like the others; where a dialect makes floats of integers, these are rounded half to even and clipped.
Dialects of Pillow do all that Image.resize does: they premultiply LA and RGBA by alpha, round modes I and I;16 after
each pass, and read I;16B with swapped bytes. `compat.pillow` is made of them. Indices of a palette and single bits
cannot be mixed: modes 1 and P are for methods that pick pixels.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import plan as plans
from ..dialects import pillow as rules
from ..engine.executor import no_tiles_message
from ..errors import ArgumentError, ArgumentTypeError, UnsupportedError
from ..plan import Plan
from ..taps import Taps
from . import CHANNELS_LAST
from . import numpy as arrays
from ._call import Call, Prepared, prepare_without_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

AXES = CHANNELS_LAST
DIALECTS = ("pillow", "pillow@12")
MODES = (
    "1", "F", "I", "I;16", "I;16B", "I;16L", "I;16N", "L", "LA", "LAB", "La", "P", "PA", "RGB", "RGBA", "RGBX", "RGBa",
    "CMYK", "HSV", "YCbCr",
)  # fmt: skip
_PREMULTIPLIED = {"LA": "La", "RGBA": "RGBa"}
# As which 16-bit integers Pillow's filters read those of a mode, whatever they are (Resample.c).
_SIXTEEN = {"I;16": "<u2", "I;16L": "<u2", "I;16B": f"{'<' if sys.byteorder == 'little' else '>'}u2", "I;16N": ">u2"}
_DTYPES = {"F": "float32", "I": "int32", **dict.fromkeys(_SIXTEEN, "uint16")}  # all others: uint8
_SIGNS = {"LAB": np.array([0, 128, 128], np.uint8)}  # bits that Pillow turns over wherever bytes go in or out


class Image:
    """An image of Pillow with the shape of its pixels: (height, width) or (height, width, bands)."""

    def __init__(self, image: Any) -> None:
        width, height = image.size
        bands = len(image.getbands())
        self.image, self.shape = image, (height, width) if bands == 1 else (height, width, bands)


def array(x: Any) -> Image:
    """Return the image with its shape, if its mode can be resized."""
    if not is_image(x):
        raise ArgumentTypeError(f"cannot resize a {type(x).__module__}.{type(x).__name__}; use a PIL.Image.Image")
    require_mode(x)
    return Image(x)


def is_image(x: Any) -> bool:
    """Return whether x is a Pillow image, without importing Pillow."""
    cls = getattr(sys.modules.get("PIL.Image"), "Image", None)  # None too while another thread imports Pillow
    return cls is not None and isinstance(x, cls)


def require_mode(image: Any) -> None:
    """Raise if images of that mode cannot be resized."""
    if image.mode not in MODES:
        raise UnsupportedError(
            f"mode {image.mode} cannot be resized here; convert to one of {', '.join(MODES)}: image.convert(mode)"
        )


def dtype(x: Image) -> np.dtype:
    """Return the dtype of the pixels."""
    return np.dtype(_DTYPES.get(x.image.mode, "uint8"))


def prepare(plan: Plan, x: Image, axes: tuple[int, ...], engine: str | None = None) -> Prepared:
    """Return a function that applies the plan to images of this size and mode."""
    mode = x.image.mode
    if max(axes) > 1:
        raise ArgumentError(f"an image has the axes 0 and 1, its height and width, not {axes}; leave axes out")
    is_pillow = plan.request.dialect in DIALECTS
    # Where another method happens to copy pixels (box of images that grow), Pillow copies those of its nearest.
    copies = plan.is_selection and (not is_pillow or plan.request.method == "nearest" or _is_copy(plan))
    if not copies and (mode in ("1", "P") or (mode == "PA" and not is_pillow)):
        held = "single bits" if mode == "1" else "indices of a palette"
        raise UnsupportedError(
            f"mode {mode} holds {held}, which cannot be mixed; convert it first, image.convert('RGB'), or use nearest"
        )
    plan.arithmetic(dtype(x))
    is_premultiplied = is_pillow and mode in _PREMULTIPLIED and plan.request.method != "nearest" and not _is_copy(plan)
    apply = _resize_premultiplied if is_premultiplied else _resize
    return prepare_without_out(apply, "Pillow images", plan, axes, engine)


def _is_copy(plan: Plan) -> bool:
    """Return whether Image.resize copies an image."""
    return plan.input_size == plan.output_size and plan.request.option("box") is None


def _resize_premultiplied(x: Image, call: Call) -> Any:
    """Return an image resized while premultiplied by its alpha, as Image.resize does."""
    request = call.plan.request
    if request.dialect == "pillow@12" and request.option("reducing_gap") is not None:  # which Pillow 12 drops here
        options = tuple((name, None if name == "reducing_gap" else value) for name, value in request.options)
        call = call._replace(plan=plans.build(replace(request, options=options)))
    mode = x.image.mode
    return _resize(Image(x.image.convert(_PREMULTIPLIED[mode])), call).convert(mode)


def _resize(x: Image, call: Call) -> Any:
    mode, signs = x.image.mode, _SIGNS.get(x.image.mode)
    x.image.load()
    pixels = np.asarray(x.image)
    if mode == "1":
        pixels = pixels.view(np.uint8)
    if mode in _SIXTEEN and call.plan.request.dialect in DIALECTS:
        pixels = pixels.view(_SIXTEEN[mode])
    resized = apply(pixels if signs is None else pixels ^ signs, call)
    if resized.dtype.kind == "f" and pixels.dtype.kind != "f":
        resized = arrays.rounded(resized, pixels.dtype)
    return image_like(x.image, resized.astype(pixels.dtype, copy=False))


def image_like(image: Any, pixels: NDArray) -> Any:
    """Return an image of these pixels, with the mode, the palette and the information of another."""
    pillow, signs = sys.modules["PIL.Image"], _SIGNS.get(image.mode)
    if signs is not None:
        pixels = pixels ^ signs
    raw = "1;8" if image.mode == "1" else image.mode
    made = pillow.frombytes(image.mode, pixels.shape[1::-1], np.ascontiguousarray(pixels).data, "raw", raw)
    made.info = {key: list(value) if isinstance(value, list) else value for key, value in image.info.items()}
    if image.palette is not None:
        made.palette = image.palette.copy()
        made.palette.dirty = 1  # to be taken over when it is first needed
    return made


def apply(x: NDArray, call: Call) -> NDArray:
    """Apply the plan to pixels; in Pillow's dialects, uint16 and int32 are those of modes I;16 and I."""
    plan, axes, engine, threads = call
    is_nearest = plan.request.method == "nearest"
    is_wide_integer = x.dtype.itemsize == 2 or (x.dtype.itemsize == 4 and not is_nearest)
    if plan.request.dialect not in DIALECTS or x.dtype.kind == "f" or not is_wide_integer:
        resized: NDArray = arrays.prepare(plan, x, axes, engine)(x, None, threads)
        return resized
    if plan.parent is not plan:
        raise UnsupportedError(no_tiles_message(plan.request.dialect))
    return (_nearest if is_nearest else _rounded_passes)(plan, x, axes)


def _rounded_passes(plan: Plan, x: NDArray, axes: tuple[int, ...]) -> NDArray:
    """Sum in float64, and round after each pass."""
    reduction = rules.reduction(plan.request)
    if reduction is not None:
        if x.dtype.itemsize == 2:
            raise UnsupportedError("reducing_gap is not for uint16, mode I;16 (Pillow refuses it too); leave it out")
        x, plan = _reduced(plan, x, reduction.blocks, axes), Plan(reduction.request, reduction.taps)
    order = plan.arithmetic(np.dtype(np.float32)).order or ()  # mode F has the same order of passes, and no rounding
    resized = x.copy()
    for position in order:
        if not plan.taps[position].is_identity:
            one = Plan(plan.request, (plan.taps[position],))
            resized = _round(one.apply(resized.astype(np.float64), axes[position]), x.dtype)
    return resized


def _reduced(plan: Plan, x: NDArray, blocks: tuple[Taps, ...], axes: tuple[int, ...]) -> NDArray:
    """Return the means of blocks of pixels: their sums times the reciprocal of their count, rounded (Reduce.c)."""
    ones = tuple(Taps(one.n_in, one.start, np.sign(one.weights)) for one in blocks)
    sums = Plan(plan.request, ones).apply(x.astype(np.float64), axes)
    counts = np.multiply.outer(blocks[0].count, blocks[1].count)
    return _round(sums * (1.0 / counts.reshape(*counts.shape, *[1] * (x.ndim - 2))), x.dtype)


def _nearest(plan: Plan, x: NDArray, axes: tuple[int, ...]) -> NDArray:
    """Pick pixels of mode I;16: each coordinate is computed by itself, where all other modes add up their step."""
    for axis, part, n_out in zip(axes, rules.parts(plan.request), plan.output_size, strict=True):
        step = np.float64(part.high - part.low) / n_out
        x = x.take((np.float64(part.low) + (np.arange(n_out) + 0.5) * step).astype(np.int64), axis)
    return x


def _round(x: NDArray, dtype: np.dtype) -> NDArray:
    """Return the nearest integers, halves away from zero, within the dtype."""
    limits = np.iinfo(dtype)
    rounded: NDArray = np.clip(np.trunc(x + np.copysign(0.5, x)), limits.min, limits.max).astype(dtype)
    return rounded
