"""Calls as a type checker sees them: mypy reads this file, and test_typing runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import sizewise as sw
from sizewise.typing import DialectName, MethodName

image: NDArray[np.uint8] = np.zeros((8, 8, 3), np.uint8)
gradient: NDArray[np.float32] = np.ones((4, 4, 3), np.float32)
dialect: DialectName = "pillow"
method: MethodName = "lanczos"


def run_samples() -> None:
    """Make calls whose results have the types of their arguments."""
    assert_type(sw.resize(image, (4, 4)), NDArray[np.uint8])
    assert_type(sw.resize(image, [4, 4], method, dialect=dialect, layout="HWC"), NDArray[np.uint8])
    assert_type(sw.resize(image, scale=0.5, axes=(0, 1), engine="kernel"), NDArray[np.uint8])
    assert_type(sw.resize(image, 4, "BILINEAR", axes=0, out=np.empty((4, 8, 3), np.uint8)), NDArray[np.uint8])
    assert_type(sw.resize_grad(gradient, (8, 8), layout="HWC"), NDArray[np.float32])
    plan = sw.make_plan((8, 8), (4, 4), "lanczos3", antialias=True, dialect="standard")
    assert_type(plan, sw.Plan)
    assert_type(plan(image), NDArray[np.uint8])
    assert_type(plan.T.apply(gradient, layout="HWC"), NDArray[np.float32])
    assert_type(sw.index_map(4, 8), NDArray[np.int64])


# Calls that a checker refuses, and Sizewise too: an ignored error that is none would be one.
WRONG: tuple[Callable[[], Any], ...] = (
    lambda: sw.resize(image, "4x4"),  # type: ignore[arg-type]
    lambda: sw.resize(image, (4, 4), engine="gpu"),  # type: ignore[arg-type]
    lambda: sw.resize(image, (4, 4), layout=3),  # type: ignore[arg-type]
    lambda: sw.resize(image, (4, 4), 5),  # type: ignore[arg-type]
    lambda: sw.resize_grad(gradient, None),  # type: ignore[arg-type]
    lambda: sw.make_plan((8, 8), (4, 4), dialect=None),  # type: ignore[arg-type]
    lambda: sw.make_plan((8, 8), (4.5, 4)),  # type: ignore[arg-type]
    lambda: sw.make_plan((8, 8), (4, 4)).apply(image, axes="HW"),  # type: ignore[arg-type]
)
