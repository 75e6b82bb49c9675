"""Preprocessor.compare: planted mistakes, each named at its step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sizewise.errors import ArgumentTypeError
from sizewise.preprocess import (
    CenterCrop,
    Decode,
    Exact,
    Fit,
    Layout,
    LongestEdge,
    Normalize,
    PadTo,
    Preprocessor,
    Rescale,
    Resize,
    ReverseChannels,
    ShortestEdge,
)

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CROP = Preprocessor(
    [
        Decode(),
        Resize(ShortestEdge(73), "bilinear", "torch", True),
        CenterCrop(64, 64),
        Rescale(1 / 255),
        Normalize(MEAN, STD),
        Layout("CHW"),
    ]
)
LETTERBOX = Preprocessor(
    [
        Resize(Fit(96, 96), "linear", "opencv"),
        PadTo(96, 96, fill=(114.0,)),
        ReverseChannels(),
        Rescale(1 / 255),
        Layout(),
    ]
)


def change(name: str, **fields: Any) -> Callable[[Preprocessor], Preprocessor]:
    """Return a function that changes fields of the step of that name."""
    return lambda pre: Preprocessor([replace(one, **fields) if one.name == name else one for one in pre.steps])


def drop(name: str) -> Callable[[Preprocessor], Preprocessor]:
    return lambda pre: Preprocessor([one for one in pre.steps if one.name != name])


def insert(index: int, step: Any) -> Callable[[Preprocessor], Preprocessor]:
    return lambda pre: Preprocessor([*pre.steps[:index], step, *pre.steps[index:]])


MISTAKES = {
    "antialias off": (CROP, change("resize", antialias=False), "resize", "antialias=True"),
    "wrong resample code": (CROP, change("resize", method="bicubic"), "resize", "method=bilinear"),
    "nearest": (CROP, change("resize", method="nearest", antialias=None), "resize", "method=bilinear"),
    "Pillow for PyTorch": (CROP, change("resize", dialect="pillow"), "resize", "dialect=torch"),
    "OpenCV for PyTorch": (CROP, change("resize", dialect="opencv", antialias=None), "resize", "dialect=torch"),
    "aligned corners": (
        CROP,
        change("resize", antialias=False, options={"align_corners": True}),
        "resize",
        "align_corners=False",
    ),
    "no half pixels": (CROP, change("resize", dialect="tensorflow1", antialias=None), "resize", "dialect=torch"),
    "round for int": (CROP, change("resize", rule=ShortestEdge(73, rounding="ceil")), "resize", "rounding=floor"),
    "another edge": (CROP, change("resize", rule=ShortestEdge(72)), "resize", "edge=73"),
    "longest for shortest": (CROP, change("resize", rule=LongestEdge(97)), "resize", "rule=ShortestEdge"),
    "squashed": (CROP, change("resize", rule=Exact(73, 73)), "resize", "rule=ShortestEdge"),
    "a limit": (CROP, change("resize", rule=ShortestEdge(73, max_edge=80)), "resize", "max_edge=None"),
    "in floats": (CROP, change("resize", compute="float32"), "resize", "compute=None"),
    "crop off by one": (CROP, change("center_crop", rounding="ceil"), "center_crop", "rounding=floor"),
    "crop too small": (CROP, change("center_crop", height=63), "center_crop", "height=64"),
    "no crop": (CROP, drop("center_crop"), "center_crop", "add center_crop"),
    "256 for 255": (CROP, change("rescale", scale=1 / 256), "rescale", "scale=0.00392"),
    "no rescale": (CROP, drop("rescale"), "rescale", "add rescale"),
    "rescaled twice": (CROP, insert(3, Rescale(1 / 255)), "rescale", "remove rescale"),
    "an offset": (CROP, change("rescale", offset=-0.5), "rescale", "offset=0.0"),
    "wrong mean": (CROP, change("normalize", mean=(0.5, 0.5, 0.5)), "normalize", "mean=(0.485"),
    "wrong std": (CROP, change("normalize", std=(0.5, 0.5, 0.5)), "normalize", "std=(0.229"),
    "mean in another order": (CROP, change("normalize", mean=MEAN[::-1]), "normalize", "mean=(0.485"),
    "no normalize": (CROP, drop("normalize"), "normalize", "add normalize"),
    "BGR": (CROP, insert(1, ReverseChannels()), "reverse_channels", "remove reverse_channels"),
    "RGB": (LETTERBOX, drop("reverse_channels"), "reverse_channels", "add reverse_channels"),
    "channels last": (CROP, change("layout", order="HWC"), "layout", "add layout"),
    "no layout": (CROP, drop("layout"), "layout", "add layout"),
    "orientation": (CROP, change("decode", orientation="exif"), "decode", "orientation=ignore"),
    "another decoder": (CROP, change("decode", decoder="opencv"), "decode", "decoder=pillow"),
    "pad color": (LETTERBOX, change("pad_to", fill=(0.0,)), "pad_to", "fill=(114.0,)"),
    "pad at the end": (LETTERBOX, change("pad_to", position="start"), "pad_to", "position=center"),
    "pad rounded up": (LETTERBOX, change("pad_to", rounding="ceil"), "pad_to", "rounding=floor"),
    "int for round": (LETTERBOX, change("resize", rule=Fit(96, 96, rounding="int")), "resize", "rounding=round"),
    "float64": (CROP, change("rescale", dtype="float64"), "rescale", "dtype=float32"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_planted_mistakes(name: str) -> None:
    recipe, plant, step, advice = MISTAKES[name]
    facts = recipe.compare(plant(recipe))
    assert facts.first is not None and facts.first.name == step
    assert any(advice in change for change in facts.first.changes), facts.first.changes


def test_there_are_30_mistakes() -> None:
    assert len(MISTAKES) >= 30


@pytest.mark.parametrize("recipe", [CROP, LETTERBOX])
def test_control_equal_recipes(recipe: Preprocessor) -> None:
    facts = recipe.compare(Preprocessor.load(recipe.to_dict()))
    assert facts.first is None and facts.agrees() and facts.difference == (0.0, 0.0, 0.0)


def test_the_difference_begins_at_the_step() -> None:
    facts = CROP.compare(change("normalize", mean=(0.5, 0.5, 0.5))(CROP))
    before = [one.difference for one in facts.steps if one.name in ("decode", "resize", "center_crop", "rescale")]
    assert all(one is not None and one.largest == 0 for one in before)
    assert facts.difference is not None
    np.testing.assert_allclose(facts.difference.largest, (0.5 - 0.406) / 0.225, rtol=1e-5)
    assert facts.agrees(0.42) and not facts.agrees(0.41)


def test_steps_that_say_the_same_in_other_words() -> None:
    fused = Preprocessor([*CROP.steps[:3], Normalize([255 * m for m in MEAN], [255 * s for s in STD]), Layout("CHW")])
    facts = CROP.compare(fused)
    assert facts.first is not None and facts.agrees(1e-5) and not facts.agrees(0)


def test_settings_without_effect_on_the_image_come_last() -> None:
    decoded = change("decode", orientation="exif")(CROP)
    facts = CROP.compare(change("resize", method="bicubic")(decoded))
    assert facts.first is not None and facts.first.name == "resize"
    assert [one.name for one in facts.steps if one.changes] == ["decode", "resize"]


def test_options_of_another_dialect_are_not_advice() -> None:
    facts = LETTERBOX.compare(change("resize", dialect="torch", antialias=True)(LETTERBOX))
    assert facts.first is not None
    assert not any("align_corners" in text for text in facts.first.changes)
    assert "dialect is torch; set dialect=opencv" in facts.first.changes


def test_other_objects_are_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="not with 3"):
        CROP.compare(3)  # type: ignore[arg-type]


def test_labels_of_an_image_and_its_mask_on_other_grids():
    image = Preprocessor([Resize(Exact(50, 100), "bilinear", "torch", False)])
    mask = Preprocessor([Resize(Exact(50, 100), "nearest", "torch")])
    exact = Preprocessor([Resize(Exact(50, 100), "nearest-exact", "torch")])
    assert image.compare(image).label_distance == 0
    assert image.compare(Preprocessor([Resize(Exact(50, 50))])).label_distance is None
    # 500 columns become 100: floor reads the first of five instead of the middle one, 2 / 5 of an output pixel away.
    assert image.compare(mask).label_distance == pytest.approx(0.4667, abs=0.05)
    assert image.compare(exact).label_distance < 0.1
