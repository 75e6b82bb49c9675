"""Writes docs/tfjs-faults.md: where the gradients of TF.js are wrong, each case run in TF.js and in Sizewise just now.

Run as `python docs/make_tfjs_faults.py`; it needs node, and `npm install` in tests/node.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "compat"))

import tfjs_node  # noqa: E402

from sizewise.compat import tfjs  # noqa: E402

PAGE = DOCS / "tfjs-faults.md"
PATIENCE = 5  # seconds given to a call that should take none
GRADIENTS = {
    "resizeBilinear": tfjs.resize_bilinear_grad,
    "resizeNearestNeighbor": tfjs.resize_nearest_neighbor_grad,
}


@dataclass(frozen=True)
class Fault:
    """One call of tf.grad whose answer is wrong, and why."""

    title: str
    op: str
    shape: tuple[int, ...]
    size: tuple[int, int]
    why: str
    dy: tuple[float, ...] | None = None  # None: ones
    align_corners: bool = False
    half_pixel_centers: bool = False
    endless: bool = False

    @property
    def images(self) -> np.ndarray:
        return np.ones(self.shape, np.float32)

    @property
    def dy_values(self) -> np.ndarray:
        shape = (self.shape[0], *self.size, self.shape[3])
        return np.ones(shape, np.float32) if self.dy is None else np.array(self.dy, np.float32).reshape(shape)

    @property
    def call(self) -> str:
        """The call in JavaScript."""
        words = [f"[{self.size[0]}, {self.size[1]}]"]
        if self.align_corners or self.half_pixel_centers:
            words += [str(flag).lower() for flag in (self.align_corners, self.half_pixel_centers)]
        dy_shape = list(self.dy_values.shape)
        dy = f"tf.ones({dy_shape})" if self.dy is None else f"tf.tensor4d({list(self.dy)}, {dy_shape})"
        return f"tf.grad(x => tf.image.{self.op}(x, {', '.join(words)}))(tf.ones({list(self.shape)}), {dy})"

    def request(self, call: str) -> dict:
        attrs = {
            "size": self.size,
            "alignCorners": self.align_corners,
            "halfPixelCenters": self.half_pixel_centers,
        }
        images, dy = tfjs_node.to_tensor(self.images), tfjs_node.to_tensor(self.dy_values)
        return {"call": call, "name": self.op, "images": images, "dy": dy, "attrs": attrs}


FAULTS = (
    Fault(
        "Non-square images",
        "resizeBilinear",
        (1, 2, 3, 1),
        (4, 6),
        "The gradient has the shape of the image, but the kernel labels it [batch, width, height, channels].",
    ),
    Fault(
        "`halfPixelCenters`, bilinear",
        "resizeBilinear",
        (1, 2, 2, 1),
        (3, 3),
        "The kernel leaves the flag out. With half-pixel centres the grid is symmetric, and so is the gradient.",
        half_pixel_centers=True,
    ),
    Fault(
        "`halfPixelCenters`, nearest",
        "resizeNearestNeighbor",
        (1, 2, 2, 1),
        (3, 3),
        "The kernel leaves the flag out. The forward op reads rows and columns 0, 1, 1: pixel 1 counts twice per axis.",
        half_pixel_centers=True,
    ),
    Fault(
        "Batches, nearest",
        "resizeNearestNeighbor",
        (2, 2, 2, 1),
        (1, 1),
        "The kernel finds the second `dy` with the step of the image, and so reads past its end. "
        "Each image's pixel 0 is used once, by its own output.",
        dy=(1.0, 2.0),
    ),
    Fault(
        "`alignCorners` on an axis of one pixel, nearest",
        "resizeNearestNeighbor",
        (1, 1, 1, 1),
        (2, 2),
        "The scale is 0, its reciprocal infinite, and the kernel searches a window of infinite width. "
        "All four outputs are copies of the one pixel.",
        align_corners=True,
        endless=True,
    ),
)


@dataclass(frozen=True)
class Facts:
    """What each side returns for a fault: an array, or a sentence where there is none."""

    fault: Fault
    theirs: np.ndarray | str
    right: np.ndarray
    ours: np.ndarray


def gather() -> list[Facts]:
    """Every fault run now: in TF.js, by central differences of TF.js's forward op, and in Sizewise."""
    answers = tfjs_node.run([fault.request("centralDifferences") for fault in FAULTS])
    return [
        Facts(fault, _theirs(fault), tfjs_node.to_array(answer), _ours(fault))
        for fault, answer in zip(FAULTS, answers, strict=True)
    ]


def _theirs(fault: Fault) -> np.ndarray | str:
    try:
        [answer] = tfjs_node.run([fault.request("grad")], timeout=PATIENCE if fault.endless else 60)
    except subprocess.TimeoutExpired as expired:
        return f"nothing: it was stopped after {expired.timeout} s"
    return f"throws: {answer['error'].rstrip('.')}" if "error" in answer else tfjs_node.to_array(answer)


def _ours(fault: Fault) -> np.ndarray:
    gradient = GRADIENTS[fault.op]
    return gradient(fault.dy_values, fault.images, fault.align_corners, fault.half_pixel_centers)


def page(facts: list[Facts], version: str) -> str:
    """The page in Markdown."""
    rows = "\n".join(
        f"| {number} | {one.fault.title}<br>`{one.fault.call}` | {_cell(one.theirs)} | {_cell(one.right)} "
        f"| {_cell(one.ours)} | {one.fault.why} |"
        for number, one in enumerate(facts, start=1)
    )
    return f"""# Where the gradients of TF.js are wrong

<!-- Written by `python docs/make_tfjs_faults.py`; change that, not this. -->

Every row is a call of `tf.grad` on the CPU backend of TF.js {version}, run when this page was made. *Right* comes from
central differences of TF.js's own forward op; *Sizewise* from `sizewise.compat.tfjs`, whose gradient is the transpose
of the forward op by construction. Arrays are written as shape: values, in row-major order.

| | call | TF.js {version} returns | right | Sizewise returns | why |
|---|---|---|---|---|---|
{rows}

Rows 2 and 3 are one fault in two kernels. Where none of these apply, TF.js is right, and the tests hold Sizewise
against it: bilinear gradients of square images, and nearest gradients of single images, without `halfPixelCenters`.
"""


def _cell(value: np.ndarray | str) -> str:
    if isinstance(value, str):
        return value
    return f"{list(value.shape)}: {', '.join(f'{number:.4g}' for number in value.ravel())}"


def current() -> str:
    """The page as it is now."""
    [version] = tfjs_node.run([{"call": "version"}])
    return page(gather(), version["tfjs"])


if __name__ == "__main__":
    PAGE.write_text(current(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
