"""Pillow's Image.resize."""

from __future__ import annotations

import numpy as np

from . import Fault

_ROW = [256, 512, 768, 1024]
_RESIZE = f"""
import numpy as np
from PIL import Image

image = Image.frombytes("I;16B", (4, 1), np.array({_ROW}, ">u2").tobytes())
np.asarray(image.resize((2, 1), Image.Resampling.BOX))
"""

FAULTS = (
    Fault(
        framework="PIL",
        kind="forward",
        title="filters swap the bytes of I;16B pixels",
        why="Big-endian pixels are summed as if their first byte were the lower one (on little-endian machines; "
        "those of I;16N the other way round). The box filter to half the width is the mean of two pixels.",
        call=_RESIZE.strip(),
        right=lambda: np.reshape(_ROW, (2, 2)).mean(axis=1),
        ours=f'sw.resize(np.array({_ROW}, ">u2"), 2, "box", dialect="pillow")',
    ),
)
