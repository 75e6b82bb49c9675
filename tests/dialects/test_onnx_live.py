"""Dialect "onnx" against the real onnxruntime; and where onnxruntime contradicts ONNX."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from frameworks import INDEX_LIMIT, LARGE, assert_within, image, large, pairs, sizes
from onnx_resize import (
    CROP,
    MODES,
    TF_NEAREST,
    Case,
    all_lengths,
    differing,
    index_lists,
    long_lengths,
    mixing,
    noise,
    picking,
    picking_both,
    run,
)  # fmt: skip
from samples import sample

import sizewise as sw
from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.parity import reference

REFERENCE = reference.of("onnx")
EVERY_MODE = (*MODES, TF_NEAREST)
PICKING = picking(EVERY_MODE)
MIXING = mixing({("linear", True), ("cubic", False), ("cubic", True)}, EVERY_MODE)


def is_no_op(case: Case, n_in: int, n_out: int) -> bool:
    """Return whether onnxruntime does not crop, because the size stays: see TestContradictions."""
    return n_in == n_out and dict(case.options).get("coordinate_transformation_mode") == CROP


def assert_same_indices(case: Case, n_in: int, lengths: list[int]) -> None:
    for n_out, ours, theirs in index_lists("onnx", case, n_in, lengths):
        assert is_no_op(case, n_in, n_out) or (ours == theirs).all(), (n_in, n_out)


@pytest.mark.parametrize("case", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_every_length(case: Case) -> None:
    for n_in, lengths in all_lengths(INDEX_LIMIT):
        assert_same_indices(case, n_in, lengths)


@pytest.mark.parametrize("case", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_long_axes(case: Case) -> None:
    for n_in, lengths in long_lengths(500):
        assert_same_indices(case, n_in, lengths)


@pytest.mark.parametrize("case", picking_both(EVERY_MODE), ids=str)
def test_nearest_with_two_options(case: Case) -> None:
    for n_in, lengths in [*all_lengths(16), *long_lengths(100)]:
        assert_same_indices(case, n_in, lengths)


@pytest.mark.parametrize("case", picking(), ids=str)
def test_control_float64_picks_other_pixels(case: Case) -> None:
    assert differing(case, "onnx-reference", "onnx") > 0


def assert_same_image(case: Case, plan: sw.Plan, x: np.ndarray) -> None:
    try:
        assert_within(plan(x), REFERENCE.resize(x, plan.request), x, REFERENCE.ulp[case.method])
    except AssertionError as difference:
        raise AssertionError(f"{plan!r}\n{difference}") from None


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_pixels(case: Case) -> None:
    for input_size, output_size in [*pairs(8 if case in PICKING else 24, case), *large(case)]:
        if not any(is_no_op(case, *pair) for pair in zip(input_size, output_size, strict=True)):
            assert_same_image(case, case.plan("onnx", input_size, output_size), noise((*input_size, 2)))


@pytest.mark.parametrize("case", MIXING, ids=str)
def test_control_other_variants_differ(case: Case) -> None:
    x = noise((20, 30, 2))
    theirs = REFERENCE.resize(x, case.plan("onnx", (20, 30), (1, 41)).request)
    for other in MIXING:
        modes = {dict(one.options).get("coordinate_transformation_mode", "half_pixel") for one in (case, other)}
        if other != case and modes != {"half_pixel", "half_pixel_symmetric"}:  # those differ with scales only
            with pytest.raises(AssertionError, match="pixels differ"):
                assert_within(other.plan("onnx", (20, 30), (1, 41))(x), theirs, x, REFERENCE.ulp[case.method])


SCALES = (0.3, 0.5, 0.77, 0.999, 1.01, 1.2, 1.5, 1.6194642, 2.0, 2.1, 3.3, 1 / 3)


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_scales(case: Case) -> None:
    """Lengths are rounded down, and coordinates divided by the scale itself."""
    for n, scale in sample(product(range(1, 20, 2), SCALES), 3, case):
        other = 2.3 if scale < 1 else 0.4
        if int(np.float32(scale) * np.float32(n)) not in (0, n):  # n: see TestContradictions
            plan = case.plan("onnx", (n, 24 - n), scale=(scale, other))
            assert_same_image(case, plan, noise((n, 24 - n, 2)))


def test_control_ratio_of_the_sizes_differs() -> None:
    x = noise((7, 7, 1))
    theirs = REFERENCE.resize(x, sw.make_plan((7, 7), scale=1.6, method="linear", dialect="onnx").request)
    with pytest.raises(AssertionError, match="pixels differ"):
        assert_within(sw.resize(x, (11, 11), "linear", dialect="onnx"), theirs, x, 1000)


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_keeping_the_aspect_ratio(method: str, policy: str) -> None:
    """Coordinates are divided by the common scale, not by the ratio of the sizes."""
    differ, arguments = 0, {"method": method, "dialect": "onnx", "keep_aspect_ratio_policy": policy}
    for h, w, a, b in np.random.default_rng(1).integers(3, 30, (100, 4)).tolist():
        plan = sw.make_plan((h, w), (a, b), **arguments)
        x = noise((h, w, 1))
        theirs = run(x[None, None, :, :, 0], (a, b), (2, 3), mode=method, keep_aspect_ratio_policy=policy)
        assert plan.output_size == theirs.shape[2:]
        if plan.input_size != plan.output_size:
            assert_within(plan(x), theirs[0, 0][:, :, None], x, REFERENCE.ulp[method])
            assert_within(plan(x), REFERENCE.resize(x, plan.request), x, REFERENCE.ulp[method])
        stretched = sw.make_plan((h, w), plan.output_size, method, dialect="onnx")
        differ += any(
            (one.dense() != other.dense()).any() for one, other in zip(plan.taps, stretched.taps, strict=True)
        )
    assert differ > 10


def test_crop_without_roi_is_the_full_image() -> None:
    x = noise((5, 6))
    theirs = run(x, (4, 9), (0, 1), mode="linear", coordinate_transformation_mode=CROP)
    ours = sw.resize(x, (4, 9), "linear", dialect="onnx", coordinate_transformation_mode=CROP)
    assert_within(ours, theirs, x, REFERENCE.ulp["linear"])


def test_three_axes() -> None:
    x = noise((5, 6, 7))
    for antialias in (False, True):
        theirs = run(x, (4, 9, 3), (0, 1, 2), mode="linear", antialias=int(antialias))
        ours = sw.resize(x, (4, 9, 3), "linear", dialect="onnx", antialias=antialias, axes=(0, 1, 2))
        assert_within(ours, theirs, x, REFERENCE.ulp["linear"])


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_adjoint(case: Case) -> None:
    for input_size, output_size in [((9, 14), (14, 6)), ((1, 7), (5, 1)), ((30, 31), (4, 90))]:
        plan = case.plan("onnx", input_size, output_size)
        sw.testing.dot_test(plan)
        for taps in plan.taps:
            assert (taps.T.dense() == taps.dense().T).all()


@pytest.mark.parametrize(("method", "share"), [("nearest", 0), ("linear", 1e-3), ("cubic", 1e-3)])
def test_uint8(method: str, share: float) -> None:
    """Antialiased in fixed point; onnxruntime's float32 weights change one pixel in thousands."""
    differences = []
    for seed, (input_size, output_size) in enumerate([*sizes(100, 100), *LARGE]):
        if input_size != output_size:
            x = image(input_size, 1 + 2 * (seed % 2), seed)
            plan = sw.make_plan(input_size, output_size, method, antialias=method != "nearest", dialect="onnx")
            differences.append(np.abs(plan(x).astype(int) - REFERENCE.resize(x, plan.request)).ravel())
    assert np.concatenate(differences).max() <= (0 if method == "nearest" else 2)
    assert (np.concatenate(differences) > 0).mean() <= share


