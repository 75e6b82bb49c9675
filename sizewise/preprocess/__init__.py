"""Preprocessors: the input recipe of a model as a list of steps; readers and writers of other libraries' configs."""

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
