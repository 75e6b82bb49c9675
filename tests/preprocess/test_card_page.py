"""The page of a recipe: drawings of sizes against real results, and code of other libraries that is run."""

from __future__ import annotations

import ast

import numpy as np
import pytest
import torchvision_ops  # noqa: F401  before timm and open_clip, which import torchvision
from PIL import Image

from sizewise.preprocess import (
    CenterCrop,
    CropBox,
    CropInside,
    CropOrResize,
    CropToAspect,
    Exact,
    Fit,
    LongestEdge,
    PadTo,
    PadToAspect,
    PadToMultiple,
    Preprocessor,
    Rescale,
    Resize,
    ShortestEdge,
)
from sizewise.preprocess.steps import STEPS
from sizewise.report.preprocess.html import EXPLANATIONS, card_page
from sizewise.report.preprocess.library_code import library_codes
from sizewise.report.preprocess.sample_photo import sample_photo
from sizewise.report.preprocess.size_picture import size_picture

CONFIGS = {
    "Hugging Face transformers": {
        "image_processor_type": "CLIPImageProcessorPil",
        "size": {"shortest_edge": 60},
        "crop_size": {"height": 48, "width": 48},
        "resample": 3,
    },
    "timm": {
        "input_size": [3, 48, 48],
        "interpolation": "bicubic",
        "mean": [0.5] * 3,
        "std": [0.5] * 3,
        "crop_pct": 0.9,
    },
    "open_clip": {"preprocess_cfg": {"size": 48, "interpolation": "bicubic", "resize_mode": "squash"}},
    "Ultralytics": {"ultralytics": {"imgsz": 64}},
}


@pytest.mark.parametrize("library", list(CONFIGS)[:3])
def test_the_code_of_a_library_gives_the_same_values(library):
    recipe = Preprocessor.load(CONFIGS[library])
    codes = {one.library: one for one in library_codes(recipe)}
    assert list(codes) == list(CONFIGS)
    assert all(bool(one.code) != bool(one.reason) for one in codes.values())
    image = Image.fromarray(sample_photo((70, 90)))
    names = {"image": image}
    exec(codes[library].code, names)
    result = np.asarray(names["batch"][0] if "batch" in names else names["result"])
    np.testing.assert_array_equal(result, recipe(image))


def test_the_code_of_ultralytics_has_its_arguments():
    """Ultralytics is not installed: its code is parsed, and LetterBox is given the arguments of the recipe."""
    recipe = Preprocessor.load({"ultralytics": {"imgsz": [64, 96], "auto": True, "padding_value": 7}})
    [code] = [one.code for one in library_codes(recipe) if one.library == "Ultralytics"]
    [config] = [ast.literal_eval(node.value) for node in ast.walk(ast.parse(code)) if _assigns(node, "config")]
    assert config.pop("new_shape") == [64, 96]
    assert Preprocessor.load({"ultralytics": {"imgsz": [64, 96], **config}}) == recipe
    assert (config["auto"], config["padding_value"]) == (True, 7)


def _assigns(node, name):
    return isinstance(node, ast.Assign) and node.targets[0].id == name


def test_a_recipe_that_no_library_has():
    codes = library_codes(Preprocessor([Resize(LongestEdge(64)), Rescale(1 / 3)]))
    assert [one.code for one in codes] == [""] * 4
    assert all("no " in one.reason for one in codes)


@pytest.mark.parametrize(
    "steps",
    [
        [Resize(ShortestEdge(32)), CenterCrop(32, 32)],
        [Resize(Fit(64, 64)), PadTo(64, 64)],
        [Resize(Fit(64, 64)), PadToMultiple(32, "center")],
        [CenterCrop(100, 40)],
        [CropBox(5, 7, 30, 40), Resize(Exact(60, 80))],
        [CropInside(30, 41)],
        [Resize(Exact(20, 90))],
        [CropToAspect(32, 32), Resize(Exact(32, 32))],
        [PadToAspect(32, 32), Resize(Exact(40, 40))],
        [CropOrResize(30, 40)],
        [CropOrResize(100, 40)],
    ],
)
def test_drawings_show_where_the_image_is(steps):
    """An image of ones is 1 where the drawing has it, and 0 in the margins."""
    size = (60, 80)
    recipe = Preprocessor(steps)
    picture = size_picture(recipe, size)
    result = np.asarray(recipe(np.ones((*size, 1), np.float32)))[..., 0]
    assert result.shape == picture.result
    top, left, height, width = picture.image
    rows, columns = (np.arange(n) + 0.5 for n in picture.result)
    inside = np.outer((rows > top) & (rows < top + height), (columns > left) & (columns < left + width))
    np.testing.assert_array_equal(result > 0.5, inside)
    assert ("cropped" in picture.caption) == (min(top, left) < 0)
    assert ("padded" in picture.caption) == (not inside.all())


def test_every_step_is_explained():
    assert set(EXPLANATIONS) == set(STEPS)


def test_names_are_escaped():
    page = card_page(Preprocessor([Rescale(1 / 255)]), "<script>alert(1)</script>\x1b[31m")
    assert "<script>alert" not in page and "\x1b" not in page
