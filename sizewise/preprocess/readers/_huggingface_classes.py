"""Image processor classes of transformers 5 that are read: pipelines, defaults and keys."""

from __future__ import annotations

from typing import Any

IMAGENET = {"image_mean": (0.485, 0.456, 0.406), "image_std": (0.229, 0.224, 0.225)}
CLIP = {
    "image_mean": (0.48145466, 0.4578275, 0.40821073),
    "image_std": (0.26862954, 0.26130258, 0.27577711),
}
HALF = {"image_mean": (0.5, 0.5, 0.5), "image_std": (0.5, 0.5, 0.5)}
BASE: dict[str, Any] = {
    "do_resize": True,
    "do_center_crop": False,
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "do_pad": False,
    "do_convert_rgb": False,
}


def _square(edge: int) -> dict[str, int]:
    return {"height": edge, "width": edge}


def _crop(edge: int) -> dict[str, Any]:
    return {"do_center_crop": True, "crop_size": _square(edge)}


def _area(least: int, limit: int, patch: int, merge: int = 2, frames: int = 2) -> dict[str, Any]:
    size = {"size": {"shortest_edge": least, "longest_edge": limit}, "resample": 3, **_RGB}
    return {**size, "patch_size": patch, "temporal_patch_size": frames, "merge_size": merge}


_RGB = {"do_convert_rgb": True}
_CLIP = {"size": {"shortest_edge": 224}, "resample": 3, **_crop(224), **CLIP, **_RGB}
_MOBILENET = {"size": {"shortest_edge": 256}, "resample": 2, **_crop(224), **HALF}
_DETR = {"size": {"shortest_edge": 800, "longest_edge": 1333}, "resample": 2, "do_pad": True, **IMAGENET}
_MASKFORMER = {**_DETR, "size_divisor": 32}
_DOC_LAYOUT = {"size": _square(800), "resample": 3, "image_mean": (0, 0, 0), "image_std": (1, 1, 1)}
_TIPS = {"size": _square(448), "resample": 2, "do_normalize": False, **_RGB}
_JANUS = {"size": _square(384), "resample": 3, "do_pad": True, "min_size": 14, **CLIP}
_DPT = {"size": _square(384), "resample": 3, "ensure_multiple_of": 1, "keep_aspect_ratio": False, **HALF}
_ERNIE = {**_area(3136, 4842768, 14, frames=1), **CLIP}
_TILES = {"size": _square(384), "resample": 3, "crop_to_patches": False, **CLIP, **_RGB}

