"""Matrices of MATLAB's imresize: its published loops, counting from 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def matlab(n_in: int, n_out: int, method: str, antialias: bool, scale: float | None = None) -> np.ndarray:
    scale = scale or n_out / n_in
    kernel, width = MATLAB_KERNELS[method]
    narrow = scale if antialias and scale < 1 else 1.0
    width = width / narrow
    mirror = [*range(1, n_in + 1), *range(n_in, 0, -1)]
    matrix = np.zeros((n_out, n_in))
    for o in range(1, n_out + 1):
        u = o / scale + 0.5 * (1 - 1 / scale)
        left = math.floor(u - width / 2)
        row = [narrow * kernel(narrow * (u - (left + k))) for k in range(math.ceil(width) + 2)]
        for k, weight in enumerate(row):
            matrix[o - 1, mirror[(left + k - 1) % len(mirror)] - 1] += weight / sum(row)
    return matrix


def _matlab_cubic(x: float) -> float:
    x = abs(x)
    if x <= 1:
        return 1.5 * x**3 - 2.5 * x**2 + 1
    return -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2 if x <= 2 else 0.0


def _matlab_lanczos(lobes: int) -> Callable[[float], float]:
    """With the published eps, which makes 1 of 0 / 0, and some 1e-16 of the zeros."""
    eps, pi = float(np.finfo(np.float64).eps), math.pi

    def kernel(x: float) -> float:
        wave = math.sin(pi * x) * math.sin(pi * x / lobes) + eps
        return wave / (pi**2 * x**2 / lobes + eps) if abs(x) < lobes else 0.0

    return kernel


def _matlab_box(x: float) -> float:
    return float(-0.5 <= x < 0.5)


def _matlab_triangle(x: float) -> float:
    return x + 1 if -1 <= x < 0 else 1 - x if 0 <= x <= 1 else 0.0


MATLAB_KERNELS: dict[str, tuple[Callable[[float], float], float]] = {
    "bicubic": (_matlab_cubic, 4.0),
    "bilinear": (_matlab_triangle, 2.0),
    "box": (_matlab_box, 1.0),
    "nearest": (_matlab_box, 1.0),
    "lanczos2": (_matlab_lanczos(2), 4.0),
    "lanczos3": (_matlab_lanczos(3), 6.0),
}
