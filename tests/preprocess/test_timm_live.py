"""timm's evaluation transforms, the real package."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PIL import Image

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import KeepRatio, Layout, Preprocessor, ReverseChannels
from sizewise.preprocess.readers import timm as reader

data = pytest.importorskip("timm.data")
from timm.data.transforms import ResizeKeepRatio  # noqa: E402

SIZES = [(97, 131), (480, 37), (33, 500), (5, 3), (224, 224)]
CONFIGS = [
    {"input_size": (3, h, w), "interpolation": method, "crop_mode": mode, "crop_pct": pct, "mean": mean, "std": std}
    for (h, w), method, mode, pct, (mean, std) in [
        ((64, 64), "bicubic", "center", 0.875, ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))),
        ((64, 96), "bilinear", "center", 0.95, ((0.5,) * 3, (0.5,) * 3)),
        ((57, 57), "bicubic", "squash", 1.0, ((0.5,) * 3, (0.5,) * 3)),
        ((57, 63), "bicubic", "squash", 0.9, ((0.5,) * 3, (0.5,) * 3)),
        ((64, 64), "bicubic", "border", 1.0, ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))),
        ((64, 64), "bilinear", "border", 0.8, ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))),
    ]
]


def image_of(size):
    return Image.fromarray(np.random.default_rng(2).integers(0, 256, (*size, 3), np.uint8))


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("size", SIZES)
def test_bytes_and_floats(config, size) -> None:
    image, pre = image_of(size), Preprocessor.load(config)
    raw = data.create_transform(**config, is_training=False, normalize=False)(image).numpy()
    pixels = [x for step, x in pre.trace(image) if step.name in ("resize", "center_crop")][-1]
    assert np.array_equal(pixels.transpose(2, 0, 1), raw)
    assert np.array_equal(pre(image), data.create_transform(**config, is_training=False)(image).numpy())


def test_sizes_of_ten_thousand_images() -> None:
    draw = random.Random(3)
    for _ in range(10_000):
        size, target = ((draw.randint(1, 5000), draw.randint(1, 5000)) for _ in range(2))
        for inside in (False, True):
            wanted = _library(size, target, inside)
            if min(wanted) > 0:
                assert KeepRatio(*target, inside).size(size) == tuple(wanted)


def _library(size, target, inside):
    import torch

    return ResizeKeepRatio.get_params(torch.empty((1, *size), device="meta"), target, float(inside))


@pytest.mark.parametrize("config", CONFIGS)
def test_round_trip(config) -> None:
    pre = Preprocessor.load(config)
    assert Preprocessor.load(pre.write("timm")) == pre
    assert Preprocessor.load({"pretrained_cfg": config}) == pre


def test_keys_of_pretrained_configurations_are_known() -> None:
    import dataclasses

    from timm.models import PretrainedCfg

    keys = {field.name for field in dataclasses.fields(PretrainedCfg)}
    assert keys <= set(reader.DEFAULTS) | set(reader.IGNORED)
    old = {**CONFIGS[0], "architecture": "resnet50", "num_features": 2048, "labels": ["cat"]}  # one dictionary
    assert Preprocessor.load(old) == Preprocessor.load(CONFIGS[0])


def test_control_another_fraction_differs() -> None:
    image = image_of((97, 131))
    wanted = data.create_transform(**CONFIGS[0], is_training=False)(image).numpy()
    assert not np.array_equal(Preprocessor.load({**CONFIGS[0], "crop_pct": 0.9})(image), wanted)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="did you mean 'crop_pct'"):
        Preprocessor.load({**CONFIGS[0], "crop_pc": 1})
    with pytest.raises(UnsupportedError, match="ReverseChannels"):
        Preprocessor([ReverseChannels(), Layout()]).write("timm")
