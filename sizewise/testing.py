"""Assertions for test suites: the adjoint identity of a plan, and equality of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import validation
from .errors import ArgumentError, ArgumentTypeError, short_repr
from .plan import Plan

__all__ = ["assert_same_pixels", "dot_test"]
__dir__ = __all__.copy


def dot_test(plan: Plan, *, seed: int = 0, tolerance: float = 1e-12) -> float:
    """Check <W x, y> = <x, W.T y> for random x and y in float64, and return the relative difference.

    W is the linear part of the plan. Raises AssertionError if the difference exceeds `tolerance`: the gradient is then
    not that of the forward resize.

    >>> import sizewise as sw
    >>> dot_test(sw.make_plan((16, 9), (4, 11), "lanczos3")) < 1e-12
    True
    """
    if not isinstance(plan, Plan):
        raise ArgumentTypeError(f"plan must be a Plan from make_plan, not {short_repr(plan)}")
    if validation.require_float(tolerance, "tolerance") < 0:
        raise ArgumentError(f"tolerance must be 0 or more, not {short_repr(tolerance)}")
    random = np.random.default_rng(validation.require_int(seed, "seed", 0))
    x = random.standard_normal(plan.input_size)
    y = random.standard_normal(plan.output_size)
    axes = tuple(range(len(plan.input_size)))
    forward, backward = plan.linear.apply(x, axes) * y, x * plan.T.apply(y, axes)
    size = float(np.abs(forward).sum() + np.abs(backward).sum()) or 1.0
    difference = abs(float(forward.sum() - backward.sum())) / size
    if not difference <= tolerance:
        raise AssertionError(f"<Wx, y> and <x, W.T y> differ by {difference:.3g} relative, for\n{plan!r}")
    return difference


def assert_same_pixels(actual: Any, expected: Any, *, ulp: float = 0.0) -> None:
    """Check that two arrays have the same shape, dtype and pixels.

    Integers must be equal. Floats may differ by `ulp` units in the last place of the largest expected value; NaN and
    Inf must be at the same pixels.

    >>> assert_same_pixels(np.float32([1.0, 2.0]), np.float32([1.0, 2.0]))
    >>> assert_same_pixels(np.uint8([7]), np.uint8([8]))
    Traceback (most recent call last):
    AssertionError: 1 of 1 pixels differ, by up to 1; first at (0,): 7, expected 8
    """
    if validation.require_float(ulp, "ulp") < 0:
        raise ArgumentError(f"ulp must be 0 or more, not {short_repr(ulp)}")
    ours, theirs = validation.require_real_array(actual, "actual"), validation.require_real_array(expected, "expected")
    if ours.shape != theirs.shape:
        raise AssertionError(f"shape {ours.shape}, expected {theirs.shape}")
    if ours.dtype != theirs.dtype:
        raise AssertionError(f"dtype {ours.dtype}, expected {theirs.dtype}")
    with np.errstate(invalid="ignore"):
        difference = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    equal = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    if ours.dtype.kind == "f":
        finite = theirs[np.isfinite(theirs)]
        equal |= difference <= ulp * float(np.spacing(np.abs(finite).max(initial=0.0).astype(ours.dtype)))
    if not equal.all():
        first = tuple(int(i) for i in np.argwhere(~equal)[0])
        largest = np.nan_to_num(difference[~equal], nan=np.inf).max()
        raise AssertionError(
            f"{(~equal).sum()} of {equal.size} pixels differ, by up to {largest:.6g}; "
            f"first at {first}: {ours[first]}, expected {theirs[first]}"
        )
