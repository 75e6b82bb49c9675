"""Preprocessors: the input recipe of a model as a list of steps; readers and writers of other libraries' configs.

A step takes images (height, width, channels); a size rule is the size of a `Resize`. Sizes are (height, width).
Arguments that many of them have:

- `rounding`, of lengths and offsets: "floor", "ceil", "int" (toward 0), "round" (halves to even) or "half_up".
- `fill`, the color of margins: one value, or one for each channel, on the scale of the image at that step.
- `compute`, the dtype of the arithmetic.
"""

from __future__ import annotations

from .aspect_steps import CropOrResize, CropToAspect, PadToAspect
from .features import Features
from .margin_steps import CropInside, PadAtLeast, PadBy, PadTo, PadToMultiple, PadToSquare
from .model_size_rules import (
    ClampedEdges,
    FitMultiple,
    FlooredEdges,
    FlooredShortestEdge,
    PatchLimit,
    Thumbnail,
)
from .pointwise_steps import Cast, Normalize, Rescale, ToUnitRange
from .preprocessor import Preprocessor
from .size_rules import (
    AreaLimits,
    ClosestScale,
    Exact,
    Fill,
    Fit,
    KeepRatio,
    LongestEdge,
    LongestEdgeExact,
    MultipleOf,
    ShortestEdge,
    ShortestEdgeWithin,
    SizeRule,
)
from .steps import CenterCrop, CropBox, Decode, Layout, PadBatch, Resize, ReverseChannels, Step

__all__ = [
    "AreaLimits",
    "Cast",
    "CenterCrop",
    "ClampedEdges",
    "ClosestScale",
    "CropBox",
    "CropInside",
    "CropOrResize",
    "CropToAspect",
    "Decode",
    "Exact",
    "Features",
    "Fill",
    "Fit",
    "FitMultiple",
    "FlooredEdges",
    "FlooredShortestEdge",
    "KeepRatio",
    "Layout",
    "LongestEdge",
    "LongestEdgeExact",
    "MultipleOf",
    "Normalize",
    "PadAtLeast",
    "PadBatch",
    "PadBy",
    "PadTo",
    "PadToAspect",
    "PadToMultiple",
    "PadToSquare",
    "PatchLimit",
    "Preprocessor",
    "Rescale",
    "Resize",
    "ReverseChannels",
    "ShortestEdge",
    "ShortestEdgeWithin",
    "SizeRule",
    "Step",
    "Thumbnail",
    "ToUnitRange",
]
__dir__ = __all__.copy
