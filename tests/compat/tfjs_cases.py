"""Cases on which live and golden tests compare the four TF.js kernels, and the requests for each."""

from __future__ import annotations

import base64
import random
from dataclasses import dataclass

import numpy as np
import tfjs_node

import sizewise as sw
from sizewise.compat import tfjs
from sizewise.testing import assert_same_pixels

FORWARD = {"bilinear": tfjs.resize_bilinear, "nearest": tfjs.resize_nearest_neighbor}
GRADIENT = {"bilinear": tfjs.resize_bilinear_grad, "nearest": tfjs.resize_nearest_neighbor_grad}
FLAGS = ((False, False), (True, False), (False, True))  # (align_corners, half_pixel_centers), those TF.js allows
OPS = {"bilinear": "resizeBilinear", "nearest": "resizeNearestNeighbor"}

# How far pixels may be from TF.js, in units in the last place of the largest value. Both sum in float64 and round once,
# but in another order: rarely, the last bit differs. TF.js adds up bilinear gradients in float32, one rounding per
# term; central differences subtract float32 pixels.
FORWARD_ULP = {"bilinear": 1, "nearest": 0}
GRADIENT_ULP = {"bilinear": 4, "nearest": 1}
DIFFERENCES_ULP = {"bilinear": 4, "nearest": 1}
INDEX_LIMIT = 64  # of the golden files


@dataclass(frozen=True)
class Case:
    """One resize: a shape [batch, height, width, channels], a size, and the two flags."""

    shape: tuple[int, int, int, int]
    size: tuple[int, int]
    align_corners: bool
    half_pixel_centers: bool

    @property
    def images(self) -> np.ndarray:
        return pattern(self.shape, 1)

    @property
    def dy(self) -> np.ndarray:
        batch, _, _, channels = self.shape
        return pattern((batch, *self.size, channels), 2)

    @property
    def flags(self) -> dict[str, bool]:
        return {"align_corners": self.align_corners, "half_pixel_centers": self.half_pixel_centers}

    @property
    def attrs(self) -> dict[str, object]:
        return {
            "alignCorners": self.align_corners,
            "halfPixelCenters": self.half_pixel_centers,
            "size": list(self.size),
        }

    def gradient_is_right(self, method: str) -> bool:
        """Return whether TF.js's own gradient kernel is right here (docs/explanation/framework-faults.md)."""
        if self.half_pixel_centers:
            return False
        batch, height, width, _ = self.shape
        if method == "bilinear":
            return height == width
        pairs = zip((height, width), self.size, strict=True)
        endless = self.align_corners and any(n_in == 1 and n_out > 1 for n_in, n_out in pairs)
        return batch == 1 and not endless

    def gradient_ulp(self, method: str) -> int:
        return (GRADIENT_ULP if self.gradient_is_right(method) else DIFFERENCES_ULP)[method]


def pattern(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Float32 numbers in -1 .. 1 with no order in them, the same on every machine and NumPy."""
    count = int(np.prod(shape))
    state = (np.arange(count, dtype=np.uint64) + np.uint64(seed * 1_000_003)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return ((state >> np.uint64(40)).astype(np.float64) / 2**23 - 1).astype(np.float32).reshape(shape)


def cases() -> list[Case]:
    """Shapes chosen for their corners and at random, each with every pair of flags."""
    chosen = [
        ((1, 2, 2, 1), (4, 4)),
        ((1, 1, 1, 1), (3, 2)),
        ((2, 1, 5, 2), (4, 1)),
        ((3, 4, 1, 1), (1, 6)),
        ((2, 5, 5, 4), (1, 1)),
        ((1, 7, 7, 3), (7, 7)),
        ((1, 30, 30, 1), (22, 11)),  # where floating-point coordinates pick another pixel than exact ones
        ((1, 16, 16, 1), (23, 23)),
        ((1, 16, 16, 3), (4, 4)),
    ]
    pick = random.Random(12753)
    for number in range(100):
        longest = 24 if number % 10 == 0 else 7
        height = pick.randint(1, longest)
        width = height if number % 2 else pick.randint(1, longest)
        batch, channels = (1, 1) if longest == 24 else (1 if number % 3 else pick.randint(2, 3), pick.randint(1, 4))
        chosen.append(((batch, height, width, channels), (pick.randint(1, longest), pick.randint(1, longest))))
    return [Case(shape, size, *flags) for shape, size in chosen for flags in FLAGS]


def requests(case: Case, method: str) -> list[dict]:
    """Return the requests of a case: forward by kernel and by public op, and the gradient where TF.js is right."""
    op, kernel = OPS[method], OPS[method][0].upper() + OPS[method][1:]
    images, dy = tfjs_node.to_tensor(case.images), tfjs_node.to_tensor(case.dy)
    if case.gradient_is_right(method):
        gradient = {"call": "kernel", "name": f"{kernel}Grad", "inputs": {"dy": dy, "images": images}}
    else:
        gradient = {"call": "centralDifferences", "name": op, "images": images, "dy": dy}
    return [
        {"call": "kernel", "name": kernel, "inputs": {"images": images}, "attrs": case.attrs},
        {"call": "op", "name": op, "images": images, "attrs": case.attrs},
        {**gradient, "attrs": case.attrs},
    ]


def truth(run, chosen: list[Case]) -> dict[tuple[Case, str], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each (case, method): forward by kernel, forward by op, gradient; all float32; one node process."""
    keys = [(case, method) for case in chosen for method in OPS]
    answers = run([request for case, method in keys for request in requests(case, method)])
    arrays = [tfjs_node.to_array(answer).astype(np.float32) for answer in answers]
    return {key: tuple(arrays[3 * place : 3 * place + 3]) for place, key in enumerate(keys)}


def nearest_indices(run, limit: int = INDEX_LIMIT) -> np.ndarray:
    """Return the indices TF.js picks for n_in, n_out up to the limit: [flags, height or width, flat list]."""
    attrs = [{"alignCorners": corners, "halfPixelCenters": half} for corners, half in FLAGS]
    answers = run([{"call": "nearestIndices", "limit": limit, "attrs": one} for one in attrs])
    lists = [[base64.b64decode(answer[axis]) for axis in ("height", "width")] for answer in answers]
    return np.array([[np.frombuffer(one, "<u2") for one in pair] for pair in lists])


def check(case: Case, method: str, forward: np.ndarray, gradient: np.ndarray) -> None:
    """Fails unless Sizewise gives TF.js's pixels and the true gradient."""
    ours = FORWARD[method](case.images, case.size, **case.flags)
    assert_same_pixels(ours, forward, ulp=FORWARD_ULP[method])
    slope = GRADIENT[method](case.dy, case.images, **case.flags)
    assert_same_pixels(slope, gradient, ulp=case.gradient_ulp(method))


def our_indices(limit: int = INDEX_LIMIT) -> np.ndarray:
    """Return the indices Sizewise picks, as one flat list per pair of flags."""
    lengths = range(1, limit + 1)
    return np.array(
        [np.concatenate([_picked(n_in, lengths, corners, half) for n_in in lengths]) for corners, half in FLAGS]
    )


def _picked(n_in: int, lengths: range, corners: bool, half: bool) -> np.ndarray:
    flags = {"align_corners": corners, "half_pixel_centers": half}
    plan = sw.make_plan((n_in,) * len(lengths), lengths, "nearest", dialect="tfjs", **flags)
    return np.concatenate([taps.start for taps in plan.taps])
