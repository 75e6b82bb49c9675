"""OpenVINO's Interpolate, CPU."""

from __future__ import annotations

from . import Fault, right

_ROW = [0, 0, 0, 8, 0, 0, 0, 0]
_INTERPOLATE = f"""
import numpy as np
import openvino as ov
import openvino.opset11 as ops

x = ops.parameter([1, 1, 1, 8], np.float32)
y = ops.interpolate(x, [1, 4], "linear", "sizes", antialias=True, axes=[2, 3])
model = ov.compile_model(ov.Model([y], [x]), "CPU")
model(np.float32({_ROW}).reshape(1, 1, 1, 8))[0]
"""

FAULTS = (
    Fault(
        framework="openvino",
        kind="forward",
        title="antialias is ignored",
        why="Linear and cubic read the same pixels with and without the flag, and so does a Resize with antialias "
        "imported from an ONNX model.",
        call=_INTERPOLATE.strip(),
        right=lambda: right.tent(_ROW, right.centers(8, 4), stretch=2),
        ours=f'sw.resize(np.float32({_ROW}), 4, "linear", antialias=True, dialect="onnx")',
    ),
)
