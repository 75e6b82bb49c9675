"""The pipelines of transformers' image processors: from the values of a configuration to steps, by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import ArgumentError, UnsupportedError, short_repr
from ..margin_steps import PadAtLeast, PadTo, PadToMultiple, PadToSquare
from ..model_size_rules import (
    ClampedEdges,
    FitMultiple,
    FlooredEdges,
    FlooredShortestEdge,
    PatchLimit,
    Thumbnail,
)
from ..pointwise_steps import Normalize, Rescale
from ..size_rules import (
    AreaLimits,
    ClosestScale,
    Exact,
    Fill,
    Fit,
    LongestEdge,
    MultipleOf,
    ShortestEdge,
    ShortestEdgeWithin,
    SizeRule,
)
from ..steps import CenterCrop, PadBatch, Resize, ReverseChannels, Step
from ._common import color, positive
from ._huggingface_values import Values

Steps = list[Step]
Rule = Callable[[Values], SizeRule]
METHODS = {
    "pil": {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"},
    "torchvision": {0: "nearest-exact", 1: "lanczos", 2: "bilinear", 3: "bicubic"},
}


def resize(values: Values, rule: Rule, antialias: bool = True) -> Steps:
    """Return the resize by a rule, or nothing without do_resize."""
    if not values["do_resize"]:
        return []
    methods = METHODS[values.backend]
    resample = 3 if values.name == "HunYuanVL" else values["resample"]  # which ignores it
    if resample not in methods:
        known = ", ".join(f"{number} ({name})" for number, name in methods.items())
        raise UnsupportedError(f"resample {short_repr(resample)} of the {values.backend} backend; known are {known}")
    method = methods[resample]
    if values.backend == "pil":
        return [Resize(rule(values), method, "pillow")]
    if method == "lanczos" and not antialias:
        raise UnsupportedError(f"{values.name}ImageProcessor resizes without antialiasing, which lanczos does not have")
    return [Resize(rule(values), method, "torch", None if method == "nearest-exact" else antialias)]


def plain_rule(values: Values) -> SizeRule:
    """Return the rule that most classes share, by the entries of the size."""
    size = values.size("size")
    if set(size) == {"shortest_edge"}:
        return ShortestEdge(size["shortest_edge"])
    return bounded_rule(values)


def bounded_rule(values: Values, multiple: int = 1) -> SizeRule:
    """Return the rule of the DETR family, which takes no shortest edge alone; up to multiples, as by MaskFormer."""
    size = values.size("size")
    if set(size) == {"shortest_edge", "longest_edge"}:
        return ShortestEdgeWithin(size["shortest_edge"], size["longest_edge"], multiple=multiple)
    if set(size) == {"height", "width"}:
        return Exact(-(-size["height"] // multiple) * multiple, -(-size["width"] // multiple) * multiple)
    if set(size) == {"max_height", "max_width"} and multiple == 1:
        return Fit(size["max_height"], size["max_width"], rounding="int")
    raise values.unsupported("size", "; give height and width, or shortest_edge and longest_edge")


def crop(values: Values, key: str = "crop_size") -> Steps:
    """Return the crop, or nothing without do_center_crop."""
    return [center_crop(values, *values.fixed(key))] if values["do_center_crop"] else []


def center_crop(values: Values, height: int, width: int) -> CenterCrop:
    """Return a crop with the backend's rounding of margins."""
    return CenterCrop(height, width, pad_rounding="ceil" if values.backend == "pil" else "floor")


def scale(values: Values) -> Steps:
    """Return the steps that rescale and normalize."""
    if not values["do_normalize"]:
        return rescale(values)
    mean, std = constants(values)
    if values["do_rescale"] and values.backend == "torchvision":
        _require_factor(values)
        return [Normalize(fuse(mean, values["rescale_factor"]), fuse(std, values["rescale_factor"]))]
    return [*rescale(values), Normalize(mean, std)]


def rescale(values: Values) -> Steps:
    """Return the rescaling, or nothing without do_rescale."""
    compute = "float64" if values.backend == "pil" else "float32"
    if values["do_rescale"]:
        _require_factor(values)
    return [Rescale(values["rescale_factor"], compute=compute)] if values["do_rescale"] else []


