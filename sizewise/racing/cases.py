"""The cases that are raced, as plain data: sizes, layout, method, dtype, forward or gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dialects
from ..errors import ArgumentError

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One resize of a batch of images, or its gradient; `shape` is (N, H, W, C) whatever the layout.

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
        """The row's name in every table; what is usual is left out."""
        n, height, width, channels = self.shape
        shape = (n, channels, height, width) if self.layout == "NCHW" else self.shape
        words = [self.method, "antialias" if self.antialias else "", "gradient" if self.gradient else "forward"]
        words += ["x".join(map(str, shape)), "->", "x".join(map(str, self.size))]
        words += [self.dtype if self.dtype != "float32" else "", self.layout if self.layout != "NHWC" else ""]
        words += [f"dialect={self.dialect}" if self.dialect != "standard" else ""]
        return " ".join(word for word in words if word)

    @property
    def words(self) -> dict[str, Any]:
        """What the call to Sizewise is given besides the array and the size."""
        words: dict[str, Any] = {"method": self.method}
        if self.method != "nearest" and self.method != "area":
            words["antialias"] = self.antialias
        if self.dialect != "standard":
            words["dialect"] = self.dialect
        if self.layout == "NCHW":
            words["axes"] = (-2, -1)
        return words

    @property
    def grows(self) -> bool:
        """Whether the resize (the forward one) makes images larger."""
        return self.size[0] > self.shape[1]

    @property
    def is_open(self) -> bool:
        """Whether any library may enter: not where floats are sampled as only the dialect's own library does it.

        >>> Case((1, 4, 4, 3), (2, 2), "bilinear", dialect="tfjs").is_open
        False
        """
        return self.dialect == "standard" or self.dtype == "uint8"

    def arranged(self, height: int, width: int) -> tuple[int, int, int, int]:
        """The shape of a batch of such images, in the case's layout."""
        n, _, _, channels = self.shape
        return (n, channels, height, width) if self.layout == "NCHW" else (n, height, width, channels)

    @property
    def source_shape(self) -> tuple[int, int, int, int]:
        """The shape of what is read: the images, or the gradient at the output."""
        return self.arranged(*(self.size if self.gradient else self.shape[1:3]))

    @property
    def result_shape(self) -> tuple[int, int, int, int]:
        """The shape of what is written."""
        return self.arranged(*(self.shape[1:3] if self.gradient else self.size))

    def source(self) -> Array:
        """What is read: random numbers, the same ones each time.

        >>> Case((1, 4, 4, 3), (2, 2), "bilinear", dtype="uint8").source().shape
        (1, 4, 4, 3)
        """
        random = np.random.default_rng(0)
        if self.dtype == "uint8":
            return random.integers(0, 256, self.source_shape, np.uint8)
        return random.random(self.source_shape, np.float32).astype(self.dtype, copy=False)


_GREY = (((24, 512, 512, 1), (224, 224)), ((24, 224, 224, 1), (512, 512)))
_COLOUR = (((8, 512, 512, 3), (224, 224)), ((8, 224, 224, 3), (512, 512)))
_ALPHA = (((8, 512, 512, 4), (224, 224)), ((8, 224, 224, 4), (512, 512)))
_FEATURES = (((4, 128, 128, 64), (64, 64)), ((4, 64, 64, 64), (128, 128)))
_SMALL_FEATURES = (((4, 56, 56, 64), (112, 112)),)  # as a decoder upsamples them
# Lengths that fill no cache line, as most have.
_ODD = (
    ((8, 375, 500, 3), (224, 299)), ((8, 224, 299, 3), (375, 500)),
    ((24, 375, 501, 1), (225, 299)), ((24, 225, 299, 1), (375, 501)),
)  # fmt: skip
_PHOTO = (((1, 2160, 3840, 3), (720, 1280)),)
_ONE = (((1, 512, 512, 3), (224, 224)), ((1, 224, 224, 3), (512, 512)), *_PHOTO)
_TINY = (((1, 32, 32, 3), (16, 16)),)

_PLAIN = (("nearest", False), ("bilinear", False), ("bicubic", False), ("lanczos3", False))
_SMOOTH = (("bilinear", True), ("bicubic", True), ("lanczos3", True))
_BOTH = (False, True)
_COMMON = (("bilinear", False), ("bicubic", True))

