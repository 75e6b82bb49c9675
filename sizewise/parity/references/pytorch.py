"""PyTorch: torch.nn.functional.interpolate on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference

_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}  # torch has a name for each number of axes


def _tensor(x: Array) -> Any:
    import torch

    bits = x.view(np.int16) if x.dtype.name == "bfloat16" else x  # which torch does not know from NumPy
    tensor = torch.from_numpy(bits).movedim(-1, 0)[
        None
    ]  # in the same memory: channels last is what torch calls it, too
    return tensor if bits is x else tensor.view(torch.bfloat16)


def _call(tensor: Any, request: Request) -> Any:
    import torch

    words: dict[str, Any] = {"antialias": True} if request.antialias else {}
    if request.method in ("bilinear", "bicubic"):
        words["align_corners"] = request.option("align_corners")
    if request.scale is None:
        words["size"] = request.output_size
    else:
        words.update(scale_factor=request.scale, recompute_scale_factor=request.option("recompute_scale_factor"))
    mode = _MODES.get((request.method, len(request.input_size)), request.method)
    return torch.nn.functional.interpolate(tensor, mode=mode, **words)


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


REFERENCES = (
    Reference(
        dialect="torch",
        module="torch",
        package="torch",
        resize=_resize,
        # torch also computes the weights in the precision of the tensor: its cubic is good to some 1e-6 in float32.
        ulp={"nearest": 0, "nearest-exact": 0, "area": 2, "bilinear": 4, "bicubic": 20, "lanczos": 6},
        gradient=_gradient,
        # Gradients add up more numbers, in another order. That of bicubic has other coordinates: it is not fused.
        gradient_ulp={"nearest": 4, "nearest-exact": 4, "area": 4, "bilinear": 8, "bicubic": 200, "lanczos": 8},
        whole=("bilinear", "bicubic", "lanczos"),
    ),
)
