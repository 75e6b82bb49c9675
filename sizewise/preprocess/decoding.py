"""From a path, bytes, a Pillow image or an array to the pixels that steps take."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backends import is_torch_compiling
from ..backends.pillow import is_image
from ..errors import (
    CODECS,
    ArgumentError,
    ArgumentTypeError,
    DtypeError,
    FileError,
    MissingExtraError,
    SizewiseError,
    SizewiseWarning,
    is_raised_by,
    short_repr,
)
from ..validation import is_masked
from . import array_ops
from .steps import DTYPES, Decode

_NPY = b"\x93NUMPY"  # the first bytes of such a file
_KNOWN = "give an image that Pillow reads (PNG, JPEG, WebP, TIFF, GIF, BMP ...), or .npy of (height, width, channels)"
CHANNELS = {"L": 1, "RGB": 3, "RGBA": 4}


def is_file(x: Any) -> bool:
    """Return whether x is a path or the bytes of a file.

    >>> is_file("photo.jpg"), is_file(np.zeros((4, 4, 3)))
    (True, False)
    """
    return isinstance(x, (str, os.PathLike, bytes, bytearray, memoryview))


def to_pixels(x: Any, decode: Decode, layout: str | None) -> Any:
    """Return (..., height, width, channels): an image as `decode` asks for, or an array of `layout`.

    By default tensors of PyTorch are channels first, other arrays channels last. A gray array without a channel axis
    gets one, or the channels of `decode.mode`.
    """
    if is_file(x):
        return decode_file(x, decode)
    if is_image(x):
        return _convert_image(x, decode)
    if array_ops.library_of(x) == "numpy":
        if is_masked(x):
            raise ArgumentTypeError("masked arrays cannot be preprocessed; fill the masked values first: x.filled(0)")
        x = np.asarray(x)
    pixels = _from_array(x, decode, layout)
    # Bytes have no gradient, so those of PyTorch take the faster way through NumPy, in the same memory.
    is_shared = array_ops.library_of(pixels) == "torch" and array_ops.dtype_name(pixels) == "uint8"
    return pixels.numpy() if is_shared and pixels.device.type == "cpu" and not is_torch_compiling() else pixels


def _from_array(x: Any, decode: Decode, layout: str | None) -> Any:
    rank = len(x.shape)
    if array_ops.dtype_name(x) not in DTYPES:
        raise DtypeError(f"an image of dtype {array_ops.dtype_name(x)} cannot be preprocessed; use {', '.join(DTYPES)}")
    if rank < 2 or 0 in x.shape:
        raise ArgumentError(f"an array of shape {tuple(x.shape)} is not an image; give (height, width, channels)")
    shape = tuple(x.shape)
    is_first = (layout or ("CHW" if array_ops.library_of(x) == "torch" else "HWC")).endswith("CHW")
    if rank == 2:
        x = x[..., None]
    elif is_first:
        x = array_ops.permute(x, (*range(rank - 3), rank - 2, rank - 1, rank - 3))
    channels, wanted = int(x.shape[-1]), CHANNELS[decode.mode]
    if channels == 1 and wanted == 3:
        return _repeat(x)
    if channels != wanted:
        order = "channels first" if is_first else "channels last"
        raise ArgumentError(
            f"an array of shape {shape} ({order}) has {channels} channels; mode {decode.mode} has {wanted}: "
            "convert it, or say layout='CHW' or 'HWC'"
        )
    return x


def _repeat(x: Any) -> Any:
    library = array_ops.library_of(x)
    if library == "torch":
        return x.expand(*x.shape[:-1], 3)
    if library == "tensorflow":
        import tensorflow

        return tensorflow.repeat(x, 3, axis=-1)
    return x.repeat(3, axis=-1)


def decode_file(x: Any, decode: Decode) -> NDArray:
    """Return the pixels of a path or of bytes, or the array of an NPY file; raise FileError for others."""
    name = "the bytes given" if isinstance(x, (bytes, bytearray, memoryview)) else short_repr(os.fspath(x))
    try:
        data = bytes(x) if isinstance(x, (bytes, bytearray, memoryview)) else Path(x).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise FileError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from error
    try:
        if data.startswith(_NPY):
            return _decode_npy(data, decode)
        return _DECODERS[decode.decoder](data, decode)
    except ModuleNotFoundError as missing:
        extra = {"pillow": "cli"}.get(decode.decoder, decode.decoder)
        raise MissingExtraError(f"decoding with {decode.decoder} ({missing.name} is missing)", extra) from missing
    except FileError as error:
        raise FileError(f"cannot decode {name}: {error}") from error
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        is_unknown = type(error).__name__ == "UnidentifiedImageError"  # whose text names an object of Python
        reason = f"not an image in a known format; {_KNOWN}" if is_unknown else " ".join(str(error).split())
        raise FileError(f"cannot decode {name}: {reason}") from error


def _decode_npy(data: bytes, decode: Decode) -> NDArray:
    """Return the array of an NPY file, channels last."""
    try:
        x: NDArray = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise FileError(f"not an array of NumPy: {' '.join(str(error).split())}") from error
    if x.ndim not in (2, 3):
        raise FileError(f"an array of shape {x.shape} is not one image; give (height, width, channels)")
    try:
        pixels: NDArray = _from_array(x, decode, "HWC")
    except SizewiseError as error:
        raise FileError(str(error)) from error
    return pixels


def _decode_pillow(data: bytes, decode: Decode) -> NDArray:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        limit = Image.MAX_IMAGE_PIXELS
        if limit is not None and image.width * image.height > limit:
            raise FileError(f"its {image.width * image.height:,} pixels are more than {limit:,} (MAX_IMAGE_PIXELS)")
        return _convert(image, decode)


def _convert_image(image: Any, decode: Decode) -> NDArray:
    """Return the pixels of a Pillow image; raise FileError if its file is broken, or its mode has no conversion."""
    try:
        return _convert(image, decode)
    except Exception as error:
        if isinstance(error, SizewiseError) or not is_raised_by(error, *CODECS):
            raise
        text = " ".join(str(error).split())
        raise FileError(f"cannot decode a Pillow image of mode {image.mode} and size {image.size}: {text}") from error


def _convert(image: Any, decode: Decode) -> NDArray:
    if decode.orientation == "exif":
        from PIL import ImageOps

        image = ImageOps.exif_transpose(image)
    if decode.background and ("A" in image.getbands() or image.info.get("transparency") is not None):
        image = _composite(image, decode.background)
    if image.mode != decode.mode:
        _warn_of_clipping(image, decode.mode)
        image = image.convert(decode.mode)
    pixels: NDArray = np.asarray(image)
    return pixels if pixels.ndim == 3 else pixels[..., None]


def _warn_of_clipping(image: Any, mode: str) -> None:
    """Warn of gray in more than 8 bits, of which Pillow's conversion keeps values up to 255 only."""
    if image.mode.startswith(("I", "F")) and np.asarray(image).max() > 255:
        warnings.warn(
            f"an image of mode {image.mode} has values above 255, which become white: Pillow clips them when it "
            f"converts to {mode}; scale such images to 8 bits first",
            SizewiseWarning,
            stacklevel=2,
        )


