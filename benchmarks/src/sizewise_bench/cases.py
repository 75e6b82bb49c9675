"""Cases to time, as plain data: sizes, layout, method, dtype, forward or gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sizewise import dialects
from sizewise.errors import ArgumentError

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One resize of a batch of images, or its gradient; `shape` is (N, H, W, C) for both layouts.

    >>> Case((8, 512, 512, 3), (224, 224), "bilinear", gradient=True).name
    'bilinear gradient 8x512x512x3 -> 224x224'
    """

    shape: tuple[int, int, int, int]
    size: tuple[int, int]
    method: str
    antialias: bool = False
    gradient: bool = False
    dtype: str = "float32"
    layout: str = "NHWC"
    dialect: str = "standard"

    @property
    def name(self) -> str:
        """Return the name of the row in every table, without default values."""
        n, height, width, channels = self.shape
        shape = (n, channels, height, width) if self.layout == "NCHW" else self.shape
        message = [self.method, "antialias" if self.antialias else "", "gradient" if self.gradient else "forward"]
        message += ["x".join(map(str, shape)), "->", "x".join(map(str, self.size))]
        message += [self.dtype if self.dtype != "float32" else "", self.layout if self.layout != "NHWC" else ""]
        message += [f"dialect={self.dialect}" if self.dialect != "standard" else ""]
        return " ".join(word for word in message if word)

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the call to Sizewise besides the array and the size."""
        arguments: dict[str, Any] = {"method": self.method}
        if self.method != "nearest" and self.method != "area":
            arguments["antialias"] = self.antialias
        if self.dialect != "standard":
            arguments["dialect"] = self.dialect
        if self.layout == "NCHW":
            arguments["axes"] = (-2, -1)
        return arguments

    @property
    def grows(self) -> bool:
        """Return whether the forward resize makes images larger."""
        return self.size[0] > self.shape[1]

    @property
    def is_for_any_library(self) -> bool:
        """Return whether any library may be timed: not for float dialects, whose sampling only one library has.

        >>> Case((1, 4, 4, 3), (2, 2), "bilinear", dialect="tfjs").is_for_any_library
        False
        """
        return self.dialect == "standard" or self.dtype == "uint8"

    def batch_shape(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Return the shape of the batch with images of this size, in the case's layout."""
        n, _, _, channels = self.shape
        return (n, channels, height, width) if self.layout == "NCHW" else (n, height, width, channels)

    @property
    def source_shape(self) -> tuple[int, int, int, int]:
        """Return the shape of the input: the images, or the gradient at the output."""
        return self.batch_shape(*(self.size if self.gradient else self.shape[1:3]))

    @property
    def result_shape(self) -> tuple[int, int, int, int]:
        """Return the shape of the result."""
        return self.batch_shape(*(self.shape[1:3] if self.gradient else self.size))

    def source(self) -> Array:
        """Return the input: random values, the same ones each time.

        >>> Case((1, 4, 4, 3), (2, 2), "bilinear", dtype="uint8").source().shape
        (1, 4, 4, 3)
        """
        random = np.random.default_rng(0)
        if self.dtype == "uint8":
            return random.integers(0, 256, self.source_shape, np.uint8)
        return random.random(self.source_shape, np.float32).astype(self.dtype, copy=False)


_GRAY = (((24, 512, 512, 1), (224, 224)), ((24, 224, 224, 1), (512, 512)))
_COLOR = (((8, 512, 512, 3), (224, 224)), ((8, 224, 224, 3), (512, 512)))
_ALPHA = (((8, 512, 512, 4), (224, 224)), ((8, 224, 224, 4), (512, 512)))
_FEATURES = (((4, 128, 128, 64), (64, 64)), ((4, 64, 64, 64), (128, 128)))
_DECODER_FEATURES = (((4, 56, 56, 64), (112, 112)),)
# Rows whose length is not a multiple of a cache line.
_ODD = (
    ((8, 375, 500, 3), (224, 299)), ((8, 224, 299, 3), (375, 500)),
    ((24, 375, 501, 1), (225, 299)), ((24, 225, 299, 1), (375, 501)),
)  # fmt: skip
_PHOTO = (((1, 2160, 3840, 3), (720, 1280)),)
_SINGLE_IMAGE = (((1, 512, 512, 3), (224, 224)), ((1, 224, 224, 3), (512, 512)), *_PHOTO)
_TINY = (((1, 32, 32, 3), (16, 16)),)

