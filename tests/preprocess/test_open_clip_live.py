"""open_clip's evaluation transforms, the real package."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import Layout, Preprocessor, ReverseChannels

open_clip = pytest.importorskip("open_clip")
transform = pytest.importorskip("open_clip.transform")

SIZES = [(97, 131), (480, 37), (33, 500), (5, 3), (64, 64)]
CONFIGS = [
    {},
    {"size": 64, "interpolation": "bilinear"},
    {"size": [64, 96], "interpolation": "bilinear"},
    {"size": 64, "resize_mode": "longest", "fill_color": 127},
    {"size": 65, "resize_mode": "squash", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]},
]


def image_of(size):
    return Image.fromarray(np.random.default_rng(2).integers(0, 256, (*size, 3), np.uint8))


@pytest.mark.parametrize("cfg", CONFIGS)
@pytest.mark.parametrize("size", SIZES)
def test_bytes_and_floats(cfg, size) -> None:
    image, pre = image_of(size), Preprocessor.load({"preprocess_cfg": cfg})
    library = transform.image_transform_v2(transform.PreprocessCfg(**cfg), is_train=False)
    raw = image
    for one in library.transforms[:-2]:
        raw = one(raw)
    pixels = [x for step, x in pre.trace(image) if step.name in ("resize", "center_crop")][-1]
    assert np.array_equal(pixels, np.asarray(raw))
    assert np.array_equal(pre(image), library(image).numpy())


@pytest.mark.parametrize("cfg", CONFIGS)
def test_round_trip(cfg) -> None:
    pre = Preprocessor.load({"preprocess_cfg": cfg})
    assert Preprocessor.load(pre.write("open_clip")) == pre


@pytest.mark.parametrize("cfg", [{}, {"size": 96}])
def test_the_size_of_the_model_wins(tmp_path, cfg) -> None:
    """The files that open_clip itself writes have no size besides that of the model."""
    tower = {"layers": 1, "width": 64, "heads": 1}
    model = {
        "embed_dim": 64,
        "vision_cfg": {"image_size": 48, "patch_size": 16, "layers": 1, "width": 64, "head_width": 64},
        "text_cfg": {"vocab_size": 49408, "context_length": 77, **tower},
    }
    config = {"model_cfg": model, "preprocess_cfg": {"mean": [0.5] * 3, "interpolation": "bilinear", **cfg}}
    (tmp_path / "open_clip_config.json").write_text(json.dumps({**config, "ckpt_path": ""}), encoding="utf-8")
    library = open_clip.create_model_and_transforms(f"local-dir:{tmp_path}", load_weights=False)[2]
    image = image_of((97, 131))
    wanted = library(image).numpy()
    assert wanted.shape == (3, 48, 48)
    assert np.array_equal(Preprocessor.load(tmp_path)(image), wanted)
    del model["vision_cfg"]["image_size"]
    assert Preprocessor.load(config)(image).shape == (3, 224, 224)


def test_control_another_method_differs() -> None:
    image = image_of((97, 131))
    wanted = transform.image_transform(64, is_train=False)(image).numpy()
    cfg = {"size": 64, "interpolation": "bilinear"}
    assert not np.array_equal(Preprocessor.load({"preprocess_cfg": cfg})(image), wanted)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="did you mean 'resize_mode'"):
        Preprocessor.load({"preprocess_cfg": {"resize_mod": "squash"}})
    with pytest.raises(ArgumentError, match="model_cfg is 'ViT-B-32'; give an object with vision_cfg"):
        Preprocessor.load({"preprocess_cfg": {}, "model_cfg": "ViT-B-32"})
    with pytest.raises(UnsupportedError, match="ReverseChannels"):
        Preprocessor([ReverseChannels(), Layout()]).write("open_clip")
