"""PyTorch: torch.nn.functional.interpolate on the CPU."""

from __future__ import annotations

from typing import Any

from ...dialects import Request
from ..reference import Array, Reference


def _tensor(x: Array) -> Any:
    import torch

    return torch.from_numpy(x).permute(2, 0, 1)[None]  # channels last, in the same memory


def _call(tensor: Any, request: Request) -> Any:
    import torch

    words: dict[str, Any] = {"antialias": True} if request.antialias else {}
    if request.method in ("bilinear", "bicubic"):
        words["align_corners"] = request.option("align_corners")
    if request.scale is None:
        words["size"] = request.output_size
    else:
        words.update(scale_factor=request.scale, recompute_scale_factor=request.option("recompute_scale_factor"))
    return torch.nn.functional.interpolate(tensor, mode=request.method, **words)


def _image(tensor: Any) -> Array:
    image: Array = tensor[0].permute(1, 2, 0).contiguous().numpy()
    return image


def _resize(x: Array, request: Request) -> Array:
    return _image(_call(_tensor(x), request))


def _gradient(x: Array, dy: Array, request: Request) -> Array:
    tensor = _tensor(x).requires_grad_()
    _call(tensor, request).backward(_tensor(dy))
    return _image(tensor.grad)


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
