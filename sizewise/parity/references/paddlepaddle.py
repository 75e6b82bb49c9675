"""Paddle: paddle.nn.functional.interpolate on the CPU, in a process that it does not share with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request
from ..child import elsewhere
from ..reference import Array, Reference

_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}  # Paddle has a name for each number of axes


def _tensor(x: Array) -> Any:
    import paddle

    return paddle.to_tensor(np.ascontiguousarray(np.moveaxis(x, -1, 0))[None])


def _call(tensor: Any, request: Request) -> Any:
    import paddle

    interpolate: Any = paddle.nn.functional.interpolate
    mode = _MODES.get((request.method, len(request.input_size)), request.method)
    words: dict[str, Any] = {"antialias": request.antialias, **dict(request.options)}
    if request.scale is None:
        words["size"] = list(request.output_size)
    else:
        words["scale_factor"] = list(request.scale)
    return interpolate(tensor, mode=mode, **words)


def _image(tensor: Any) -> Array:
    return np.ascontiguousarray(np.moveaxis(tensor.numpy()[0], 0, -1))


def _resize(x: Array, request: Request) -> Array:
    return _image(_call(_tensor(x), request))


def _gradient(x: Array, dy: Array, request: Request) -> Array:
    tensor = _tensor(x)
    tensor.stop_gradient = False
    _call(tensor, request).backward(_tensor(dy))
    return _image(tensor.grad)


REFERENCES = (
    elsewhere(
        Reference(
            dialect="paddle",
            module="paddle",
            package="paddlepaddle",
            resize=_resize,
            ulp={"nearest": 0, "area": 2, "bilinear": 4, "bicubic": 20},
            gradient=_gradient,
            # Gradients round coordinates twice, which the forward does not.
            gradient_ulp={"nearest": 4, "area": 4, "bilinear": 200, "bicubic": 200},
        )
    ),
)
