"""How exact sums are: within (width + 2) eps of sum |w||x| for each pass, however many taps there are.

A sum of n products in the order of its taps is off by at most (n + 1) / 2 eps of sum |w||x|: half an eps for each
rounding of a weight, a product and a sum. So plain sums hold the promise, at half of it; passes count one after the
other. What is found here is less again.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from variants import at_each

import sizewise as sw

WIDTHS = (2, 3, 8, 33, 256, 1000, 4096)
METHODS = ("area", "bilinear", "lanczos3")


def plan_of(width: int, method: str) -> sw.Plan:
    """Return a plan of one axis with about `width` taps for each of three outputs, and never more."""
    support = {"area": 1, "bilinear": 2, "lanczos3": 6}[method]
    plan = sw.make_plan((3 * max(width // support, 1),), (3,), method)
    assert plan.taps[0].width <= max(width, 3 * support)
    return plan


def images(shape: tuple[int, ...], dtype: type) -> list[np.ndarray]:
    """Return inputs that are hard to sum: constants, noise of one sign or both, small values after a large one."""
    random = np.random.default_rng(0)
    falling = np.full(shape, 1e-3)
    falling.reshape(-1)[:: max(falling.size // 5, 1)] = 1e3
    noise = random.standard_normal(shape)
    return [image.astype(dtype) for image in (np.full(shape, 0.1), np.abs(noise), noise, falling)]


def worst(plan: sw.Plan, x: np.ndarray, axes: tuple[int, ...]) -> float:
    """How far the result is from that in float64, in eps of sum |w||x| times what is allowed for all passes."""
    expected, size = x.astype(np.float64), np.abs(x.astype(np.float64))
    for axis, matrix in zip(axes, plan.matrices(), strict=True):
        expected = np.moveaxis(np.tensordot(matrix, expected, (1, axis)), 0, axis)
        size = np.moveaxis(np.tensordot(np.abs(matrix), size, (1, axis)), 0, axis)
    allowed = sum(taps.width + 2 for taps in plan.taps) * float(np.finfo(x.dtype).eps) * size
    return float((np.abs(plan.apply(x, axes).astype(np.float64) - expected) / allowed).max())


# Shapes for each kernel of one axis: full rows, eight rows at a time, single rows, pixels of many channels.
SHAPES = {"rows": ((-1, 40), 0), "eight rows": ((9, -1), 1), "one row": ((1, -1), 1), "channels": ((2, -1, 20), 1)}


@pytest.mark.parametrize("method", METHODS)
@at_each(width=WIDTHS)
@at_each(kernel=[*SHAPES])
def test_float32_along_one_axis(width: int, method: str, kernel: str) -> None:
    plan, (shape, axis) = plan_of(width, method), SHAPES[kernel]
    full = tuple(plan.input_size[0] if n < 0 else n for n in shape)
    assert max(worst(plan, x, (axis,)) for x in images(full, np.float32)) <= 0.5


@pytest.mark.parametrize("method", METHODS)
@at_each(channels=[1, 3, 16])
@at_each(sizes=[((12, 300), (3, 4)), ((300, 12), (4, 3)), ((64, 9), (2, 40)), ((3, 3), (40, 50))])
def test_float32_along_two_axes(sizes: tuple[tuple[int, int], ...], method: str, channels: int) -> None:
    plan = sw.make_plan(*sizes, method)
    for each in (plan, plan.T):
        shape = (2, *each.input_size, channels)
        assert max(worst(each, x, (1, 2)) for x in images(shape, np.float32)) <= 0.5


@pytest.mark.parametrize("method", METHODS)
@at_each(width=WIDTHS)
def test_float64_is_as_close_to_exact_rationals(width: int, method: str) -> None:
    plan = plan_of(width, method)
    eps = Fraction(float(np.finfo(np.float64).eps))
    for x in images(plan.input_size, np.float64):
        result, taps = plan(x), plan.taps[0]
        for o in range(3):
            count, first = taps.count[o], taps.start[o]
            run = zip(taps.weights[o, :count].tolist(), x[first : first + count].tolist(), strict=True)
            products = [Fraction(weight) * Fraction(value) for weight, value in run]
            allowed = (taps.width + 2) * eps * sum(map(abs, products)) / 2
            assert abs(Fraction(float(result[o])) - sum(products)) <= allowed


def test_control_a_float32_that_is_lost_is_seen() -> None:
    plan = plan_of(4096, "area")
    x = images((1, plan.input_size[0]), np.float32)[1]
    x.flags.writeable = False
    spoilt = x.copy()
    spoilt[0, 100] = -spoilt[0, 100]  # one of 4096 pixels
    assert worst(plan, x, (1,)) < 0.5
    truth = plan.apply(x, (1,))
    bound = (plan.taps[0].width + 2) * float(np.finfo(np.float32).eps) * plan.apply(np.abs(x), (1,))
    assert (np.abs(plan.apply(spoilt, (1,)) - truth) / bound).max() > 0.5
