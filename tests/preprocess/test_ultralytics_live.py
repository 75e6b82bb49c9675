"""LetterBox against plain OpenCV, written from its definition."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import Fit, Layout, PadTo, Preprocessor, Rescale, Resize

SIZES = [(97, 131), (480, 37), (33, 500), (5, 3), (640, 640), (1, 9)]
OPTIONS = [
    {},
    {"auto": True},
    {"scaleup": False},
    {"scale_fill": True},
    {"center": False},
    {"imgsz": [96, 160]},
    {"auto": True, "scale_fill": True},
]


def letterbox(image, imgsz=128, auto=False, stride=32, scaleup=True, scale_fill=False, center=True, padding_value=114):
    new = (imgsz, imgsz) if isinstance(imgsz, int) else tuple(imgsz)
    h, w = image.shape[:2]
    r = min(new[0] / h, new[1] / w)
    r = r if scaleup else min(r, 1.0)
    unpadded = round(w * r), round(h * r)
    dw, dh = new[1] - unpadded[0], new[0] - unpadded[1]
    if auto:
        dw, dh = dw % stride, dh % stride
    elif scale_fill:
        dw, dh, unpadded = 0.0, 0.0, (new[1], new[0])
    if center:
        dw, dh = dw / 2, dh / 2
    if (w, h) != unpadded:
        image = cv2.resize(image, unpadded, interpolation=cv2.INTER_LINEAR)
    top, left = (round(dh - 0.1), round(dw - 0.1)) if center else (0, 0)
    border = top, round(dh + 0.1), left, round(dw + 0.1)
    return cv2.copyMakeBorder(image, *border, cv2.BORDER_CONSTANT, value=(padding_value,) * 3)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("size", SIZES)
def test_bytes_and_floats(size, options) -> None:
    image = np.random.default_rng(1).integers(0, 256, (*size, 3), np.uint8)
    options = {"imgsz": 128, **options}
    pre = Preprocessor.load({"ultralytics": options})
    wanted = letterbox(image[..., ::-1], **options)[..., ::-1]
    pixels = [x for step, x in pre.trace(image) if step.name.startswith(("resize", "pad"))][-1]
    assert np.array_equal(pixels, wanted)
    assert np.array_equal(pre(image), wanted.transpose(2, 0, 1).astype(np.float32) / np.float32(255))


def test_every_length_of_one_axis() -> None:
    pre = Preprocessor.load({"ultralytics": {"imgsz": 64}})
    for n in range(1, 641):
        image = np.full((n, 16, 3), n % 251, np.uint8)
        assert np.array_equal(pre(image), letterbox(image, 64).transpose(2, 0, 1).astype(np.float32) / 255), n


def test_control_another_padding_differs() -> None:
    image = np.zeros((40, 80, 3), np.uint8)
    pre = Preprocessor.load({"ultralytics": {"imgsz": 64, "padding_value": 113}})
    assert not np.array_equal(pre(image), letterbox(image, 64).transpose(2, 0, 1).astype(np.float32) / 255)


@pytest.mark.parametrize("options", OPTIONS)
def test_round_trip(options) -> None:
    pre = Preprocessor.load({"ultralytics": options})
    assert Preprocessor.load(pre.write("ultralytics")) == pre


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="did you mean 'imgsz'"):
        Preprocessor.load({"ultralytics": {"imgs": 640}})
    pre = Preprocessor(
        [Resize(Fit(64, 64), "bilinear", "pillow"), PadTo(64, 64), Rescale(255.0, divide=True), Layout()]
    )
    with pytest.raises(UnsupportedError, match="the step"):
        pre.write("ultralytics")
