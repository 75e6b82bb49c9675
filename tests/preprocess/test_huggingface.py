"""Reading and writing Hugging Face configurations, without transformers."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from sizewise.errors import ArgumentError, FileError, UnknownNameError, UnsupportedError
from sizewise.preprocess import Cast, Decode, Exact, Fill, Layout, Preprocessor, Resize, ReverseChannels, ShortestEdge
from sizewise.preprocess.readers import huggingface

CLIP = {"image_processor_type": "CLIPImageProcessor"}


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"image_processor_type": "CLIPImageProcesor"}, UnknownNameError, "did you mean 'CLIPImageProcessor'"),
        ({"image_processor_type": "Swin2SRImageProcessor"}, UnsupportedError, "pads with the mirrored image"),
        ({**CLIP, "do_center_crp": True}, UnknownNameError, "did you mean 'do_center_crop'"),
        ({**CLIP, "crop_pct": 0.9}, UnknownNameError, "crop_pct"),
        ({**CLIP, "size": {"shortest_edg": 224}}, UnknownNameError, "did you mean 'shortest_edge'"),
        (
            {**CLIP, "size": {"longest_edge": 224}},
            ArgumentError,
            r"takes no size .*; give height and width, or shortest",
        ),
        ({**CLIP, "size": {"height": 224}}, ArgumentError, "takes no size"),
        ({**CLIP, "size": {"shortest_edge": 0}}, ArgumentError, "positive integer"),
        ({**CLIP, "size": "224"}, ArgumentError, "give height and width"),
        ({**CLIP, "crop_size": {"shortest_edge": 224}}, ArgumentError, "give height and width"),
        ({**CLIP, "resample": 9}, UnsupportedError, "resample 9"),
        ({**CLIP, "resample": None}, UnsupportedError, "resample None"),
        ({**CLIP, "crop_size": None}, ArgumentError, "crop_size of CLIPImageProcessor is None"),
        ({**CLIP, "rescale_factor": None}, ArgumentError, "rescale_factor of CLIPImageProcessor is None"),
        ({**CLIP, "image_mean": None}, ArgumentError, "no image_mean"),
        ({"image_processor_type": "Owlv2ImageProcesor"}, UnknownNameError, "did you mean 'Owlv2ImageProcessor'"),
        (
            {"image_processor_type": "Gemma3ImageProcessor", "do_pan_and_scan": True},
            UnsupportedError,
            "do_pan_and_scan",
        ),
        ({"image_processor_type": "GotOcr2ImageProcessor", "crop_to_patches": True}, UnsupportedError, "into tiles"),
        (
            {"image_processor_type": "IdeficsImageProcessor", "size": [64, 48], "image_size": 64},
            ArgumentError,
            "no size",
        ),
        ({"image_processor_type": "DepthProImageProcessor", "resample": 1}, UnsupportedError, "without antialiasing"),
        ({**CLIP, "image_std": [0.0, 1.0, 1.0]}, ArgumentError, "no entry may be 0"),
        ({"feature_extractor_type": "WhisperFeatureExtractor", "sampling_rate": 16000}, UnsupportedError, "audio"),
        (
            {"image_processor_type": "MiniCPMVImageProcessor", "auto_map": {"AutoImageProcessor": "code.py"}},
            UnsupportedError,
            "code of the model",
        ),
        ({"video_processor_type": "Qwen2VLVideoProcessor", "do_resize": True}, UnsupportedError, "it takes videos"),
        ({"video_processor_type": "Qwen3VLVideoProcessor", "patch_size": 16}, UnsupportedError, "it takes videos"),
        (
            {"processor_class": "CLIPProcessor"},
            ArgumentError,
            "image processor of a model is in its preprocessor_config",
        ),
        ({"do_resize": True, "model_type": "bert"}, ArgumentError, "names no class"),
    ],
)
def test_bad_configurations_are_named(config: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Preprocessor.load(config)


def test_an_unknown_backend_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'pil'"):
        Preprocessor.load(CLIP, backend="pill")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            {"feature_extractor_type": "ViTFeatureExtractor", "size": 224},
            {"image_processor_type": "ViTImageProcessor", "size": {"height": 224, "width": 224}},
        ),
        (
            {"feature_extractor_type": "CLIPFeatureExtractor", "size": 336, "crop_size": 336},
            {**CLIP, "size": {"shortest_edge": 336}, "crop_size": {"height": 336, "width": 336}},
        ),
        ({"image_processor_type": "CLIPImageProcessorFast", "do_rescale": None}, {**CLIP, "do_rescale": False}),
        (
            {
                "feature_extractor_type": "DetrFeatureExtractor",
                "size": 800,
                "max_size": 1333,
                "format": "coco_detection",
            },
            {"image_processor_type": "DetrImageProcessor"},
        ),
        (
            {"feature_extractor_type": "ConvNextFeatureExtractor", "size": 224, "crop_pct": 0.875},
            {"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": 224}},
        ),
        ({"image_processor": CLIP}, CLIP),
    ],
)
def test_old_configurations_mean_the_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert Preprocessor.load(old) == Preprocessor.load(new)


WITHOUT_EFFECT = {
    "_valid_processor_keys": ["images", "do_resize"],
    "size_divisibility": 0,
    "target_height": 9,
    "sampling_rate": 16000,
    "feature_size": 128,
}


@pytest.mark.parametrize("name", ["CLIP", "Qwen2VL", "MaskFormer", "Fuyu"])
def test_keys_that_transformers_ignores_are_left_out(name: str) -> None:
    config = {"image_processor_type": f"{name}ImageProcessor"}
    assert Preprocessor.load({**config, **WITHOUT_EFFECT}) == Preprocessor.load(config)


def test_a_pointer_of_git_lfs_is_named(tmp_path: Path) -> None:
    path = tmp_path / "preprocessor_config.json"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 450\n", encoding="utf-8")
    with pytest.raises(FileError, match="a pointer of Git LFS: get the file with git lfs pull"):
        Preprocessor.load(path)


def test_the_class_chooses_the_backend() -> None:
    pil = Preprocessor.load({"image_processor_type": "CLIPImageProcessorPil"})
    assert pil == Preprocessor.load(CLIP, backend="pil")
    assert pil != Preprocessor.load(CLIP)


@pytest.mark.parametrize("backend", huggingface.BACKENDS)
@pytest.mark.parametrize(
    "name", ["CLIP", "ViT", "DeiT", "Siglip", "Blip", "Bit", "Pvt", "ConvNext", "Levit", "PoolFormer"]
)
def test_written_configurations_are_read_back(name: str, backend: str) -> None:
    for changes in ({}, {"do_normalize": False}, {"do_rescale": False}, {"do_resize": False, "do_center_crop": False}):
        config = {"image_processor_type": f"{name}ImageProcessor", **changes}
        pre = Preprocessor.load(config, backend=backend)
        assert Preprocessor.load(pre.write("huggingface")) == pre


def test_written_constants_are_short() -> None:
    config = Preprocessor.load({"image_processor_type": "PvtImageProcessor"}).write("huggingface")
    assert config["image_mean"] == [0.485, 0.456, 0.406]
    assert config["rescale_factor"] == 1 / 255


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([ReverseChannels(), Layout()], "ReverseChannels"),
        ([Cast(), Layout()], "Cast"),
        ([Resize(Fill(224, 224), "bilinear", "pillow"), Layout()], "Fill"),
        ([Resize(Exact(224, 224), "bilinear", "opencv"), Layout()], "Resize"),
        ([Resize(ShortestEdge(224), "area", "torch"), Layout()], "area"),
        ([Resize(Exact(224, 224), "bilinear", "pillow")], "Resize"),
    ],
)
def test_steps_that_cannot_be_written_are_named(steps: Any, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        Preprocessor(steps).write("huggingface")


@pytest.mark.filterwarnings("ignore:the crop of:sizewise.errors.SizewiseWarning")
def test_the_page_lists_the_classes() -> None:
    made = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_huggingface.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run python docs/make_huggingface.py"


def test_transparency_is_written_and_read_back() -> None:
    for background in ((), (255.0, 255.0, 255.0)):
        pre = Preprocessor([Decode(background=background), Resize(Exact(64, 64), "bicubic", "pillow"), Layout()])
        config = pre.write("huggingface")
        assert config["do_convert_rgb"] == bool(background)
        assert Preprocessor.load(config) == pre
        assert Preprocessor.load(pre.to_dict()) == pre
    with pytest.raises(UnsupportedError, match="Decode"):
        Preprocessor([Decode(background=(9,)), Resize(Exact(64, 64), "bicubic", "pillow"), Layout()]).write(
            "huggingface"
        )


@pytest.mark.parametrize(
    "arguments", [{"background": (1, 2)}, {"background": (0,), "mode": "L"}, {"background": (0,), "decoder": "opencv"}]
)
def test_backgrounds_that_cannot_be_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="one or three values"):
        Decode(**arguments)
