"""torch.nn.functional.interpolate and nn.Upsample, with the same signatures; and any resize as a module.

Replace the import and keep the code: the same pixels, with exact gradients of every order.
"""

from __future__ import annotations

from typing import Any

import torch

from .. import validation
from ..api import resize
from ..errors import ArgumentError, UnsupportedError, short_repr
from ._arguments import dtype_name, require_one_of, resize_with_empty_axes

__all__ = ["ModeError", "Resize", "Upsample", "interpolate"]
__dir__ = __all__.copy

_RANKS = {"linear": (3,), "bilinear": (4,), "bicubic": (4,), "trilinear": (5,), "lanczos": (4,)}
_PLAIN = ("nearest", "area", "nearest-exact")  # of every rank, and without align_corners
_MODES = (*_PLAIN, *_RANKS)


class ModeError(UnsupportedError, NotImplementedError):
    """A mode that torch does not support for a tensor of that rank.

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
    """Return an (N, C, ...) tensor resized along its other axes, as torch.nn.functional.interpolate does.

    >>> interpolate(torch.arange(4.0).reshape(1, 1, 2, 2), scale_factor=2, mode="bilinear")[0, 0, 0]
    tensor([0.0000, 0.2500, 0.7500, 1.0000])
    """
    dtype_name(input, "input")
    rank = len(input.shape)
    _require_valid(rank, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
    axes = tuple(range(2, rank))
    options: dict[str, Any] = {} if mode in _PLAIN else {"align_corners": bool(align_corners), "antialias": antialias}
    name, given = ("size", size) if scale_factor is None else ("scale", scale_factor)
    each = tuple(given) if isinstance(given, (list, tuple)) else (given,) * len(axes)
    if name == "scale":
        options["recompute_scale_factor"] = bool(recompute_scale_factor) or mode == "area"
    if mode == "area":  # the only mode of torch that accepts lengths of 0
        empty = [axis for axis, one in zip(axes, each, strict=True) if _is_empty(one, name, input.shape[axis])]
        return resize_with_empty_axes(input, axes, empty, {name: each}, method=mode, dialect="torch", **options)
    options[name] = given if name == "scale" else each
    return resize(input, method=mode, dialect="torch", axes=axes, **options)


def _is_empty(given: Any, name: str, n_in: int) -> bool:
    """Return whether a size is 0, or a scale of n_in pixels gives less than 1."""
    if name == "size":
        return validation.as_int(given) == 0
    scale = validation.as_float(given)
    return scale is not None and 0 < scale * n_in < 1


def _require_valid(
    rank: int, size: Any, scale_factor: Any, mode: Any, align_corners: Any, recompute: Any, antialias: Any
) -> None:
    """Raise for arguments that torch rejects, with an error of the same class."""
    if not isinstance(mode, str) or mode not in _MODES:
        raise ModeError(f"mode is {short_repr(mode)}; torch has {', '.join(_MODES)}")
    flags = {"align_corners": align_corners, "recompute_scale_factor": recompute, "antialias": antialias}
    for name, flag in flags.items():
        if flag is not None:
            validation.require_bool(flag, name)
    ranks = _RANKS.get(mode, (3, 4, 5))
    if rank not in ranks:
        allowed = " or ".join([f"{one}-D" for one in ranks])
        raise ModeError(f"mode {mode!r} is for {allowed} tensors (N, C, ...), and this one is {rank}-D")
    if align_corners is not None and mode in _PLAIN:
        raise ArgumentError(f"align_corners is for linear, bilinear, bicubic and trilinear, not {mode!r}")
    require_one_of(size=size, scale_factor=scale_factor)
    for name, given in (("size", size), ("scale_factor", scale_factor)):
        if isinstance(given, (list, tuple)) and len(given) != rank - 2:
            raise ArgumentError(
                f"{name} is {short_repr(given)}, for the {rank - 2} last axes of a {rank}-D tensor; give one each"
            )
    if recompute and size is not None:
        raise ArgumentError("recompute_scale_factor is for scale_factor, and size was given; leave it out")
    if antialias and mode not in ("bilinear", "bicubic", "lanczos"):
        raise ArgumentError(f"antialias is for bilinear, bicubic and lanczos of 4-D tensors, not {mode!r}")
    if mode == "lanczos" and (align_corners or not antialias):
        raise ArgumentError("lanczos needs antialias=True, and no align_corners")


class Upsample(torch.nn.Module):
    """`interpolate` as a module, with the signature of nn.Upsample.

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
        target = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{target}, mode={self.mode!r}"


class Resize(torch.nn.Module):
    """`sw.resize` as a module: any dialect and method, along `axes`, by default the last two.

    One integer is the length of the shorter side, and keeps the aspect ratio, as in torchvision's Resize.

    >>> Resize(224)(torch.ones(1, 3, 480, 640)).shape
    torch.Size([1, 3, 224, 298])
    >>> Resize((2, 2), "bicubic", dialect="pillow")(torch.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 2, 2])
    """

    def __init__(self, size: Any = None, method: str = "bilinear", **options: Any) -> None:
        super().__init__()
        self.size, self.method, self.options = size, method, options

    def forward(self, input: Any) -> Any:
        length = None if "axes" in self.options else validation.as_int(self.size)
        if length is None:
            return resize(input, self.size, self.method, **self.options)
        height, width = input.shape[-2:]
        shorter = min(height, width)
        return resize(input, (length * height // shorter, length * width // shorter), self.method, **self.options)

    def extra_repr(self) -> str:
        return ", ".join([f"size={self.size}", f"{self.method!r}", *(f"{k}={v!r}" for k, v in self.options.items())])
