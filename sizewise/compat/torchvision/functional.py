"""torchvision.transforms.v2.functional: `resize` and `resized_crop` on Sizewise, `center_crop` of torchvision.

>>> import torch
>>> resize(torch.arange(4, dtype=torch.uint8).reshape(1, 2, 2), [2, 4])[0, 0]
tensor([0, 0, 1, 1], dtype=torch.uint8)
"""

from __future__ import annotations

import inspect
import platform
import warnings
from functools import cache
from typing import Any

import PIL.Image
import torch
from torchvision import tv_tensors
from torchvision.transforms.v2 import InterpolationMode
from torchvision.transforms.v2 import functional as original

from ... import validation
from ...errors import ArgumentError, ArgumentTypeError, short_repr, unknown_name
from ...memory_limits import require_memory
from ..pillow import Resampling
from ..pillow import resize as resize_image
from ..torch import interpolate

__all__ = ["center_crop", "resize", "resized_crop"]
__dir__ = __all__.copy

center_crop = original.center_crop
_NEAREST = (InterpolationMode.NEAREST, InterpolationMode.NEAREST_EXACT)
_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def resize(
    inpt: Any,
    size: Any,
    interpolation: Any = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """Return an image, a mask or boxes resized as torchvision.transforms.v2.functional.resize does.

    Args:
        inpt: a Pillow image, a tensor (..., channels, height, width), or a tensor of torchvision.tv_tensors.
        size: (height, width), the length of the shorter side, or None to fit the longer side to `max_size`.
        interpolation: a mode of torchvision, its name, or Pillow's constant. Masks are always nearest.
        max_size: the largest length of the longer side.
        antialias: of tensors; Pillow's images always are.

    >>> resize(torch.zeros(3, 48, 64), 24).shape
    torch.Size([3, 24, 32])
    """
    mode = _mode(interpolation)
    if antialias is not None:
        validation.require_bool(antialias, "antialias")
    if not has_pixels(inpt):
        _require_tensor(inpt)
        return original.resize(inpt, size, mode, max_size, antialias)
    if isinstance(inpt, PIL.Image.Image):
        if antialias is False:
            warnings.warn("antialias=False is for tensors; Pillow's images are antialiased", stacklevel=2)
        return _resize_pillow(inpt, output_size((inpt.height, inpt.width), size, max_size), mode)
    if isinstance(inpt, tv_tensors.Mask):
        mode = mode if mode in _NEAREST and _masks_have_modes() else InterpolationMode.NEAREST
    _require_image(inpt)
    target = output_size((inpt.shape[-2], inpt.shape[-1]), size, max_size)
    if not isinstance(inpt, tv_tensors.TVTensor):
        return _resize_tensor(inpt, target, mode, bool(antialias))
    return tv_tensors.wrap(_resize_tensor(inpt.as_subclass(torch.Tensor), target, mode, bool(antialias)), like=inpt)


def resized_crop(
    inpt: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: Any,
    interpolation: Any = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Any:
    """Return a box of an image, a mask or boxes, resized as torchvision.transforms.v2.functional.resized_crop does.

    >>> resized_crop(torch.zeros(3, 48, 64), 8, 8, 32, 32, [16, 16]).shape
    torch.Size([3, 16, 16])
    """
    box = {"top": top, "left": left, "height": height, "width": width}
    for name, given in box.items():  # a box may begin outside the image
        validation.require_int(given, name, 1 if name in ("height", "width") else -validation.MAX_AXIS_LENGTH)
    if not has_pixels(inpt):
        _require_tensor(inpt)
        return original.resized_crop(inpt, **box, size=size, interpolation=_mode(interpolation), antialias=antialias)
    _require_crop_memory(inpt, height, width)
    mode = InterpolationMode.NEAREST if isinstance(inpt, tv_tensors.Mask) else interpolation
    return resize(original.crop(inpt, **box), size, mode, None, antialias)


def has_pixels(inpt: Any) -> bool:
    """Return whether Sizewise resizes it: images, tensors, videos and masks, not boxes or types of the user.

    >>> has_pixels(torch.zeros(3, 4, 4)), has_pixels("label")
    (True, False)
    """
    if isinstance(inpt, tv_tensors.TVTensor):
        return type(inpt) in (tv_tensors.Image, tv_tensors.Video, tv_tensors.Mask)
    return isinstance(inpt, (torch.Tensor, PIL.Image.Image))


def output_size(canvas_size: tuple[int, int], size: Any, max_size: Any = None) -> tuple[int, int]:
    """Return (height, width) of the result, by torchvision's rule.

    >>> output_size((48, 64), 24), output_size((48, 64), [24], 28), output_size((48, 64), None, 32)
    ((24, 32), (21, 28), (24, 32))
    """
    one = validation.as_int(size)
    lengths = [one] if one is not None else None if size is None else list(validation.as_sequence(size) or ())
    if lengths is not None and len(lengths) not in (1, 2):
        raise ArgumentError(f"size must be an integer, one or two integers, or None, not {short_repr(size)}")
    if max_size is not None:
        validation.require_int(max_size, "max_size", 1)
    edges = None if lengths is None else [validation.require_int(n, "size", 1) for n in lengths]
    if edges is not None and len(edges) == 2:
        if max_size is not None:
            raise ArgumentError("max_size is for a size of one integer, and size has two; leave it out")
        return edges[0], edges[1]
    short, long = sorted(canvas_size)
    new_short, new_long = _edges(short, long, None if edges is None else edges[0], max_size)
    return (new_long, new_short) if canvas_size[1] <= canvas_size[0] else (new_short, new_long)


def _edges(short: int, long: int, edge: int | None, max_size: int | None) -> tuple[int, int]:
    """Return the shorter and the longer side of the result."""
    if edge is None:
        if max_size is None:
            raise ArgumentError("size is None; give max_size, the length of the longer side")
        return int(max_size * short / long), max_size
    new_long = int(edge * long / short)
    if max_size is None:
        return edge, new_long
    if max_size <= edge:
        raise ArgumentError(f"max_size is {max_size}; it must be larger than size, which is {edge}")
    return (int(max_size * edge / new_long), max_size) if new_long > max_size else (edge, new_long)


def _mode(interpolation: Any) -> InterpolationMode:
    """Return torchvision's mode of its name, or of Pillow's constant."""
    if isinstance(interpolation, InterpolationMode):
        return interpolation
    number = validation.as_int(interpolation)
    if number is None and not isinstance(interpolation, str):
        raise unknown_name("interpolation", interpolation, [one.value for one in InterpolationMode])
    try:
        return InterpolationMode(Resampling(number).name.lower() if number is not None else interpolation)
    except ValueError:
        raise unknown_name("interpolation", interpolation, [one.value for one in InterpolationMode]) from None


def _require_tensor(inpt: Any) -> None:
    if not isinstance(inpt, tv_tensors.TVTensor):
        raise ArgumentTypeError(f"inpt must be a Pillow image or a tensor, not {type(inpt).__name__}")


def _require_crop_memory(inpt: Any, height: int, width: int) -> None:
    """Raise if a crop does not fit in memory: a box may be larger than the image, which is padded then."""
    pixel = inpt.shape[:-2].numel() * inpt.element_size() if isinstance(inpt, torch.Tensor) else len(inpt.getbands())
    require_memory(height * width * pixel, "a crop of {}", (height, width))


def _require_image(image: Any) -> None:
    rank = 2 if isinstance(image, tv_tensors.Mask) else 3
    if image.ndim < rank:
        raise ArgumentError(f"the image has shape {tuple(image.shape)}; it must be (..., channels, height, width)")


@cache
def _masks_have_modes() -> bool:
    """Return whether this torchvision lets masks be nearest-exact; older ones always use nearest."""
    kernel = getattr(original, "resize_mask", None)
    return kernel is not None and "interpolation" in inspect.signature(kernel).parameters


def _resize_pillow(image: Any, size: tuple[int, int], mode: InterpolationMode) -> Any:
    if size == (image.height, image.width):
        return image
    name = "NEAREST" if mode in _NEAREST else mode.name
    return resize_image(image, size[::-1], Resampling[name])


def _resize_tensor(image: Any, size: tuple[int, int], mode: InterpolationMode, antialias: bool) -> Any:
    """Return a tensor resized, in float32 where PyTorch has no kernel for its dtype."""
    if tuple(image.shape[-2:]) == size:
        return image
    if image.numel() == 0:
        return image.reshape((*image.shape[:-2], *size))
    planes = image.reshape((-1, *image.shape[-3:])) if image.ndim > 2 else image[None, None]
    is_cast = not _has_kernel(image, mode)
    options = {} if mode in _NEAREST else {"align_corners": False, "antialias": antialias}
    resized = interpolate(planes.float() if is_cast else planes, size, None, mode.value, **options)
    if is_cast:
        if image.dtype is torch.uint8 and mode is not InterpolationMode.BILINEAR:
            resized = resized.clamp(0, 255)
        resized = (resized.round() if image.dtype in _INTEGERS else resized).to(image.dtype)
    return resized.reshape((*image.shape[:-2], *size))


def _has_kernel(image: Any, mode: InterpolationMode) -> bool:
    """Return whether torchvision resizes this dtype without a cast to float32."""
    if image.dtype is not torch.uint8 or mode in _NEAREST:
        return image.dtype in (torch.float32, torch.float64, torch.uint8)
    if image.device.type != "cpu":
        return False
    return mode is not InterpolationMode.BILINEAR or _has_byte_kernel()


@cache
def _has_byte_kernel() -> bool:
    """Return whether torchvision uses PyTorch's bilinear kernel for bytes on this processor."""
    is_arm = platform.machine() in ("aarch64", "arm64")
    return is_arm or torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
