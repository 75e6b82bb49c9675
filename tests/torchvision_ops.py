"""The ops that torchvision declares at its import, for a PyTorch of another build than its compiled part expects."""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path


class _DeclaringFinder(MetaPathFinder):
    """Declares the ops before the first import of torchvision, which fails without them; finds nothing itself."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "torchvision":
            sys.meta_path.remove(self)
            declare()


def declare_at_import() -> None:
    """Make `import torchvision` declare the ops first."""
    sys.meta_path.insert(0, _DeclaringFinder())


def declare() -> None:
    """Declare the ops of torchvision if its compiled part does not load; do nothing if it does, or without torchvision.

    They have no kernels: transforms need none of them.
    """
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        return
    import torch

    try:
        torch.ops.load_library(str(Path(spec.origin).with_name("_C.so")))
    except OSError:
        for name in ("nms", "qnms"):
            if not hasattr(torch.ops.torchvision, name):
                torch.library.define(f"torchvision::{name}", "(Tensor a, Tensor b, float c) -> Tensor")
