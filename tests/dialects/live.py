"""Assertions that compare a dialect with its framework on the same arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from frameworks import assert_within
from variants import Variant

from sizewise.parity import reference

Size = tuple[int, ...]


def noise(shape: Size, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


def assert_pixels(
    variant: Variant, input_size: Size, output_size: Size, dtype: Any = np.float32, **arguments: Any
) -> None:
    """Assert the framework's pixels within the contract; `arguments` are further arguments of the plan."""
    framework = reference.of(variant.dialect)
    plan, x = variant.plan(input_size, output_size, **arguments), noise((*input_size, 2), dtype)
    theirs = framework.resize(x, plan.request)
    ours = plan(x).astype(theirs.dtype)  # TensorFlow returns float32 for all floats
    try:
        assert_within(ours, theirs, x, framework.ulp[variant.method])
    except AssertionError as difference:
        raise AssertionError(f"{variant}, {input_size} -> {output_size}: {difference}") from None


def assert_gradient(variant: Variant, input_size: Size, output_size: Size, dtype: Any = np.float32) -> None:
    """Assert the framework's gradient within the contract."""
    framework = reference.of(variant.dialect)
    plan = variant.plan(input_size, output_size)
    x, dy = noise((*input_size, 2), dtype), noise((*output_size, 2), dtype)
    theirs = framework.gradient(x, dy, plan.request)
    try:
        assert_within(plan.T(dy), theirs, dy, framework.gradient_ulp[variant.method])
    except AssertionError as difference:
        raise AssertionError(f"gradient of {variant}, {input_size} -> {output_size}: {difference}") from None


def assert_matrix(
    variant: Variant, n_in: int, n_out: int, error: float, dtype: Any = np.float32, axes: Iterable[int] = (0, 1)
) -> None:
    """Assert the framework's matrix along each axis in turn: its result for the unit matrix."""
    for axis in axes:
        sizes = [(n_in, n_in), (n_out, n_in)] if axis == 0 else [(n_in, n_in), (n_in, n_out)]
        plan = variant.plan(*sizes)
        theirs = reference.of(variant.dialect).resize(np.eye(n_in, dtype=dtype)[:, :, None], plan.request)[:, :, 0]
        vertical, horizontal = plan.for_dtype(np.dtype(dtype)).matrices()
        worst = float(np.abs(vertical @ horizontal.T - theirs).max())
        assert worst <= error, f"{variant}, {n_in} -> {n_out} along axis {axis}: weights differ by {worst:.3g}"


def assert_others_differ(variant: Variant, others: Iterable[Variant]) -> None:
    """Assert, as a control, that no other variant has the framework's pixels of this one."""
    framework = reference.of(variant.dialect)
    x = noise((20, 30, 2))
    theirs = framework.resize(x, variant.plan((20, 30), (13, 41)).request)
    assert_pixels(variant, (20, 30), (13, 41))
    for other in others:
        if other != variant:
            ours = other.plan((20, 30), (13, 41))(x).astype(theirs.dtype)
            assert np.abs(ours - theirs).max() > 1e-4, f"{other} passes for {variant}"
