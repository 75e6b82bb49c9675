"""Function cases of the compat modules that need no framework."""

from __future__ import annotations

from typing import Any

import numpy as np
from bad_arguments.function_case import (
    ANYTHING,
    AT_LEAST_0,
    FINITE,
    FLAG,
    FLOAT32,
    NONE,
    NOTHING,
    PAIR,
    PLANES,
    POSITIVE,
    SIZE,
    FunctionCase,
    Names,
    names,
)

from sizewise.compat import cv2, onnx, pillow, tfjs

PLANE = np.ones((4, 6), np.float32)
IMAGE = np.ones((4, 6, 3), np.float32)
IMAGES = np.ones((1, 4, 6, 3), np.float32)
KERNEL = tfjs.get_kernel("ResizeBilinear")
GRADIENT = tfjs.get_kernel("ResizeBilinearGrad")
# Of any dtype and shape: cv2.resize allocates an array where dst does not fit.
ARRAYS_OF_ANYTHING = names(
    *(name for name in ANYTHING if "-d" in name or "array" in name), "np.False", "long doubles", "no memory",
    "structured scalar",
) - {"looks like an array"}  # fmt: skip
FLAGS = {"align_corners": FLAG, "half_pixel_centers": FLAG}


def squares(*arrays: Any) -> Any:
    return sum((one * one).sum() for one in arrays)


def op(function: Any) -> FunctionCase:
    return FunctionCase(
        function, lambda: {"images": IMAGES, "size": (3, 3)}, {"images": BATCHES, "size": SIZE, **FLAGS}
    )


def gradient(function: Any) -> FunctionCase:
    takes = {"dy": names("4-d"), "images": names("4-d"), **FLAGS}
    return FunctionCase(function, lambda: {"dy": IMAGES, "images": IMAGES}, takes)


BATCHES = names("3-d", "4-d")
ATTRIBUTES: dict[str, Names] = {
    **dict.fromkeys(("coordinate_transformation_mode", "keep_aspect_ratio_policy", "nearest_mode"), NOTHING),
    "antialias": names(FLAG, "0", "1"),
    "axes": NONE,
    "mode": NOTHING,
    "dialect": NOTHING,
    "cubic_coeff_a": FLOAT32,
    "extrapolation_value": FLOAT32,
    "exclude_outside": names("0", "np.False"),
}
SHORT = names("[]", "[1]", "[1, 2, 3]", "[0, 0]", "1-d floats", PAIR, "[2, NaN]", "[2**31 - 1] * 2", "[2**62] * 2")
SCALAR = names(FINITE - {"10**99", "-10**99"}, FLAG, "NaN", "inf", "-inf")
CROP = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}

CASES = {
    "cv2.resize": FunctionCase(
        cv2.resize,
        lambda: {"src": IMAGE, "dsize": (3, 3)},
        {
            "src": names(PLANES, "3-d"),
            "dsize": SIZE,
            "dst": names(NONE, ARRAYS_OF_ANYTHING),
            "fx": names(NONE, FINITE),
            "fy": names(NONE, FINITE),
            "interpolation": names(NONE, "0", "1", "2", "0-d integer"),
        },
    ),
    "cv2.resize by fx and fy": FunctionCase(
        cv2.resize, lambda: {"src": IMAGE, "dsize": None, "fx": 0.5, "fy": 0.5}, {"fx": POSITIVE, "fy": POSITIVE}
    ),
    "pillow.resize": FunctionCase(
        pillow.resize,
        lambda: {"image": IMAGE, "size": (3, 3)},
        {
            "image": names(PLANES, "3-d"),
            "size": SIZE,
            "box": NONE,
            "resample": names(NONE, "0", "1", "2", "0-d integer"),
            "reducing_gap": names(NONE, AT_LEAST_0 - {"0", "0.5", "1e-9", "1e-320"}),
            "dialect": NONE,
        },
    ),
    "onnx.resize": FunctionCase(
        onnx.resize,
        lambda: {"X": PLANE, "sizes": (3, 3), "mode": "linear"},
        {"X": PLANES, "roi": names(NONE, SHORT), "scales": names(NONE, "[]"), "sizes": PAIR, **ATTRIBUTES},
    ),
    "onnx.resize by scales": FunctionCase(
        onnx.resize,
        lambda: {"X": PLANE, "scales": (0.5, 0.5), "mode": "linear"},
        {"scales": names(PAIR, "1-d floats"), "sizes": names(NONE, "[]")},
    ),
    "onnx.resize of a part": FunctionCase(
        onnx.resize, lambda: {"X": PLANE, "sizes": (3, 3), "roi": (0, 0, 1, 1), **CROP}, {"roi": names(NONE, "[]")}
    ),
    "tfjs.resize_bilinear": op(tfjs.resize_bilinear),
    "tfjs.resize_nearest_neighbor": op(tfjs.resize_nearest_neighbor),
    "tfjs.resize_bilinear_grad": gradient(tfjs.resize_bilinear_grad),
    "tfjs.resize_nearest_neighbor_grad": gradient(tfjs.resize_nearest_neighbor_grad),
    "tfjs.grads": FunctionCase(tfjs.grads, lambda: {"f": squares}, {"f": names("class", "function")}),
    "tfjs.grads of f": FunctionCase(
        tfjs.grads(squares),
        lambda: {"args": [IMAGE]},
        {"args": SHORT - {"[]", "1-d integers", "1-d floats"} | names("nested", "ragged"), "dy": names(NONE, SCALAR)},
    ),
    "tfjs.get_kernel": FunctionCase(
        tfjs.get_kernel, lambda: {"name": "ResizeBilinear"}, {"name": NOTHING, "backend": NOTHING}
    ),
    "tfjs.kernels_for_backend": FunctionCase(
        tfjs.kernels_for_backend, lambda: {"backend": "cpu"}, {"backend": NOTHING}
    ),
    "tfjs.register_kernel": FunctionCase(tfjs.register_kernel, lambda: {"config": KERNEL}, {"config": NOTHING}),
    "tfjs.unregister_kernel": FunctionCase(
        tfjs.unregister_kernel,
        lambda: (tfjs.register_kernel(KERNEL), {"name": KERNEL.kernel_name})[1],
        {"name": NOTHING, "backend": NOTHING},
    ),
    "tfjs.KernelConfig": FunctionCase(
        tfjs.KernelConfig,
        lambda: {"kernel_name": "Squares", "backend_name": "mine", "kernel_func": squares},
        {
            **dict.fromkeys(("kernel_name", "backend_name"), names("4x", "empty text", "long text", "no text")),
            "kernel_func": names("class", "function"),
        },
    ),
    "tfjs.KernelConfig of an op": FunctionCase(
        KERNEL.kernel_func,
        lambda: {"inputs": {"images": IMAGES}, "attrs": {"size": (3, 3)}},
        {"inputs": NOTHING, "attrs": NOTHING},
    ),
    "tfjs.KernelConfig of a gradient": FunctionCase(
        GRADIENT.kernel_func,
        lambda: {"inputs": {"dy": IMAGES, "images": IMAGES}, "attrs": {}},
        {"inputs": NOTHING, "attrs": NONE},
    ),
    "tfjs.KernelConfig with a size": FunctionCase(
        lambda size: GRADIENT.kernel_func({"dy": IMAGES, "images": IMAGES}, {"size": size}),
        lambda: {"size": (4, 6)},
        {"size": NOTHING},
    ),
}
PUBLIC = {"cv2.": cv2, "onnx.": onnx, "pillow.": pillow, "tfjs.": tfjs}
