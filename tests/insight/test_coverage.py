"""Coverage of one variant: known values, and against the dense matrices of its plan."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sizewise as sw
from sizewise.errors import ArgumentError
from sizewise.insight.coverage import coverage, require_coverage_memory
from sizewise.plan import Plan
from sizewise.taps import Taps


@pytest.mark.parametrize(
    ("dialect", "antialias", "reached", "percent", "largest"),
    [
        ("tensorflow1", None, 16, 6.25, 1.0),
        ("standard", False, 64, 25.0, 0.25),
        ("standard", True, 256, 100.0, 0.0791015625),
    ],
)
def test_values_of_issue_12753(dialect, antialias, reached, percent, largest):
    facts = coverage(sw.make_plan((16, 16), (4, 4), dialect=dialect, antialias=antialias))
    assert (facts.reached, facts.pixels, facts.percent) == (reached, 256, percent)
    assert facts.total == pytest.approx(16, rel=1e-14)
    assert facts.largest == pytest.approx(largest, rel=1e-14)


@pytest.mark.parametrize("sizes", [((7,), (3,)), ((16, 9), (4, 11)), ((5, 6, 7), (2, 9, 3))], ids=str)
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3", "nearest", "area"])
def test_facts_follow_from_the_dense_matrices(sizes, method):
    plan = sw.make_plan(*sizes, method)
    facts = coverage(plan)
    expected, read = np.ones(()), np.ones((), bool)
    for matrix in plan.matrices():
        expected = np.multiply.outer(expected, matrix.sum(axis=0))
        read = np.logical_and.outer(read, (matrix != 0).any(axis=0))
    np.testing.assert_allclose(facts.gradient, expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(facts.gradient, plan.coverage())
    assert facts.reached == read.sum()
    assert facts.pixels == expected.size
    assert facts.percent == 100 * facts.reached / facts.pixels
    assert facts.total == pytest.approx(math.prod(sizes[1]), rel=1e-13)  # each output's weights sum to 1
    assert facts.largest == pytest.approx(np.abs(expected).max(), rel=1e-13)


def test_a_pixel_whose_weights_cancel_counts_as_reached():
    made = sw.make_plan((3,), (2,))
    plan = Plan(made.request, (Taps(3, [0, 0], [[0.5, 0.5, 0.0], [1.0, -0.5, 0.5]]),))
    facts = coverage(plan)
    assert facts.gradient.tolist() == [1.5, 0.0, 0.5]
    assert (facts.reached, facts.percent) == (3, 100.0)
    assert facts.finding == "every pixel is read, with gradients from 0 to 1.5"


def test_negative_lobes_count_by_magnitude():
    plan = sw.make_plan((16, 16), (4, 4), "bicubic", antialias=False)
    facts = coverage(plan)
    assert facts.gradient.min() < 0
    assert facts.reached == 256
    assert facts.finding == "every pixel is read, with gradients from -0.03516 to 0.3164"


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"dialect": "tensorflow1"}, "240 of 256 pixels get no gradient; dialect=standard, antialias=True reaches all"),
        ({"antialias": False}, "192 of 256 pixels get no gradient; antialias=True reaches all"),
        ({}, "every pixel gets a gradient, from 0.03189 to 0.0791"),
        ({"method": "area"}, "every pixel gets the same gradient, 0.0625"),
        ({"method": "nearest"}, "240 of 256 pixels get no gradient; method=bilinear, antialias=True reaches all"),
    ],
)
def test_findings_name_a_remedy(options, finding):
    assert coverage(sw.make_plan((16, 16), (4, 4), **options)).finding == finding


def test_one_lost_pixel_is_singular():
    facts = coverage(sw.make_plan((3,), (2,), "nearest", dialect="tensorflow1"))
    assert (
        facts.finding == "1 of 3 pixels gets no gradient; dialect=standard, method=bilinear, antialias=True reaches all"
    )


def test_a_transposed_plan_has_facts_but_no_advice():
    facts = coverage(sw.make_plan((4,), (9,), "nearest", dialect="tensorflow1", align_corners=True).T)
    assert (facts.input_size, facts.output_size) == ((9,), (4,))
    lost = coverage(sw.make_plan((16, 16), (4, 4), dialect="tensorflow1")).finding
    assert ";" in lost
    assert ";" not in facts.finding


def test_arguments_of_the_request():
    facts = coverage(sw.make_plan((4, 6), (2, 3), dialect="tfjs", align_corners=True), "mine")
    assert (facts.label, facts.dialect, facts.method, facts.antialias) == ("mine", "tfjs", "bilinear", False)
    assert facts.options == (("align_corners", True), ("half_pixel_centers", False))
    assert (facts.input_size, facts.output_size) == ((4, 6), (2, 3))
    assert coverage(sw.make_plan((4,), (2,))).label == "standard bilinear"


def test_facts_of_an_image_larger_than_memory():
    facts = coverage(sw.make_plan((2**20, 2**20, 2**20), (4, 4, 4), dialect="tensorflow1"))
    assert (facts.reached, facts.pixels) == (64, 2**60)
    with pytest.raises(ArgumentError, match=r"1,152,921,504,606,846,976 pixels would take [\d,]+ bytes"):
        facts.gradient


def test_an_axis_that_is_too_long_is_refused_first():
    with pytest.raises(ArgumentError, match=r"coverage of an axis of 1,000,000,000,000 pixels would take"):
        require_coverage_memory((16, 10**12), (4, 4))
