"""Size rules of single families of models, besides those of `size_rules`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..errors import ArgumentError
from .size_rules import RULES, Size, SizeRule


@dataclass(frozen=True)
class FlooredEdges(SizeRule):
    """Resize the shorter edge to `edge`, the longer to at most `max_edge`, down to multiples: ViLT and BridgeTower.

    Both edges are rounded half up, then down to multiples of `multiple`.

    >>> FlooredEdges(384, 639, 32).size((480, 640)), FlooredEdges(384, 639, 32).size((480, 1000))
    ((384, 512), (288, 608))
    """

    name: ClassVar[str] = "floored_edges"
    edge: int
    max_edge: int
    multiple: int

    def size(self, input_size: Size) -> Size:
        scale = self.edge / min(input_size)
        edges: list[float] = [scale * n for n in input_size]
        edges[0 if input_size[0] < input_size[1] else 1] = self.edge
        if max(edges) > self.max_edge:
            scale = self.max_edge / max(edges)
            edges = [scale * n for n in edges]
        return _at_least_one(self, input_size, [int(n + 0.5) // self.multiple * self.multiple for n in edges])


@dataclass(frozen=True)
class FlooredShortestEdge(SizeRule):
    """Resize as `ShortestEdgeWithin`, then down to multiples of `multiple`: the rule of YOLOS.

    An image whose shorter edge is right already is resized too, where it is portrait and `max_edge` applies.

    >>> FlooredShortestEdge(800, 1333, 16).size((480, 640)), FlooredShortestEdge(800, 1333, 16).size((480, 1000))
    ((800, 1056), (640, 1328))
    """

    name: ClassVar[str] = "floored_shortest_edge"
    edge: int
    max_edge: int
    multiple: int

    def size(self, input_size: Size) -> Size:
        edge, raw = self.edge, float(self.edge)
        short, long = float(min(input_size)), float(max(input_size))
        if long / short * edge > self.max_edge:
            raw = self.max_edge * short / long
            edge = round(raw)
        height, width = input_size
        if width < height:
            sizes = int(raw * height / width), edge
        elif height == edge:
            sizes = input_size
        else:
            sizes = edge, int(raw * width / height)
        return _at_least_one(self, input_size, [n - n % self.multiple for n in sizes])


@dataclass(frozen=True)
class FitMultiple(SizeRule):
    """Shrink to within (height, width) where the image is larger, then go up to multiples: the rule of Pixtral.

    The lengths after shrinking are rounded down.

    >>> FitMultiple(1024, 1024, 16).size((480, 650)), FitMultiple(1024, 1024, 16).size((1080, 1920))
    ((480, 656), (576, 1024))
    """

    name: ClassVar[str] = "fit_multiple"
    height: int
    width: int
    multiple: int

    def size(self, input_size: Size) -> Size:
        ratio = max(input_size[0] / self.height, input_size[1] / self.width)
        edges = [math.floor(n / ratio) for n in input_size] if ratio > 1 else list(input_size)
        return _at_least_one(self, input_size, [((n - 1) // self.multiple + 1) * self.multiple for n in edges])


@dataclass(frozen=True)
class PatchLimit(SizeRule):
    """Resize to the most patches of `patch` x `patch` pixels, of at most `max_patches`: the rule of SigLIP 2.

    The scale is found by bisection between 1e-6 and 100 to a width below 1e-5; edges are rounded up to patches.

    >>> PatchLimit(16, 256).size((480, 640))
    (224, 288)
    """

    name: ClassVar[str] = "patch_limit"
    patch: int
    max_patches: int

    def size(self, input_size: Size) -> Size:
        low, high = 1e-5 / 10, 100.0
        while high - low >= 1e-5:
            scale = (low + high) / 2
            height, width = self._scaled(input_size, scale)
            if (height / self.patch) * (width / self.patch) <= self.max_patches:
                low = scale
            else:
                high = scale
        return self._scaled(input_size, low)

    def _scaled(self, input_size: Size, scale: float) -> Size:
        height, width = (max(1, math.ceil(n * scale / self.patch)) * self.patch for n in input_size)
        return height, width


@dataclass(frozen=True)
class ClampedEdges(SizeRule):
    """Shrink the longer edge to `max_edge`, then stretch edges below `min_edge` to it: the rule of Idefics2.

    >>> ClampedEdges(378, 980).size((480, 640)), ClampedEdges(378, 980).size((300, 1200))
    ((480, 640), (378, 980))
    """

    name: ClassVar[str] = "clamped_edges"
    min_edge: int
    max_edge: int

    def size(self, input_size: Size) -> Size:
        height, width = input_size
        aspect = width / height
        if width >= height and width > self.max_edge:
            height, width = int(self.max_edge / aspect), self.max_edge
        elif height > width and height > self.max_edge:
            height, width = self.max_edge, int(self.max_edge * aspect)
        return max(height, self.min_edge), max(width, self.min_edge)


@dataclass(frozen=True)
class Thumbnail(SizeRule):
    """Shrink each edge to at most `height` and `width`; the shorter follows the longer: the rule of Donut.

    >>> Thumbnail(2560, 1920).size((3000, 1920)), Thumbnail(2560, 1920).size((1440, 1920))
    ((2560, 1638), (1440, 1920))
    """

    name: ClassVar[str] = "thumbnail"
    height: int
    width: int

    def size(self, input_size: Size) -> Size:
        height, width = min(input_size[0], self.height), min(input_size[1], self.width)
        if (height, width) == tuple(input_size):
            return height, width
        if input_size[0] > input_size[1]:
            width = int(input_size[1] * height / input_size[0])
        elif input_size[1] > input_size[0]:
            height = int(input_size[0] * width / input_size[1])
        return _at_least_one(self, input_size, [height, width])


def _at_least_one(rule: SizeRule, input_size: Size, edges: list[int]) -> Size:
    """Return (height, width); raise ArgumentError for an image that is too narrow for the rule."""
    if min(edges) < 1:
        raise ArgumentError(f"{rule.name}: {input_size[0]}x{input_size[1]} is too narrow: an edge becomes 0")
    return edges[0], edges[1]


RULES.update(
    {rule.name: rule for rule in (FlooredEdges, FlooredShortestEdge, FitMultiple, PatchLimit, ClampedEdges, Thumbnail)}
)