def _require_factor(values: Values) -> None:
    factor = values["rescale_factor"]
    if not isinstance(factor, (int, float)) or isinstance(factor, bool) or factor == 0:
        raise ArgumentError(f"rescale_factor of {values.name}ImageProcessor is {short_repr(factor)}; give a number")


def normalize(values: Values) -> Steps:
    """Return the normalizing by itself, or nothing without do_normalize."""
    return [Normalize(*constants(values))] if values["do_normalize"] else []


def constants(values: Values) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the mean and std."""
    given = values["image_mean"], values["image_std"]
    if None in given:
        raise ArgumentError(f"{values.name}ImageProcessor has do_normalize, but no image_mean and image_std")
    mean, std = color(given[0]), color(given[1])
    if 0.0 in std:
        raise ArgumentError(f"image_std of {values.name}ImageProcessor is {short_repr(given[1])}; no entry may be 0")
    return mean, std


def fuse(values: Sequence[float], factor: float) -> tuple[float, ...]:
    """Return constants divided by the scale, rounded to float32 as transformers does."""
    return tuple(float(np.float32(value) * np.float32(1.0 / factor)) for value in values)


def pad(values: Values) -> Steps:
    """Return the padding to pad_size or to the largest of a batch, or nothing without do_pad."""
    if not values["do_pad"]:
        return []
    return [PadBatch()] if values["pad_size"] is None else [PadTo(*values.fixed("pad_size"), position="start")]


def mean_color(values: Values) -> tuple[float, ...]:
    """Return the mean as a color of bytes, with which LLaVA and Janus pad."""
    return tuple(float(int(x * 255)) for x in color(values["image_mean"]))


def standard(values: Values) -> Steps:
    return [*unpadded(values), *pad(values)]


def unpadded(values: Values) -> Steps:
    return [*resize(values, plain_rule), *crop(values), *scale(values)]


def uncropped(values: Values) -> Steps:
    return [*resize(values, plain_rule), *scale(values)]


def aliased(values: Values) -> Steps:
    return [*resize(values, plain_rule, antialias=False), *crop(values), *scale(values), *pad(values)]


def _crop_pct(values: Values) -> float:
    return positive(f"crop_pct of {values.name}ImageProcessor", values["crop_pct"])


def convnext(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        edge = values.edge("size", "shortest_edge")
        return Exact(edge, edge) if edge >= 384 else ShortestEdge(int(edge / _crop_pct(values)))

    steps = resize(values, rule)
    edge = values.size("size").get("shortest_edge", 384)
    if steps and edge < 384:
        steps.append(center_crop(values, edge, edge))
    return [*steps, *crop(values), *scale(values)]


def poolformer(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        size, part = values.size("size"), _crop_pct(values)
        if set(size) == {"shortest_edge"} or (set(size) == {"height", "width"} and size["height"] == size["width"]):
            return ShortestEdge(int(next(iter(size.values())) / part))
        height, width = values.fixed("size")
        return Exact(int(height / part), int(width / part))

    return [*resize(values, rule), *crop(values), *scale(values), *pad(values)]


def levit(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        size = values.size("size")
        is_short = "shortest_edge" in size
        return ShortestEdge(int(256 / 224 * size["shortest_edge"])) if is_short else plain_rule(values)

    return [*resize(values, rule), *crop(values), *scale(values), *pad(values)]


def mobilevit(values: Values) -> Steps:
    flip: Steps = [ReverseChannels()] if values["do_flip_channel_order"] else []
    return [*resize(values, plain_rule), *crop(values), *rescale(values), *flip]


def flava(values: Values) -> Steps:
    return unpadded(values)


def idefics(values: Values) -> Steps:
    height, width = values.fixed("size")
    edge = values["image_size"]  # which wins over the size
    if edge is None:
        return standard(values)
    if height != width:
        raise values.unsupported("size")
    return [*resize(values, lambda _: Exact(edge, edge)), *crop(values), *scale(values), *pad(values)]


def layoutlmv2(values: Values) -> Steps:
    return [*resize(values, plain_rule), ReverseChannels()]


def superpoint(values: Values) -> Steps:
    return [*resize(values, plain_rule), *rescale(values)]


def glpn(values: Values) -> Steps:
    return [*resize(values, lambda values: MultipleOf(values["size_divisor"])), *scale(values)]


def dpt(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        keep, multiple = values["keep_aspect_ratio"], values["ensure_multiple_of"]
        return ClosestScale(*values.fixed("size"), keep_aspect=keep, multiple=multiple)

    # PromptDepthAnything does not crop, nor does the Pillow backend of DPT.
    is_cropped = values.name != "PromptDepthAnything" and values.backend == "torchvision"
    is_padded = values["do_pad"] and values["size_divisor"]
    margins: Steps = [PadToMultiple(values["size_divisor"], position="center")] if is_padded else []
    return [*resize(values, rule), *(crop(values) if is_cropped else []), *scale(values), *margins]


def sam(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        return LongestEdge(values.edge("size", "longest_edge"))

    return [*resize(values, rule), *crop(values), *scale(values), *pad(values)]


def llava(values: Values) -> Steps:
    square: Steps = [PadToSquare(fill=mean_color(values))] if values["do_pad"] else []
    return [*square, *unpadded(values)]


def janus(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        height, width = values.fixed("size")
        if height != width:
            raise values.unsupported("size")
        return LongestEdge(height, "round", values["min_size"])

    square: Steps = [PadToSquare(fill=mean_color(values))] if values["do_pad"] else []
    return [*resize(values, rule), *square, *scale(values)]


def detr(values: Values) -> Steps:
    return [*resize(values, bounded_rule), *scale(values), *pad(values)]


def yolos(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        size = values.size("size")
        if set(size) != {"shortest_edge", "longest_edge"}:
            return bounded_rule(values)
        return FlooredShortestEdge(size["shortest_edge"], size["longest_edge"], 16)

    return [*resize(values, rule), *scale(values), *pad(values)]


def rf_detr(values: Values) -> Steps:
    floats = [*rescale(values), *resize(values, bounded_rule, antialias=False)]
    return [*floats, *normalize(values), *pad(values)]


def dinov3(values: Values) -> Steps:
    return [*rescale(values), *resize(values, plain_rule), *crop(values), *normalize(values)]


def depth_pro(values: Values) -> Steps:
    return [*scale(values), *resize(values, plain_rule, antialias=False)]


def maskformer(values: Values) -> Steps:
    is_fixed = values["pad_size"] is not None and values.name != "OneFormer"
    margins: Step = PadTo(*values.fixed("pad_size"), position="start") if is_fixed else PadBatch()
    rule = lambda values: bounded_rule(values, values["size_divisor"] or 1)  # noqa: E731
    return [*resize(values, rule), *scale(values), margins]


def eomt(values: Values) -> Steps:
    margins: Steps = []
    if values["do_pad"]:
        size = values.size("size")
        if "shortest_edge" not in size:
            raise values.unsupported("size")
        edge = size["shortest_edge"]
        margins = [PadAtLeast(edge, size.get("longest_edge", edge), position="start")]
    return [*resize(values, plain_rule), *margins, *scale(values)]


def sapiens2(values: Values) -> Steps:
    if not values["do_pad"]:
        return unpadded(values)
    height, width = values.fixed("size")
    steps = resize(values, lambda _: Fit(height, width, "int"))
    return [*steps, *([center_crop(values, height, width)] if steps else []), *crop(values), *scale(values)]


def efficientnet(values: Values) -> Steps:
    steps = [*resize(values, plain_rule), *crop(values)]
    if values["do_rescale"] and values["rescale_offset"]:  # minus 1, in float32
        steps += [*rescale(values), Rescale(1.0, -1.0), *normalize(values)]
    else:
        steps += scale(values)
    return [*steps, *([Normalize((0.0,), constants(values)[1])] if values["include_top"] else [])]


def vilt_rule(values: Values) -> SizeRule:
    """Return the rule of ViLT and BridgeTower."""
    edge = values.edge("size", "shortest_edge")
    return FlooredEdges(edge, int(1333 / 800 * edge), values["size_divisor"])


def vilt(values: Values) -> Steps:
    return [*resize(values, vilt_rule), *scale(values), *([PadBatch()] if values["do_pad"] else [])]


def bridgetower(values: Values) -> Steps:
    edge = values.edge("crop_size", "shortest_edge")
    crops: Steps = [center_crop(values, edge, edge)] if values["do_center_crop"] else []
    return [*resize(values, vilt_rule), *crops, *scale(values), *([PadBatch()] if values["do_pad"] else [])]


def textnet(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        return ShortestEdge(values.edge("size", "shortest_edge"), multiple=values["size_divisor"])

    return [*resize(values, rule), *crop(values), *scale(values)]


def pplcnet(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        if values["size_divisor"] not in (None, 1):
            raise values.unsupported("size_divisor")
        return Fill(values["resize_short"], values["resize_short"])

    return [*resize(values, rule), *crop(values), *scale(values), ReverseChannels()]


def pixtral(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        size, patch = values.size("size"), values.fixed("patch_size")
        if patch[0] != patch[1]:
            raise values.unsupported("patch_size")
        edge = size.get("longest_edge")
        height, width = values.fixed("size") if edge is None else (edge, edge)
        return FitMultiple(height, width, patch[0])

    margins: Steps = [PadBatch()] if values["do_pad"] else []
    return [*resize(values, rule), *crop(values), *scale(values), *margins]


def idefics2(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        size = values.size("size")
        if set(size) == {"shortest_edge", "longest_edge"}:
            return ClampedEdges(size["shortest_edge"], size["longest_edge"])
        return Exact(*values.fixed("size"))

    return [*resize(values, rule), *scale(values), *([PadBatch()] if values["do_pad"] else [])]


def siglip2(values: Values) -> Steps:
    return [*resize(values, lambda values: PatchLimit(values["patch_size"], values["max_num_patches"])), *scale(values)]


def donut(values: Values) -> Steps:
    height, width = values.fixed("size")
    steps = resize(values, lambda _: ShortestEdge(min(height, width)))
    if values["do_thumbnail"]:
        resample = values["resample"] or (3 if values.backend == "pil" else 0)  # by Pillow, nearest becomes bicubic
        given = {**values.values, "do_resize": True, "resample": resample}
        forced = Values(values.name, values.kind, values.backend, given, {})
        steps += resize(forced, lambda _: Thumbnail(height, width))
    if values["do_pad"]:
        steps.append(PadTo(height, width))
    return [*steps, *crop(values), *scale(values)]


def fuyu(values: Values) -> Steps:
    height, width = values.fixed("size")
    if values["padding_mode"] != "constant":
        raise values.unsupported("padding_mode")
    fill = (float(values["padding_value"]),)
    margins: Steps = [PadTo(height, width, position="start", fill=fill)] if values["do_pad"] else []
    return [*resize(values, lambda _: Fit(height, width, "int", enlarge=False)), *margins, *scale(values)]


def qwen2_vl(values: Values) -> Steps:
    def rule(values: Values) -> SizeRule:
        size = values.size("size")
        least, limit = (values[key] or size.get(edge) for key, edge in _AREA)
        if least is None or limit is None:
            raise values.unsupported("size")
        return AreaLimits(values["patch_size"] * values["merge_size"], least, limit)

    return [*resize(values, rule), *scale(values)]


_AREA = (("min_pixels", "shortest_edge"), ("max_pixels", "longest_edge"))
PIPELINES: dict[str, Callable[[Values], Steps]] = {
    pipeline.__name__: pipeline
    for pipeline in (
        *(standard, unpadded, uncropped, aliased, convnext, poolformer, levit, mobilevit, layoutlmv2, superpoint),
        *(flava, idefics),
        *(glpn, dpt, sam, llava, janus, detr, yolos, rf_detr, dinov3, depth_pro, maskformer, eomt, sapiens2),
        *(efficientnet, vilt, bridgetower, textnet, pplcnet, pixtral, idefics2, siglip2, donut, fuyu, qwen2_vl),
    )
}
