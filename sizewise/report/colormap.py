"""Colors of heat maps: matplotlib's viridis, perceptually uniform and safe for color-blind readers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NOTHING = (62, 62, 70)  # outside the ramp: no gradient is not a small gradient
# Every 17th of the 256 colors of viridis.
_STOPS = np.array([
    (68, 1, 84), (72, 26, 108), (71, 47, 125), (65, 68, 135), (57, 86, 140), (49, 104, 142), (42, 120, 142),
    (35, 136, 142), (31, 152, 139), (34, 168, 132), (53, 183, 121), (84, 197, 104), (122, 209, 81), (165, 219, 54),
    (210, 226, 27), (253, 231, 37),
], np.float64)  # fmt: skip


def viridis(levels: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return the red, green and blue of levels from 0 to 1."""
    position = np.clip(levels, 0.0, 1.0) * (len(_STOPS) - 1)
    channels = [np.interp(position, np.arange(len(_STOPS)), channel) for channel in _STOPS.T]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def heat_colors(levels: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return the colors of levels from 0 to 1, with gray for exactly 0."""
    colors = viridis(levels)
    colors[np.asarray(levels) == 0] = NOTHING
    return colors