# Class without "ImageProcessor" -> its pipeline in `_huggingface_pipelines`, and defaults besides BASE.
CLASSES: dict[str, tuple[str, dict[str, Any]]] = {
    "Beit": ("unpadded", {"size": _square(224), "resample": 3, "crop_size": _square(224), **HALF}),
    "Bit": ("standard", _CLIP),
    "Blip": ("standard", {"size": _square(384), "resample": 3, **CLIP, **_RGB}),
    "BridgeTower": (
        "bridgetower",
        {
            "size": {"shortest_edge": 288},
            "resample": 3,
            "do_center_crop": True,
            "crop_size": {"shortest_edge": 288},
            "do_pad": True,
            "size_divisor": 32,
            **CLIP,
        },
    ),
    "CHMv2": (
        "dpt",
        {
            **_DPT,
            "do_resize": False,
            "do_pad": True,
            "ensure_multiple_of": 16,
            "keep_aspect_ratio": True,
            "size_divisor": 16,
            "image_mean": (0.42, 0.411, 0.296),
            "image_std": (0.213, 0.156, 0.143),
        },
    ),
    "CLIP": ("standard", _CLIP),
    "Chameleon": (
        "standard",
        {
            "size": {"shortest_edge": 512},
            "resample": 1,
            "rescale_factor": 0.0078,
            **_crop(512),
            "image_mean": (1.0, 1.0, 1.0),
            "image_std": (1.0, 1.0, 1.0),
            **_RGB,
        },
    ),
    "ChineseCLIP": ("standard", _CLIP),
    "CohereCompass": ("qwen2_vl", {**_area(3136, 1003520, 14), **CLIP}),
    "ConditionalDetr": ("detr", _DETR),
    "ConvNext": ("convnext", {"size": {"shortest_edge": 384}, "resample": 3, "crop_pct": 224 / 256, **HALF}),
    "DINOv3ViT": ("dinov3", {"size": _square(224), "resample": 2, **IMAGENET}),
    "DPT": ("dpt", _DPT),
    "DeepseekVL": ("janus", _JANUS),
    "DeformableDetr": ("detr", _DETR),
    "DeiT": ("standard", {"size": _square(256), "resample": 3, **_crop(224), **HALF}),
    "DepthPro": ("depth_pro", {"size": _square(1536), "resample": 2, **HALF}),
    "Detr": ("detr", _DETR),
    "Donut": (
        "donut",
        {"size": {"height": 2560, "width": 1920}, "resample": 2, "do_thumbnail": True, "do_pad": True, **HALF},
    ),
    "EfficientNet": (
        "efficientnet",
        {
            "size": _square(346),
            "resample": 3,
            "crop_size": _square(289),
            "rescale_offset": False,
            "include_top": True,
            **HALF,
        },
    ),
    "Eomt": ("eomt", {"size": {"shortest_edge": 640, "longest_edge": 640}, "resample": 2, **IMAGENET}),
    "Ernie4_5_VLMoe": ("qwen2_vl", _ERNIE),
    "Ernie4_5_VL_Moe": ("qwen2_vl", _ERNIE),
    "Flava": ("flava", {"size": _square(224), "resample": 3, **_crop(224), **CLIP}),
    "Fuyu": (
        "fuyu",
        {
            "size": {"height": 1080, "width": 1920},
            "resample": 2,
            "do_pad": True,
            "padding_value": 1.0,
            "padding_mode": "constant",
            "image_mean": 0.5,
            "image_std": 0.5,
        },
    ),
    "GLPN": ("glpn", {"resample": 2, "size_divisor": 32, "do_normalize": False}),
    "Gemma3": ("uncropped", {"size": _square(224), "resample": 2, **HALF, **_RGB}),
    "GotOcr2": ("uncropped", _TILES),
    "GroundingDino": ("detr", _DETR),
    "HunYuanVL": ("qwen2_vl", {**_area(512 * 512, 2048 * 2048, 16, frames=1), **CLIP}),
    "Idefics": ("idefics", {"size": _square(224), "resample": 3, **CLIP, **_RGB}),
    "Idefics2": (
        "idefics2",
        {"size": {"shortest_edge": 378, "longest_edge": 980}, "resample": 2, "do_pad": True, **HALF, **_RGB},
    ),
    "Janus": ("janus", _JANUS),
    "LayoutLMv2": ("layoutlmv2", {"size": _square(224), "resample": 2}),
    "LayoutLMv3": ("unpadded", {"size": _square(224), "resample": 2, **HALF}),
    "Levit": ("levit", {"size": {"shortest_edge": 224}, "resample": 3, **_crop(224), **IMAGENET}),
    "Llava": ("llava", _CLIP),
    "Mask2Former": ("maskformer", _MASKFORMER),
    "MaskFormer": ("maskformer", _MASKFORMER),
    "MiniMaxM3VL": ("qwen2_vl", {**_area(3136, 451584, 14), **CLIP}),
    "MobileNetV1": ("standard", _MOBILENET),
    "MobileNetV2": ("unpadded", _MOBILENET),
    "MobileViT": (
        "mobilevit",
        {
            "size": {"shortest_edge": 224},
            "resample": 3,
            "do_normalize": False,
            "do_flip_channel_order": True,
            **_crop(256),
        },
    ),
    "OneFormer": ("maskformer", {**_DETR, **_RGB}),
    "Ovis2": ("unpadded", _TILES),
    "OwlViT": ("standard", {"size": _square(768), "resample": 3, "crop_size": _square(768), **CLIP, **_RGB}),
    "PI0": (
        "standard",
        {
            "size": {"max_height": 224, "max_width": 224},
            "resample": 3,
            "do_pad": True,
            "pad_size": _square(224),
            **HALF,
            **_RGB,
        },
    ),
    "PPChart2Table": ("standard", {"size": _square(1024), "resample": 3, **CLIP}),
    "PPDocLayoutV2": ("aliased", _DOC_LAYOUT),
    "PPDocLayoutV3": ("aliased", _DOC_LAYOUT),
    "PPLCNet": (
        "pplcnet",
        {
            "size": _square(256),
            "resample": 2,
            "resize_short": 256,
            "size_divisor": 1,
            **_crop(224),
            "image_mean": (0.406, 0.456, 0.485),
            "image_std": (0.225, 0.224, 0.229),
        },
    ),
    "Pixtral": (
        "pixtral",
        {
            "size": {"longest_edge": 1024},
            "resample": 3,
            "patch_size": _square(16),
            "do_pad": True,
            **CLIP,
            **_RGB,
        },
    ),
    "PoolFormer": (
        "poolformer",
        {"size": {"shortest_edge": 224}, "resample": 3, "crop_pct": 0.9, **_crop(224), **IMAGENET},
    ),
    "PromptDepthAnything": ("dpt", _DPT),
    "Pvt": ("standard", {"size": _square(224), "resample": 3, **IMAGENET}),
    "Qwen2VL": ("qwen2_vl", {**_area(3136, 1003520, 14), **CLIP}),
    "RTDetr": ("detr", {"size": _square(640), "resample": 2, "do_normalize": False, **IMAGENET}),
    "RfDetr": ("rf_detr", _DETR),
    "Sam": (
        "sam",
        {
            "size": {"longest_edge": 1024},
            "resample": 2,
            "do_pad": True,
            "pad_size": _square(1024),
            **IMAGENET,
            **_RGB,
        },
    ),
    "Sam2": ("standard", {"size": _square(1024), "resample": 2, **IMAGENET, **_RGB}),
    "Sam3": ("standard", {"size": _square(1008), "resample": 2, **HALF, **_RGB}),
    "Sapiens2": (
        "sapiens2",
        {"size": {"height": 1024, "width": 768}, "resample": 2, "crop_size": _square(224), **IMAGENET},
    ),
    "SegGpt": ("uncropped", {"size": _square(448), "resample": 3, **IMAGENET, **_RGB}),
    "Segformer": ("uncropped", {"size": _square(512), "resample": 2, **IMAGENET}),
    "Siglip": ("standard", {"size": _square(224), "resample": 3, **HALF, **_RGB}),
    "Siglip2": ("siglip2", {"resample": 2, "patch_size": 16, "max_num_patches": 256, **HALF}),
    "SuperPoint": ("superpoint", {"size": {"height": 480, "width": 640}, "resample": 2, "do_normalize": False}),
    "TextNet": (
        "textnet",
        {
            "size": {"shortest_edge": 640},
            "resample": 2,
            "size_divisor": 32,
            "crop_size": _square(224),
            **IMAGENET,
            **_RGB,
        },
    ),
    "Tipsv2": ("standard", _TIPS),
    "Tipsv2Dpt": ("standard", _TIPS),
    "ViT": ("standard", {"size": _square(224), "resample": 2, **HALF}),
    "VideoLlama3": ("qwen2_vl", {**_area(3136, 1003520, 14, 1, 1), **HALF}),
    "VideoMAE": ("unpadded", {"size": {"shortest_edge": 224}, "resample": 2, **_crop(224), **HALF}),
    "Vilt": ("vilt", {"size": {"shortest_edge": 384}, "resample": 3, "do_pad": True, "size_divisor": 32, **HALF}),
    "Yolos": ("yolos", _DETR),
}
# Classes without a backend of Pillow.
TORCHVISION_ONLY = (
    *("CHMv2", "DINOv3ViT", "DepthPro", "MiniMaxM3VL", "PI0", "PPDocLayoutV2", "PPDocLayoutV3", "PPLCNet", "RfDetr"),
    *("Sam2", "Sam3", "Sapiens2", "Tipsv2", "Tipsv2Dpt"),
)
# Classes where an integer as size is a shortest edge, though their default is a height and a width.
EDGE_CLASSES = ("PI0", "RTDetr", "Siglip", "SuperPoint")
# Keys that, where they are true, make something else of the image than one array of pixels by the steps here.
PARTS = {
    "do_pan_and_scan": "it adds crops of the image to the batch",
    "crop_to_patches": "it cuts the image into tiles",
    "do_split_image": "it cuts the image into tiles",
    "do_image_splitting": "it cuts the image into tiles",
    "do_grayscale": "it makes the image gray by the weights of the backend",
    "do_align_long_axis": "it rotates the image",
    "return_codebook_pixels": "it returns a second image",
    "return_image_mask": "it draws a random mask",
}
# Keys that do not change the pixels of an RGB image.
WITHOUT_EFFECT = (
    *("image_processor_type", "feature_extractor_type", "processor_class", "_processor_class", "auto_map", "use_fast"),
    *("return_tensors", "data_format", "input_data_format", "device", "disable_grouping"),
    *("_valid_kwargs_names", "_valid_processor_keys", "model_input_names", "model_type", "backend", "image_seq_length"),
    *("do_reduce_labels", "reduce_labels", "ignore_index", "num_labels", "format", "do_convert_annotations"),
    *("mask_size", "mask_pad_size", "repo_path", "class_info_file", "num_text", "metadata", "transformers_version"),
    *("apply_ocr", "ocr_lang", "tesseract_config", "prompt_scale_to_meter", "image_num_channels", "background_color"),
    *("min_patches", "max_patches", "use_covering_area_grid", "keypoint_heatmap_downscale_factor"),
    *("keypoint_heatmap_sigma", "pan_and_scan_min_crop_size", "pan_and_scan_max_num_crops"),
    "pan_and_scan_min_ratio_to_activate",
    # Of older releases, which transformers 5 does not read.
    *("size_divisibility", "target_height", "target_width", "vision_token_id"),
    # Of audio, where one configuration holds both.
    *("chunk_length", "dither", "feature_size", "hop_length", "n_fft", "n_samples", "nb_max_frames", "padding_side"),
    *("return_attention_mask", "sampling_rate"),
)
COMMON = (*BASE, "default_to_square", "size", "resample", "crop_size", "pad_size", "image_mean", "image_std", *PARTS)
_CODEBOOK = tuple(
    f"codebook_{key}"
    for key in (
        *("do_resize", "size", "resample", "do_center_crop", "crop_size", "do_rescale", "rescale_factor"),
        *("do_map_pixels", "do_normalize", "image_mean", "image_std"),
    )
)
# Keys of a pipeline besides COMMON.
OWN: dict[str, tuple[str, ...]] = {
    "convnext": ("crop_pct",),
    "poolformer": ("crop_pct",),
    "mobilevit": ("do_flip_channel_order",),
    "glpn": ("size_divisor",),
    "dpt": ("ensure_multiple_of", "keep_aspect_ratio", "size_divisor"),
    "detr": ("max_size", "pad_and_return_pixel_mask"),
    "yolos": ("max_size", "pad_and_return_pixel_mask"),
    "rf_detr": ("max_size", "pad_and_return_pixel_mask"),
    "maskformer": ("max_size", "size_divisor"),
    "janus": ("min_size",),
    "vilt": ("size_divisor",),
    "bridgetower": ("size_divisor",),
    "textnet": ("size_divisor",),
    "pplcnet": ("size_divisor", "resize_short"),
    "efficientnet": ("rescale_offset", "include_top"),
    "idefics": ("image_size",),
    "donut": ("do_thumbnail",),
    "fuyu": ("padding_value", "padding_mode", "patch_size"),
    "pixtral": ("patch_size",),
    "siglip2": ("patch_size", "max_num_patches"),
    "qwen2_vl": (
        *("min_pixels", "max_pixels", "patch_size", "temporal_patch_size", "merge_size", "spatial_patch_size"),
        "padding_value",  # of audio
    ),
    "flava": (
        *("input_size_patches", "total_mask_patches", "mask_group_min_patches", "mask_group_max_patches"),
        *("mask_group_min_aspect_ratio", "mask_group_max_aspect_ratio", *_CODEBOOK),
    ),
}
