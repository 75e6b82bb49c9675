"""Masks and flow: label masks read the pixel under each center, soft ones are resized like the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import sample
from variants import VARIANTS, at_each, by_dialect

import sizewise as sw
from sizewise import sampling
from sizewise.errors import ArgumentError, DtypeError, UnsupportedError
from sizewise.preprocess import Exact, Fit, PadTo, Preprocessor, Resize

PAIRS = [(n_in, n_out) for n_in in range(1, 65) for n_out in range(1, 65)]
UNEVEN = ("nearest", "box")


@pytest.mark.parametrize("first", range(8))
def test_plain_grids_read_the_pixel_under_the_center(first: int) -> None:
    """In floats, and yet as in exact integers: centers on a border belong to the upper pixel."""
    for n_in, n_out in sample(PAIRS[first::8], 4, first):
        plan = sw.make_plan((n_in,), (n_out,), "bicubic")
        found = plan.map_masks(np.arange(n_in))
        assert (found == sampling.center_index(n_in, n_out)).all(), (n_in, n_out)


def half_level(profile: np.ndarray) -> float:
    """Return where a falling edge passes 0.5, between the centers of two pixels."""
    after = int(np.argmax(profile < 0.5))
    high, low = float(profile[after - 1]), float(profile[after])
    return after - 0.5 + (high - 0.5) / (high - low)


def edge_errors(plan: sw.Plan, mapped: Any) -> list[float]:
    """Return the distance of the mapped mask's border from the resized image's, for an edge at every pixel inside."""
    (n_in,), errors = plan.input_size, []
    reach = 6 * max(1, n_in // plan.output_size[0])
    for edge in range(reach, n_in - reach):
        image = (np.arange(n_in) < edge).astype(float)
        border = float(np.argmin(mapped(image.astype(np.uint8))))
        errors.append(abs(border - half_level(plan(image))))
    return errors


@by_dialect(variant=[one for one in VARIANTS if not one.method.startswith(UNEVEN)])
@at_each(sizes=[(97, 53), (96, 32), (61, 122), (64, 37)])
def test_the_border_of_a_mask_is_that_of_the_image(variant: Any, sizes: tuple[int, int]) -> None:
    """Within half an output pixel: closer is impossible for labels."""
    plan = variant.plan(*((n,) for n in sizes))
    errors = edge_errors(plan, plan.map_masks)
    assert max(errors) <= 0.5 + plan.geometry.deviation + 0.02, (max(errors), plan.geometry)


def test_control_floor_nearest_does_not_fit_bilinear() -> None:
    """The usual pairing of frameworks, an image with half-pixel centers and a mask without, is off by more."""
    plan = sw.make_plan((97,), (53,), "bilinear", dialect="torch")
    usual = sw.make_plan((97,), (53,), "nearest", dialect="torch")
    assert max(edge_errors(plan, usual)) > 0.6
    assert max(edge_errors(plan, plan.map_masks)) <= 0.5
    shrunk = sw.make_plan((192,), (24,), "area")
    usual = sw.make_plan((192,), (24,), "nearest", dialect="opencv")
    assert max(edge_errors(shrunk, usual)) > 0.9
    assert max(edge_errors(shrunk, shrunk.map_masks)) <= 0.5


def test_soft_masks_are_resized_like_the_image() -> None:
    mask = np.random.default_rng(0).random((12, 10))
    plan = sw.make_plan((12, 10), (5, 7), "bicubic", dialect="pillow")
    assert (plan.map_masks(mask, soft=True) == plan(mask)).all()
    with pytest.raises(DtypeError, match="soft masks are floats"):
        plan.map_masks(mask > 0.5, soft=True)


def test_labels_keep_their_values_and_dtype() -> None:
    mask = np.random.default_rng(1).choice([0, 7, 255], (30, 40)).astype(np.uint8)
    plan = sw.make_plan((30, 40), (11, 90), "lanczos3")
    for dtype in (np.uint8, np.int64, bool, np.float32):
        found = plan.map_masks(mask.astype(dtype))
        assert found.dtype == dtype
        assert set(np.unique(found)) <= set(np.unique(mask.astype(dtype)))
    stack = np.stack([mask, mask + 1])
    assert (plan.map_masks(stack, layout="NHW")[1] == plan.map_masks(mask + 1)).all()
    assert (plan.map_masks(stack.transpose(1, 2, 0), axes=(0, 1))[..., 0] == plan.map_masks(mask)).all()


def test_masks_return_to_the_image() -> None:
    mask = np.random.default_rng(2).integers(0, 9, (7, 9))
    grown = sw.make_plan((7, 9), (21, 27))
    assert (grown.unmap_masks(grown.map_masks(mask)) == mask).all()
    soft = mask.astype(float)
    assert np.abs(grown.unmap_masks(grown.map_masks(soft, soft=True), soft=True) - soft).max() < 1.5
    flat = np.full((7, 9), 0.25)
    assert grown.unmap_masks(grown.map_masks(flat, soft=True), soft=True) == pytest.approx(flat, abs=1e-15)


@pytest.mark.parametrize(("dialect", "method"), [("standard", "bicubic"), ("torch", "nearest"), ("opencv", "area")])
def test_masks_of_a_tile_are_cut_from_those_of_the_whole(dialect: str, method: str) -> None:
    """Pixels that the tile needs, but shows in no output, are filled."""
    plan, window = sw.make_plan((97, 53), (40, 61), method, dialect=dialect), (slice(3, 17), slice(0, 30))
    inputs, tile = plan.tile(window)
    labels, results = np.arange(97 * 53).reshape(97, 53), np.arange(40 * 61).reshape(40, 61)
    assert (tile.map_masks(labels[inputs]) == plan.map_masks(labels)[window]).all()
    whole = plan.unmap_masks(results)[inputs]
    expected = np.where(np.isin(whole, results[window]), whole, -1)
    assert (tile.unmap_masks(results[window], fill=-1) == expected).all()
    soft = tile.unmap_masks(np.full(tile.output_size, 2.0), soft=True)
    assert ((soft == 2) == (expected >= 0)).all()


def test_outputs_outside_the_image_are_filled() -> None:
    plan = sw.make_plan((4,), (8,), "linear", dialect="jax", scale=1.0, translation=2.0)
    assert plan.map_masks(np.arange(1, 5), fill=9).tolist() == [9, 9, 1, 2, 3, 4, 9, 9]
    assert plan.unmap_masks(np.arange(8)).tolist() == [2, 3, 4, 5]
    crop = sw.make_plan((8, 8), (4, 4), dialect="pillow", box=(2, 2, 6, 6))
    back = crop.unmap_masks(np.ones((4, 4), np.uint8), fill=255)
    assert (back == np.pad(np.ones((4, 4), np.uint8), 2, constant_values=255)).all()
    roi = {"coordinate_transformation_mode": "tf_crop_and_resize", "roi": (0.5, 1.5)}
    plan = sw.make_plan((3,), (3,), "linear", dialect="onnx", extrapolation_value=7.0, **roi)
    assert plan.map_masks(np.array([4, 5, 6]), fill=1).tolist() == [5, 6, 1]


def test_a_letterbox_fills_its_margins() -> None:
    pre = Preprocessor([Resize(Fit(8, 8), "linear", "opencv"), PadTo(8, 8)])
    mapped = pre.map_masks(np.ones((8, 16), np.uint8), (8, 16), fill=255)
    assert (mapped == np.pad(np.ones((4, 8), np.uint8), ((2, 2), (0, 0)), constant_values=255)).all()
    assert (pre.unmap_masks(mapped, (8, 16), fill=99) == 1).all()
    soft = pre.map_masks(np.ones((8, 16), np.float32), (8, 16), soft=True)
    assert soft[:2].max() == 0
    assert (soft[2:6] == 1).all()


def test_flow_of_a_recipe_in_array_order() -> None:
    pre, flow = Preprocessor([Resize(Exact(2, 1))]), np.ones((4, 4, 2))
    assert pre.map_flow(flow, (4, 4), order="ij")[0, 0].tolist() == [0.5, 0.25]
    assert (pre.unmap_flow(pre.map_flow(flow, (4, 4), order="ij"), (4, 4), order="ij") == flow).all()


def test_flow_is_scaled() -> None:
    """A translated image, and the flow between the two, before and after the resize."""
    plan = sw.make_plan((60, 80), (30, 60), "area")
    flow = np.stack([np.full((60, 80), 4.0), np.full((60, 80), -6.0)], axis=-1)
    assert plan.map_flow(flow) == pytest.approx(np.broadcast_to([3.0, -3.0], (30, 60, 2)))
    assert plan.map_flow(flow, order="ij")[0, 0] == pytest.approx([2.0, -4.5])
    assert plan.map_flow(flow.transpose(2, 0, 1), layout="CHW")[:, 0, 0] == pytest.approx([3.0, -3.0])
    assert plan.unmap_flow(plan.map_flow(flow)) == pytest.approx(flow)
    point = np.array([20.0, 30.0])
    moved = plan.map_points(point + np.array([4.0, -6.0])) - plan.map_points(point)
    assert moved == pytest.approx(plan.map_flow(flow)[0, 0])
    pre = Preprocessor([Resize(Exact(30, 60), "area"), PadTo(30, 80)])
    assert pre.map_flow(flow, (60, 80))[0, 40] == pytest.approx([3.0, -3.0])
    assert pre.unmap_flow(pre.map_flow(flow, (60, 80)), (60, 80)) == pytest.approx(flow)


def test_bad_masks_and_flows() -> None:
    plan = sw.make_plan((6, 8), (3, 4))
    mask = np.zeros((6, 8), np.uint8)
    with pytest.raises(ArgumentError, match=r"masks of shape \(6, 7\) are 6x7"):
        plan.map_masks(mask[:, :7])
    with pytest.raises(ArgumentError, match="fill must be an integer from 0 to 255 for uint8, not -1"):
        Preprocessor([PadTo(9, 9)]).map_masks(mask, (6, 8), fill=-1)
    with pytest.raises(ArgumentError, match="soft must be True or False"):
        plan.map_masks(mask, soft="yes")
    with pytest.raises(UnsupportedError, match=r"plan\.T maps gradients"):
        plan.T.map_masks(np.zeros((3, 4)))
    with pytest.raises(DtypeError, match="a flow has dtype int64"):
        plan.map_flow(np.zeros((6, 8, 2), int))
    with pytest.raises(ArgumentError, match="3 components along axis 2"):
        plan.map_flow(np.zeros((6, 8, 3)))
    with pytest.raises(ArgumentError, match="has no C"):
        plan.map_flow(np.zeros((1, 6, 8)), layout="NHW")
    with pytest.raises(ArgumentError, match="no axis for its vectors"):
        plan.map_flow(np.zeros((6, 8)))
