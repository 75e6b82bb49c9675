"""Dialect "onnx-reference" against onnx's own ReferenceEvaluator, which reads pixels beside its own coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from frameworks import LARGE, assert_within, image, large, pairs, sizes
from onnx.reference.ops.op_resize import _compute_x_ori
from onnx_resize import (
    CROP,
    LIMIT,
    NEAREST_MODES,
    Case,
    all_lengths,
    differing,
    index_lists,
    long_lengths,
    mixing,
    noise,
    picking,
    picking_both,
)
from samples import fewer

import sizewise as sw
from sizewise.errors import UnsupportedError
from sizewise.parity import reference

REFERENCE = reference.of("onnx-reference")
PICKING = picking()
MIXING = mixing({("linear", False), ("linear", True), ("cubic", False), ("cubic", True)})


def misread(plan: sw.Plan, axis: int = 0) -> np.ndarray:
    """Return the outputs for which the evaluator reads one pixel too far to the left.

    It takes the fraction of a coordinate x, but the pixels around x + half a window. If x is just above an integer,
    the sum rounds to that integer plus half a window, and the pixels are those of the integer before.
    """
    request = plan.request
    mode, n_in, n_out = request.option("coordinate_transformation_mode"), plan.input_size[axis], plan.output_size[axis]
    scale = n_out / n_in if request.scale is None else float(request.scale[axis])
    roi = np.array(request.option("roi") or 2 * len(plan.taps) * (0,), np.float32).reshape(2, -1)[:, axis]
    x, _ = _compute_x_ori(mode, np.arange(n_out, dtype=np.float64), scale, n_in, scale * n_in, n_out, roi)
    half = {"nearest": 1, "linear": 1, "cubic": 2}[request.method]
    if request.antialias:
        half = -int(np.floor(-half / min(scale, 1.0)))
    return (x != np.floor(x)) & (x + half == np.floor(x) + half)


def assert_same_indices(case: Case, n_in: int, lengths: list[int]) -> int:
    """Assert the same pixels except where the evaluator misreads; return the number of those."""
    count = 0
    for n_out, ours, theirs in index_lists("onnx-reference", case, n_in, lengths):
        if (ours == theirs).all():
            continue
        wrong = misread(case.plan("onnx-reference", (n_in,), (n_out,)))
        assert (ours == theirs)[~wrong].all(), (n_in, n_out)
        assert (ours - theirs)[ours != theirs].tolist() == [1] * int((ours != theirs).sum()), (n_in, n_out)
        count += int((ours != theirs).sum())
    return count


@pytest.mark.parametrize("case", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_every_length(case: Case) -> None:
    count = sum(assert_same_indices(case, n_in, lengths) for n_in, lengths in all_lengths(LIMIT))
    assert count <= LIMIT**2 // 20


@pytest.mark.parametrize("case", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_long_axes(case: Case) -> None:
    for n_in, lengths in long_lengths(fewer(500, 4)):
        assert_same_indices(case, n_in, lengths)


@pytest.mark.parametrize("case", picking_both(), ids=str)
def test_nearest_with_two_options(case: Case) -> None:
    for n_in, lengths in [*all_lengths(16), *long_lengths(50)]:
        assert_same_indices(case, n_in, lengths)


@pytest.mark.parametrize("case", PICKING, ids=str)
def test_control_float32_picks_other_pixels(case: Case) -> None:
    assert differing(case, "onnx", "onnx-reference") > 0


@pytest.mark.parametrize("nearest_mode", NEAREST_MODES)
def test_nearest_outside_is_0(nearest_mode: str) -> None:
    """With exclude_outside an output that would read a pixel outside the image is 0."""
    empty = 0
    for n_in, n_out in [(4, 9), (9, 4), (3, 8), (7, 7)]:
        x = 1 + np.arange(n_in, dtype=np.float32).reshape(n_in, 1, 1)
        arguments = {"nearest_mode": nearest_mode, "exclude_outside": 1}
        plan = sw.make_plan((n_in, 1), (n_out, 1), "nearest", dialect="onnx-reference", **arguments)
        assert (plan.apply(x, axes=(0, 1)) == REFERENCE.resize(x, plan.request)).all()
        empty += int((plan.taps[0].count == 0).sum())
    assert (empty > 0) == (nearest_mode in ("floor", "ceil"))


def assert_same_image(plan: sw.Plan, x: np.ndarray, ulp: float | None = None, unit: type = np.float32) -> None:
    """Assert the same pixels, within units of a dtype, except where the evaluator misreads."""
    where = np.ix_(*(~misread(plan, axis) for axis in range(2)))
    ours, theirs = plan(x), REFERENCE.resize(x, plan.request)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    if not ours[where].size:
        return
    try:
        allowed = REFERENCE.ulp[plan.request.method] if ulp is None else ulp
        assert_within(ours[where].astype(unit), theirs[where].astype(unit), x.astype(unit), allowed)
    except AssertionError as difference:
        raise AssertionError(f"{plan!r}\n{difference}") from None


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_pixels(case: Case) -> None:
    for input_size, output_size in [*pairs(8 if case in PICKING else 16, case), *large(case)]:
        assert_same_image(case.plan("onnx-reference", input_size, output_size), noise((*input_size, 1)))


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_float64(case: Case) -> None:
    """In units of float64, except cubic, whose weights are float32 in the evaluator."""
    unit, ulp = {"nearest": (np.float64, 0), "linear": (np.float64, 32), "cubic": (np.float32, 64)}[case.method]
    for input_size, output_size in [*pairs(5), *LARGE[1:3]]:
        plan = case.plan("onnx-reference", input_size, output_size)
        assert_same_image(plan, noise((*input_size, 1), np.float64), ulp, unit)


@pytest.mark.parametrize("case", MIXING, ids=str)
def test_control_other_variants_differ(case: Case) -> None:
    x = noise((20, 30, 1))
    theirs = REFERENCE.resize(x, case.plan("onnx-reference", (20, 30), (1, 41)).request)
    for other in MIXING:
        modes = {dict(one.options).get("coordinate_transformation_mode", "half_pixel") for one in (case, other)}
        kinds = {(one.method, one.antialias, dict(one.options).get("exclude_outside")) for one in (case, other)}
        if other == case or modes == {"half_pixel", "half_pixel_symmetric"}:  # those differ with scales only
            continue
        if kinds == {("linear", False, None), ("linear", False, 1)} and modes <= {"half_pixel", "half_pixel_symmetric"}:
            continue  # at an edge, two taps are the same pixel, or one is dropped
        with pytest.raises(AssertionError, match="pixels differ"):
            assert_within(other.plan("onnx-reference", (20, 30), (1, 41))(x), theirs, x, REFERENCE.ulp[case.method])


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_scales(case: Case) -> None:
    """Lengths are rounded down; coordinates are divided by the scale itself, and corners aligned before rounding."""
    for n in range(1, 16, 2):
        for scale in (0.3, 0.5, 0.77, 0.999, 1.01, 1.2, 1.6194642, 2.0, 2.1, 1 / 3):
            if int(np.float32(scale) * float(n)) > 0:
                plan = case.plan("onnx-reference", (n, 24 - n), scale=(scale, 2.3 if scale < 1 else 0.4))
                assert_same_image(plan, noise((n, 24 - n, 1)))


@pytest.mark.parametrize("mode", ["align_corners", CROP, "pytorch_half_pixel"])
def test_control_onnxruntime_has_other_coordinates(mode: str) -> None:
    """They depend on the number of pixels, not on n * scale, and are 0, not -0.5, for a single output."""
    x, case = noise((7, 7, 1)), Case("cubic", False, (("coordinate_transformation_mode", mode),))
    scale = 1 / 7 if mode == "pytorch_half_pixel" else 1.6
    plan = case.plan("onnx-reference", (7, 7), scale=scale, roi=(0.1, 0.9))
    theirs = reference.of("onnx").resize(x, plan.request)
    assert np.abs(plan(x) - theirs).max() > 1e-2
    assert_within(
        case.plan("onnx", (7, 7), scale=scale, roi=(0.1, 0.9))(x), theirs, x, reference.of("onnx").ulp["cubic"]
    )


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_keeping_the_aspect_ratio(method: str, policy: str) -> None:
    """Coordinates are divided by the common scale, not by the ratio of the sizes."""
    case = Case(method, False, (("keep_aspect_ratio_policy", policy),))
    for h, w, a, b in np.random.default_rng(1).integers(3, 30, (100, 4)).tolist():
        plan = case.plan("onnx-reference", (h, w), (a, b))
        assert REFERENCE.resize(noise((h, w, 1)), plan.request).shape[:2] == plan.output_size
        assert_same_image(plan, noise((h, w, 1)))


def test_aspect_ratio_rounds_half_up_in_float64() -> None:
    arguments = {"method": "linear", "keep_aspect_ratio_policy": "not_larger"}
    sizes = [
        sw.make_plan((15, 6), (99, 25), dialect=name, **arguments).output_size for name in ("onnx", "onnx-reference")
    ]
    assert sizes == [(62, 25), (63, 25)]
    for name, size in zip(("onnx", "onnx-reference"), sizes, strict=True):
        plan = sw.make_plan((15, 6), (99, 25), dialect=name, **arguments)
        assert reference.of(name).resize(noise((15, 6, 1)), plan.request).shape[:2] == size


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_integers(method: str, dtype: type) -> None:
    """Rounded half to even. A tie that depends on the last bit of its sum may round either way."""
    cut_off = 0
    for seed, (input_size, output_size) in enumerate(sizes(20, 40)):
        x = image(input_size, 1, seed).astype(dtype)
        plan = sw.make_plan(input_size, output_size, method, dialect="onnx-reference")
        theirs, exact = REFERENCE.resize(x, plan.request), plan(x.astype(np.float64))
        tie = np.abs(exact - np.floor(exact) - 0.5) < 1e-9
        wrong = np.logical_or.outer(misread(plan, 0), misread(plan, 1))[:, :, None]
        assert ((plan(x) == theirs) | tie | wrong).all()
        cut_off += int((np.trunc(exact) != theirs).sum())
    assert (cut_off > 0) == (method == "linear")


@pytest.mark.parametrize("value", [300.0, -2.5, 3.5])
def test_an_extrapolation_value_of_integers(value: float) -> None:
    x = np.ones((4, 4, 1), np.int8)
    arguments = {"coordinate_transformation_mode": CROP, "roi": (0, 0, 2, 2), "extrapolation_value": value}
    plan = sw.make_plan((4, 4), (8, 8), "linear", dialect="onnx-reference", **arguments)
    assert (plan(x) == REFERENCE.resize(x, plan.request)).all()


@pytest.mark.parametrize("case", [*PICKING, *MIXING], ids=str)
def test_adjoint(case: Case) -> None:
    for input_size, output_size in [((9, 14), (14, 6)), ((1, 7), (5, 1)), ((30, 31), (4, 90))]:
        plan = case.plan("onnx-reference", input_size, output_size)
        sw.testing.dot_test(plan)
        for taps in plan.taps:
            assert (taps.T.dense() == taps.dense().T).all()


def test_a_crop_needs_roi() -> None:
    arguments = {"method": "linear", "coordinate_transformation_mode": CROP}
    whole = sw.make_plan((4, 4), (2, 2), dialect="onnx", **arguments)
    with pytest.raises(ValueError, match="roi cannot be None"):
        REFERENCE.resize(noise((4, 4, 1)), whole.request)
    with pytest.raises(UnsupportedError, match="tf_crop_and_resize needs roi"):
        sw.make_plan((4, 4), (2, 2), dialect="onnx-reference", **arguments)


class TestContradictions:
    """Calls for which the evaluator reads other pixels than those at its own coordinates."""

    def test_nearest_in_the_middle(self) -> None:
        """7 -> 17: the output in the middle is pixel 2, although its coordinate is 3 except for the last bit."""
        plan = sw.make_plan((7, 1), (17, 1), "nearest", dialect="onnx-reference")
        theirs = REFERENCE.resize(np.arange(7, dtype=np.float32).reshape(7, 1, 1), plan.request).ravel()
        assert plan.taps[0].start[8] == 3
        assert theirs[8] == 2
        assert np.flatnonzero(theirs != plan.taps[0].start).tolist() == [8] == np.flatnonzero(misread(plan)).tolist()
        assert (sw.index_map(7, 17, dialect="onnx") == plan.taps[0].start).all()

    def test_linear_by_a_scale(self) -> None:
        """0, 1 .. 6 by 1.6194642: 2 between 2.38 and 3.62; 3 is correct, as in onnxruntime."""
        arguments = {"coordinate_transformation_mode": "half_pixel_symmetric", "method": "linear"}
        plan = sw.make_plan((7, 1), scale=(1.6194642, 1), dialect="onnx-reference", **arguments)
        x = np.arange(7, dtype=np.float64).reshape(7, 1, 1)
        theirs = REFERENCE.resize(x, plan.request).ravel()
        middle = int(np.flatnonzero(misread(plan))[0])
        assert theirs[middle] == pytest.approx(2)
        assert plan.apply(x, axes=(0, 1)).ravel()[middle] == pytest.approx(3)
        single = reference.of("onnx").resize(x.astype(np.float32), plan.request).ravel()
        assert single[middle] == pytest.approx(3)
