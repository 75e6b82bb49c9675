"""MNN's port of cv2.resize, MNN.cv."""

from __future__ import annotations

from . import Fault, right

_ROW = [50, 60, 100, 200, 50, 50, 80, 50]
_RESIZE = f"""
import numpy as np
import MNN.cv as cv
import MNN.expr as expr

row = np.uint8({_ROW}).reshape(1, 8, 1)
image = expr.const(row, [1, 8, 1], expr.NHWC, expr.uint8)
cv.resize(image, (5, 1), interpolation=cv.INTER_CUBIC).read()
"""

FAULTS = (
    Fault(
        framework="MNN",
        kind="forward",
        title="cubic is nearest",
        why="So are INTER_AREA, INTER_LANCZOS4 and INTER_LINEAR_EXACT: only nearest and linear are implemented.",
        call=_RESIZE.strip(),
        right=lambda: right.rounded(right.cubic(_ROW, right.centers(8, 5))),
        ours=f'sw.resize(np.uint8({_ROW}), 5, "cubic", dialect="opencv")',
    ),
)
