"""PyTorch: torch.nn.functional.interpolate on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference

_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}  # one name per number of axes


def _tensor(x: Array) -> Any:
    import torch

    bits = x.view(np.int16) if x.dtype.name == "bfloat16" else x  # torch cannot read NumPy's bfloat16
    tensor = torch.from_numpy(bits).movedim(-1, 0)[None]  # a view: torch calls this memory format channels_last
    return tensor if bits is x else tensor.view(torch.bfloat16)


def _call(tensor: Any, request: Request) -> Any:
    import torch

    arguments: dict[str, Any] = {"antialias": True} if request.antialias else {}
    if request.method in ("bilinear", "bicubic"):
        arguments["align_corners"] = request.option("align_corners")
    if request.scale is None:
        arguments["size"] = request.output_size
    else:
        arguments.update(scale_factor=request.scale, recompute_scale_factor=request.option("recompute_scale_factor"))
    mode = _MODES.get((request.method, len(request.input_size)), request.method)
    return torch.nn.functional.interpolate(tensor, mode=mode, **arguments)


def _image(tensor: Any, dtype: np.dtype) -> Array:
    import torch

    last = tensor[0].movedim(0, -1).contiguous()
    image: Array = last.view(torch.int16).numpy().view(dtype) if dtype.name == "bfloat16" else last.numpy()
    return image


def _resize(x: Array, request: Request) -> Array:
    return _image(_call(_tensor(x), request), x.dtype)


def _gradient(x: Array, dy: Array, request: Request) -> Array:
    tensor = _tensor(x).requires_grad_()
    _call(tensor, request).backward(_tensor(dy))
    return _image(tensor.grad, x.dtype)


REFERENCES = (Reference("torch", "torch", _resize, _gradient),)
