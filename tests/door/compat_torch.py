"""The doors of sizewise.compat.torch, and of tensors."""

from __future__ import annotations

import torch
from door.doors import ARRAYS, FLAG, NONE, NOTHING, SCALE, SIZE, SMALL, THREADS, Door, Names, names

import sizewise as sw
from sizewise.compat import torch as compat

X = torch.ones((1, 3, 4, 6))
MODE = {"mode": "bilinear"}
WORDS: dict[str, Names] = {
    "input": names("4-d"),
    "size": names(SMALL, "[2, 2]"),
    "scale_factor": NONE,
    "mode": NOTHING,
    "align_corners": names(NONE, FLAG),
    "recompute_scale_factor": names(NONE, "np.False"),
}
BY_SCALE: dict[str, Names] = {"scale_factor": SCALE, "recompute_scale_factor": names(NONE, FLAG), "size": NONE}


def tensor_call(**more: bool) -> Door:
    """`resize` of a tensor."""
    axes = names(NONE, "1-d integers", "generator")  # 2 and 3
    takes = {"size": SIZE, "scale": NONE, "axes": axes, "out": NONE, "threads": THREADS, "engine": NONE}
    return Door(sw.resize, lambda: {"x": torch.ones((1, 3, 4, 6), **more), "size": (3, 3)}, takes)


DOORS = {
    "torch.interpolate": Door(
        compat.interpolate, lambda: {"input": X, "size": (3, 3), **MODE}, {**WORDS, "antialias": names(NONE, FLAG)}
    ),
    "torch.interpolate by scale": Door(compat.interpolate, lambda: {"input": X, "scale_factor": 0.5, **MODE}, BY_SCALE),
    "torch.Upsample": Door(
        lambda input, **words: compat.Upsample(**words)(input), lambda: {"input": X, "size": (3, 3), **MODE}, WORDS
    ),
    "torch.Resize": Door(
        lambda input, **words: compat.Resize(**words)(input),
        lambda: {"input": X, "size": (3, 3)},
        {"input": names(ARRAYS, "nested"), "size": SIZE, "method": NOTHING, "align_corners": NOTHING},
    ),
    "resize of a tensor": tensor_call(),
    "resize of a tensor that requires grad": tensor_call(requires_grad=True),
}
PUBLIC = {"torch.": compat}
