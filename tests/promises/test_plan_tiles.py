"""A plan's tile, applied to the inputs it names alone, gives the bits of its window of the whole result."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from samples import sample
from tolerances import assert_same_bits
from variants import ALL, VARIANTS, Variant, at_each, by_dialect, gives, max_axes, noise

import sizewise as sw
from sizewise.errors import ArgumentError, UnsupportedError

# Both orders of passes, one unchanged axis, and a large reduction.
SIZES = (((40, 41), (6, 7)), ((6, 7), (40, 41)), ((30, 30), (45, 20)), ((9, 33), (9, 8)), ((97, 5), (2, 6)))
DTYPES = (np.float64, np.float32, np.float16, np.uint8, np.int16, np.int64, bool)


def windows(size: tuple[int, ...]) -> list[tuple[slice, ...]]:
    """Return windows of outputs: the first pixel, the last ones, the middle, a line."""
    middle = tuple(slice(n // 3, max(n // 3 + 1, 2 * n // 3)) for n in size)
    return [tuple(slice(0, 1) for _ in size), tuple(slice(-3, None) for _ in size), middle, (slice(None), *middle[1:])]


def assert_tiles(plan: sw.Plan, x: np.ndarray, axes: tuple[int, ...], dtype: np.dtype) -> None:
    """Assert that every tile has the bits of its window."""
    plan = plan.for_dtype(dtype)
    whole = plan.apply(x, axes)
    for window in windows(plan.output_size):
        inputs, tile = plan.tile(window)
        assert_same_bits(tile.apply(x[at(axes, inputs)], axes), whole[at(axes, window)])


def at(axes: tuple[int, ...], slices: tuple[slice, ...]) -> tuple[slice, ...]:
    """Return the slices at their axes, and full slices elsewhere."""
    where = dict(zip(axes, slices, strict=True))
    return tuple(where.get(axis, slice(None)) for axis in range(max(axes) + 1))


@by_dialect(variant=sample(ALL, 2))
def test_every_variant(variant: Variant) -> None:
    placed = gives(variant, {"roi", "translation"})
    for sizes in sample(SIZES[:2] if placed else SIZES, 3, variant):
        plan = variant.plan(*sizes)
        for one, dtype in ((plan, np.float64), (plan, np.float32), (plan.T, np.float32)):
            x = noise((*one.input_size, 2), dtype)
            x[1, 2, 0], x[0, 0, 1] = np.nan, -0.0
            assert_tiles(one, x, (0, 1), x.dtype)


@pytest.mark.parametrize("dialect", [name for name in sw.dialects.names() if "@" not in name])
@at_each(dtype=DTYPES)
def test_every_dtype(dialect: str, dtype: type) -> None:
    for method in sample(sw.dialects.get(dialect).methods, 2, (dialect, dtype)):
        for sizes in SIZES[:3]:
            plan, x = sw.make_plan(*sizes, method, dialect=dialect), noise((2, *sizes[0], 3), dtype)
            if plan.arithmetic(x.dtype).two_pass is None:
                assert_tiles(plan, x, (1, 2), x.dtype)


@by_dialect(variant=[one for one in VARIANTS if max_axes(one) >= 3])
@at_each(transposed=[False, True])
def test_three_axes(variant: Variant, transposed: bool) -> None:
    for size in sample(((4, 17, 9), (15, 5, 21)), 2, (variant, transposed)):
        plan = variant.plan((9, 10, 11), size)
        plan = plan.T if transposed else plan
        assert_tiles(plan, noise(plan.input_size), (0, 1, 2), np.dtype(np.float64))
        other = variant.plan((11, 9), size[:2])
        other = other.T if transposed else other
        assert_tiles(other, noise((other.input_size[0], 2, other.input_size[1])), (0, 2), np.dtype(np.float64))


def test_one_axis_of_few_channels() -> None:
    for pair in ((23, 9), (9, 23), (40, 3)):
        for channels in (1, 3, 4, 16):
            assert_tiles(sw.make_plan(*((n,) for n in pair)), noise((pair[0], channels)), (0,), np.dtype(float))


def test_outputs_without_inputs_are_zero() -> None:
    plan = sw.make_plan((40, 6), (4, 3), "nearest").T
    for engine in ("kernel", "framework"):
        inputs, tile = plan.tile(np.s_[0:3, 0:6])
        assert inputs == (slice(4, 4), slice(0, 3)) and tile.input_size == (0, 3)
        assert_same_bits(tile.apply(np.ones((0, 3), np.float32), engine=engine), np.zeros((3, 6), np.float32))
        assert "Tile of a Plan.T 0x3 -> 3x6" in repr(tile)


def test_the_tile_of_all_outputs_is_the_plan_itself() -> None:
    plan = sw.make_plan((8, 6), (4, 9))
    assert plan.tile(np.s_[:, :]) == (np.s_[0:8, 0:6], plan)
    assert plan.parent is plan


def test_a_tile_is_pickled_as_text() -> None:
    plan = sw.make_plan((4000, 6000), (1000, 9000), "lanczos3")
    for one in (plan, plan.T, plan.T.tile(np.s_[5:9, 2:4])[1].T):
        _, tile = one.tile(np.s_[5:90, 2:400]) if one.parent is one and one.n_bytes > 1e5 else (None, one)
        text = pickle.dumps(tile)
        read = pickle.loads(text)
        assert len(text) < 1200
        assert all((a.weights == b.weights).all() for a, b in zip(read.taps, tile.taps, strict=True))
    assert pickle.loads(pickle.dumps(plan.tile(np.s_[5:9, 2:4])[1])).parent is plan


def test_the_tile_of_a_derivative() -> None:
    crop = {"dialect": "onnx", "coordinate_transformation_mode": "tf_crop_and_resize", "roi": (0.5, 1.5)}
    plan = sw.make_plan((9,), (9,), "linear", extrapolation_value=7.0, **crop)
    inputs, tile = plan.tile(slice(3, 9))
    x = np.arange(9.0)
    assert (tile(x[inputs]) == plan(x)[3:9]).all() and tile(x[inputs])[-1] == 7
    assert (tile.linear(x[inputs]) == plan.linear(x)[3:9]).all()
    dy = np.arange(6.0)
    assert (tile.T(dy) == plan.T(np.r_[np.zeros(3), dy])[inputs]).all()


@pytest.mark.parametrize("method", ["linear", "cubic", "area", "lanczos4"])
def test_integer_passes_of_opencv_are_rejected(method: str) -> None:
    plan, x = sw.make_plan((40, 41), (20, 17), method, dialect="opencv"), noise((40, 41, 3), np.uint8)
    inputs, tile = plan.tile(np.s_[0:5, :])
    if plan.arithmetic(x.dtype).two_pass is not None:
        with pytest.raises(UnsupportedError, match=r"cannot be computed in tiles\. Convert to float32"):
            tile.apply(x[inputs])
    assert_same_bits(plan.tile(np.s_[:, :])[1].apply(x), plan.apply(x))


def test_coordinates_of_another_precision_are_rejected() -> None:
    plan = sw.make_plan((26,), (22,), dialect="torch")
    single = np.dtype(np.float32)
    assert plan.for_dtype(single) is not plan
    inputs, tile = plan.tile(slice(2, 9))
    with pytest.raises(ArgumentError, match=r"use plan.for_dtype\(np.dtype\('float32'\)\).tile"):
        tile.apply(np.ones(inputs[0].stop - inputs[0].start, single))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((slice(0, 2),), "1 for 2 axes"),
        ((slice(0, 2), slice(3, 3)), "at least one of the 5 outputs"),
        ((slice(0, 4, 2), slice(0, 3)), "must be contiguous"),
        ((3, slice(0, 3)), "must be a slice of outputs"),
    ],
)
def test_invalid_windows_are_rejected(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        sw.make_plan((8, 8), (4, 5)).tile(given)


def test_a_tile_of_a_tile_is_rejected() -> None:
    _, tile = sw.make_plan((8, 8), (4, 5)).tile(np.s_[0:2, :])
    with pytest.raises(ArgumentError, match=r"plan\.parent\.tile"):
        tile.tile(np.s_[0:1, :])


def test_control_a_plan_of_the_same_taps_alone_may_differ() -> None:
    # Tiles keep the pass order of the full plan; resized separately, these would take the other one.
    plan, differing = sw.make_plan((60, 60), (90, 40), "lanczos3"), 0
    x = noise((60, 60), np.float32)
    whole = plan(x)
    for window in windows(plan.output_size):
        inputs, tile = plan.tile(window)
        differing += int((sw.Plan(plan.request, tile.taps)(x[inputs]) != whole[window]).any())
        assert (tile(x[inputs]) == whole[window]).all()
    assert differing
