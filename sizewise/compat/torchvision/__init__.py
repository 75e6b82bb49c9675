"""torchvision's v2 transforms that resize, on Sizewise: the same arguments, random boxes and pixels.

They are subclasses of torchvision's transforms, so they compose with all others, and take nested samples: images are
resized by Sizewise; boxes, key points and types of your own by torchvision. Pillow's images get the pixels of Pillow,
tensors those of PyTorch, and gradients.

>>> import torch
>>> from torchvision.transforms import v2
>>> from sizewise.compat.torchvision import CenterCrop, Resize
>>> v2.Compose([Resize(32), CenterCrop(28)])(torch.zeros(3, 48, 64, dtype=torch.uint8)).shape
torch.Size([3, 28, 28])
"""

from __future__ import annotations

from typing import Any

from ...errors import MissingExtraError

try:
    import torchvision  # noqa: F401  (the name that is missing is then this one)
except ModuleNotFoundError as missing:
    if missing.name not in ("torchvision", "torch"):
        raise
    raise MissingExtraError("sizewise.compat.torchvision", "torchvision") from missing

from torchvision.transforms import v2

from . import functional

__all__ = ["CenterCrop", "RandomResizedCrop", "Resize", "functional"]
__dir__ = __all__.copy


class Resize(v2.Resize):  # type: ignore[misc,unused-ignore]
    """v2.Resize: one integer is the length of the shorter side, at most `max_size` of the longer.

    >>> import torch
    >>> Resize(32, max_size=40)(torch.zeros(3, 48, 64)).shape
    torch.Size([3, 30, 40])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """Return one part of a sample, resized."""
        if not functional.has_pixels(inpt):
            return super().transform(inpt, params)
        return functional.resize(inpt, self.size, self.interpolation, self.max_size, self.antialias)


class CenterCrop(v2.CenterCrop):  # type: ignore[misc,unused-ignore]
    """v2.CenterCrop, here to complete the import: it copies pixels, so it is torchvision's own.

    >>> import torch
    >>> CenterCrop((2, 4))(torch.zeros(3, 8, 8)).shape
    torch.Size([3, 2, 4])
    """


class RandomResizedCrop(v2.RandomResizedCrop):  # type: ignore[misc,unused-ignore]
    """v2.RandomResizedCrop, with torchvision's random boxes: the same seed gives the same box.

    For a box of your own, call `functional.resized_crop`.

    >>> import torch
    >>> RandomResizedCrop(16, scale=(0.5, 1.0))(torch.zeros(3, 48, 64)).shape
    torch.Size([3, 16, 16])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """Return one part of a sample, cropped to the box of `params` and resized."""
        if not functional.has_pixels(inpt):
            return super().transform(inpt, params)
        options = {"interpolation": self.interpolation, "antialias": self.antialias}
        return functional.resized_crop(inpt, **params, size=self.size, **options)
