"""A NaN or an infinity reaches exactly the outputs that read its pixel with a weight other than 0, and no others."""

from __future__ import annotations

import numpy as np
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw

# 9 -> 3 gives lanczos3 zero weights inside its runs; 11 and 19 make vector bodies with tails.
SIZES = [((9, 9), (3, 3)), ((3, 11), (4, 19)), ((4, 19), (7, 9)), ((1, 6), (5, 4)), ((4, 4), (4, 9))]
CHANNELS = {np.float32: (1, 3, 17), np.float64: (3,), np.float16: (1,)}


def poisoned_images(size: tuple[int, int], channels: int, dtype: type, value: float) -> tuple[np.ndarray, np.ndarray]:
    """The same image many times, each time with `value` at another pixel of one channel; and the clean ones."""
    clean = np.repeat(noise((*size, channels), dtype)[None], size[0] * size[1], axis=0)
    images = clean.copy()
    for n, (i, j) in enumerate(np.ndindex(size)):
        images[n, i, j, n % channels] = value
    return images, clean


def assert_footprint(plan: sw.Plan, channels: int, dtype: type, value: float) -> None:
    images, clean = poisoned_images(plan.input_size, channels, dtype, value)
    result, expected = plan(images), plan(clean)
    vertical, horizontal = plan.for_dtype(np.dtype(dtype)).matrices()
    for n, (i, j) in enumerate(np.ndindex(plan.input_size)):
        weight = np.multiply.outer(vertical[:, i], horizontal[:, j])
        reached = (vertical[:, i] != 0)[:, None] & (horizontal[:, j] != 0)
        channel = expected[n, ..., n % channels]
        channel[reached] = np.copysign(value, weight[reached] * value)
    # A NaN has many bit patterns; which one comes out is not promised.
    assert (np.isnan(result) == np.isnan(expected)).all()
    assert_same_bits(np.nan_to_num(result, nan=0.0, posinf=np.inf, neginf=-np.inf),
                     np.nan_to_num(expected, nan=0.0, posinf=np.inf, neginf=-np.inf))  # fmt: skip


@at_each(value=[np.nan, np.inf, -np.inf])
@at_each(dtype=CHANNELS)
def test_footprint(representative: Variant, dtype: type, value: float) -> None:
    for input_size, output_size in SIZES:
        plan = representative.plan(input_size, output_size)
        for channels in CHANNELS[dtype]:
            assert_footprint(plan, channels, dtype, value)
            assert_footprint(plan.T, channels, dtype, value)


def test_lanczos3_has_zero_weights_inside_its_runs() -> None:
    taps = sw.make_plan((9,), (3,), "lanczos3").taps[0]
    inside = [taps.weights[o, k] for o in range(3) for k in range(1, taps.count[o] - 1)]
    assert 0.0 in inside
    x = np.zeros(9)
    x[int(np.flatnonzero(taps.dense()[0] == 0)[0])] = np.nan
    assert not np.isnan(sw.resize(x, 3, "lanczos3")[0])


def test_control_a_matrix_product_poisons_everything() -> None:
    plan = sw.make_plan((9, 9), (3, 3))
    x = np.zeros((9, 9))
    x[0, 0] = np.nan
    vertical, horizontal = plan.matrices()
    assert np.isnan(vertical @ x @ horizontal.T).sum() > np.isnan(plan(x)).sum() == 1
