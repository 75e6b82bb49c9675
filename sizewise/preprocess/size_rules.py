"""Size rules: from the size of an image to the size that it is resized to, with each library's own rounding.

A rule is a small value with a `name`; `rule.size((height, width))` returns (height, width). Its arithmetic is that of
the library it comes from, in Python floats, in the same order: another order rounds some sizes differently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..errors import ArgumentError, short_repr
from . import fields
from .rounding import require_rounding, round_to

Size = tuple[int, int]


class SizeRule:
    """Base class of the size rules; `name` is that of the JSON form.

    The `rounding` of a rule is "floor", "ceil", "int" (toward 0), "round" (halves to even) or "half_up".

    >>> rule = ShortestEdge(224, rounding="round")
    >>> isinstance(rule, SizeRule), rule.name, rule.size((480, 640))
    (True, 'shortest_edge', (224, 299))
    """

    name: ClassVar[str] = ""

    def size(self, input_size: Size) -> Size:
        """Return (height, width) of the result for an image of (height, width)."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        """Raise ArgumentError for a field of another type, a length below 1 or an unknown rounding."""
        fields.normalize(self)
        for field, value in vars(self).items():
            if field == "rounding":
                require_rounding(value)
            elif isinstance(value, (int, float)) and not isinstance(value, bool) and value <= 0:
                raise ArgumentError(f"size rule {self.name!r}: {field} is {short_repr(value)}; it must be positive")


@dataclass(frozen=True)
class Exact(SizeRule):
    """Resize to a fixed size, which may change the aspect ratio.

    >>> Exact(224, 224).size((480, 640))
    (224, 224)
    """

    name: ClassVar[str] = "exact"
    height: int
    width: int

    def size(self, input_size: Size) -> Size:
        return self.height, self.width


@dataclass(frozen=True)
class ShortestEdge(SizeRule):
    """Resize the shorter edge to `edge`, the longer in proportion: torchvision's `Resize(edge, max_size=max_edge)`.

    The longer edge is `edge * long / short`, rounded. If it exceeds `max_edge`, it becomes `max_edge`, and the shorter
    edge shrinks in proportion. Both are then rounded up to multiples of `multiple`, as by TextNet.

    >>> ShortestEdge(224).size((480, 640)), ShortestEdge(224, max_edge=256).size((480, 640))
    ((224, 298), (192, 256))
    """

    name: ClassVar[str] = "shortest_edge"
    edge: int
    max_edge: int | None = None
    rounding: str = "int"
    multiple: int = 1

    def size(self, input_size: Size) -> Size:
        height, width = (-(-n // self.multiple) * self.multiple for n in self._proportional(input_size))
        return height, width

    def _proportional(self, input_size: Size) -> Size:
        height, width = input_size
        short, long = min(input_size), max(input_size)
        new_short, new_long = self.edge, round_to(self.edge * long / short, self.rounding)
        if self.max_edge is not None and new_long > self.max_edge:
            new_short, new_long = round_to(self.max_edge * new_short / new_long, self.rounding), self.max_edge
        return (new_long, new_short) if width <= height else (new_short, new_long)


@dataclass(frozen=True)
class ShortestEdgeWithin(SizeRule):
    """Resize the shorter edge to `edge`, or less where the longer would exceed `max_edge`: the rule of the DETR family.

    Where the limit applies, the shorter edge is round(max_edge * short / long), and the longer one follows from the
    unrounded value. Both are then rounded up to multiples of `multiple`, as by MaskFormer.

    >>> ShortestEdgeWithin(800, 1333).size((480, 640)), ShortestEdgeWithin(800, 1333).size((480, 1000))
    ((800, 1066), (640, 1333))
    """

    name: ClassVar[str] = "shortest_edge_within"
    edge: int
    max_edge: int
    rounding: str = "int"
    multiple: int = 1

    def size(self, input_size: Size) -> Size:
        height, width = (math.ceil(n / self.multiple) * self.multiple for n in self._proportional(input_size))
        return height, width

    def _proportional(self, input_size: Size) -> Size:
        height, width = input_size
        edge, raw = self.edge, None
        short, long = float(min(input_size)), float(max(input_size))
        if long / short * edge > self.max_edge:
            raw = self.max_edge * short / long
            edge = round(raw)
        if (height <= width and height == edge) or (width <= height and width == edge):
            return input_size
        value = edge if raw is None else raw
        if width < height:
            return round_to(value * height / width, self.rounding), edge
        return edge, round_to(value * width / height, self.rounding)


@dataclass(frozen=True)
class LongestEdge(SizeRule):
    """Resize the longer edge to `edge`, the shorter in proportion: each length times edge / long, rounded.

    No length becomes less than `least`, which is 14 in DeepSeek-VL and Janus.

    >>> LongestEdge(1024).size((480, 640))
    (768, 1024)
    """

    name: ClassVar[str] = "longest_edge"
    edge: int
    rounding: str = "half_up"
    least: int = 1

    def size(self, input_size: Size) -> Size:
        scale = self.edge * 1.0 / max(input_size)
        height, width = (max(self.least, round_to(n * scale, self.rounding)) for n in input_size)
        return height, width


@dataclass(frozen=True)
class LongestEdgeExact(SizeRule):
    """Resize the longer edge to `edge`, the shorter to `edge * short / long`, rounded.

    It is torchvision's `v2.Resize(None, max_size=edge)`. The product comes first, where LongestEdge multiplies by a
    quotient: some sizes are rounded differently.

    >>> LongestEdgeExact(1024).size((480, 640))
    (768, 1024)
    """

    name: ClassVar[str] = "longest_edge_exact"
    edge: int
    rounding: str = "int"

    def size(self, input_size: Size) -> Size:
        short = round_to(self.edge * min(input_size) / max(input_size), self.rounding)
        if short < 1:
            raise ArgumentError(f"{self.name}: {input_size[0]}x{input_size[1]} is too narrow: an edge becomes 0")
        return (self.edge, short) if input_size[1] <= input_size[0] else (short, self.edge)


@dataclass(frozen=True)
class Fit(SizeRule):
    """Resize to the largest size of the same aspect ratio within (height, width): the first half of a letterbox.

    `enlarge=False` leaves images that are smaller already at their size.

    >>> Fit(640, 640).size((480, 1280)), Fit(640, 640, enlarge=False).size((48, 64))
    ((240, 640), (48, 64))
    """

    name: ClassVar[str] = "fit"
    height: int
    width: int
    rounding: str = "round"
    enlarge: bool = True

    def size(self, input_size: Size) -> Size:
        scale = min(self.height / input_size[0], self.width / input_size[1])
        if not self.enlarge:
            scale = min(scale, 1.0)
        height, width = (max(1, round_to(n * scale, self.rounding)) for n in input_size)
        return height, width


@dataclass(frozen=True)
class Fill(SizeRule):
    """Resize to the smallest size of the same aspect ratio around (height, width), to be cropped to it.

    >>> Fill(224, 224).size((480, 640))
    (224, 299)
    """

    name: ClassVar[str] = "fill"
    height: int
    width: int
    rounding: str = "round"

    def size(self, input_size: Size) -> Size:
        scale = max(self.height / input_size[0], self.width / input_size[1])
        height, width = (max(1, round_to(n * scale, self.rounding)) for n in input_size)
        return height, width


@dataclass(frozen=True)
class MultipleOf(SizeRule):
    """Resize each edge to a multiple of `multiple`, of at least one.

    `rounding` chooses the multiple: "floor" is that of GLPN.

    >>> MultipleOf(32).size((480, 650)), MultipleOf(32, "ceil").size((480, 650))
    ((480, 640), (480, 672))
    """

    name: ClassVar[str] = "multiple_of"
    multiple: int
    rounding: str = "floor"

    def size(self, input_size: Size) -> Size:
        height, width = (max(1, round_to(n / self.multiple, self.rounding)) * self.multiple for n in input_size)
        return height, width


@dataclass(frozen=True)
class ClosestScale(SizeRule):
    """Resize by the one of two scales that changes the image least, to multiples of `multiple`: the rule of DPT.

    Both edges are scaled by height / n or width / n, whichever is closer to 1; without `keep_aspect`, each by its own.

    >>> ClosestScale(384, 384, multiple=32).size((480, 640)), ClosestScale(384, 384, keep_aspect=False).size((480, 640))
    ((384, 512), (384, 384))
    """

    name: ClassVar[str] = "closest_scale"
    height: int
    width: int
    keep_aspect: bool = True
    multiple: int = 1

    def size(self, input_size: Size) -> Size:
        scales = [self.height / input_size[0], self.width / input_size[1]]
        if self.keep_aspect:
            scales = [scales[1] if abs(1 - scales[1]) < abs(1 - scales[0]) else scales[0]] * 2
        height, width = (self._constrain(scale * n) for scale, n in zip(scales, input_size, strict=True))
        return height, width

    def _constrain(self, length: float) -> int:
        rounded = round(length / self.multiple) * self.multiple
        return rounded or math.ceil(length / self.multiple) * self.multiple


@dataclass(frozen=True)
class AreaLimits(SizeRule):
    """Resize to multiples of `factor` with an area between two limits, in pixels: `smart_resize` of Qwen2-VL.

    >>> AreaLimits(28, 3136, 1003520).size((480, 640)), AreaLimits(28, 3136, 1003520).size((3000, 4000))
    ((476, 644), (840, 1148))
    """

    name: ClassVar[str] = "area_limits"
    factor: int
    min_pixels: int
    max_pixels: int
    max_aspect: float = 200.0

    def size(self, input_size: Size) -> Size:
        height, width = input_size
        if max(input_size) / min(input_size) > self.max_aspect:
            raise ArgumentError(
                f"the aspect ratio of {height}x{width} is {max(input_size) / min(input_size):.4g}; this rule takes at "
                f"most {self.max_aspect:.4g}"
            )
        factor = self.factor
        high, wide = round(height / factor) * factor, round(width / factor) * factor
        if high * wide > self.max_pixels:
            beta = math.sqrt((height * width) / self.max_pixels)
            high, wide = (max(factor, math.floor(n / beta / factor) * factor) for n in input_size)
            return high, wide
        if high * wide < self.min_pixels:
            beta = math.sqrt(self.min_pixels / (height * width))
            return math.ceil(height * beta / factor) * factor, math.ceil(width * beta / factor) * factor
        return high, wide


@dataclass(frozen=True)
class KeepRatio(SizeRule):
    """Divide both edges by one ratio and round: `ResizeKeepRatio` of timm and open_clip.

    The ratio is the larger of n / height and n / width with `inside`, else the smaller. Dividing rounds some sizes
    differently from the products of Fit and Fill.

    >>> KeepRatio(224, 224).size((480, 640)), KeepRatio(224, 224, inside=True).size((480, 640))
    ((224, 299), (168, 224))
    """

    name: ClassVar[str] = "keep_ratio"
    height: int
    width: int
    inside: bool = False

    def size(self, input_size: Size) -> Size:
        ratios = input_size[0] / self.height, input_size[1] / self.width
        ratio = max(ratios) if self.inside else min(ratios)
        height, width = (round(n / ratio) for n in input_size)
        if min(height, width) < 1:
            raise ArgumentError(f"keep_ratio: {input_size[0]}x{input_size[1]} is too narrow: an edge becomes 0")
        return height, width


RULES: dict[str, type[SizeRule]] = {
    rule.name: rule
    for rule in (
        Exact,
        ShortestEdge,
        ShortestEdgeWithin,
        LongestEdge,
        LongestEdgeExact,
        Fit,
        Fill,
        MultipleOf,
        ClosestScale,
        AreaLimits,
        KeepRatio,
    )
}
