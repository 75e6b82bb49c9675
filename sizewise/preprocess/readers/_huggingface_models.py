"""Image processors by the `model_type` of a model's config.json, where a configuration names no class."""

from __future__ import annotations

from ._huggingface_classes import CLASSES
from ._huggingface_refused import REFUSED

# Class without "ImageProcessor" -> the models that have another name.
_MODELS = {
    "Beit": "data2vec-vision",
    "Bit": "dinov2 focalnet hiera pixio",
    "Blip": "blip-2 instructblip",
    "CLIP": "aimv2 aimv2_vision_model altclip florence2 git groupvit kosmos-2 metaclip_2 mlcd vipllava xclip",
    "ConvNext": "convnextv2 cvt regnet resnet",
    "DPT": "depth_anything",
    "DeformableDetr": "lw_detr",
    "Detr": "omdet-turbo table-transformer",
    "Donut": "donut-swin",
    "EfficientNet": "align",
    "Eomt": "eomt_dinov3",
    "Gemma3": "shieldgemma2 t5gemma2 t5gemma2_encoder",
    "GotOcr2": "aya_vision internvl qianfan_ocr",
    "GroundingDino": "mm-grounding-dino",
    "LayoutLMv2": "layoutxlm",
    "LayoutLMv3": "udop",
    "MobileViT": "mobilevitv2",
    "Pixtral": "lighton_ocr mistral3 mistral_large4",
    "Pvt": "pvt_v2",
    "Qwen2VL": "colqwen2 cosmos3_omni dots3_note exaone4_5 hyperclovax_vision_v2 lfm3_vl qwen2_5_omni qwen2_5_vl "
    "qwen3_5 qwen3_5_moe qwen3_omni_moe qwen3_vl qwen4_exp",
    "RTDetr": "deimv2",
    "Sam": "sam_hq",
    "Sam2": "edgetam sam2_video",
    "Sam3": "sam3_lite_text sam3_tracker sam3_tracker_video sam3_video",
    "Segformer": "upernet",
    "Siglip": "colpali gemma3n paligemma",
    "VideoMAE": "timesformer",
    "ViT": "clipseg dinat ijepa mgp-str swiftformer swin swinv2 trocr vit_mae vit_msn",
}
_CLASSES = {model: short for short, models in _MODELS.items() for model in models.split()}
_BY_NAME = {short.replace("_", "").lower(): short for short in (*REFUSED, *reversed(CLASSES))}


def class_of(model_type: str) -> str | None:
    """Return the image processor of a kind of model; None if it has none, or is not known.

    >>> class_of("vit"), class_of("resnet"), class_of("bert")
    ('ViTImageProcessor', 'ConvNextImageProcessor', None)
    """
    short = _CLASSES.get(model_type) or _BY_NAME.get(model_type.replace("-", "").replace("_", ""))
    return f"{short}ImageProcessor" if short else None
