"""torchvision: `transforms.v2.functional.resize` on NCHW and on channels_last tensors, forward only.

Its gradients are those of PyTorch, which is a peer itself.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "torchvision v2", "torchvision"
_MODES = {"nearest": "NEAREST_EXACT", "bilinear": "BILINEAR", "bicubic": "BICUBIC"}


def declare_ops() -> None:
    """Declare torchvision's compiled ops, without which its import fails, if they do not load in this PyTorch.

    Transforms need none of them.
    """
    import torch

    spec = importlib.util.find_spec(MODULE)
    assert spec is not None and spec.origin is not None
    try:
        torch.ops.load_library(str(Path(spec.origin).with_name("_C.so")))
    except OSError:
        for name in ("nms", "qnms"):
            if not hasattr(torch.ops.torchvision, name):
                torch.library.define(f"torchvision::{name}", "(Tensor a, Tensor b, float c) -> Tensor")


def version() -> str:
    """Return torchvision's version."""
    declare_ops()
    import torchvision

    return str(torchvision.__version__)


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return torchvision on contiguous NCHW tensors and, for a channels-last case, on channels_last tensors too."""
    if case.gradient or not case.is_for_any_library or case.method not in _MODES:
        return []
    declare_ops()
    import torch

    torch.set_num_threads(threads)
    tensor = torch.from_numpy(source)
    if case.layout == "NCHW":
        return [_contender("torchvision v2 NCHW", case, tensor)]
    nchw = tensor.permute(0, 3, 1, 2)
    first, last = (nchw.contiguous(memory_format=kind) for kind in (torch.contiguous_format, torch.channels_last))
    found = [_contender("torchvision v2 NCHW", case, first)]
    return found if case.shape[3] == 1 else [*found, _contender("torchvision v2 channels_last", case, last)]


def _contender(name: str, case: Case, tensor: Any) -> Contender:
    from torchvision.transforms.v2 import InterpolationMode, functional

    mode, size, antialias = getattr(InterpolationMode, _MODES[case.method]), list(case.size), case.antialias

    def call() -> Any:
        return functional.resize(tensor, size, mode, antialias=antialias)

    def to_array(result: Any) -> Array:
        return np.asarray((result if case.layout == "NCHW" else result.permute(0, 2, 3, 1)).numpy())

    # As PyTorch: another bicubic without antialiasing, and another rounding of integers.
    same = case.dialect == "torch" or (
        case.dialect == "standard" and case.dtype != "uint8" and (case.antialias or case.method != "bicubic")
    )
    return from_call(name, call, to_array, same_pixels=same, tolerance=5e-3 if case.dtype == "float16" else None)
