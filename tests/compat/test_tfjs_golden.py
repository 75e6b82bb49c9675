"""The four kernels against what TF.js 4.22.0 answered when the golden file was made; needs no node."""

from __future__ import annotations

import make_golden
import numpy as np
import pytest
import tfjs_cases

CASES = tfjs_cases.cases()


@pytest.fixture(scope="module")
def golden():
    with np.load(make_golden.FILE) as file:
        return dict(file)


def test_the_file_is_of_these_cases(golden):
    assert (golden["cases"] == make_golden.table(CASES)).all()


def test_kernels_give_the_recorded_pixels_and_gradients(golden):
    place, values = 0, golden["values"]
    for case in CASES:
        for method in tfjs_cases.OPS:
            output, source = case.dy.shape, case.shape
            middle = place + int(np.prod(output))
            end = middle + int(np.prod(source))
            tfjs_cases.check(case, method, values[place:middle].reshape(output), values[middle:end].reshape(source))
            place = end
    assert place == len(values)


def test_nearest_picks_the_recorded_pixels(golden):
    assert (golden["indices"] == tfjs_cases.our_indices()).all()


def test_a_changed_file_is_noticed(golden):
    case = CASES[0]
    values = golden["values"][: case.dy.size + case.images.size].copy()
    values[0] += 2e-7 * np.abs(values).max() + 2e-7
    with pytest.raises(AssertionError, match="pixels differ"):
        forward, gradient = values[: case.dy.size], values[case.dy.size :]
        tfjs_cases.check(case, "bilinear", forward.reshape(case.dy.shape), gradient.reshape(case.shape))
