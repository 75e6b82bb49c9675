"""Paddle: paddle.nn.functional.interpolate on the CPU, in a worker process: it cannot share one with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference
from ..subprocess_worker import run_in_subprocess

_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}  # one name per number of axes


def _tensor(x: Array) -> Any:
    import paddle

    return paddle.to_tensor(np.ascontiguousarray(np.moveaxis(x, -1, 0))[None])


def _call(tensor: Any, request: Request) -> Any:
    import paddle

    interpolate: Any = paddle.nn.functional.interpolate
    mode = _MODES.get((request.method, len(request.input_size)), request.method)
    arguments: dict[str, Any] = {"antialias": request.antialias, **dict(request.options)}
    if request.scale is None:
        arguments["size"] = list(request.output_size)
    else:
        arguments["scale_factor"] = list(request.scale)
    return interpolate(tensor, mode=mode, **arguments)


def _image(tensor: Any) -> Array:
    return np.ascontiguousarray(np.moveaxis(tensor.numpy()[0], 0, -1))


def _resize(x: Array, request: Request) -> Array:
    return _image(_call(_tensor(x), request))


def _gradient(x: Array, dy: Array, request: Request) -> Array:
    tensor = _tensor(x)
    tensor.stop_gradient = False
    _call(tensor, request).backward(_tensor(dy))
    return _image(tensor.grad)


REFERENCES = (run_in_subprocess(Reference("paddle", "paddle", _resize, _gradient)),)
