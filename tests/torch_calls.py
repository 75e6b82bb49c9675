"""Calls on PyTorch tensors, and random tensors, for several files of tests."""

from __future__ import annotations

import numpy as np
import torch

import sizewise as sw

PLAN = sw.make_plan((5, 4), (2, 2), "area")
CALLS = {
    "bilinear": lambda x, **more: sw.resize(x, (3, 7), **more),
    "lanczos3": lambda x, **more: sw.resize(x, (7, 3), "lanczos3", **more),
    "nearest": lambda x, **more: sw.resize(x, (3, 9), "nearest", **more),
    "torch": lambda x, **more: sw.resize(x, (8, 2), "bicubic", dialect="torch", align_corners=True, **more),
    "one axis": lambda x, **more: sw.resize(x, 6, "bicubic", axes=1, **more),
    "three axes": lambda x, **more: sw.resize(x, (2, 7, 3), axes=(1, 2, 3), **more),
    "gradient": lambda dy, **more: sw.resize_grad(dy, (7, 2), "bicubic", **more),
    "plan": lambda x, **more: PLAN(x, **more),
    "wide": lambda x, **more: sw.resize(x, (1, 1), "lanczos5", **more),
    "outside": lambda x, **more: sw.resize(
        x, (6, 6), "linear", dialect="onnx", coordinate_transformation_mode="tf_crop_and_resize",
        roi=(-0.3, 0.0, 1.2, 0.8), extrapolation_value=5.0, **more,
    ),
}  # fmt: skip


def noise(shape: tuple[int, ...] = (2, 3, 5, 4), dtype: torch.dtype = torch.float64) -> torch.Tensor:
    values = torch.from_numpy(np.random.default_rng([*shape]).standard_normal(shape))
    return (values if dtype.is_floating_point else values.abs() * 60).to(dtype)
