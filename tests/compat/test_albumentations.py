"""compat.albumentations against albumentations itself: pixels, masks, boxes, key points; serialization."""

from __future__ import annotations

import itertools
import subprocess
import sys

import albumentations as A
import cv2
import numpy as np
import pytest

import sizewise as sw
from sizewise.compat.albumentations import Preprocess, Resize
from sizewise.errors import ArgumentTypeError, SizewiseError, UnsupportedError
from sizewise.preprocess import Exact, Layout, Rescale
from sizewise.preprocess import Resize as ResizeStep
from sizewise.testing import assert_same_pixels

SHAPES = [(37, 53), (37, 53, 3), (64, 48, 1), (20, 31, 4), (20, 31, 7)]
SIZES = [(17, 80), (100, 20), (10, 10), (37, 53), (74, 106)]
# Of float32, in units in the last place of the largest value, by whether OpenCV uses Intel's IPP, its default on x86.
FLOAT_ULP = {True: 64, False: 4}


def image(shape: tuple[int, ...], dtype: type = np.uint8) -> np.ndarray:
    pixels = np.random.default_rng([*shape]).integers(0, 256, shape, np.uint8)
    return pixels if dtype is np.uint8 else (pixels / 255).astype(dtype)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_default_pixels_are_those_of_albumentations(shape: tuple[int, ...], size: tuple[int, int]) -> None:
    ours, theirs = (one(*size)(image=image(shape), mask=image(shape)) for one in (Resize, A.Resize))
    for name in ("image", "mask"):
        assert ours[name].dtype == theirs[name].dtype and ours[name].shape == theirs[name].shape
        assert np.array_equal(ours[name], theirs[name])


@pytest.mark.parametrize("uses_ipp", [True, False])
def test_floats(uses_ipp: bool) -> None:
    before = cv2.ipp.useIPP()
    cv2.ipp.setUseIPP(uses_ipp)
    try:
        for shape, size in itertools.product(SHAPES, SIZES):
            x = image(shape, np.float32)
            ours, theirs = (one(*size)(image=x)["image"] for one in (Resize, A.Resize))
            assert_same_pixels(ours, theirs, ulp=FLOAT_ULP[uses_ipp])
    finally:
        cv2.ipp.setUseIPP(before)


@pytest.mark.parametrize(
    ("method", "flag"), [("nearest", cv2.INTER_NEAREST), ("area", cv2.INTER_AREA), ("lanczos4", cv2.INTER_LANCZOS4)]
)
def test_other_methods(method: str, flag: int) -> None:
    x = image((37, 53, 3))
    for size in SIZES:
        ours, theirs = Resize(*size, method)(image=x)["image"], A.Resize(*size, interpolation=flag)(image=x)["image"]
        assert np.array_equal(ours, theirs)


def pipeline(resize: A.DualTransform) -> A.Compose:
    """Return a pipeline with boxes and key points, and a random step after the resize."""
    boxes = A.BboxParams(format="pascal_voc", label_fields=["labels"])
    points = A.KeypointParams(format="xyas", remove_invisible=False)
    return A.Compose([resize, A.HorizontalFlip(p=0.5)], bbox_params=boxes, keypoint_params=points, seed=3)


def sample() -> dict:
    x = image((37, 53, 3))
    return {
        "image": x,
        "masks": [image((37, 53)), image((37, 53)) // 2],
        "bboxes": np.array([[1.0, 2.0, 30.0, 20.0], [5.0, 5.0, 50.0, 36.0]]),
        "labels": [1, 2],
        "keypoints": np.array([[3.0, 4.0, 10.0, 2.0], [50.0, 30.0, 20.0, 1.0]]),
    }


def test_pipelines_with_masks_boxes_and_key_points() -> None:
    ours, theirs = (pipeline(one(20, 30)) for one in (Resize, A.Resize))
    for _ in range(4):
        a, b = ours(**sample()), theirs(**sample())
        assert a.keys() == b.keys()
        assert all(np.array_equal(a[name], b[name]) for name in a)


def test_volumes_and_batches() -> None:
    batch = image((4, 37, 53, 3))
    for name in ("images", "volume"):
        ours, theirs = (one(20, 30)(**{name: batch})[name] for one in (Resize, A.Resize))
        assert np.array_equal(ours, theirs)


def test_any_dialect() -> None:
    x = image((37, 53, 3))
    ours = Resize(20, 30, "bicubic", "pillow")(image=x)["image"]
    assert np.array_equal(ours, sw.resize(x, (20, 30), "bicubic", dialect="pillow"))


def test_serialization() -> None:
    composed = A.Compose([Resize(20, 30, "bicubic", "torch", antialias=True)])
    loaded = A.from_dict(A.to_dict(composed))
    x = image((37, 53, 3))
    assert np.array_equal(loaded(image=x)["image"], composed(image=x)["image"])
    assert loaded.transforms[0].dialect == "torch" and loaded.transforms[0].antialias is True


def test_preprocess() -> None:
    pre = sw.Preprocessor([ResizeStep(Exact(8, 9), "bicubic", "pillow"), Rescale(1 / 255), Layout("CHW")])
    x = image((37, 53, 3))
    composed = A.Compose([A.HorizontalFlip(p=1), Preprocess(pre)])
    assert np.array_equal(composed(image=x)["image"], pre(x[:, ::-1]))
    with pytest.raises(UnsupportedError):
        composed(image=x, mask=x[..., 0])
    with pytest.raises(ArgumentTypeError):
        Preprocess("pre")


def test_refusals() -> None:
    for arguments in ({"height": 0}, {"width": "4"}, {"method": "bilinaer"}, {"dialect": "cv"}, {"mask_method": 3}):
        with pytest.raises(SizewiseError):
            Resize(**{"height": 4, "width": 4, **arguments})


def test_albumentations_is_needed() -> None:
    code = (
        "import sys; sys.modules['albumentations'] = None\nfrom sizewise import errors\n"
        "try:\n    import sizewise.compat.albumentations\nexcept errors.MissingExtraError as e:\n"
        "    assert 'sizewise[albumentations]' in str(e)\nelse:\n    raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_control_other_pixels_are_seen() -> None:
    x = image((37, 53, 3))
    theirs = A.Resize(20, 30)(image=x)["image"]
    assert not np.array_equal(Resize(20, 30, "bicubic")(image=x)["image"], theirs)
    assert not np.array_equal(Resize(20, 30, dialect="pillow")(image=x)["image"], theirs)
    others = pipeline(Resize(20, 31))(**sample())["keypoints"]
    assert not np.array_equal(others, pipeline(A.Resize(20, 30))(**sample())["keypoints"])
