"""Ways to resize an image: every call of every dialect that may have made it, the most usual first."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from .. import api, dialects
from ..dialects import Dialect, OpenOption, OptionItems
from ..errors import ArgumentError
from ..plan import Plan

Size = tuple[int, int]

# What dialects are called in sentences, by how often images come from them: those of image libraries before frameworks,
# both about as often as their packages are downloaded; older releases, ports and Sizewise itself last.
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
# Dialects, or methods of them, whose libraries give floats for whole numbers, or refuse whole numbers.
_IN_FLOATS = {
    *("tensorflow", "tensorflow1", "jax", "skimage", "tfjs", "paddle"),
    *(("torch", "area", False), ("onnx", "cubic", False)),
}
# Options that change nothing but the size, which is known here; or only where a call gives a scale.
_IDLE = {"preserve_aspect_ratio", "keep_aspect_ratio_policy", "recompute_scale_factor", "extrapolation_value"}
# Of dialects with many options: which of them a method reads.
_READ = {
    ("onnx", "nearest"): ("coordinate_transformation_mode", "nearest_mode", "exclude_outside"),
    ("onnx", "linear"): ("coordinate_transformation_mode", "exclude_outside"),
    ("onnx", "cubic"): ("coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside"),
}
# Dialects whose coordinates follow a scale that was given, not the ratio of the sizes; and scales that people give.
_SCALED = ("torch", "opencv", "opencv@4", "onnx", "onnx-reference", "paddle", "matlab")
_SCALES = (0.5, 2.0, 0.25, 4.0, 1 / 3, 3.0, 0.75, 1.5, 0.125, 8.0, 0.2, 0.1, 0.8, 0.6, 0.4, 0.9, 0.3, 0.7, 2 / 3, 1.25)


@dataclass(frozen=True)
class Way:
    """One way to resize: the words of the call, and how what it gives became pixels.

    `scale` is the number that was given for both axes instead of a size, and `asked` the size that was asked for, where
    the dialect makes another one of it. `finish` is "" where the dialect gives the
    pixels itself; "rounded" or "cut" where floats were made whole, to the nearest number or towards zero, and kept in
    range; "premultiplied" where colours were multiplied by alpha before, and divided by it afterwards; "mode" where
    they follow Pillow's own rules for a mode, which its dialect does not have.

    >>> Way("torch", "bilinear", True, (("align_corners", False), ("recompute_scale_factor", False))).label
    'torch bilinear, antialias=True'
    """

    dialect: str
    method: str
    antialias: bool
    options: OptionItems = ()
    scale: float | None = None
    finish: str = ""
    asked: Size | None = None

    @property
    def unusual(self) -> tuple[tuple[str, object], ...]:
        """The words that are not the dialect's defaults."""
        dialect = dialects.get(self.dialect)
        usual = dict(dialect.fill_options({}))
        words = [(name, value) for name, value in self.options if value != usual[name]]
        if self.antialias != dialect.methods[self.method][0]:
            words.insert(0, ("antialias", self.antialias))
        return tuple(words)

    @property
    def in_floats(self) -> bool:
        """Whether the library itself mixes pixels in floats only: these have to be made whole afterwards."""
        return self.dialect in _IN_FLOATS or (self.dialect, self.method, self.antialias) in _IN_FLOATS

    @property
    def title(self) -> str:
        """The library behind it, as people call it."""
        return _TITLES.get(self.dialect, self.dialect)

    @property
    def library(self) -> str:
        """The library behind it, with the versions that are known to do it so."""
        return dialects.get(self.dialect).versions.partition(",")[0]

    @property
    def source(self) -> str:
        """Where pixels come from that were made this way: none of the packages is ever called.

        >>> Way("pillow", "box", True).source, Way("standard", "box", True).source
        ('reproduced by Sizewise (as Pillow 13.0)', 'Sizewise')
        """
        return "Sizewise" if self.dialect == "standard" else f"reproduced by Sizewise (as {self.library})"

    @property
    def call(self) -> str:
        """The words of the call, without those that are the dialect's defaults."""
        words = [value if isinstance(value, str) else f"{name}={value}" for name, value in self.unusual]
        scale = [f"scale={self.scale:.6g}"] if self.scale is not None else []
        asked = [f"asked for {self.asked[0]}x{self.asked[1]}"] if self.asked is not None else []
        return ", ".join([f"{self.dialect} {self.method}", *words, *scale, *asked])

    @property
    def label(self) -> str:
        """The way in words: the call, and how floats became whole numbers where they had to."""
        said = {"rounded": ", then rounded", "cut": ", then cut off", "premultiplied": ", alpha premultiplied"}
        return self.call + said.get(self.finish, "")

    @property
    def rank(self) -> tuple[int, int]:
        """How far from usual the way is, first by its words, then by its dialect.

        Floats that were rounded count as a word of libraries that give the dtype they are given: whoever has uint8
        resizes it as it is. They do not for libraries that always give floats.
        """
        far = {"rounded": 1, "cut": 2}.get(self.finish, 0) - self.in_floats
        return len(self.unusual) + (self.scale is not None) + max(far, 0), usual().index(self.dialect)

    def plan(self, input_size: Size, output_size: Size) -> Plan:
        """The plan of the way; ArgumentError where the dialect refuses, or makes another size of that scale."""
        words = {"antialias": self.antialias, "dialect": self.dialect, **dict(self.options)}
        size = (self.asked or output_size) if self.scale is None else None
        plan = api.make_plan(input_size, size, self.method, scale=self.scale, **words)  # type: ignore[arg-type]
        if plan.output_size != output_size:
            raise ArgumentError(f"{self.call} makes {plan.output_size} of {input_size}, not {output_size}")
        return plan


