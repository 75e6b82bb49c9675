"""PyTorch: the kernels behind torch.nn.functional.interpolate, on NCHW and on channels_last tensors.

Gradients are its gradient kernels, called directly, without the cost of recording a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "PyTorch", "torch"


def version() -> str:
    """Return PyTorch's version."""
    import torch

    return str(torch.__version__)


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return PyTorch on contiguous NCHW tensors and, for a channels-last case, on channels_last tensors too."""
    import torch

    is_known = case.is_for_any_library and case.method in ("nearest", "bilinear", "bicubic")
    if not is_known or (case.dtype == "uint8" and case.gradient):
        return []
    torch.set_num_threads(threads)
    tensor = torch.from_numpy(source)
    if case.layout == "NCHW":
        return [_contender("PyTorch NCHW", case, tensor)]
    nchw = tensor.permute(0, 3, 1, 2)
    first, last = (nchw.contiguous(memory_format=kind) for kind in (torch.contiguous_format, torch.channels_last))
    found = [_contender("PyTorch NCHW", case, first)]
    return found if case.shape[3] == 1 else [*found, _contender("PyTorch channels_last", case, last)]


def _contender(name: str, case: Case, tensor: Any) -> Contender:
    def to_array(result: Any) -> Array:
        return np.asarray((result if case.layout == "NCHW" else result.permute(0, 2, 3, 1)).numpy())

    # Its bicubic without antialiasing has a = -0.75; that of Sizewise, TensorFlow and JAX -0.5. It rounds integers
    # differently, which dialect="torch" reproduces.
    is_uint8 = case.dtype == "uint8"
    same = case.dialect == "torch" or (
        case.dialect == "standard" and not is_uint8 and (case.antialias or case.method != "bicubic")
    )
    # Its coordinates are float32 also for float64 images of nearest, and it sums float16 differently.
    return from_call(
        name, _call(case, tensor), to_array, same_pixels=same, tolerance=5e-3 if case.dtype == "float16" else None
    )


def _call(case: Case, tensor: Any) -> Callable[[], Any]:
    import torch

    aten = torch.ops.aten
    n, height, width, channels = case.shape
    shape, size = [n, channels, height, width], list(case.size)
    if case.method == "nearest":
        if case.gradient:
            return partial(aten._upsample_nearest_exact2d_backward.default, tensor, size, shape)
        return partial(aten._upsample_nearest_exact2d.default, tensor, size)
    name = f"_upsample_{case.method}2d_aa" if case.antialias else f"upsample_{case.method}2d"
    if case.gradient:
        return partial(getattr(aten, f"{name}_backward").default, tensor, size, shape, False)
    return partial(getattr(aten, name).default, tensor, size, False)
