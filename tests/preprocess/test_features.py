"""`return_tensors` in the style of transformers: images of every kind in, features by key and by attribute out."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

import sizewise as sw
from sizewise.preprocess import CenterCrop, Layout, Normalize, PadBatch, Rescale, Resize, ShortestEdge

STEPS = [
    Resize(ShortestEdge(16), "bicubic", "pillow"),
    CenterCrop(12, 12),
    Rescale(1 / 255),
    Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.4)),
    Layout("CHW"),
]
ARRAYS = [np.random.default_rng(seed).integers(0, 256, (24 + seed, 31, 3), np.uint8) for seed in range(3)]
EXPECTED = np.stack([sw.Preprocessor(STEPS)(one) for one in ARRAYS])


@pytest.mark.parametrize("kind", ["pillow", "numpy", "torch"])
def test_lists_of_images(kind: str) -> None:
    pre = sw.Preprocessor(STEPS)
    convert = {"pillow": Image.fromarray, "numpy": np.asarray, "torch": lambda x: torch.from_numpy(x).permute(2, 0, 1)}
    features = pre([convert[kind](one) for one in ARRAYS], return_tensors="pt")
    values = features["pixel_values"]
    assert isinstance(values, torch.Tensor) and values.dtype is torch.float32 and values.shape == (3, 3, 12, 12)
    if kind == "torch":  # another library's float32 arithmetic
        assert float(np.abs(values.numpy() - EXPECTED).max()) <= 1e-6
    else:
        assert np.array_equal(values.numpy(), EXPECTED)


def test_one_image_is_a_batch_of_one() -> None:
    features = sw.Preprocessor(STEPS)(Image.fromarray(ARRAYS[0]), return_tensors="pt")
    assert np.array_equal(features.pixel_values.numpy(), EXPECTED[:1])


def test_attributes_and_to() -> None:
    features = sw.Preprocessor([*STEPS[:1], *STEPS[2:], PadBatch()])(ARRAYS, return_tensors="pt")
    assert features.pixel_mask is features["pixel_mask"] and set(features) == {"pixel_values", "pixel_mask"}
    moved = features.to("cpu", torch.float16)
    assert moved.pixel_values.dtype is torch.float16 and moved.pixel_mask.dtype is torch.int64
    assert dict(**features).keys() == features.keys()
    with pytest.raises(AttributeError, match="pixel_values"):
        features.pixels


@pytest.mark.parametrize(("name", "module"), [("np", "numpy"), ("pt", "torch"), ("jax", "jax"), ("tf", "tensorflow")])
def test_each_library(name: str, module: str) -> None:
    values = sw.Preprocessor(STEPS)(ARRAYS, return_tensors=name).pixel_values
    assert any(base.__module__.startswith((module, "jaxlib")) for base in type(values).__mro__)
    assert np.array_equal(np.asarray(values), EXPECTED)


def test_control_other_values_are_seen() -> None:
    other = sw.Preprocessor([Resize(ShortestEdge(16), "bilinear", "pillow"), *STEPS[1:]])
    assert not np.array_equal(other(ARRAYS, return_tensors="np").pixel_values, EXPECTED)
