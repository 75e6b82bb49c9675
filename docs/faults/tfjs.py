"""TensorFlow.js, CPU backend: gradients that contradict its forward ops."""

from __future__ import annotations

from . import Fault, right

_LOAD = "const tf = require('@tensorflow/tfjs');\n"
_SECOND = """
const gradient = tf.grad(x => tf.image.resizeBilinear(x, [3, 3]).square().sum());
tf.grad(x => gradient(x).square().sum())(tf.ones([1, 2, 2, 1]))
"""
_OUR_SECOND = """
from autograd import grad, numpy as anp
loss = lambda x: anp.sum(sw.resize(x, (3, 3), dialect="tfjs") ** 2)
grad(lambda x: anp.sum(grad(loss)(x) ** 2))(np.ones((2, 2)))
"""


def _units(op: str, height: int, width: int, rest: str) -> str:
    """Return code of the op on unit images, one per pixel."""
    n = height * width
    return f"tf.image.{op}(tf.eye({n}).reshape([{n}, {height}, {width}, 1]), {rest})"


FAULTS = (
    Fault(
        framework="tfjs",
        kind="gradient",
        title="bilinear gradients of non-square images throw",
        why="The kernel labels its result [batch, width, height, channels].",
        call=f"{_LOAD}tf.grad(x => tf.image.resizeBilinear(x, [4, 6]).sum())(tf.ones([1, 2, 3, 1]))",
        right=right.adjoint("tfjs", _units("resizeBilinear", 2, 3, "[4, 6]"), (2, 3)),
        ours='sw.resize_grad(np.ones((4, 6)), (2, 3), dialect="tfjs")',
    ),
    Fault(
        framework="tfjs",
        kind="gradient",
        title="bilinear gradients ignore halfPixelCenters",
        why="With half-pixel centers the grid is symmetric, and so is the gradient.",
        call=f"{_LOAD}tf.grad(x => tf.image.resizeBilinear(x, [3, 3], false, true).sum())(tf.ones([1, 2, 2, 1]))",
        right=right.adjoint("tfjs", _units("resizeBilinear", 2, 2, "[3, 3], false, true"), (2, 2)),
        ours='sw.resize_grad(np.ones((3, 3)), (2, 2), dialect="tfjs", half_pixel_centers=True)',
    ),
    Fault(
        framework="tfjs",
        kind="gradient",
        title="nearest gradients ignore halfPixelCenters",
        why="The forward op reads rows and columns 0, 1, 1: pixel 1 counts twice per axis.",
        call=_LOAD
        + "tf.grad(x => tf.image.resizeNearestNeighbor(x, [3, 3], false, true).sum())(tf.ones([1, 2, 2, 1]))",
        right=right.adjoint("tfjs", _units("resizeNearestNeighbor", 2, 2, "[3, 3], false, true"), (2, 2)),
        ours='sw.resize_grad(np.ones((3, 3)), (2, 2), "nearest", dialect="tfjs", half_pixel_centers=True)',
    ),
    Fault(
        framework="tfjs",
        kind="gradient",
        title="nearest gradients of a batch read past their input",
        why="The kernel indexes the second `dy` with the stride of the image. "
        "Each image's pixel 0 is used once, by its own output.",
        call=_LOAD + "const dy = tf.tensor4d([1, 2], [2, 1, 1, 1]);\n"
        "tf.grad(x => tf.image.resizeNearestNeighbor(x, [1, 1]))(tf.ones([2, 2, 2, 1]), dy)",
        right=right.adjoint("tfjs", _units("resizeNearestNeighbor", 2, 2, "[1, 1]"), (2, 2, 2), dy=[[1], [2]]),
        ours='sw.resize_grad(np.array([1.0, 2.0]).reshape(2, 1, 1, 1), (2, 2), "nearest", dialect="tfjs")',
    ),
    Fault(
        framework="tfjs",
        kind="gradient",
        title="nearest gradients with alignCorners of one pixel never return",
        why="The scale is 0, its reciprocal infinite, and the kernel searches a window of infinite width. All four "
        "outputs are copies of the one pixel.",
        call=f"{_LOAD}tf.grad(x => tf.image.resizeNearestNeighbor(x, [2, 2], true).sum())(tf.ones([1, 1, 1, 1]))",
        right=right.adjoint("tfjs", _units("resizeNearestNeighbor", 1, 1, "[2, 2], true"), ()),
        ours='sw.resize_grad(np.ones((2, 2)), (1, 1), "nearest", dialect="tfjs", align_corners=True)',
        endless=True,
    ),
    Fault(
        framework="tfjs",
        kind="gradient",
        title="no gradient of a gradient",
        why="The gradient kernels have no gradients. The map is linear: the gradient of its gradient is the map again.",
        call=_LOAD + _SECOND.strip(),
        right=right.second("tfjs", _units("resizeBilinear", 2, 2, "[3, 3]"), (2, 2)),
        ours=_OUR_SECOND.strip(),
    ),
)
