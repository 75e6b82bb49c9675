"""Configurations of older releases of transformers: the pixels that transformers makes of the same dictionary."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parent))

from huggingface_runs import class_of, image, pixels  # noqa: E402

from sizewise.errors import ArgumentError  # noqa: E402
from sizewise.preprocess import Preprocessor  # noqa: E402
from sizewise.preprocess.readers import _huggingface_models, huggingface  # noqa: E402
from sizewise.preprocess.readers._huggingface_classes import CLASSES, TORCHVISION_ONLY  # noqa: E402

SHAPES = ((97, 131), (150, 61))
CONFIGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("CLIP", {"feature_extractor_type": "CLIPFeatureExtractor", "size": 64, "crop_size": 60, "resample": 3}),
    ("CLIP", {"image_processor_type": "CLIPImageProcessor", "size": 64, "crop_size": [60, 50], "do_rescale": None}),
    ("CLIP", {"image_processor_type": "CLIPImageProcessorFast", "size": [64, 70], "crop_size": 60}),
    ("CLIP", {"image_processor_type": "CLIPImageProcessor", "size": 64, "default_to_square": True, "crop_size": 60}),
    ("CLIP", {"image_processor_type": "CLIPImageProcessor", "size": 64, "crop_size": None, "do_center_crop": None}),
    ("CLIP", {"image_processor_type": "CLIPImageProcessor", "size": 64, "do_normalize": None, "image_mean": None}),
    ("Detr", {"image_processor_type": "DetrImageProcessor", "size": None, "do_pad": None}),
    ("CLIP", {"image_processor_type": "CLIPImageProcessor"}),
    ("ViT", {"feature_extractor_type": "ViTFeatureExtractor", "size": 64, "image_mean": [0.5] * 3, "resample": 2}),
    ("ViT", {"image_processor_type": "ViTImageProcessor", "size": [64, 48]}),
    ("DeiT", {"feature_extractor_type": "DeiTFeatureExtractor", "size": 80, "crop_size": 60}),
    ("Beit", {"feature_extractor_type": "BeitFeatureExtractor", "size": 64, "crop_size": 60, "do_center_crop": True}),
    ("Siglip", {"image_processor_type": "SiglipImageProcessor", "size": 64}),
    ("ConvNext", {"feature_extractor_type": "ConvNextFeatureExtractor", "size": 64, "crop_pct": 0.9}),
    ("ConvNext", {"image_processor_type": "ConvNextImageProcessor", "size": 384}),
    ("PoolFormer", {"feature_extractor_type": "PoolFormerFeatureExtractor", "size": 64, "crop_size": 60}),
    ("Levit", {"feature_extractor_type": "LevitFeatureExtractor", "size": 64, "crop_size": 60}),
    ("MobileViT", {"feature_extractor_type": "MobileViTFeatureExtractor", "size": 64, "crop_size": 60}),
    ("MobileNetV2", {"feature_extractor_type": "MobileNetV2FeatureExtractor", "size": 64, "crop_size": 60}),
    ("Segformer", {"feature_extractor_type": "SegformerFeatureExtractor", "size": 64, "reduce_labels": True}),
    ("DPT", {"feature_extractor_type": "DPTFeatureExtractor", "size": 64, "keep_aspect_ratio": True}),
    ("GLPN", {"feature_extractor_type": "GLPNFeatureExtractor", "size_divisor": 16}),
    ("OwlViT", {"feature_extractor_type": "OwlViTFeatureExtractor", "size": [64, 60], "crop_size": 60}),
    (
        "Detr",
        {"feature_extractor_type": "DetrFeatureExtractor", "size": 80, "max_size": 133, "ignore_index": 0},
    ),
    ("Detr", {"image_processor_type": "DetrImageProcessor", "size": 80, "pad_and_return_pixel_mask": False}),
    ("ConditionalDetr", {"feature_extractor_type": "ConditionalDetrFeatureExtractor", "size": 80, "max_size": 133}),
    ("Yolos", {"feature_extractor_type": "YolosFeatureExtractor", "size": 80, "max_size": 133}),
    ("MaskFormer", {"feature_extractor_type": "MaskFormerFeatureExtractor", "size": 80, "max_size": 133}),
    ("Flava", {"feature_extractor_type": "FlavaFeatureExtractor", "size": 64, "crop_size": 60}),
    ("Vilt", {"feature_extractor_type": "ViltFeatureExtractor", "size": 80, "size_divisor": 16}),
    ("Donut", {"feature_extractor_type": "DonutFeatureExtractor", "size": [70, 120], "do_pad": True}),
    ("VideoMAE", {"feature_extractor_type": "VideoMAEFeatureExtractor", "size": 64, "crop_size": 60}),
    ("LayoutLMv3", {"feature_extractor_type": "LayoutLMv3FeatureExtractor", "size": 64, "apply_ocr": False}),
    ("Idefics", {"image_processor_type": "IdeficsImageProcessor", "image_size": 64}),
    ("Chameleon", {"image_processor_type": "ChameleonImageProcessor", "size": 64, "crop_size": 60}),
    ("SuperPoint", {"image_processor_type": "SuperPointImageProcessor", "size": 64}),
    ("Pixtral", {"image_processor_type": "PixtralImageProcessor", "size": {"longest_edge": 80}, "patch_size": 16}),
    ("ViT", {"image_processor_type": "ViTImageProcessor", "_valid_processor_keys": ["images"], "size": 64}),
    (
        "MaskFormer",
        {"feature_extractor_type": "MaskFormerFeatureExtractor", "size": 80, "max_size": 133, "size_divisibility": 7},
    ),
    ("Fuyu", {"image_processor_type": "FuyuImageProcessor", "target_height": 90, "target_width": 140}),
)


@pytest.mark.filterwarnings("ignore:the crop of:sizewise.errors.SizewiseWarning")
@pytest.mark.parametrize("backend", huggingface.BACKENDS)
@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_old_configurations_have_the_pixels_of_transformers(name: str, config: dict[str, Any], backend: str) -> None:
    real = class_of(name, backend).from_dict(dict(config))
    pre = Preprocessor.load(config, backend=backend)
    for shape in SHAPES:
        np.testing.assert_array_equal(pre([image(shape)]), pixels(real, [image(shape)]), f"{shape}")


@pytest.mark.parametrize("backend", huggingface.BACKENDS)
@pytest.mark.parametrize(
    "name", [name for name in CLASSES if name not in TORCHVISION_ONLY and "height" in CLASSES[name][1].get("size", {})]
)
def test_integers_and_lists_are_the_sizes_of_transformers(name: str, backend: str) -> None:
    """The size that an integer, a list or a missing key becomes, in every class with a height and a width."""
    for size in (64, [64, 48]):
        config = {"image_processor_type": f"{name}ImageProcessor", "size": size}
        real = class_of(name, backend).from_dict(dict(config))
        expected = {edge: n for edge, n in dict(real.size).items() if n is not None}
        kind, defaults = CLASSES[name]
        assert huggingface.Values(name, kind, backend, config, defaults).size("size") == expected


def test_folders_are_read_as_by_the_auto_class(tmp_path: Path) -> None:
    config = {"feature_extractor_type": "ViTFeatureExtractor", "size": 64, "resample": 3}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(config), encoding="utf-8")
    real = transformers.AutoImageProcessor.from_pretrained(str(tmp_path))
    expected = pixels(real, [image((97, 131))])
    np.testing.assert_array_equal(Preprocessor.load(tmp_path)([image((97, 131))]), expected)
    nested = {"processor_class": "CLIPProcessor", "image_processor": {**config, "size": 48}}
    (tmp_path / "processor_config.json").write_text(json.dumps(nested), encoding="utf-8")
    real = transformers.AutoImageProcessor.from_pretrained(str(tmp_path))
    expected = pixels(real, [image((97, 131))])
    assert expected.shape[-1] == 48  # the nested configuration comes first
    np.testing.assert_array_equal(Preprocessor.load(tmp_path)([image((97, 131))]), expected)


@pytest.mark.parametrize("model_type", ["vit", "resnet", "dinov2"])
def test_classes_without_a_name_are_those_of_the_model(tmp_path: Path, model_type: str) -> None:
    config = {"size": 64, "crop_size": 60, "image_mean": [0.5] * 3, "do_normalize": True}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ArgumentError, match="names no class"):
        Preprocessor.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": model_type}), encoding="utf-8")
    real = transformers.AutoImageProcessor.from_pretrained(str(tmp_path))
    expected = pixels(real, [image((97, 131))])
    np.testing.assert_array_equal(Preprocessor.load(tmp_path)([image((97, 131))]), expected)


def test_the_class_of_every_model_is_that_of_transformers() -> None:
    from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES

    for model_type, names in IMAGE_PROCESSOR_MAPPING_NAMES.items():
        name = next(filter(None, names.values())).removesuffix("Pil")
        assert _huggingface_models.class_of(model_type) in (name, None), model_type
        if name.removesuffix("ImageProcessor") in CLASSES:
            assert _huggingface_models.class_of(model_type) == name
