"""torch.nn.functional.interpolate and nn.Upsample, word for word; and any resize as a module.

Swap the import and keep the code: the same pixels, the exact gradient of them, and derivatives of every order.
"""

from __future__ import annotations

from typing import Any

import torch

from .. import validation
from ..api import resize
from ..errors import ArgumentError, UnsupportedError, short_repr
from ._words import emptied, kind

__all__ = ["ModeError", "Resize", "Upsample", "interpolate"]
__dir__ = __all__.copy

_RANKS = {"linear": (3,), "bilinear": (4,), "bicubic": (4,), "trilinear": (5,), "lanczos": (4,)}
_PICKING = ("nearest", "area", "nearest-exact")
_MODES = (*_PICKING, *_RANKS)


class ModeError(UnsupportedError, NotImplementedError):
    """A mode that torch does not have for a tensor of that rank.

    >>> issubclass(ModeError, NotImplementedError)
    True
    """


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """torch.nn.functional.interpolate: an (N, C, ...) tensor resized along all its other axes.

    >>> interpolate(torch.arange(4.0).reshape(1, 1, 2, 2), scale_factor=2, mode="bilinear")[0, 0, 0]
    tensor([0.0000, 0.2500, 0.7500, 1.0000])
    """
    kind(input, "input")
    rank = len(input.shape)
    _check(rank, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
    axes = tuple(range(2, rank))
    words: dict[str, Any] = {} if mode in _PICKING else {"align_corners": bool(align_corners), "antialias": antialias}
    if size is not None:
        words["size"] = tuple(size) if isinstance(size, (list, tuple)) else (size,) * len(axes)
    else:
        words["scale"] = tuple(scale_factor) if isinstance(scale_factor, (list, tuple)) else scale_factor
        words["recompute_scale_factor"] = bool(recompute_scale_factor) or mode == "area"
    if mode == "area":
        return _pooled(input, axes, words)
    return resize(input, method=mode, dialect="torch", axes=axes, **words)


def _pooled(input: Any, axes: tuple[int, ...], words: dict[str, Any]) -> Any:
    """Resize with mode "area", the only one of torch's that takes lengths of 0."""
    name = "size" if "size" in words else "scale"
    each = words[name] if isinstance(words[name], tuple) else (words[name],) * len(axes)
    empty = [axis for axis, one in zip(axes, each, strict=True) if _is_empty(one, name, input.shape[axis])]
    if empty:
        kept = [(axis, one) for axis, one in zip(axes, each, strict=True) if axis not in empty]
        axes, words[name] = tuple(axis for axis, _ in kept), tuple(one for _, one in kept)
    if axes:
        input = resize(input, method="area", dialect="torch", axes=axes, **words)
    return emptied(input, empty)


def _is_empty(given: Any, name: str, n_in: int) -> bool:
    """Whether a size, or a scale of so many pixels, is 0 pixels."""
    if name == "size":
        return validation.as_int(given) == 0
    scale = validation.as_float(given)
    return scale is not None and 0 < scale * n_in < 1


def _check(
    rank: int,
    size: Any,
    scale_factor: Any,
    mode: Any,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    antialias: bool,
) -> None:
    """Refuses what torch refuses, with the same kind of error."""
    if not isinstance(mode, str) or mode not in _MODES:
        raise ModeError(f"mode is {short_repr(mode)}; torch has {', '.join(_MODES)}")
    for name, flag in (
        ("align_corners", align_corners), ("recompute_scale_factor", recompute_scale_factor), ("antialias", antialias)
    ):  # fmt: skip
        if flag is not None:
            validation.require_bool(flag, name)
    if rank not in _RANKS.get(mode, (3, 4, 5)):
        needed = " or ".join(f"{one}-D" for one in _RANKS.get(mode, (3, 4, 5)))
        raise ModeError(f"mode {mode!r} is for {needed} tensors (N, C, ...), and this one is {rank}-D")
    if align_corners is not None and mode in _PICKING:
        raise ArgumentError(f"align_corners is for linear, bilinear, bicubic and trilinear, not {mode!r}")
    if (size is None) == (scale_factor is None):
        given = "neither was" if size is None else "both were"
        raise ArgumentError(f"give size or scale_factor, one of them; {given} given")
    for name, given in (("size", size), ("scale_factor", scale_factor)):
        if isinstance(given, (list, tuple)) and len(given) != rank - 2:
            raise ArgumentError(
                f"{name} is {short_repr(given)}, for the {rank - 2} last axes of a {rank}-D tensor; give one each"
            )
    if recompute_scale_factor and size is not None:
        raise ArgumentError("recompute_scale_factor is of a scale_factor, and size was given; leave it out")
    if antialias and mode not in ("bilinear", "bicubic", "lanczos"):
        raise ArgumentError(f"antialias is for bilinear, bicubic and lanczos of 4-D tensors, not {mode!r}")
    if mode == "lanczos" and (align_corners or not antialias):
        raise ArgumentError("lanczos needs antialias=True, and no align_corners")


class Upsample(torch.nn.Module):
    """nn.Upsample: `interpolate` as a module.

    >>> Upsample(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def forward(self, input: Any) -> Any:
        return interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        what = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{what}, mode={self.mode!r}"


class Resize(torch.nn.Module):
    """`sw.resize` as a module: any dialect and method, along the last two axes unless `axes` says otherwise.

    One integer is the length of the shorter side, and keeps the aspect ratio, as in torchvision's Resize.

    >>> Resize(224)(torch.ones(1, 3, 480, 640)).shape
    torch.Size([1, 3, 224, 298])
    >>> Resize((2, 2), "bicubic", dialect="pillow")(torch.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 2, 2])
    """

    def __init__(self, size: Any = None, method: str = "bilinear", **words: Any) -> None:
        super().__init__()
        self.size, self.method, self.words = size, method, words

    def forward(self, input: Any) -> Any:
        length = None if "axes" in self.words else validation.as_int(self.size)
        if length is None:
            return resize(input, self.size, self.method, **self.words)
        height, width = input.shape[-2:]
        shorter = min(height, width)
        return resize(input, (length * height // shorter, length * width // shorter), self.method, **self.words)

    def extra_repr(self) -> str:
        return ", ".join([f"size={self.size}", f"{self.method!r}", *(f"{k}={v!r}" for k, v in self.words.items())])
