"""Candidates: every resize of every dialect that may have produced an image, the most common first."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from .. import dialects
from ..dialects import Dialect, OpenOption
from ..errors import ArgumentError
from ..plan import Plan
from ..resize_spec import OptionItems, ResizeSpec

Size = tuple[int, int]

# Names of the libraries behind the dialects, by how often images come from them: image libraries before frameworks,
# both roughly by downloads of their packages; older releases, ports and Sizewise itself last.
_TITLES = {
    "pillow": "Pillow",
    "opencv": "OpenCV",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "jax": "JAX",
    "skimage": "scikit-image",
    "onnx": "onnxruntime",
    "tflite": "LiteRT",
    "tfjs": "TensorFlow.js",
    "paddle": "Paddle",
    "matlab": "MATLAB",
    "pillow@12": "Pillow 12",
    "opencv@4": "OpenCV 4",
    "tensorflow1": "TensorFlow 1",
    "onnx-reference": "ONNX's evaluator",
    "standard": "Sizewise",
}
# Dialects, or (dialect, method, antialias), whose libraries return floats for integers, or refuse integers.
_IN_FLOATS = {
    *("tensorflow", "tensorflow1", "jax", "skimage", "tfjs", "paddle"),
    *(("torch", "area", False), ("onnx", "cubic", False)),
}
# Options that change nothing but the size, which is known here; or only calls that give a scale.
_IRRELEVANT = {"preserve_aspect_ratio", "keep_aspect_ratio_policy", "recompute_scale_factor", "extrapolation_value"}
# The options that a method reads, for dialects with many.
_READ = {
    ("onnx", "nearest"): ("coordinate_transformation_mode", "nearest_mode", "exclude_outside"),
    ("onnx", "linear"): ("coordinate_transformation_mode", "exclude_outside"),
    ("onnx", "cubic"): ("coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside"),
}
# Dialects whose coordinates follow the given scale rather than the ratio of the sizes; and common scales.
_SCALED = ("torch", "opencv", "opencv@4", "onnx", "onnx-reference", "paddle", "matlab")
_SCALES = (0.5, 2.0, 0.25, 4.0, 1 / 3, 3.0, 0.75, 1.5, 0.125, 8.0, 0.2, 0.1, 0.8, 0.6, 0.4, 0.9, 0.3, 0.7, 2 / 3, 1.25)
_FIT = "keep_aspect_ratio_policy"
_FINISHES = {"rounded": "then rounded", "cut": "then truncated", "premultiplied": "alpha premultiplied"}


@dataclass(frozen=True)
class Candidate(ResizeSpec):
    """A resize, and how its result became pixels.

    `finish` is "" where the dialect itself returns the pixels; "rounded" or "cut" where floats were rounded or
    truncated to integers and clipped; "premultiplied" where colors were multiplied by alpha before the resize and
    divided by it after; "mode" where Pillow has rules for an image mode that its dialect does not cover.
    """

    finish: str = ""

    @property
    def in_floats(self) -> bool:
        """Whether the library returns floats for integer images, which users convert afterwards."""
        return self.dialect in _IN_FLOATS or (self.dialect, self.method, self.antialias) in _IN_FLOATS

    @property
    def title(self) -> str:
        """The name of the library."""
        return _TITLES.get(self.dialect, self.dialect)

    @property
    def library(self) -> str:
        """The library with the versions that are known to compute these pixels."""
        return dialects.get(self.dialect).versions.partition(",")[0]

    @property
    def source(self) -> str:
        """Where the pixels come from: Sizewise computes them all, and calls no other package."""
        return "Sizewise" if self.dialect == "standard" else f"reproduced by Sizewise (as {self.library})"

    @property
    def call(self) -> str:
        """The dialect, the method and what differs from their defaults."""
        requested = [f"requested size {self.size[0]}x{self.size[1]}"] if self.size and _FIT in self.unusual else []
        return ", ".join([f"{self.dialect} {self.method}", *self.changes, *requested])

    @property
    def label(self) -> str:
        """The call, and how its floats became integers."""
        return ", ".join([self.call, *([_FINISHES[self.finish]] if self.finish in _FINISHES else [])])

    @property
    def rank(self) -> tuple[int, int]:
        """The sort key of how common this is: first by arguments that are not the default, then by dialect.

        Rounding of floats counts as an argument for libraries that keep the dtype: users of uint8 images resize them
        as uint8. It does not count for libraries that always return floats.
        """
        conversions = {"rounded": 1, "cut": 2}.get(self.finish, 0) - self.in_floats
        return len(self.arguments) + (self.scale is not None) + max(conversions, 0), by_popularity().index(self.dialect)


@cache
def by_popularity() -> tuple[str, ...]:
    """Return all dialects, the most common sources of images first."""
    return tuple(sorted(dialects.names(), key=[*_TITLES, *dialects.names()].index))


def all_candidates(input_size: Size, output_size: Size, names: Iterable[str]) -> Iterator[tuple[Candidate, Plan]]:
    """Yield every resize of these dialects from one size to the other, with its plan and without a finish."""
    for name in names:
        dialect = dialects.get(name)
        for candidate in _candidates(dialect, input_size, output_size):
            try:
                plan = candidate.make_plan(input_size)
            except ArgumentError:  # refused by the dialect's own framework, too
                continue
            if plan.output_size == output_size:
                yield candidate, plan


def _candidates(dialect: Dialect, input_size: Size, output_size: Size) -> Iterator[Candidate]:
    pairs = list(zip(input_size, output_size, strict=True))
    defaults = dict(dialect.fill_options({}))
    for method, flags in dialect.methods.items():
        read = _READ.get((dialect.name.partition("-")[0], method), tuple(defaults))
        values: list[tuple[object, ...]] = [
            (option.values if isinstance(option, OpenOption) else option)
            if name in {*read} - _IRRELEVANT
            else (defaults[name],)
            for name, option in dialect.options.items()
        ]
        for antialias, given in itertools.product(flags, itertools.product(*values)):
            options = tuple(zip(defaults, given, strict=True))
            yield Candidate(dialect.name, method, antialias, options, output_size)
    if dialect.name == "pillow" and any(n_in >= 4 * n_out for n_in, n_out in pairs):  # where reducing_gap=2 matters
        for method in ("bicubic", "lanczos", "bilinear"):  # the filters of Image.thumbnail
            yield Candidate.of(dialect.name, method, options={"reducing_gap": 2.0}, size=output_size)
    others: list[tuple[Size | None, tuple[float, float] | None, OptionItems]]
    others = [(None, (scale, scale), dialect.fill_options({})) for scale in _inexact_scales(dialect, pairs)]
    others += [(size, None, options) for size, options in _fitted_sizes(dialect, input_size, output_size)]
    for size, scale, options in others:
        for method, flags in dialect.methods.items():
            yield from (Candidate(dialect.name, method, antialias, options, size, scale) for antialias in flags)


def _inexact_scales(dialect: Dialect, pairs: list[tuple[int, int]]) -> Iterator[float]:
    """Yield common scales that give this output size and are not the ratio of the sizes."""
    for scale in _SCALES if dialect.name in _SCALED else ():
        exact = all(n_in * scale == n_out for n_in, n_out in pairs)
        if not exact and all(dialect.length(n_in, dialect.scale(scale)) == n_out for n_in, n_out in pairs):
            yield scale


def _fitted_sizes(dialect: Dialect, input_size: Size, output_size: Size) -> Iterator[tuple[Size, OptionItems]]:
    """Yield the requested sizes that an aspect-ratio policy turns into this output size, one for each scale."""
    if _FIT not in dialect.options:
        return
    (height, width), most = output_size, tuple(2 * n * m for n, m in zip(input_size, output_size, strict=True))
    for policy, other in (("not_larger", most), ("not_smaller", (1, 1))):
        options, scales = dialect.fill_options({_FIT: policy}), set()
        for size in ((height, width), (height, other[1]), (other[0], width)):
            fitted, scale = dialect.fit(input_size, size, dict(options))
            if fitted == output_size and scale not in scales:
                scales.add(scale)
                yield size, options
