"""Function cases of sizewise.compat.torch, and of tensors."""

from __future__ import annotations

import torch
import torchvision_ops
from bad_arguments.function_case import (
    ARRAYS,
    FLAG,
    NONE,
    NOTHING,
    POSITIVE_INTEGERS,
    SCALE,
    SIZE,
    THREADS,
    FunctionCase,
    Names,
    names,
)

import sizewise as sw
from sizewise.compat import torch as compat

torchvision_ops.declare_at_import()
from sizewise.compat.torchvision import functional  # noqa: E402  (once the ops are declared)

X = torch.ones((1, 3, 4, 6))
MODE = {"mode": "bilinear"}
WORDS: dict[str, Names] = {
    "input": names("4-d"),
    "size": names(POSITIVE_INTEGERS, "[2, 2]"),
    "scale_factor": NONE,
    "mode": NOTHING,
    "align_corners": names(NONE, FLAG),
    "recompute_scale_factor": names(NONE, "np.False"),
}
ENDLESS = {"input": names("no memory")}  # rows are small, but their number takes hours, not memory
BY_SCALE: dict[str, Names] = {"scale_factor": SCALE, "recompute_scale_factor": names(NONE, FLAG), "size": NONE}


EDGE = names(POSITIVE_INTEGERS, "[1]", SIZE)  # of torchvision: one integer, or two
OFFSET = names(POSITIVE_INTEGERS, "-1", "0", "2**31 - 1")  # of a box, also outside the image
MODES = names("0", POSITIVE_INTEGERS)  # Pillow's constants


def tensor_call(**more: bool) -> FunctionCase:
    """`resize` of a tensor."""
    axes = names(NONE, "1-d integers", "generator")  # 2 and 3
    takes = {"size": SIZE, "scale": NONE, "axes": axes, "out": NONE, "threads": THREADS, "engine": NONE}
    return FunctionCase(sw.resize, lambda: {"x": torch.ones((1, 3, 4, 6), **more), "size": (3, 3)}, takes)


CASES = {
    "torch.interpolate": FunctionCase(
        compat.interpolate,
        lambda: {"input": X, "size": (3, 3), **MODE},
        {**WORDS, "antialias": names(NONE, FLAG)},
        unasked=ENDLESS,
    ),
    "torch.interpolate by scale": FunctionCase(
        compat.interpolate, lambda: {"input": X, "scale_factor": 0.5, **MODE}, BY_SCALE
    ),
    "torch.Upsample": FunctionCase(
        lambda input, **arguments: compat.Upsample(**arguments)(input),
        lambda: {"input": X, "size": (3, 3), **MODE},
        WORDS,
        unasked=ENDLESS,
    ),
    "torch.Resize": FunctionCase(
        lambda input, **arguments: compat.Resize(**arguments)(input),
        lambda: {"input": X, "size": (3, 3)},
        {
            "input": names(ARRAYS, "nested"),
            "size": names(SIZE, POSITIVE_INTEGERS),
            "method": NOTHING,
            "align_corners": NOTHING,
        },
    ),
    "functional.resize": FunctionCase(
        functional.resize,
        lambda: {"inpt": X, "size": (3, 3)},
        {"inpt": NOTHING, "size": EDGE, "interpolation": MODES, "max_size": NONE, "antialias": names(NONE, FLAG)},
    ),
    "functional.resized_crop": FunctionCase(
        functional.resized_crop,
        lambda: {"inpt": X, "top": 0, "left": 0, "height": 3, "width": 3, "size": (3, 3)},
        {
            "inpt": NOTHING,
            "top": OFFSET,
            "left": OFFSET,
            "height": POSITIVE_INTEGERS,
            "width": POSITIVE_INTEGERS,
            "size": EDGE,
            "interpolation": MODES,
            "antialias": names(NONE, FLAG),
        },
    ),
    "resize of a tensor": tensor_call(),
    "resize of a tensor that requires grad": tensor_call(requires_grad=True),
}
PUBLIC = {"torch.": compat, "functional.": functional}
