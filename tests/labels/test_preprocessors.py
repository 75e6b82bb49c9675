"""Labels of preprocessed images: the integers that a letterbox really uses, every step, and where its labels are."""

from __future__ import annotations

import numpy as np
import pytest
from blobs import blob, centroid, position
from samples import sample

import sizewise as sw
from sizewise.preprocess import (
    CenterCrop,
    CropBox,
    CropInside,
    CropOrResize,
    CropToAspect,
    Exact,
    Fit,
    Layout,
    LongestEdge,
    Normalize,
    PadAtLeast,
    PadBatch,
    PadBy,
    PadTo,
    PadToAspect,
    PadToMultiple,
    PadToSquare,
    Preprocessor,
    Rescale,
    Resize,
    ShortestEdge,
    Step,
)

LENGTHS = range(1, 641)
LETTERBOX = {
    "center": Preprocessor([Resize(Fit(640, 640), "linear", "opencv"), PadTo(640, 640)]),
    "start": Preprocessor([Resize(Fit(416, 416), "bilinear", "pillow"), PadTo(416, 416, "start")]),
    "ceil": Preprocessor([Resize(Fit(300, 300)), PadTo(300, 300, rounding="ceil")]),
}
STEPS: dict[str, Step] = {
    "resize": Resize(Exact(70, 200), "bicubic", "standard"),
    "resize, torch": Resize(ShortestEdge(51), "bilinear", "torch", antialias=True),
    "resize, corners": Resize(LongestEdge(90), "bilinear", "torch", options={"align_corners": True}),
    "center crop": CenterCrop(101, 130),
    "center crop, rounded up": CenterCrop(101, 131, "ceil"),
    "center crop, padded": CenterCrop(133, 101, pad_rounding="ceil"),
    "crop box": CropBox(3, 6, 108, 130),
    "crop inside": CropInside(103, 134),
    "crop to aspect": CropToAspect(120, 130),
    "crop or resize, larger": CropOrResize(103, 120),
    "crop or resize, smaller": CropOrResize(130, 120),
    "pad to": PadTo(160, 151),
    "pad to multiple": PadToMultiple(32),
    "pad to multiple, centered": PadToMultiple(32, "center", "ceil"),
    "pad to square": PadToSquare(),
    "pad at least": PadAtLeast(200, 100),
    "pad by": PadBy(1, 2, 3, 4),
    "pad to aspect": PadToAspect(100, 200),
    "layout": Layout("CHW"),
}
SIZE = (111, 140)


def extent(line: np.ndarray) -> tuple[int, int]:
    """Return the first and the last nonzero pixel."""
    found = np.flatnonzero(line)
    return int(found[0]), int(found[-1]) + 1


@pytest.mark.parametrize("name", LETTERBOX)
def test_letterboxes_of_every_length(name: str) -> None:
    """Images of ones, one pixel wide or high beside every length: where the margins end, the mapped corners are."""
    pre = LETTERBOX[name]
    for length in sample(LENGTHS, 4, name):
        other = 1 + length * 37 % 640
        for size in ((length, other), (other, length)):
            vertical, horizontal = (extent(line) for line in letterboxed(pre, size))
            expected = [horizontal[0], vertical[0], horizontal[1], vertical[1]]
            found = pre.map_boxes([0, 0, size[1], size[0]], size)
            assert found == pytest.approx(expected, abs=1e-9), size


