"""Dialect "torch" against the real PyTorch, forward and gradient; and where PyTorch contradicts itself."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import naive
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from frameworks import (
    INDEX_LENGTHS,
    INDEX_LIMIT,
    INPUT_LENGTHS,
    assert_within,
    gradient_with,
    image,
    large,
    pairs,
    picks_exactly,
    resize_with,
    sizes,
    some_lengths,
)  # fmt: skip
from samples import sample
from variants import EVERY, Variant

import sizewise as sw
from sizewise.parity import reference
from sizewise.testing import assert_same_pixels

OURS = [variant for variant in EVERY if variant.dialect == "torch"]
PICKING = ("nearest", "nearest-exact")
MIXING = [variant for variant in OURS if variant.method not in PICKING]
FIXED = [variant for variant in MIXING if variant.method != "area"]
FLOATS = [np.float32, np.float64]
FACTORS = (0.3, 0.5, 0.77, 0.999, 1.0, 1.2, 1.5, 2.0, 2.1, 3.3, 1 / 3)

REFERENCE = reference.of("torch")


def noise(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


def planes(x: np.ndarray) -> np.ndarray:
    """Return the same image with contiguous channels (NCHW in memory)."""
    return np.ascontiguousarray(np.moveaxis(x, -1, 0)).transpose(1, 2, 0)


@pytest.mark.parametrize("method", PICKING)
def test_nearest_reads_the_same_pixel_for_every_length(method: str) -> None:
    centered = method == "nearest-exact"
    exact = sum(
        picks_exactly("torch", method, n_in, INDEX_LENGTHS, centered=centered, rank=1) for n_in in INPUT_LENGTHS
    )
    assert exact < len(INPUT_LENGTHS)  # exact arithmetic reads other pixels: float32 matters


@pytest.mark.parametrize("method", PICKING)
def test_nearest_reads_the_same_pixel_for_long_axes(method: str) -> None:
    centered = method == "nearest-exact"
    for n_in, lengths in some_lengths(INDEX_LIMIT, 4000, 100):
        picks_exactly("torch", method, n_in, lengths, centered=centered, rank=1)
    for n_in in range(1, 100):
        picks_exactly("torch", method, n_in, range(1, 100), centered=centered, rank=1, dtype=np.uint8)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("variant", OURS, ids=str)
def test_pixels_and_gradients(variant: Variant, dtype: type) -> None:
    # In float64, nearest equals torch's for small images only, and its gradient always: see TestContradictions.
    long = [] if dtype is np.float64 and variant.method in PICKING else large(variant)
    stride = 1 if dtype is np.float32 else 3  # one pair in three for other dtypes
    for input_size, output_size in [*pairs(24, variant)[::stride], *long]:
        x, dy = noise((*input_size, 2), dtype), noise((*output_size, 2), dtype)
        try:
            request = variant.plan(input_size, output_size).request
            theirs = REFERENCE.resize(x, request)
            assert_within(variant.resize(x, output_size), theirs, x, REFERENCE.ulp[variant.method])
            gradient = REFERENCE.gradient(x, dy, request)
            assert_within(variant.grad(dy, input_size), gradient, dy, REFERENCE.gradient_ulp[variant.method])
        except AssertionError as difference:
            raise AssertionError(f"{input_size} -> {output_size}: {difference}") from None


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    x = noise((20, 30, 2), np.float32)
    theirs = resize_with(x=x, size=(13, 41), **variant.arguments)
    for other in MIXING:
        if other != variant:
            with pytest.raises(AssertionError, match="pixels differ"):
                assert_within(other.resize(x, (13, 41)), theirs, x, REFERENCE.ulp[variant.method])


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_other_ranks(variant: Variant) -> None:
    """linear and trilinear are bilinear along one and three axes; area exists for all ranks."""
    for rank in (1, 3):
        if variant.method in ("bilinear", "area") and not variant.antialias:
            x, size = noise((*(9, 14, 5)[:rank], 2), np.float32), (14, 6, 11)[:rank]
            ours = variant.resize(x, size, axes=range(rank))
            assert_within(ours, resize_with(x=x, size=size, **variant.arguments), x, REFERENCE.ulp[variant.method])
    for name in ("linear", "trilinear"):
        assert sw.dialects.get("torch").resolve_method(name) == "bilinear"


@pytest.mark.parametrize("recompute", [False, True])
@pytest.mark.parametrize("variant", OURS, ids=str)
def test_scale_factors(variant: Variant, recompute: bool) -> None:
    arguments = {**variant.arguments, "recompute_scale_factor": recompute}
    for n, factor in sample(product(range(1, 20), FACTORS), 4, (variant, recompute)):
        if int(n * factor) < 1 or (variant.method == "nearest" and not recompute and int(n * factor) in (n, 2 * n)):
            continue  # see TestContradictions.test_nearest_with_a_scale
        x = noise((n, 21 - n, 2), np.float32)
        ours, theirs = (
            sw.resize(x, scale=(factor, 1.7), **arguments),
            resize_with(x=x, scale=(factor, 1.7), **arguments),
        )
        assert_within(ours, theirs, x, REFERENCE.ulp[variant.method])


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("variant", FIXED, ids=str)
def test_integers(variant: Variant, channels: int) -> None:
    """The taps and arithmetic of the dialect, in plain loops: uint8 bit for bit, in both layouts."""
    for seed, (input_size, output_size) in enumerate(sizes(30, 40, seed=channels)):
        x = image(input_size, channels, seed)
        ours = naive.resize_in_passes(x, variant.plan(input_size, output_size).for_dtype(x.dtype), (0, 1))
        assert_same_pixels(ours, resize_with(x=x, size=output_size, **variant.arguments))
        assert_same_pixels(ours, resize_with(x=planes(x), size=output_size, **variant.arguments))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("variant", [variant for variant in OURS if not variant.antialias], ids=str)
def test_halves(variant: Variant, dtype: type) -> None:
    """Within one unit in the last place of the largest value, in both layouts and for any number of channels."""
    for seed, (input_size, output_size) in enumerate(sizes(60, 60)):
        x = noise((*input_size, seed % 5 + 1), np.float32).astype(dtype)
        ours = variant.resize(x, output_size, axes=(0, 1))
        for layout in (x, planes(x)):
            theirs = resize_with(x=layout, size=output_size, **variant.arguments)
            assert_within(ours, theirs, x, 0 if variant.method in PICKING else 1)
    method = "area" if variant.method == "bilinear" else "bilinear"
    other = sw.resize(x, output_size, method, axes=(0, 1), dialect="torch")
    with pytest.raises(AssertionError, match="pixels differ"):  # control
        assert_within(other, theirs, x, 1)


def test_halves_where_torch_keeps_its_weights() -> None:
    """In channels_last, or for small images: equal except for the order of sums."""
    x = noise((50, 60, 8), np.float32).astype(np.float16)
    for size, kept in [((77, 141), False), ((77, 41), True)]:
        ours = sw.resize(x, size, dialect="torch")
        assert (ours == resize_with("torch", x, size)).mean() > 0.999
        assert ((ours == resize_with("torch", planes(x), size)).mean() > 0.999) == kept


class TestContradictions:
    """Calls for which PyTorch's forward and gradient are different maps, or its forward is wrong."""

    def test_nearest_with_a_scale(self) -> None:
        """If floor(n * s) is n or 2n, the gradient and the forward of small images ignore the scale."""
        x = torch.arange(3.0, requires_grad=True)
        y = F.interpolate(x[None, None], scale_factor=2.1, mode="nearest")
        y.sum().backward()
        ours = sw.make_plan((3,), scale=2.1, method="nearest", dialect="torch")
        assert y[0, 0].tolist() == ours.taps[0].start.tolist() == [0, 0, 0, 1, 1, 2]
        assert x.grad.tolist() == [2, 2, 2]
        assert ours.T(np.ones(6)).tolist() == [3, 2, 1]
        image = torch.arange(3.0).expand(3, 3)[None, None]
        assert F.interpolate(image, scale_factor=2.1, mode="nearest")[0, 0, 0].tolist() == [0, 0, 1, 1, 2, 2]

    def test_bicubic_with_a_scale_that_keeps_the_size(self) -> None:
        """The forward resamples, the gradient copies."""
        x = noise((4, 4, 1), np.float64)
        theirs = resize_with("torch", x, None, "bicubic", scale=1.2)
        assert_same_pixels(sw.resize(x, scale=1.2, method="bicubic", dialect="torch"), theirs, ulp=32)
        assert not (theirs == x).all()
        dy = noise((4, 4, 1), np.float64)
        assert (gradient_with("torch", x, dy, "bicubic", scale=1.2) == dy).all()
        gradient = sw.resize_grad(dy, (4, 4), "bicubic", scale=1.2, dialect="torch")
        assert np.vdot(theirs, dy) == pytest.approx(np.vdot(x, gradient), rel=1e-12)

    def test_antialias_with_a_scale_that_keeps_an_axis(self) -> None:
        """The forward copies, the gradient resamples."""
        x, dy = noise((4, 4, 1), np.float64), noise((4, 4, 1), np.float64)
        assert (resize_with("torch", x, scale=1.2, antialias=True) == x).all()
        assert (gradient_with("torch", x, dy, scale=1.2, antialias=True) != dy).any()
        assert (sw.resize_grad(dy, (4, 4), scale=1.2, antialias=True, dialect="torch") == dy).all()

    @pytest.mark.parametrize(("method", "n_in", "n_out"), [("nearest", 26, 22), ("nearest-exact", 14, 23)])
    def test_nearest_in_float64(self, method: str, n_in: int, n_out: int) -> None:
        """The forward rounds coordinates to float64, the gradient to float32; ours to float32 in both."""
        x = torch.arange(float(n_in), dtype=torch.float64, requires_grad=True)
        y = F.interpolate(x[None, None], size=n_out, mode=method)
        y.sum().backward()
        ours = sw.make_plan((n_in,), (n_out,), method, dialect="torch")
        assert (np.bincount(y[0, 0].detach().int(), minlength=n_in) != x.grad.numpy()).any()
        assert (ours.taps[0].column_sums == x.grad.numpy()).all()

    def test_nearest_exact_where_fusing_matters(self) -> None:
        """The forward fuses a product with a subtraction; the gradient, and the forward of small images, do not."""
        x = torch.arange(2.0, requires_grad=True)
        y = F.interpolate(x[None, None], size=41, mode="nearest-exact")
        y.sum().backward()
        ours = sw.index_map(2, 41, "nearest-exact", dialect="torch")
        assert y[0, 0].tolist() == ours.tolist()
        assert x.grad.tolist() != np.bincount(ours).tolist()
        image = torch.arange(2.0).expand(2, 2)[None, None]
        assert F.interpolate(image, size=(2, 41), mode="nearest-exact")[0, 0, 0].tolist() != ours.tolist()

    def test_antialias_to_a_width_of_1(self) -> None:
        """In NCHW every row equals the first; the same pixels in another layout are correct."""
        x = np.array([0.0, 1.0], np.float32).reshape(2, 1, 1)
        assert resize_with("torch", x, (4, 1), antialias=True).ravel().tolist() == [0, 0, 0, 0]
        ours = sw.resize(x, (4, 1), antialias=True, dialect="torch")
        assert ours.ravel().tolist() == [0, 0.25, 0.75, 1]
        two = resize_with("torch", np.repeat(x, 2, axis=1), (4, 2), antialias=True)
        assert_same_pixels(ours[:, 0], two[:, 0])


@pytest.mark.parametrize("method", ["nearest", "area", "lanczos"])
def test_align_corners_is_rejected_where_torch_rejects_it(method: str) -> None:
    with pytest.raises(ValueError, match="align_corners"):
        F.interpolate(torch.ones(1, 1, 4, 4), size=(2, 2), mode=method, align_corners=True)
    with pytest.raises(sw.errors.UnsupportedError, match="align_corners"):
        sw.make_plan((4, 4), (2, 2), method, dialect="torch", align_corners=True)


def test_recompute_scale_factor_needs_a_scale() -> None:
    with pytest.raises(ValueError, match="recompute_scale_factor"):
        F.interpolate(torch.ones(1, 1, 4, 4), size=(2, 2), recompute_scale_factor=True)
    with pytest.raises(sw.errors.UnsupportedError, match="recompute_scale_factor"):
        sw.make_plan((4, 4), (2, 2), dialect="torch", recompute_scale_factor=True)
