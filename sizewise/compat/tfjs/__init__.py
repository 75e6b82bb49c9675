"""TensorFlow.js: its image-resizing ops, kernels and `grads`, with correct gradients for every flag.

>>> import numpy as np
>>> from sizewise.compat import tfjs
>>> image = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)
>>> tfjs.resize_nearest_neighbor(image, (4, 4))[0, :, :, 0]
array([[1., 1., 2., 2.],
       [1., 1., 2., 2.],
       [3., 3., 4., 4.],
       [3., 3., 4., 4.]], dtype=float32)
"""

from __future__ import annotations

from .ops import grads, resize_bilinear, resize_bilinear_grad, resize_nearest_neighbor, resize_nearest_neighbor_grad
from .registry import KernelConfig, get_kernel, kernels_for_backend, register_kernel, unregister_kernel

__all__ = [
    "KernelConfig", "get_kernel", "grads", "kernels_for_backend", "register_kernel", "resize_bilinear",
    "resize_bilinear_grad", "resize_nearest_neighbor", "resize_nearest_neighbor_grad", "unregister_kernel",
]  # fmt: skip
__dir__ = __all__.copy
