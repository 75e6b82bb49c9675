"""albumentations, the real package."""

from __future__ import annotations

import json
import random

import cv2
import numpy as np
import pytest

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import (
    CenterCrop,
    Decode,
    Exact,
    Fill,
    Fit,
    Normalize,
    Preprocessor,
    Rescale,
    Resize,
    ReverseChannels,
    ShortestEdge,
)

A = pytest.importorskip("albumentations")
SIZES = [(97, 131), (480, 37), (33, 500), (5, 3), (64, 64)]
GEOMETRIES = [
    lambda: [A.Resize(64, 48)],
    lambda: [A.SmallestMaxSize(max_size=64), A.CenterCrop(64, 64)],
    lambda: [A.LongestMaxSize(max_size=65, interpolation=3), A.PadIfNeeded(65, 65, fill=114)],
    lambda: [A.CenterCrop(70, 71, pad_if_needed=True)],
]


@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("size", SIZES)
def test_bytes_and_floats(geometry, size) -> None:
    image = np.random.default_rng(1).integers(0, 256, (*size, 3), np.uint8)
    raw, whole = A.Compose(geometry()), A.Compose([*geometry(), A.Normalize(), A.ToTensorV2()])
    assert np.array_equal(Preprocessor.load(raw)(image), raw(image=image)["image"])
    assert np.array_equal(Preprocessor.load(whole.to_dict())(image), whole(image=image)["image"].numpy())


def test_cubic_is_exact_without_ipp_and_within_one_level_with_it() -> None:
    image, library = (
        np.random.default_rng(1).integers(0, 256, (97, 131, 3), np.uint8),
        A.Resize(64, 48, interpolation=2),
    )
    ours, default = Preprocessor.load(library)(image), cv2.ipp.useIPP()
    with_default = library(image=image)["image"].astype(int)
    try:
        cv2.ipp.setUseIPP(False)
        assert np.array_equal(ours, library(image=image)["image"])
    finally:
        cv2.ipp.setUseIPP(default)
    assert np.abs(ours - with_default).max() <= 1


def test_to_float() -> None:
    image = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, 2)
    library = A.Compose([A.ToFloat(max_value=255.0)])
    assert np.array_equal(Preprocessor.load(library)(image), library(image=image)["image"])


def test_sizes_of_ten_thousand_images() -> None:
    draw = random.Random(3)
    for _ in range(10_000):
        size, edge = (draw.randint(1, 5000), draw.randint(1, 5000)), draw.randint(1, 2000)
        for rule, pick in ((Fill, min), (Fit, max)):  # the formula of MaxSizeTransform
            scale = edge / pick(size)
            assert rule(edge, edge, "round").size(size) == tuple(max(1, round(n * scale)) for n in size)


def test_control_another_method_differs() -> None:
    image = np.random.default_rng(1).integers(0, 256, (97, 131, 3), np.uint8)
    cubic, linear = (A.Compose([A.Resize(64, 48, interpolation=code)]) for code in (2, 1))
    assert not np.array_equal(Preprocessor.load(cubic)(image), linear(image=image)["image"])


WRITTEN = [
    *GEOMETRIES,
    lambda: [A.Resize(31, 47, interpolation=0)],
    lambda: [A.SmallestMaxSize(max_size=40, interpolation=4)],
    lambda: [A.PadIfNeeded(200, 140, position="top_left", fill=(1, 2, 3))],
    lambda: [A.CenterCrop(70, 71, pad_if_needed=True, fill=9)],
    lambda: [A.CenterCrop(3, 2)],
    lambda: [A.ToFloat(max_value=255.0)],
    lambda: [A.LongestMaxSize(max_size=65), A.Normalize(mean=(0.3, 0.4, 0.5), std=(0.1, 0.2, 0.3)), A.ToTensorV2()],
    lambda: [A.Normalize(mean=0.5, std=0.25, max_pixel_value=128.0)],
]


@pytest.mark.parametrize("transforms", WRITTEN)
def test_what_is_written_builds_and_gives_the_same_bytes(transforms) -> None:
    library = A.Compose(transforms())
    pre = Preprocessor.load(library)
    written = json.loads(json.dumps(pre.write("albumentations")))
    assert Preprocessor.load(written) == pre
    for size in SIZES[:4]:
        image = np.random.default_rng(1).integers(0, 256, (*size, 3), np.uint8)
        try:
            wanted = library(image=image)["image"]
        except Exception:  # a crop that is larger than the image
            continue
        found = A.from_dict(written)(image=image)["image"]
        assert np.array_equal(np.asarray(found), np.asarray(wanted))
        assert np.array_equal(pre(image), np.asarray(wanted))


def test_writer_names_the_step_that_it_cannot_say() -> None:
    steps = [
        Resize(Exact(8, 8), "bicubic", "pillow"),
        Resize(ShortestEdge(8), "linear", "opencv"),
        Resize(Fit(8, 9), "linear", "opencv"),
        Resize(Fit(8, 8, "round", enlarge=False), "linear", "opencv"),
        Resize(Exact(8, 8), "linear", "opencv", compute="float32"),
        CenterCrop(8, 8, rounding="round"),
        Rescale(1 / 255),
        Normalize((0.5,), (0.5,)),
        ReverseChannels(),
        Decode("L"),
    ]
    for step in steps:
        with pytest.raises(
            UnsupportedError, match=f"albumentations has no configuration for the step {type(step).__name__}"
        ):
            Preprocessor([step]).write("albumentations")


@pytest.mark.filterwarnings("ignore:Argument")
def test_dictionaries_of_releases_before_2() -> None:
    old = {"p": 1, "always_apply": True}
    margins = {"min_height": 70, "min_width": 70, "border_mode": 0, "value": None, "mask_value": 3}
    transforms = [
        {"__class_fullname__": "albumentations.augmentations.transforms.Resize", "height": 64, "width": 48, **old},
        {"__class_fullname__": "PadIfNeeded", **margins, **old},
        {"__class_fullname__": "Normalize", "mean": [0.5] * 3, "std": [0.25] * 3, "max_pixel_value": 255.0, **old},
    ]
    config = {
        "__version__": "1.3.0",
        "transform": {"__class_fullname__": "Compose", "p": 1.0, "transforms": transforms},
    }
    image = np.random.default_rng(1).integers(0, 256, (97, 131, 3), np.uint8)
    wanted = A.from_dict(json.loads(json.dumps(config)))(image=image)["image"]
    assert wanted.shape == (70, 70, 3)
    assert np.array_equal(Preprocessor.load(config)(image), wanted)
    transforms[1]["value"] = [114, 114, 114]
    with pytest.raises(UnsupportedError, match=r"PadIfNeeded: value=.* cannot be read"):
        Preprocessor.load(config)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="HorizontalFlip"):
        Preprocessor.load(A.Compose([A.HorizontalFlip()]))
    with pytest.raises(UnsupportedError, match="random"):
        Preprocessor.load(A.Compose([A.Resize(4, 4, p=0.5)]))
