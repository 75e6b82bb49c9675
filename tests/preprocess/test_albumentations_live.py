"""albumentations, the real package."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import Fill, Fit, Preprocessor

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


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="HorizontalFlip"):
        Preprocessor.load(A.Compose([A.HorizontalFlip()]))
    with pytest.raises(UnsupportedError, match="random"):
        Preprocessor.load(A.Compose([A.Resize(4, 4, p=0.5)]))