_Sizes = Iterable[tuple[tuple[int, int, int, int], tuple[int, int]]]


def _cases(
    sizes: _Sizes, methods: Iterable[tuple[str, bool]], gradients: Iterable[bool], **words: Any
) -> Iterator[Case]:
    for (method, antialias), (shape, size), gradient in product(methods, sizes, gradients):
        yield Case(shape, size, method, antialias, gradient, **words)


def _dialects() -> Iterator[Case]:
    """Rows of the dialects that repeat another library's integers bit for bit; absent where the dialect is."""
    linear, cubic = (("bilinear", True), ("bilinear", False)), (("bicubic", True), ("bicubic", False))
    photo = (((1, 1080, 1920, 3), (540, 961)), ((1, 540, 960, 3), (1080, 1920)))
    for dialect, sizes, methods in (
        ("pillow", _ONE, (linear[0], cubic[0], ("lanczos3", True))),
        ("torch", _ONE, (linear[0], cubic[0])),
        ("opencv", (*_ONE, *photo), (linear[1], cubic[1])),
    ):
        if dialect in dialects.names():
            known = [pair for pair in methods if _takes(dialect, *pair)]
            yield from _cases(sizes, known, (False,), dtype="uint8", dialect=dialect)


def _takes(dialect: str, method: str, antialias: bool) -> bool:
    chosen = dialects.get(dialect)
    try:
        return antialias in chosen.methods[chosen.resolve_method(method)]
    except ArgumentError:
        return False


def every() -> list[Case]:
    """Every case there is.

    >>> len(every()) > 200
    True
    """
    main = (*_COLOUR, *_GREY, *_ALPHA, *_FEATURES, *_PHOTO)
    shrinking = [sizes[0] for sizes in (_COLOUR, _GREY, _ALPHA, _PHOTO)]
    planes = (("nearest", False), ("bilinear", False), ("bilinear", True), ("bicubic", True))
    return [
        *chain.from_iterable(
            _cases((*main, *(_ODD if method in _COMMON else ())), [method], _BOTH) for method in (*_PLAIN, *_SMOOTH)
        ),
        *_cases(shrinking, [("area", False)], (False,)),
        *_cases((*_COLOUR, *_FEATURES), planes, _BOTH, layout="NCHW"),
        *_cases(_SMALL_FEATURES, (("nearest", False), ("bilinear", False)), _BOTH),
        *_cases(_TINY, (("bilinear", False), ("bilinear", True)), _BOTH),
        *_cases(_COLOUR, planes, _BOTH, dtype="float64"),
        *_cases(_FEATURES[1:], (("bilinear", True),), _BOTH, dtype="float64"),
        *_cases(_COLOUR, planes, _BOTH, dtype="float16"),
        *_cases(_FEATURES[1:], (("bilinear", True),), _BOTH, dtype="float16"),
        *_cases(_ONE, (("bilinear", True), ("bicubic", True)), (False,), dtype="uint8"),
        *_dialects(),
    ]


def quick() -> list[Case]:
    """A dozen telling cases: what most programs do.

    >>> [case.name for case in quick()][0]
    'bilinear forward 8x512x512x3 -> 224x224'
    """
    return [
        *_cases(_COLOUR, (("bilinear", False), ("bilinear", True)), _BOTH),
        *_cases(_COLOUR[:1], (("bicubic", True),), _BOTH),
        *_cases(_COLOUR[:1], (("bilinear", True),), (False,), layout="NCHW"),
        *_cases(_FEATURES[1:], (("bilinear", False),), _BOTH),
        *_cases(_ONE[2:], (("bilinear", True),), (False,), dtype="uint8"),
        *_cases(_TINY, (("bilinear", True),), (False,)),
    ]


def chosen(cases: Iterable[Case], only: str) -> list[Case]:
    """The cases whose names hold every one of the words.

    >>> [case.name for case in chosen(quick(), "bicubic gradient")]
    ['bicubic antialias gradient 8x512x512x3 -> 224x224']
    """
    listed = list(cases)
    words = only.lower().split()
    found = [case for case in listed if all(word in case.name.lower() for word in words)]
    if not found:
        examples = "; ".join(case.name for case in listed[:3])
        raise ArgumentError(f"no case has all the words {only!r} in its name; names look like: {examples}")
    return found
