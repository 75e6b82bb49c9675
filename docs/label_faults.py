"""Where other libraries put labels: a blob resized by the real package, its centroid, and the package's own label.

`measure()` runs torchvision, albumentations and kornia; the rules of Ultralytics and detectron2 are written here from
their definitions. All errors are in output pixels, from the edge of the image.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sizewise as sw

SIZE, RESULT = (96, 128), (40, 50)
CENTER = (60.5, 40.5)  # x, y: the center of pixel (60, 40)
BOX = (55.5, 35.5, 65.5, 45.5)
Array = NDArray[Any]


@dataclass(frozen=True)
class Row:
    """One way to map a label: the library, the labels, its formula; its error, and that of Sizewise's plan."""

    library: str
    labels: str
    formula: str
    error: float
    ours: float


def blob(size: tuple[int, int] = SIZE, center: tuple[float, float] = CENTER, width: float = 7.0) -> Array:
    """Return a smooth blob, far from the borders."""
    rows, columns = np.mgrid[: size[0], : size[1]] + 0.5
    away = (columns - center[0]) ** 2 + (rows - center[1]) ** 2
    return np.exp(-away / (2 * width**2)).astype(np.float32)


def centroid(image: Any) -> Array:
    """Return (x, y) of the centroid of an image, from its edge."""
    x = np.asarray(image, np.float64)
    rows, columns = np.mgrid[: x.shape[0], : x.shape[1]] + 0.5
    return np.array([(x * columns).sum(), (x * rows).sum()]) / x.sum()


def middle(box: Any) -> Array:
    """Return the center of a box xyxy."""
    corners = np.asarray(box, np.float64).reshape(2, 2)
    return corners.mean(axis=0)


def error(found: Any, truth: Any) -> float:
    """Return how far a point is off along an axis at most."""
    return float(np.abs(np.asarray(found, np.float64) - truth).max())


def torchvision_rows() -> list[Row]:
    """Measure torchvision's transforms v2."""
    import torch
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    resize, mode = v2.functional.resize, v2.InterpolationMode
    image = torch.from_numpy(blob())[None]
    boxes = tv_tensors.BoundingBoxes([BOX], format="XYXY", canvas_size=SIZE)
    points = tv_tensors.KeyPoints([[CENTER[0] - 0.5, CENTER[1] - 0.5]], canvas_size=SIZE)
    mapped = middle(resize(boxes, RESULT)[0])
    smooth = centroid(resize(image, RESULT, interpolation=mode.BILINEAR)[0])
    picked = centroid(resize(image, RESULT, interpolation=mode.NEAREST)[0])
    mask = centroid(resize(tv_tensors.Mask(image), RESULT)[0])
    index = np.asarray(resize(points, RESULT)[0], np.float64) + 0.5
    ours = error(_ours("bilinear", "torch", antialias=True), smooth)
    nearest = error(_ours("nearest", "torch"), picked)
    name = f"torchvision {version('torchvision')}"
    return [
        Row(name, "boxes, bilinear", "x * n_out / n_in", error(mapped, smooth), ours),
        Row(name, "boxes, `NEAREST`", "x * n_out / n_in", error(mapped, picked), nearest),
        Row(name, "key points as indices of pixels, bilinear", "i * n_out / n_in", error(index, smooth), ours),
        Row(name, "`Mask` beside the bilinear image", "floor(o * n_in / n_out)", error(mask, smooth), _mask_error()),
    ]


def albumentations_rows() -> list[Row]:
    """Measure albumentations."""
    import albumentations

    parts = {
        "bbox_params": albumentations.BboxParams("pascal_voc", label_fields=[]),
        "keypoint_params": albumentations.KeypointParams("xy"),
    }
    resize = albumentations.Compose([albumentations.Resize(*RESULT)], **parts)
    index = np.array([CENTER]) - 0.5
    done = resize(image=blob(), mask=blob(), bboxes=np.array([BOX]), keypoints=index)
    truth = centroid(done["image"])
    ours, name = error(_ours("linear", "opencv"), truth), f"albumentations {version('albumentations')}"
    point, mask = np.asarray(done["keypoints"][0]) + 0.5, centroid(done["mask"])
    return [
        Row(name, "boxes", "x * n_out / n_in", error(middle(done["bboxes"][0]), truth), ours),
        Row(name, "keypoints as indices of pixels", "i * n_out / n_in", error(point, truth), ours),
        Row(name, "`mask` beside the image", "floor(o * n_in / n_out)", error(mask, truth), _mask_error()),
    ]


def kornia_rows() -> list[Row]:
    """Measure kornia's augmentations."""
    import kornia.augmentation as augmentation
    import torch

    rows, name = [], f"kornia {version('kornia')}"
    image, boxes = torch.from_numpy(blob())[None, None], torch.tensor([[BOX]])
    points = torch.tensor([[CENTER]]) - 0.5
    for corners, where, text in ((True, "the default", "x * (n_out - 1) / (n_in - 1)"),
                                 (False, "`align_corners=False`", "(x + 0.5) * n_out / n_in - 0.5")):  # fmt: skip
        resize = augmentation.Resize(RESULT, align_corners=corners)
        sequence = augmentation.AugmentationSequential(resize, data_keys=["input", "bbox_xyxy", "keypoints"])
        resized, box, point = sequence(image, boxes, points)
        truth = centroid(resized[0, 0])
        ours = error(_ours("bilinear", "torch", antialias=False, align_corners=corners), truth)
        rows.append(Row(name, f"boxes, {where}", text, error(middle(box[0, 0]), truth), ours))
        index = text.replace("x", "i")
        rows.append(Row(name, f"keypoints as indices, {where}", index, error(point[0, 0] + 0.5, truth), ours))
    return rows