def _composite(image: Any, background: Sequence[float]) -> Any:
    """Return a Pillow image over a color."""
    from PIL import Image

    red, green, blue = (int(x) for x in (tuple(background) * 3)[:3])
    return Image.alpha_composite(Image.new("RGBA", image.size, (red, green, blue, 255)), image.convert("RGBA"))


def _decode_opencv(data: bytes, decode: Decode) -> NDArray:
    import cv2

    flags = {"RGB": cv2.IMREAD_COLOR, "L": cv2.IMREAD_GRAYSCALE, "RGBA": cv2.IMREAD_UNCHANGED}[decode.mode]
    if decode.orientation == "ignore":
        flags |= cv2.IMREAD_IGNORE_ORIENTATION
    image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    if image is None:
        raise FileError("OpenCV cannot read it")
    if decode.mode == "L":
        return np.asarray(image[..., None])
    if decode.mode == "RGBA" and (image.ndim != 3 or image.shape[-1] != 4):
        raise FileError("it has no alpha, and mode RGBA was asked for")
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB if decode.mode == "RGB" else cv2.COLOR_BGRA2RGBA))


def _decode_tensorflow(data: bytes, decode: Decode) -> NDArray:
    import tensorflow

    if decode.orientation == "exif":
        raise ArgumentError("decode: TensorFlow ignores EXIF; use orientation='ignore', or another decoder")
    channels = CHANNELS[decode.mode]
    try:
        return np.asarray(tensorflow.io.decode_image(data, channels, expand_animations=False))
    except tensorflow.errors.InvalidArgumentError as error:
        raise FileError(error.message.splitlines()[0]) from None


_DECODERS = {"pillow": _decode_pillow, "opencv": _decode_opencv, "tensorflow": _decode_tensorflow}