@cache
def usual() -> tuple[str, ...]:
    """All dialects, those first that images come from most often: so they are named where they cannot be told apart.

    >>> usual()[:3]
    ('pillow', 'opencv', 'torch')
    """
    return tuple(sorted(dialects.names(), key=[*_TITLES, *dialects.names()].index))


def all_ways(input_size: Size, output_size: Size, names: Iterable[str]) -> Iterator[tuple[Way, Plan]]:
    """Every way from one size to the other that dialects have, with its plan; not yet how it was finished.

    >>> [way.call for way, plan in all_ways((8, 8), (4, 4), ["tfjs"])][:3]
    ['tfjs bilinear', 'tfjs bilinear, half_pixel_centers=True', 'tfjs bilinear, align_corners=True']
    """
    for name in names:
        dialect = dialects.get(name)
        pairs = list(zip(input_size, output_size, strict=True))
        fitted = _fitted(dialect, input_size, output_size)
        for way in itertools.chain(_calls(dialect), _reducing(dialect, pairs), _with_scale(dialect, pairs), fitted):
            try:
                yield way, way.plan(input_size, output_size)
            except ArgumentError:  # what the dialect's own framework refuses, too
                continue


def _calls(dialect: Dialect) -> Iterator[Way]:
    """The methods of a dialect, with every value of the options that they read."""
    usual = dict(dialect.fill_options({}))
    for method, flags in dialect.methods.items():
        read = _READ.get((dialect.name.partition("-")[0], method), tuple(usual))
        values = [_values(dialect, name) if name in read and name not in _IDLE else (usual[name],) for name in usual]
        for antialias, given in itertools.product(flags, itertools.product(*values)):
            yield Way(dialect.name, method, antialias, tuple(zip(usual, given, strict=True)))


def _values(dialect: Dialect, name: str) -> tuple[object, ...]:
    option = dialect.options[name]
    return option.values if isinstance(option, OpenOption) else option


def _fitted(dialect: Dialect, input_size: Size, output_size: Size) -> Iterator[Way]:
    """The methods of a dialect that keep the aspect ratio of another size, for every scale that leads to this one."""
    name = "keep_aspect_ratio_policy"
    if name not in dialect.options:
        return
    (height, width), most = output_size, tuple(2 * n * m for n, m in zip(input_size, output_size, strict=True))
    for policy, other in (("not_larger", most), ("not_smaller", (1, 1))):
        options, scales = dialect.fill_options({name: policy}), set()
        for asked in ((height, width), (height, other[1]), (other[0], width)):
            fitted, scale = dialect.fit(input_size, asked, dict(options))
            if fitted == output_size and scale not in scales:
                scales.add(scale)
                for method, flags in dialect.methods.items():
                    for antialias in flags:
                        yield Way(dialect.name, method, antialias, options, asked=asked)


def _reducing(dialect: Dialect, pairs: list[tuple[int, int]]) -> Iterator[Way]:
    """Filters that people use Pillow's Image.thumbnail with: to a quarter and less it takes means of blocks first."""
    gap = 2.0
    if dialect.name == "pillow" and any(n_in >= 2 * gap * n_out for n_in, n_out in pairs):
        for method in ("bicubic", "lanczos", "bilinear"):
            yield Way(dialect.name, method, True, dialect.fill_options({"reducing_gap": gap}))


def _with_scale(dialect: Dialect, pairs: list[tuple[int, int]]) -> Iterator[Way]:
    """The methods of a dialect with the scales that make this size, where they are not the ratio of the sizes."""
    if dialect.name not in _SCALED:
        return
    for scale in _SCALES:
        exact = all(n_in * scale == n_out for n_in, n_out in pairs)
        if exact or any(dialect.length(n_in, dialect.scale(scale)) != n_out for n_in, n_out in pairs):
            continue
        for method, flags in dialect.methods.items():
            for antialias in flags:
                yield Way(dialect.name, method, antialias, dialect.fill_options({}), scale)