def detectron2_rows() -> list[Row]:
    """Measure detectron2's rule beside Pillow, which resizes its images: boxes, and keypoints plus a half."""
    from PIL import Image

    resized = np.asarray(Image.fromarray(blob()).resize(RESULT[::-1], Image.Resampling.BILINEAR))
    truth, scale = centroid(resized), np.array(RESULT[::-1]) / SIZE[::-1]
    ours = error(_ours("bilinear", "pillow"), truth)
    points = (np.array(CENTER) - 0.5 + 0.5) * scale
    return [
        Row("detectron2's rule", "boxes", "x * n_out / n_in", error(middle(np.array(BOX)) * scale, truth), ours),
        Row("detectron2's rule", "keypoints, + 0.5 when read", "(i + 0.5) * n_out / n_in", error(points, truth), ours),
    ]


@dataclass(frozen=True)
class Letterbox:
    """Ultralytics' letterbox along one axis: `n` pixels become `resized`, after `start`, by the factor `gain`."""

    n: Array
    gain: Array
    edge: int

    @property
    def resized(self) -> Array:
        """The number of pixels, rounded half to even."""
        return np.rint(self.n * self.gain)

    @property
    def start(self) -> Array:
        """The margin before the image."""
        return np.rint((self.edge - self.resized) / 2 - 0.1)

    def truth(self, x: Array) -> Array:
        """Return where the pixels are."""
        return self.start + x * self.resized / self.n


def letterbox_rows(edge: int = 640, limit: int = 640) -> tuple[list[Row], int, int]:
    """Measure Ultralytics' rules on all sizes up to `limit`: rows, sizes with a wrong margin, and all sizes."""
    height, width = (n.ravel().astype(float) for n in np.mgrid[1 : limit + 1, 1 : limit + 1])
    gain = np.minimum(edge / height, edge / width)
    forward, before, margin, wrong = 0.0, 0.0, 0.0, np.zeros(len(gain), bool)
    for n in (height, width):
        box = Letterbox(n, gain, edge)
        half = (edge - n * gain) / 2
        pads = {"now": box.start, "before": np.rint(half - 0.1), "float": (edge - box.resized) / 2}
        wrong |= pads["before"] != box.start
        for x in (0.0, n):  # the edges of the image are where the rules are farthest off
            forward = max(forward, float(np.abs(pads["now"] + x * gain - box.truth(x)).max()))
            before = max(before, float(np.abs(pads["before"] + x * gain - box.truth(x)).max()))
            margin = max(margin, float(np.abs(pads["float"] + x * gain - box.truth(x)).max()))
    name, where = "Ultralytics' rule", f"all sizes to {limit}x{limit}, letterbox of {edge}"
    ours = _letterbox_error(edge, limit)
    rows = [
        Row(name, f"boxes, {where}", "x * gain + pad", forward, ours),
        Row(name, "boxes, before its PR 23967", "x * gain + round((n_out - n_in * gain) / 2 - 0.1)", before, ours),
        Row(name, "keypoints, before its PR 25156", "x * gain + (n_out - resized) / 2", margin, ours),
    ]
    return rows, int(wrong.sum()), len(gain)


def _letterbox_error(edge: int, limit: int, count: int = 50) -> float:
    """Return the error of `Preprocessor.map_points` on random sizes."""
    recipe, largest = sw.Preprocessor.load({"ultralytics": {"imgsz": edge}}), 0.0
    for height, width in np.random.default_rng(0).integers(1, limit + 1, (count, 2)).tolist():
        gain = np.float64(min(edge / height, edge / width))
        axes = [Letterbox(np.float64(n), gain, edge) for n in (width, height)]
        found = recipe.map_points([[width, height]], (height, width))[0]
        largest = max(largest, error(found, [axis.truth(axis.n) for axis in axes]))
    return largest


def measure() -> list[Row]:
    """Return all rows."""
    parts: tuple[Callable[[], list[Row]], ...] = (torchvision_rows, albumentations_rows, kornia_rows, detectron2_rows)
    return [*(row for part in parts for row in part()), *letterbox_rows()[0]]


def _ours(method: str, dialect: str, **options: Any) -> Array:
    return sw.make_plan(SIZE, RESULT, method, dialect=dialect, **options).map_points([CENTER])[0]


def _mask_error() -> float:
    """Return the error of `map_masks` beside a bilinear image."""
    plan = sw.make_plan(SIZE, RESULT, dialect="torch")
    return error(centroid(plan.map_masks(blob())), plan.map_points([CENTER])[0])


if __name__ == "__main__":
    for row in measure():
        print(f"{row.error:6.3f}  {row.ours:6.3f}  {row.library:22}  {row.labels}")
    print("margins one pixel off before PR 23967: {1:,} of {2:,} sizes".format(*letterbox_rows()))
