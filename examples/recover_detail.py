"""Recover an image from its thumbnail by gradient descent through the resize.

Every step needs the gradient of a downscale. Without antialiasing most pixels have a zero gradient and never move: the
result is a grid of dots on black. With antialiasing every pixel moves.
"""

import numpy as np

import sizewise as sw

random = np.random.default_rng(0)
truth = sw.resize(random.random((12, 12)), (48, 48), "bicubic")  # a smooth picture


def recover(**options: object) -> tuple[float, float]:
    """Return the share of pixels that moved, and the mean error of the recovered picture."""
    plan = sw.make_plan(truth.shape, (12, 12), **options)
    thumbnail = plan(truth)
    step = 1.0 / np.prod([np.linalg.norm(matrix, 2) ** 2 for matrix in plan.matrices()])  # the longest stable step
    image = np.zeros_like(truth)
    for _ in range(300):
        image -= step * plan.T(plan(image) - thumbnail)
    return float(np.mean(image != 0)), float(np.abs(image - truth).mean())


for name, options in {
    "TensorFlow 1": {"dialect": "tensorflow1"},
    "no antialias": {"antialias": False},
    "antialias": {"antialias": True},
}.items():
    moved, error = recover(**options)
    print(f"{name:<14} {moved:7.2%} of the pixels moved; mean error {error:.3f}")
