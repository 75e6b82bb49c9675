"""Windows of contiguous arrays, read in place by one kernel call."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from . import layout
from .executor import executor_for
from .passes import Pass

if TYPE_CHECKING:
    from ..plan import Plan
    from .kernel_call import FastPath


def window_fill(plan: Plan, window: tuple[slice, slice], shape: tuple[int, int, int]) -> FastPath | None:
    """Return a function `fill(x, out)` that resizes a window of images (height, width, channels) of uint8.

    x, of `shape`, and `out` are C-contiguous; the function checks their sizes in bytes only, and runs on the calling
    thread. None where a resize takes more than one native call.
    """
    rows, columns = window
    view = np.broadcast_to(np.uint8(0), shape)[window]
    executor = executor_for(plan, view.shape, view.dtype, (0, 1))
    step = executor.passes[0][0] if len(executor.passes) == 1 else None
    if not isinstance(step, Pass) or executor.fills or step.axis != 1 or executor.result != np.uint8:
        return None
    call = step.call(view, np.broadcast_to(np.uint8(0), executor.shape))
    if call is None:
        return None
    row, fields = shape[1] * shape[2], call.layout.copy()
    fields[[layout.X_BASE, layout.X_ROW]] = rows.start * row + columns.start * shape[2], row
    return call.window_fill(fields, prod(shape))
