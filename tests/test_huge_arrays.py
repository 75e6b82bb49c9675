"""Arrays of more than 2**31 and 2**32 elements: offsets beyond 32 bits are read and written correctly.

Inputs are zeros whose pages the system has not allocated, except for a few rows: they take little memory. Expected
values are computed from the taps, at positions from the first to the last.
"""

from __future__ import annotations

import numpy as np
import pytest
from samples import sample

import sizewise as sw
from sizewise.memory_limits import available_memory

NEEDED = 6 * 2**30
pytestmark = pytest.mark.skipif(
    available_memory() < NEEDED, reason=f"needs {NEEDED:,} bytes of free memory, and {available_memory():,} are free"
)
ABOVE_32 = (2**16 + 9, 2**16 + 5)  # 4.3e9 elements
ABOVE_31 = (2**15 + 3, 2**16 + 1)  # 2.1e9


def sparse(shape: tuple[int, int], plan: sw.Plan) -> np.ndarray:
    """Zeros, and noise in rows that the plan reads: those of its first, middle and last outputs."""
    x = np.zeros(shape, np.uint8)
    random = np.random.default_rng(0)
    rows = plan.taps[0]
    for i in (0, rows.n_out // 2, rows.n_out - 2, rows.n_out - 1):
        for row in range(rows.start[i], rows.start[i] + rows.count[i]):
            x[row] = random.integers(50, 200, shape[1])
    return x


def by_hand(x: np.ndarray, plan: sw.Plan, i: int, j: int) -> float:
    """Output (i, j) of a plan of two axes, in float64."""
    rows, columns = plan.taps
    v, h = rows.start[i], columns.start[j]
    part = x[v : v + rows.count[i], h : h + columns.count[j]].astype(np.float64)
    return float(rows.weights[i, : rows.count[i]] @ part @ columns.weights[j, : columns.count[j]])


def assert_outputs(result: np.ndarray, x: np.ndarray, plan: sw.Plan, count: int = 300) -> None:
    """Asserts that outputs at many places, corners among them, are those computed by hand; and that some are not 0."""
    random = np.random.default_rng(1)
    places = [tuple(random.integers(0, plan.output_size)) for _ in range(count)]
    h, w = plan.output_size
    places += [(i, j) for i in (0, h // 2, h - 2, h - 1) for j in (0, w // 2, w - 2, w - 1)]
    expected = np.array([by_hand(x, plan, *place) for place in places])
    found = np.array([result[place] for place in places])
    if result.dtype.kind in "iu":
        expected = np.clip(np.rint(expected), 0, 255)
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found.astype(np.float64), expected, rtol=2e-3, atol=1e-6)
    assert expected.any()


@pytest.mark.parametrize("method", sample(["nearest", "bilinear", "bicubic"], 3))
def test_a_large_reduction(method: str) -> None:
    plan = sw.make_plan(ABOVE_32, (300, 77), method, antialias=False)
    x = sparse(ABOVE_32, plan)
    assert x.size > 2**32
    assert_outputs(plan(x), x, plan)
    part = x[:, 7:2007]  # rows that lie far apart
    plan = sw.make_plan(part.shape, (300, 77), method, antialias=False)
    assert_outputs(plan(part), part, plan)


def test_a_mean_of_all_elements() -> None:
    x = np.zeros(ABOVE_31, np.uint8)
    x[-(2**13) :, -(2**14) :] = 200
    assert x.size > 2**31
    plan = sw.make_plan(ABOVE_31, (8, 4), "area")
    result = plan(x)
    assert_outputs(result, x, plan, count=0)
    assert result[-1].tolist() == [0, 0, 0, 200]


def test_a_large_enlargement() -> None:
    x = np.random.default_rng(2).integers(0, 256, (5, 7), np.uint8)
    out = np.empty(ABOVE_31, np.uint8)
    for method in sample(("nearest", "bilinear"), 2):
        plan = sw.make_plan(x.shape, ABOVE_31, method)
        out[-1], out[2**14] = 0, 0
        assert_outputs(plan.apply(x, out=out), x, plan)


def test_rows_longer_than_2_to_31() -> None:
    x = np.zeros((2, 2**31 + 64), np.uint8)
    x[0, -70:], x[1, -70:], x[1, 5] = 10, 20, 8
    result = sw.resize(x, 1, "area", axes=0)
    assert result.shape == (1, 2**31 + 64)
    assert result[0, -70:].tolist() == [15] * 70
    assert result[0, -80:-70].tolist() == [0] * 10
    assert result[0, :7].tolist() == [0, 0, 0, 0, 0, 4, 0]


@pytest.mark.parametrize("method", sample(["nearest", "bilinear"], 2))
def test_gradient(method: str) -> None:
    dy = np.zeros(ABOVE_31, np.float16)
    dy[-3:], dy[2**14] = 0.25, 0.5
    plan = sw.make_plan((40, 30), ABOVE_31, method)
    gradient = sw.resize_grad(dy, (40, 30), method)
    rows, columns = (taps.column_sums for taps in plan.taps)
    assert gradient.shape == (40, 30)
    expected = plan.taps[0].dense().T @ dy[:, 0].astype(np.float64)
    np.testing.assert_allclose(gradient.astype(np.float64), np.outer(expected, columns), rtol=2e-3, atol=1e-3)
    assert rows.sum() == pytest.approx(ABOVE_31[0])