def test_control_uint8_is_in_fixed_point() -> None:
    x = image((100, 37), 1)
    plan = sw.make_plan((100, 37), (37, 100), "linear", antialias=True, dialect="onnx")
    assert (np.rint(plan(x.astype(np.float64))) != REFERENCE.resize(x, plan.request)).mean() > 0.05


@pytest.mark.parametrize(
    ("arguments", "attributes"),
    [
        ({"method": "nearest", "exclude_outside": 1}, {"mode": "nearest", "exclude_outside": 1}),
        ({"method": "linear", "exclude_outside": True}, {"mode": "linear", "exclude_outside": 1}),
    ],
    ids=["nearest", "linear"],
)
def test_exclude_outside_is_rejected_where_onnxruntime_rejects_it(arguments: dict, attributes: dict) -> None:
    with pytest.raises(Exception, match="exclude_outside"):
        run(noise((4, 4)), (2, 2), (0, 1), **attributes)
    with pytest.raises(UnsupportedError, match="exclude_outside is for cubic and antialiased linear"):
        sw.make_plan((4, 4), (2, 2), dialect="onnx", **arguments)
    assert sw.make_plan((4, 4), (2, 2), dialect="onnx-reference", **arguments)


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize(("method", "max_axes"), [("linear", 3), ("cubic", 2)])
def test_more_axes_are_rejected_where_onnxruntime_rejects_them(method: str, max_axes: int, antialias: bool) -> None:
    for axes in (max_axes, max_axes + 1):
        given, size, arguments = (4,) * axes, (2,) * axes, {"method": method, "antialias": antialias}
        attributes = {"mode": method, "antialias": int(antialias)}
        if axes == max_axes:
            assert run(noise(given), size, tuple(range(axes)), **attributes).shape == size
            assert sw.make_plan(given, size, dialect="onnx", **arguments).output_size == size
            continue
        with pytest.raises(Exception, match="mode only supports"):
            run(noise(given), size, tuple(range(axes)), **attributes)
        with pytest.raises(UnsupportedError, match=f"at most {max_axes} axes"):
            sw.make_plan(given, size, dialect="onnx", **arguments)
        assert sw.make_plan(given, size, dialect="onnx-reference", **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"roi": (0, 1)}, "roi has 2 numbers for 2 resized axes; give 2 for each"),
        ({"roi": (0, 0, 1, "1")}, "every entry of roi must be a finite number, not '1'"),
        ({"roi": 0.5}, "roi must be None or 2 numbers per resized axis, not 0.5"),
        ({"exclude_outside": 2}, "exclude_outside must be 0, 1, False or True, not 2"),
        ({"cubic_coeff_a": 1e39}, "cubic_coeff_a must be a finite number, not 1e"),
        ({"extrapolation_value": float("nan")}, "extrapolation_value must be a finite number, not nan"),
        ({"nearest_mode": "round"}, "nearest_mode of dialect 'onnx' must be one of"),
    ],
    ids=str,
)
def test_bad_options(arguments: dict, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        sw.make_plan((4, 4), (2, 2), "cubic", dialect="onnx", **arguments)


def test_aspect_ratio_may_give_length_0() -> None:
    with pytest.raises(ArgumentError, match=r"output_size \(1, 4\), fitted by dialect 'onnx': entry 1 is 0"):
        sw.make_plan((100, 4), (1, 4), "linear", dialect="onnx", keep_aspect_ratio_policy="not_larger")


def test_gradient_needs_the_requested_size() -> None:
    arguments = {"method": "linear", "dialect": "onnx", "keep_aspect_ratio_policy": "not_larger"}
    with pytest.raises(ArgumentError, match="depends on the requested size"):
        sw.resize_grad(noise((6, 4)), (15, 9), **arguments)
    plan = sw.make_plan((15, 9), (7, 4), **arguments)
    assert plan.T(np.ones(plan.output_size)).shape == (15, 9)


class TestContradictions:
    """Calls for which onnxruntime contradicts the specification of Resize."""

    def test_a_crop_that_keeps_the_size_is_a_copy(self) -> None:
        x, crop = noise((6, 6, 1)), Case("linear", False, (("coordinate_transformation_mode", CROP),))
        plan = crop.plan("onnx", (6, 6), (6, 6), roi=(0.2, 0.8))
        assert (REFERENCE.resize(x, plan.request) == x).all()
        evaluated = reference.of("onnx-reference").resize(x, plan.request)
        assert_within(plan(x), evaluated, x, 2)
        assert (evaluated != x).any()

    def test_a_crop_along_an_axis_that_keeps_its_size_is_a_copy(self) -> None:
        x, crop = noise((6, 6, 1)), Case("linear", False, (("coordinate_transformation_mode", CROP),))
        plan = crop.plan("onnx", (6, 6), (6, 9), roi=(0.2, 0.8))
        theirs, evaluated = (reference.of(name).resize(x, plan.request) for name in ("onnx", "onnx-reference"))
        assert_within(plan(x), evaluated, x, 2)
        assert np.abs(theirs - evaluated).max() > 0.1
        along = crop.plan("onnx", (6,), (9,), roi=(0.2, 0.8)).apply(x, axes=1)
        assert_within(along, theirs, x, 2)

    def test_a_scale_that_keeps_all_sizes_is_ignored(self) -> None:
        """Also along one axis, with antialiasing; without, an axis that keeps its size is resized."""
        x = noise((6, 6, 1))
        same = sw.make_plan((6, 6), scale=1.1, method="linear", dialect="onnx")
        assert (REFERENCE.resize(x, same.request) == x).all()
        assert_within(same(x), reference.of("onnx-reference").resize(x, same.request), x, 2)
        other = sw.make_plan((6, 6), scale=(1.1, 2), method="linear", dialect="onnx")
        assert_within(other(x), REFERENCE.resize(x, other.request), x, 2)
        smooth = sw.make_plan((6, 6), scale=(1.1, 2), method="linear", antialias=True, dialect="onnx")
        theirs = REFERENCE.resize(x, smooth.request)
        assert_within(sw.resize(x, 12, "linear", antialias=True, dialect="onnx", axes=1), theirs, x, 2)
        assert_within(smooth(x), reference.of("onnx-reference").resize(x, smooth.request), x, 4)

    def test_integers_are_truncated(self) -> None:
        x = np.array([[89, 90], [89, 90]], np.int32)[:, :, None]
        plan = sw.make_plan((2, 2), (2, 1), "linear", dialect="onnx")
        assert REFERENCE.resize(x, plan.request).ravel().tolist() == [89, 89]
        assert plan(x).ravel().tolist() == [90, 90]  # of 89.5: half to even, like onnx's evaluator
        assert reference.of("onnx-reference").resize(x, plan.request).ravel().tolist() == [90, 90]

    def test_int8_with_antialiasing_is_never_negative(self) -> None:
        x = np.array([[0, 100, 37, -80]], np.int8)[:, :, None]
        plan = sw.make_plan((1, 4), (1, 9), "cubic", antialias=True, dialect="onnx")
        evaluated = reference.of("onnx-reference").resize(x, plan.request)
        assert (plan(x) == evaluated).all()
        assert evaluated.min() == -93
        assert (REFERENCE.resize(x, plan.request) == np.maximum(evaluated, 0)).all()

    def test_extrapolation_value_is_truncated(self) -> None:
        x = np.ones((4, 4, 1), np.int32)
        arguments = {"coordinate_transformation_mode": CROP, "roi": (0, 0, 2, 2), "extrapolation_value": 7.9}
        plan = sw.make_plan((4, 4), (8, 8), "linear", dialect="onnx", **arguments)
        assert REFERENCE.resize(x, plan.request)[-1, -1, 0] == 7
        assert plan(x)[-1, -1, 0] == reference.of("onnx-reference").resize(x, plan.request)[-1, -1, 0] == 8
