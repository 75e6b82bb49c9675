"""Reading the pixels of image files, with one clear error for whatever is wrong with them."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, MissingExtraError

# What a mode's numbers become where they are no pixels themselves: palettes, bits, inks.
_CONVERTED = {"1": "L", "PA": "RGBA", "CMYK": "RGB", "YCbCr": "RGB", "LAB": "RGB", "HSV": "RGB"}


def read_pixels(path: str | os.PathLike[str]) -> NDArray:
    """The pixels of an image file, or the array of a .npy file: (height, width) or (height, width, channels).

    Grey is uint8 or uint16 without a channel axis, colour has 3 channels, 4 with alpha; turned as EXIF says.

    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.npy")
    >>> np.save(path, np.zeros((4, 6, 3), np.uint8))
    >>> read_pixels(path).shape
    (4, 6, 3)
    """
    name = os.fspath(path)
    pixels = _read_array(name) if name.lower().endswith(".npy") else _read_image(name)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape:
        raise FileError(f"{name!r} holds an array of shape {pixels.shape}; an image has rows and columns, and channels")
    if pixels.dtype.kind not in "uif":
        raise FileError(f"{name!r} holds numbers of {pixels.dtype}; pixels are integers or floats")
    return pixels


def _read_array(name: str) -> NDArray:
    try:
        # A map first: it refuses a header that promises more than the file has, before any memory is taken.
        return np.array(np.lib.format.open_memmap(name, mode="r"))
    except OSError as error:
        raise FileError(f"cannot read {name!r}: {error.strerror or error}") from error
    except (ValueError, EOFError, OverflowError, SyntaxError, TypeError) as error:
        raise FileError(f"{name!r} is no array that NumPy can read: {_first_line(error)}") from error


def _read_image(name: str) -> NDArray:
    pillow = imaging()
    with warnings.catch_warnings():
        warnings.simplefilter("error", pillow.Image.DecompressionBombWarning)
        try:
            with pillow.Image.open(name) as image:
                return _pixels(pillow, image)
        except (pillow.Image.DecompressionBombError, pillow.Image.DecompressionBombWarning) as error:
            raise FileError(f"{name!r} is larger than an image may be: {_first_line(error)}") from error
        except pillow.UnidentifiedImageError as error:
            raise FileError(f"{name!r} is no image that Pillow can read") from error
        except OSError as error:
            why = error.strerror or f"it is cut off or damaged ({_first_line(error)})"
            raise FileError(f"cannot read {name!r}: {why}") from error
        except (ValueError, SyntaxError, EOFError, IndexError, TypeError, OverflowError, MemoryError) as error:
            raise FileError(f"cannot read {name!r}: it is damaged ({_first_line(error)})") from error


def _pixels(pillow: Any, image: Any) -> NDArray:
    upright = pillow.ImageOps.exif_transpose(image)
    mode = upright.mode
    if mode == "P":
        upright = upright.convert("RGBA" if "transparency" in upright.info else "RGB")
    elif mode in _CONVERTED:
        upright = upright.convert(_CONVERTED[mode])
    pixels: NDArray = np.asarray(upright)
    return np.array(pixels, pixels.dtype.newbyteorder("="))


def imaging() -> Any:
    """Pillow, with the parts of it that files are read by."""
    try:
        import PIL
        import PIL.Image
        import PIL.ImageOps
        import PIL.JpegImagePlugin
    except ImportError:
        raise MissingExtraError("reading images", "cli") from None
    return PIL


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