def letterboxed(pre: Preprocessor, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return a column and a row through the middle of a letterboxed image of ones."""
    result = pre(np.ones((*size, 1), np.uint8))[:, :, 0]
    return result.max(axis=1), result.max(axis=0)


def test_control_the_exact_half_is_not_the_margin() -> None:
    """A formula that forgets rounding is off by half a pixel or more."""
    worst = 0.0
    for length in sample(LENGTHS, 8, "control"):
        scale = min(640 / length, 640 / 480)
        formula = (640 - 480 * scale) / 2
        worst = max(worst, abs(formula - LETTERBOX["center"].map_points([0, 0], (480, length))[1]))
    assert worst >= 0.5


@pytest.mark.parametrize("name", STEPS)
def test_a_blob_after_each_step(name: str) -> None:
    pre = Preprocessor([STEPS[name]])
    size = (100, 110) if name == "crop or resize, smaller" else SIZE
    geometry = pre.geometry(size)
    assert geometry.output_size == pre.output_size(size)
    (y, sigma_y), (x, sigma_x) = (position(n, n * 0.6, at) for n, at in zip(size, (0.41, 0.58), strict=True))
    image = np.multiply.outer(blob(size[0], y, sigma_y), blob(size[1], x, sigma_x))[:, :, None]
    result = np.asarray(pre(image))
    result = result[0] if pre.layout == "CHW" else result[:, :, 0]
    found = [centroid(result, axis=1), centroid(result, axis=0)]
    expected = pre.map_points([x, y], size)
    assert found == pytest.approx(expected, abs=0.01)
    assert pre.unmap_points(expected, size) == pytest.approx([x, y], abs=1e-11)


@pytest.mark.parametrize("name", STEPS)
def test_masks_after_each_step(name: str) -> None:
    """Margins of a mask are those of the image, and its labels are those of the image resized by nearest."""
    pre, ones = Preprocessor([STEPS[name]]), np.ones(SIZE)
    image = np.asarray(pre(ones[:, :, None]))
    image = image[0] if pre.layout == "CHW" else image[:, :, 0]
    assert (pre.map_masks(ones.astype(np.uint8), SIZE) == (image > 0.5)).all()
    if "resize" not in name or "or resize" in name:
        labels = np.arange(np.prod(SIZE)).reshape(SIZE)
        back = pre.unmap_masks(pre.map_masks(labels, SIZE, fill=-1), SIZE, fill=-1)
        assert set(np.unique(back[back != labels])) <= {-1}


def test_a_whole_recipe() -> None:
    pre = Preprocessor(
        [
            *(Resize(ShortestEdge(64), "bicubic", "pillow"), CenterCrop(60, 60), PadToMultiple(32, "center")),
            *(Rescale(1 / 255), Normalize((0.5,), (0.5,)), Layout("CHW"), PadBatch()),
        ]
    )
    size = (120, 200)
    horizontal = pre.geometry(size).axes[1]
    resized = pre.sizes(size)[1]
    assert horizontal.scale == resized[1] / 200
    assert horizontal.shift == 2 - (resized[1] - 60) // 2
    assert pre.geometry(size).output_size == (64, 64)
    boxes = np.array([[50.0, 30.0, 90.0, 70.0]])
    assert pre.unmap_boxes(pre.map_boxes(boxes, size), size) == pytest.approx(boxes, abs=1e-12)
    assert pre.map_polygons([50, 30, 90, 70], size) == pytest.approx(pre.map_boxes(boxes, size)[0].tolist())
    K = np.array([[200.0, 0.0, 99.5], [0.0, 200.0, 59.5], [0.0, 0.0, 1.0]])
    assert pre.map_intrinsics(K, size)[:2, 2] == pytest.approx(pre.map_points([99.5, 59.5], size, origin="center"))
    assert pre.unmap_intrinsics(pre.map_intrinsics(K, size), size) == pytest.approx(K)
    assert pre.map_masks(np.ones((2, *size), np.uint8), size, layout="NHW").shape == (2, 64, 64)


def test_deviations_add_up() -> None:
    nearest = Resize(Exact(53, 53), "nearest", "torch")
    alone = Preprocessor([nearest]).geometry((97, 97))
    twice = Preprocessor([nearest, Resize(Exact(106, 106), "bilinear")]).geometry((97, 97))
    assert twice.deviation == pytest.approx(2 * alone.deviation)
    assert alone.axes[0].deviation_in == pytest.approx(alone.deviation * 97 / 53)


def test_errors_are_those_of_the_steps() -> None:
    with pytest.raises(sw.errors.ArgumentError, match="smaller than the crop"):
        Preprocessor([CropInside(10, 10)]).map_points([1, 2], (4, 4))
    with pytest.raises(sw.errors.ArgumentError, match="input_size"):
        Preprocessor([]).map_points([1, 2], (4, 0))
    assert Preprocessor([]).map_points([1, 2], (4, 4)).tolist() == [1, 2]
