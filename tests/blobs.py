"""Smooth blobs at any position, and where they are after a resize."""

from __future__ import annotations

import numpy as np

MARGIN = 5.5  # of a blob to the border, in standard deviations: what is outside moves its centroid by less than 1e-6
MIN_SIGMA = 2.5  # in pixels of the input, and of the output


def blob(n: int, center: float, sigma: float) -> np.ndarray:
    """Return a Gaussian around a position, where pixel 0 covers 0 .. 1."""
    return np.exp(-0.5 * ((np.arange(n) + 0.5 - center) / sigma) ** 2)


def centroid(x: np.ndarray, axis: int = 0) -> float:
    """Return the centroid of an image along an axis."""
    profile = x.astype(np.float64).sum(axis=tuple(other for other in range(x.ndim) if other != axis))
    return float(profile @ (np.arange(len(profile)) + 0.5) / profile.sum())


def position(n_in: int, n_out: int, at: float) -> tuple[float, float]:
    """Return the center and standard deviation of a blob well inside; `at` is from 0 to 1."""
    sigma = MIN_SIGMA * max(1.0, n_in / n_out)
    room = n_in - 2 * MARGIN * sigma
    assert room > 0, f"no room for a blob in {n_in} -> {n_out}"
    return MARGIN * sigma + at * room, sigma
