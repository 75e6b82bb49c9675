"""The four kernels against the real TF.js 4.22.0, run in node: forward everywhere, gradients wherever TF.js is right,
and against central differences of TF.js's own forward ops where it is wrong."""

from __future__ import annotations

import make_golden
import numpy as np
import pytest
import tfjs_cases
import tfjs_node
from samples import ALL
from tfjs_cases import FORWARD, FORWARD_ULP, GRADIENT

from sizewise.compat import tfjs
from sizewise.testing import assert_same_pixels

CASES = tfjs_cases.cases()


@pytest.fixture(scope="module")
def recorded(node):
    """Return the answers of TF.js for all cases, from one node process."""
    return tfjs_cases.truth(node, CASES)


def test_there_are_enough_cases_of_every_kind():
    assert len(CASES) >= 300
    shapes = [case.shape for case in CASES]
    assert {shape[0] for shape in shapes} == {1, 2, 3} and {shape[3] for shape in shapes} == {1, 2, 3, 4}
    assert any(shape[1] != shape[2] for shape in shapes) and any(1 in shape[1:3] for shape in shapes)
    for method in tfjs_cases.OPS:
        right = [case.gradient_is_right(method) for case in CASES]
        assert sum(right) >= 100 and right.count(False) >= 100


@pytest.mark.parametrize("method", tfjs_cases.OPS)
def test_kernels_give_the_pixels_and_gradients_of_tfjs(recorded, method):
    for case in CASES:
        forward, by_op, gradient = recorded[case, method]
        assert_same_pixels(forward, by_op)
        try:
            tfjs_cases.check(case, method, forward, gradient)
        except AssertionError as difference:
            raise AssertionError(f"{method}, {case}: {difference}") from None


@pytest.mark.parametrize("method", tfjs_cases.OPS)
def test_the_other_flag_is_seen(recorded, method):
    """The comparison can fail: with one flag inverted, most cases differ."""
    differing = 0
    for case in CASES:
        other = {"align_corners": False, "half_pixel_centers": not case.half_pixel_centers}
        forward, _, gradient = recorded[case, method]
        pixels = FORWARD[method](case.images, case.size, **other)
        slope = GRADIENT[method](case.dy, case.images, **other)
        differing += _differs(pixels, forward, FORWARD_ULP[method])
        differing += _differs(slope, gradient, case.gradient_ulp(method))
    assert differing > len(CASES)


def _differs(actual: np.ndarray, expected: np.ndarray, ulp: int) -> bool:
    try:
        assert_same_pixels(actual, expected, ulp=ulp)
    except AssertionError:
        return True
    return False


def test_nearest_picks_the_same_pixels_for_every_length(node):
    limit = 256 if ALL else 96
    theirs, ours = tfjs_cases.nearest_indices(node, limit), tfjs_cases.our_indices(limit)
    for axis in range(2):
        assert (theirs[:, axis] == ours).all()
    assert (ours[0] != ours[1]).any() and (ours[0] != ours[2]).any()


def test_the_golden_file_is_what_tfjs_says_now(node):
    now = make_golden.record(node)
    with np.load(make_golden.FILE) as golden:
        assert set(golden) == set(now)
        for name, array in now.items():
            assert_same_pixels(golden[name], array)


def test_integers_are_interpolated_as_they_are(node):
    """int32 above 2**24 is not rounded to float32 before it is interpolated, only after."""
    x = np.array([16777217, 33554435, 16777219, 50331651], np.int32).reshape(1, 2, 2, 1)
    attrs = {"size": [3, 3], "alignCorners": False, "halfPixelCenters": True}
    [answer] = node([{"call": "op", "name": "resizeBilinear", "images": tfjs_node.to_tensor(x), "attrs": attrs}])
    theirs = tfjs_node.to_array(answer)
    assert_same_pixels(tfjs.resize_bilinear(x, (3, 3), half_pixel_centers=True), theirs)
    assert (tfjs.resize_bilinear(x.astype(np.float32), (3, 3), half_pixel_centers=True) != theirs).any()


def test_sizewise_parity_finds_tfjs_where_node_does(node, monkeypatch):
    from sizewise import parity
    from sizewise.parity.references import tfjs as reference

    monkeypatch.setenv("NODE_PATH", str(tfjs_node.FOLDER / "node_modules"))
    reference._version.cache_clear()
    try:
        facts = parity.sweep(["tfjs"], images=6, lines=10)
        assert facts.passed and len(facts.rows) == 6
        assert facts.versions == (("@tensorflow/tfjs", make_golden.VERSION),)
    finally:
        reference._version.cache_clear()
