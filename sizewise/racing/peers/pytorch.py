"""PyTorch: the kernels behind torch.nn.functional.interpolate, on NCHW and on channels_last tensors.

Gradients are its own gradient kernels, called directly, without the cost of recording a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "PyTorch", "torch"


def version() -> str:
    """PyTorch's version."""
    import torch

    return str(torch.__version__)


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """PyTorch on contiguous NCHW tensors and, where the case is channels last, on channels_last tensors too."""
    import torch

    known = case.is_open and case.method in ("nearest", "bilinear", "bicubic")
    if not known or (case.dtype == "uint8" and case.gradient):
        return []
    torch.set_num_threads(threads)
    tensor = torch.from_numpy(source)
    if case.layout == "NCHW":
        return [_entrant("PyTorch NCHW", case, tensor)]
    seen = tensor.permute(0, 3, 1, 2)
    first, last = (seen.contiguous(memory_format=kind) for kind in (torch.contiguous_format, torch.channels_last))
    found = [_entrant("PyTorch NCHW", case, first)]
    return found if case.shape[3] == 1 else [*found, _entrant("PyTorch channels_last", case, last)]


def _entrant(name: str, case: Case, tensor: Any) -> Entrant:
    def see(result: Any) -> Array:
        return np.asarray((result if case.layout == "NCHW" else result.permute(0, 2, 3, 1)).numpy())

    # Its bicubic without antialiasing has a = -0.75, ours (and TensorFlow's, and JAX's) -0.5. Its integers are rounded
    # in its own way, which dialect="torch" repeats.
    integers = case.dtype == "uint8"
    same = case.dialect == "torch" or (
        case.dialect == "standard" and not integers and (case.antialias or case.method != "bicubic")
    )
    # It forms coordinates in float32 also for float64 images of nearest; sums of float16 are its own.
    return of_call(name, _call(case, tensor), see, same=same, tolerance=5e-3 if case.dtype == "float16" else None)


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
