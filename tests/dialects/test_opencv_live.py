"""Dialect "opencv" against the real OpenCV on one thread, without IPP: floats within ULPs, uint8 bit for bit."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from frameworks import (
    INDEX_LENGTHS,
    INDEX_LIMIT,
    INPUT_LENGTHS,
    assert_within,
    image,
    large,
    older,
    pairs,
    picks_exactly,
    resize_with,
    sizes,
    some_lengths,
)
from samples import sample

import sizewise as sw
from sizewise.parity import reference, subprocess_worker
from sizewise.testing import assert_same_pixels

METHODS = tuple(sw.dialects.get("opencv").methods)
PICKING = ("nearest", "nearest_exact")
MIXING = tuple(method for method in METHODS if method not in PICKING)

ULP = reference.of("opencv").ulp


def noise(shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("method", PICKING)
def test_nearest_reads_the_same_pixel_for_every_length(method: str) -> None:
    centered = method == "nearest_exact"
    exact = sum(picks_exactly("opencv", method, n_in, INDEX_LENGTHS, centered=centered) for n_in in INPUT_LENGTHS)
    assert exact < len(INPUT_LENGTHS)  # exact arithmetic reads other pixels: float64 matters


@pytest.mark.parametrize("method", PICKING)
def test_nearest_reads_the_same_pixel_for_long_axes(method: str) -> None:
    for n_in, lengths in some_lengths(INDEX_LIMIT, 4000, 100):
        picks_exactly("opencv", method, n_in, lengths, centered=method == "nearest_exact")


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_floats(method: str, dtype: type) -> None:
    for input_size, output_size in [*pairs(24, method), *large(method)]:
        x = noise((*input_size, 2), dtype)
        ours, theirs = (
            sw.resize(x, output_size, method, dialect="opencv"),
            resize_with("opencv", x, output_size, method),
        )
        assert ours.dtype == theirs.dtype
        try:
            assert_within(ours.astype(np.float32), theirs.astype(np.float32), x, ULP[method])
        except AssertionError as difference:
            raise AssertionError(f"{input_size} -> {output_size}: {difference}") from None


@pytest.mark.parametrize("method", MIXING)
def test_control_other_variants_differ(method: str) -> None:
    x = noise((20, 30, 2))
    theirs = resize_with("opencv", x, (13, 41), method)
    for other in MIXING:
        if {method, other} != {"linear", "linear_exact"} and other != method:
            with pytest.raises(AssertionError, match="pixels differ"):
                assert_within(sw.resize(x, (13, 41), other, dialect="opencv"), theirs, x, ULP[method])


@pytest.mark.parametrize("method", METHODS)
def test_fx_and_fy(method: str) -> None:
    for n in range(1, 20):
        for fy, fx in [(0.3, 1.7), (0.5, 0.5), (0.77, 0.4), (1.2, 1.0), (2.1, 0.6), (1 / 3, 0.9), (1.04, 1.02)]:
            x = noise((n, 21 - n, 1))
            if round(n * fy) < 1:
                continue
            theirs = resize_with("opencv", x, None, method, scale=(fy, fx))
            ours = sw.resize(x, scale=(fy, fx), method=method, dialect="opencv")
            assert_within(ours, theirs, x, ULP[method])


@pytest.mark.parametrize("method", MIXING)
def test_gradient_is_that_of_opencvs_pixels(method: str) -> None:
    """OpenCV is linear in float64, so a step along each pixel gives the gradient."""
    for n_in, n_out in [(7, 4), (5, 13), (24, 5)]:
        units = np.eye(n_in).reshape(n_in, 1, n_in)
        matrix = np.stack(
            [resize_with("opencv", units[:, :, v : v + 1], (n_out, 1), method)[:, 0, 0] for v in range(n_in)]
        )
        dy = noise((n_out,), np.float64)
        assert np.abs(sw.resize_grad(dy, (n_in,), method, dialect="opencv") - matrix @ dy).max() <= 1e-5
        sw.testing.dot_test(sw.make_plan((n_in,), (n_out,), method, dialect="opencv"))


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("method", MIXING)
def test_integers(method: str, channels: int) -> None:
    """uint8 bit for bit: 125 images for each number of channels, and integer factors."""
    more = [((15, 28), (5, 7)), ((18, 30), (9, 30)), ((96, 300), (12, 20)), ((5, 7), (5, 14))]
    more.append(((12, 20), (6, 10)))
    drawn = [] if method == "area" and channels > 4 else sizes(125, 300, seed=channels)  # the maximum of OpenCV
    for seed, (input_size, output_size) in sample(enumerate([*drawn, *more]), 4, (method, channels)):
        x = image(input_size, channels, seed)
        theirs = resize_with("opencv", x, output_size, method)
        ours = sw.resize(x, output_size, method, axes=(0, 1), dialect="opencv", channels=channels)
        assert_same_pixels(ours, theirs)


@pytest.mark.parametrize("method", MIXING)
def test_integers_by_a_scale(method: str) -> None:
    for n in range(1, 30):
        for fy, fx in [
            (0.3, 1.7),
            (0.77, 0.4),
            (1.2, 1.0),
            (2.1, 0.6),
            (1 / 3, 0.9),
            (1.04, 1.02),
            (0.25, 0.25),
            (0.5, 0.5),
        ]:
            if round(n * fy) > 0 and round((31 - n) * fx) > 0:
                x = image((n, 31 - n), 3, n)
                theirs = resize_with("opencv", x, None, method, scale=(fy, fx))
                assert_same_pixels(sw.resize(x, scale=(fy, fx), method=method, dialect="opencv"), theirs)


def partial_blocks(factor: int) -> Iterator[tuple[tuple[int, int], tuple[float, float]]]:
    """Return sizes and scales (fy, fx) whose integer factors leave a partial block at one edge or both."""
    for height, width in [
        (4 * factor - 1, 5 * factor),
        (3 * factor, 7 * factor - 1),
        (7 * factor - 1, 40 * factor - 1),
    ]:
        for rows in {factor, 1, 3}:
            yield (height, width), (1 / rows, 1 / factor)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("factor", range(2, 11))
def test_partial_blocks(factor: int, channels: int) -> None:
    """Means of partial blocks round halves to even; those of full blocks only where they are a product."""
    methods = ("area", "linear", "linear_exact") if factor == 2 else ("area",)
    for seed, (size, scale) in enumerate(partial_blocks(factor)):
        for method in methods:
            x = image(size, channels, 3 * seed)
            theirs = resize_with("opencv", x, None, method, scale=scale)
            ours = sw.resize(x, scale=scale, method=method, axes=(0, 1), dialect="opencv", channels=channels)
            assert_same_pixels(ours, theirs)


def test_partial_blocks_of_other_layouts() -> None:
    x = np.random.default_rng(0).integers(0, 256, (2, 41, 3, 62), np.uint8)
    arguments = {"scale": 0.25, "method": "area", "dialect": "opencv"}
    for view in (x[:, 1:], x[:, :0:-1, :, ::-1]):
        images = (one.transpose(0, 2, 1).copy() for one in view)
        expected = np.stack([resize_with("opencv", one, None, "area", scale=(0.25, 0.25)) for one in images])
        assert_same_pixels(sw.resize(view, axes=(1, 3), **arguments), expected.transpose(0, 1, 3, 2))
        assert_same_pixels(sw.resize(view.transpose(0, 1, 3, 2), axes=(1, 2), **arguments), expected)
        out = np.empty((2, 10, 3, 16), np.uint8)
        for _ in range(2):  # a second call of equal arrays takes the cached path
            sw.resize(view.copy(), axes=(1, 3), out=out, **arguments)
            assert_same_pixels(out, expected.transpose(0, 1, 3, 2))


def test_control_means_of_four_pixels_depend_on_the_channels() -> None:
    """Without `channels`, images of two channels differ by 1, only where a mean is a half."""
    x = image((12, 20), 2)
    ours, theirs = sw.resize(x, (6, 10), "area", dialect="opencv"), resize_with("opencv", x, (6, 10), "area")
    halves = x.reshape(6, 2, 10, 2, 2).sum(axis=(1, 3)) % 4 == 2
    assert ((ours == theirs) | halves).all() and (ours - theirs).max() == 1


@pytest.mark.parametrize("method", MIXING)
def test_integers_of_other_layouts(method: str) -> None:
    """Crops, flips, axes that are not adjacent, and planes."""
    x = np.random.default_rng(0).integers(0, 256, (2, 40, 3, 61), np.uint8)
    for view in (x, x[:, ::-1, :, 5:50], x[::-1, 3:, :, ::2]):
        expected = np.stack([resize_with("opencv", one.transpose(0, 2, 1).copy(), (33, 70), method) for one in view])
        ours = sw.resize(view, (33, 70), method, dialect="opencv", axes=(1, 3))
        assert_same_pixels(ours, expected.transpose(0, 1, 3, 2))
        planes = sw.resize(view.transpose(0, 2, 1, 3), (33, 70), method, dialect="opencv", axes=(2, 3))
        alone = resize_with("opencv", view[1, :, 2, :, None].copy(), (33, 70), method)
        assert_same_pixels(planes[1, 2], alone[:, :, 0])


def test_control_rounded_floats_are_not_opencvs_uint8() -> None:
    x = image((31, 41), 3)
    for method in ("linear", "cubic", "lanczos4", "linear_exact"):
        ours = sw.resize(x.astype(np.float64), (50, 30), method, dialect="opencv")
        assert (np.clip(np.rint(ours), 0, 255) != resize_with("opencv", x, (50, 30), method)).any(), method


# With IPP: cases that differ from OpenCV without it, the largest fraction of elements, and the largest difference.
WITH_IPP = {
    ("uint8", "cubic"): (0.06, 1),
    **{(dtype, method): (0.03, 1) for dtype in ("uint16", "int16") for method in ("linear", "cubic")},
    **{("float32", method): (1, 5e-5) for method in ("linear", "linear_exact", "cubic")},
    **{("float64", method): (1, 5e-5) for method in ("linear", "linear_exact")},
}


@pytest.fixture
def with_ipp() -> Iterator[bool]:
    """Enable IPP; yield whether it exists, which is on x86 only."""
    before = cv2.ipp.useIPP()
    cv2.ipp.setUseIPP(True)
    yield bool(cv2.ipp.useIPP())
    cv2.ipp.setUseIPP(before)


def random_image(dtype: str, size: tuple[int, int], channels: int, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).random((*size, channels))
    return (values * {"uint8": 255, "uint16": 65535, "int16": 32767}.get(dtype, 1)).round(8).astype(dtype)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_changes_by_ipp(with_ipp: bool, dtype: str, method: str) -> None:
    """As the notes of the dialect state; images of two channels never change."""
    share, most = WITH_IPP.get((dtype, method), (0, 0)) if with_ipp else (0, 0)
    changed = total = 0
    for seed, (input_size, (height, width)) in enumerate(sizes(40, 150)):
        for channels in (1, 2, 3, 4):
            x, results = random_image(dtype, input_size, channels, seed), []
            for flag in (True, False):
                cv2.ipp.setUseIPP(flag)
                results.append(cv2.resize(x, (width, height), interpolation=getattr(cv2, f"INTER_{method.upper()}")))
            difference = np.abs(results[0].astype(np.float64) - results[1])
            assert difference.max() <= (0 if channels == 2 else most)
            changed, total = changed + np.count_nonzero(difference), total + difference.size
    assert changed <= share * total and (changed > 0) == (share > 0)


def test_cubic_with_ipp_is_close_to_the_exact_result(with_ipp: bool) -> None:
    if not with_ipp:
        return
    same = total = 0
    for seed, (input_size, (height, width)) in enumerate(sizes(60, 150)):
        if min(input_size) < 4:  # OpenCV resizes them itself
            continue
        x = image(input_size, 3, 3 * seed)
        theirs = cv2.resize(x, (width, height), interpolation=cv2.INTER_CUBIC)
        exact = sw.resize(x.astype(np.float32), (height, width), "cubic", dialect="opencv")
        rounded = np.clip(np.rint(exact), 0, 255)
        assert np.abs(rounded - theirs).max() <= 1
        same, total = same + int((rounded == theirs).sum()), total + theirs.size
    assert same > 0.9997 * total


@pytest.fixture(scope="module")
def opencv() -> reference.Reference:
    """Return OpenCV 4, in a separate environment."""
    return subprocess_worker.run_in_subprocess(reference.of("opencv@4"), older("opencv-4"))


class TestOpenCV4:
    """OpenCV 4, whose nearest_exact steps in multiples of 1/65536."""

    @pytest.mark.parametrize("method", PICKING)
    def test_nearest_reads_the_same_pixel(self, opencv: reference.Reference, method: str) -> None:
        newer = 0
        for n_in, lengths in [*((n, range(1, 33)) for n in range(1, 33)), *some_lengths(32, 4000, 100)]:
            row = np.arange(n_in, dtype=np.float32).reshape(1, n_in, 1)
            for n_out in lengths:
                plan = sw.make_plan((1, n_in), (1, n_out), method, dialect="opencv@4")
                index = opencv.resize(row, plan.request).ravel()
                assert (plan.taps[1].start == index).all(), (n_in, n_out)
                newer += bool((sw.index_map(n_in, n_out, method, dialect="opencv") != index).any())
        assert (newer > 0) == (method == "nearest_exact")  # control: OpenCV 5 reads others

    @pytest.mark.parametrize("method", MIXING)
    def test_all_else_is_the_same(self, opencv: reference.Reference, method: str) -> None:
        for seed, (input_size, output_size) in enumerate(sizes(60, 80)):
            x = image(input_size, 3, seed)
            plan = sw.make_plan(input_size, output_size, method, dialect="opencv@4")
            assert_same_pixels(plan(x), opencv.resize(x, plan.request))
            x = noise((*input_size, 3))
            assert_within(plan(x), opencv.resize(x, plan.request), x, ULP[method])

    @pytest.mark.parametrize("factor", range(2, 11))
    def test_partial_blocks(self, opencv: reference.Reference, factor: int) -> None:
        for seed, (size, scale) in enumerate(partial_blocks(factor)):
            x = image(size, 3, 3 * seed)
            plan = sw.make_plan(size, None, "area", scale=scale, dialect="opencv@4")
            assert_same_pixels(plan(x), opencv.resize(x, plan.request))