_PLAIN = (("nearest", False), ("bilinear", False), ("bicubic", False), ("lanczos3", False))
_SMOOTH = (("bilinear", True), ("bicubic", True), ("lanczos3", True))
_BOTH = (False, True)
_COMMON = (("bilinear", False), ("bicubic", True))

_Sizes = Iterable[tuple[tuple[int, int, int, int], tuple[int, int]]]


def _cases(
    sizes: _Sizes, methods: Iterable[tuple[str, bool]], gradients: Iterable[bool], **fields: Any
) -> Iterator[Case]:
    for (method, antialias), (shape, size), gradient in product(methods, sizes, gradients):
        yield Case(shape, size, method, antialias, gradient, **fields)


def _dialect_cases() -> Iterator[Case]:
    """Yield cases of the dialects that reproduce the uint8 results of another library bit for bit."""
    linear, cubic = (("bilinear", True), ("bilinear", False)), (("bicubic", True), ("bicubic", False))
    photo = (((1, 1080, 1920, 3), (540, 961)), ((1, 540, 960, 3), (1080, 1920)))
    for dialect, sizes, methods in (
        ("pillow", _SINGLE_IMAGE, (linear[0], cubic[0], ("lanczos3", True))),
        ("torch", _SINGLE_IMAGE, (linear[0], cubic[0])),
        ("opencv", (*_SINGLE_IMAGE, *photo), (linear[1], cubic[1])),
    ):
        if dialect in dialects.names():
            known = [pair for pair in methods if _supports(dialect, *pair)]
            yield from _cases(sizes, known, (False,), dtype="uint8", dialect=dialect)


def _supports(dialect: str, method: str, antialias: bool) -> bool:
    chosen = dialects.get(dialect)
    try:
        return antialias in chosen.methods[chosen.resolve_method(method)]
    except ArgumentError:
        return False


def all_cases() -> list[Case]:
    """Return every case.

    >>> len(all_cases()) > 200
    True
    """
    main = (*_COLOR, *_GRAY, *_ALPHA, *_FEATURES, *_PHOTO)
    shrinking = [sizes[0] for sizes in (_COLOR, _GRAY, _ALPHA, _PHOTO)]
    planes = (("nearest", False), ("bilinear", False), ("bilinear", True), ("bicubic", True))
    return [
        *chain.from_iterable(
            _cases((*main, *(_ODD if method in _COMMON else ())), [method], _BOTH) for method in (*_PLAIN, *_SMOOTH)
        ),
        *_cases(shrinking, [("area", False)], (False,)),
        *_cases((*_COLOR, *_FEATURES), planes, _BOTH, layout="NCHW"),
        *_cases(_DECODER_FEATURES, (("nearest", False), ("bilinear", False)), _BOTH),
        *_cases(_TINY, (("bilinear", False), ("bilinear", True)), _BOTH),
        *_cases(_COLOR, planes, _BOTH, dtype="float64"),
        *_cases(_FEATURES[1:], (("bilinear", True),), _BOTH, dtype="float64"),
        *_cases(_COLOR, planes, _BOTH, dtype="float16"),
        *_cases(_FEATURES[1:], (("bilinear", True),), _BOTH, dtype="float16"),
        *_cases(_SINGLE_IMAGE, (("bilinear", True), ("bicubic", True)), (False,), dtype="uint8"),
        *_dialect_cases(),
    ]


def quick_cases() -> list[Case]:
    """Return a dozen common cases.

    >>> [case.name for case in quick_cases()][0]
    'bilinear forward 8x512x512x3 -> 224x224'
    """
    return [
        *_cases(_COLOR, (("bilinear", False), ("bilinear", True)), _BOTH),
        *_cases(_COLOR[:1], (("bicubic", True),), _BOTH),
        *_cases(_COLOR[:1], (("bilinear", True),), (False,), layout="NCHW"),
        *_cases(_FEATURES[1:], (("bilinear", False),), _BOTH),
        *_cases(_SINGLE_IMAGE[2:], (("bilinear", True),), (False,), dtype="uint8"),
        *_cases(_TINY, (("bilinear", True),), (False,)),
    ]


def select(cases: Iterable[Case], only: str) -> list[Case]:
    """Return the cases whose names contain all words of `only`.

    >>> [case.name for case in select(quick_cases(), "bicubic gradient")]
    ['bicubic antialias gradient 8x512x512x3 -> 224x224']
    """
    listed = list(cases)
    message = only.lower().split()
    found = [case for case in listed if all(word in case.name.lower() for word in message)]
    if not found:
        examples = "; ".join(case.name for case in listed[:3])
        raise ArgumentError(f"no case has all the words {only!r} in its name; names look like: {examples}")
    return found
