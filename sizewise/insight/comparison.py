"""Comparison: one image through several dialects, and how far each result is from the first, as facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dialects as all_dialects
from .. import validation
from ..dialects import is_floating
from ..errors import ArgumentError, ArgumentTypeError, UnknownNameError, short_repr
from ..memory_limits import require_memory
from ..plan import Plan
from ..resolve import require_lengths
from .notebook import notebook_page
from .pairs import image as read_image
from .pixels import Picture, results, whole
from .reasons import reason
from .scores import cut, score, telling
from .ways import Way, all_ways

Variant = tuple[str, str | None, bool | None, Mapping[str, object]]  # dialect, method, antialias, options
Made = tuple[Way, Plan, NDArray]

# Methods that dialects have under names of their own, the nearest first.
_ELSEWHERE: dict[str, tuple[str, ...]] = {
    "nearest": (),
    "bilinear": (),
    "bicubic": (),
    "lanczos": ("lanczos3", "lanczos4"),
    "lanczos3": ("lanczos", "lanczos4"),
    "lanczos4": ("lanczos", "lanczos3"),
    "area": ("box",),
    "box": ("area",),
}
_NEARER = 0.7  # of the residual: from here on another method is worth being told of
_FINISHES = {
    "rounded": "floats of {titles} are rounded to {dtype} and kept in range, as users do",
    "premultiplied": "colours of {titles} are multiplied by alpha first, as it does; all others have one channel more",
}


@dataclass(frozen=True)
class Difference:
    """How far pixels are from others: their largest and mean difference, PSNR in decibels (infinite where nothing
    differs), and the share of pixels that differ.
    """

    largest: float
    mean: float
    psnr: float
    percent: float


@dataclass(frozen=True)
class Entry:
    """One result: how it was made, its pixels (channels last), and how far they are from the first, in all channels
    together and in each. `apart` is the difference of each pixel, `finding` what it comes from, in words.
    """

    way: Way
    pixels: NDArray = field(repr=False, compare=False)
    difference: Difference
    channels: tuple[Difference, ...]
    apart: NDArray = field(repr=False, compare=False)
    finding: str = ""


@dataclass(frozen=True, repr=False)
class Comparison:
    """The results of one image, the first of which the others are compared with.

    >>> facts = compare(np.eye(8), (4, 4), [("torch", None, None, {}), ("tfjs", None, None, {})], "nearest")
    >>> facts.entries[1].finding
    'PyTorch and TensorFlow.js give the same pixels'
    """

    input_size: tuple[int, int]
    output_size: tuple[int, int]
    dtype: str
    range: float
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sizes = " -> ".join("x".join(map(str, size)) for size in (self.input_size, self.output_size))
        first, *others = self.entries
        heading = f"{sizes}, {self.dtype}, each against {first.way.label}"
        return "\n".join([heading, *(f"- {entry.way.label}: {entry.finding}" for entry in others), *self.notes])

    def _repr_html_(self) -> str | None:
        return notebook_page("comparison_page", "comparison_page", self)


def compare(
    image: Any,
    size: tuple[int, ...],
    variants: Sequence[str | Variant] = ("pillow", "opencv", "torch", "tensorflow"),
    method: str = "bilinear",
) -> Comparison:
    """Resize one image in several dialects, and return how far each result is from the first.

    Args:
        image: pixels, (height, width) or (height, width, channels), or the name of an image file.
        size: (height, width) of the results.
        variants: names of dialects, or (dialect, method, antialias, options); None is the dialect's own default.
        method: for variants without one of their own. A dialect that has no such method is left out; a note says so.

    >>> import numpy as np, sizewise as sw
    >>> sw.compare(np.eye(8), (4, 4), ["torch", "tfjs"], "nearest")
    8x8 -> 4x4, float64, each against torch nearest
    - tfjs nearest: PyTorch and TensorFlow.js give the same pixels
    reproduced by Sizewise (as PyTorch 2.13 and @tensorflow/tfjs 4.22): no other package was called
    """
    notes: list[str] = []
    ways = _ways(_written_out(variants), validation.require_text(method, "method"), notes)
    height, width = _size(require_lengths(size, None, "size"))
    x = read_image(image, "image")
    require_memory(8 * height * width * x.shape[-1], "a result of {} pixels", f"{height}x{width}")
    picture = Picture(x, x.dtype, alpha=x.shape[-1] in (2, 4) and x.dtype == np.uint8)
    made = [_made(way, picture, (height, width)) for way in ways]
    return Comparison(
        input_size=(x.shape[0], x.shape[1]),
        output_size=(height, width),
        dtype=x.dtype.name,
        range=picture.range,
        entries=tuple(_entry(made[0], one, _names(made, made[0], one), picture) for one in made),
        notes=(*_reproduced(ways), *notes, *_finishes([way for way, _, _ in made], x.dtype)),
    )


def _reproduced(ways: Sequence[Way]) -> Iterator[str]:
    """Whose pixels Sizewise computed itself."""
    libraries = list(dict.fromkeys(way.library for way in ways if way.dialect != "standard"))
    if libraries:
        yield f"reproduced by Sizewise (as {_listed(libraries)}): no other package was called"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _finishes(ways: Sequence[Way], dtype: np.dtype) -> Iterator[str]:
    """What was done to results that were not yet pixels, or to pixels before."""
    for finish, words in _FINISHES.items():
        titles = list(dict.fromkeys(way.title for way in ways if way.finish == finish))
        if titles:
            yield words.format(titles=_listed(titles), dtype=dtype)


def way_of(dialect: str, method: str, antialias: bool | None, options: Mapping[str, object]) -> Way:
    """The way that a variant's words say, with the dialect's own name of the method.

    >>> way_of("opencv", "lanczos", None, {}).label, way_of("jax", "bicubic", False, {}).label
    ('opencv lanczos4', 'jax cubic, antialias=False')
    """
    chosen = all_dialects.get(dialect)
    known = {*chosen.methods, *chosen.aliases}
    names = (name for name in (method, *_ELSEWHERE.get(method.lower(), ())) if name.lower() in known)
    own = chosen.resolve_method(next(names, method))
    return Way(chosen.name, own, chosen.resolve_antialias(own, antialias), chosen.fill_options(options, 2))


def _written_out(variants: object) -> list[Variant]:
    """Return variants, those that are names of dialects written out."""
    found = (variants,) if isinstance(variants, str) else validation.as_sequence(variants)
    every = [(one, None, None, {}) if isinstance(one, str) else one for one in found or ()]
    if found is None or not all(isinstance(one, tuple) and len(one) == 4 for one in every):
        raise ArgumentTypeError(
            f"variants must be names of dialects, or (dialect, method, antialias, options), not {short_repr(variants)}"
        )
    return every


def _ways(variants: Sequence[Variant], method: str, notes: list[str]) -> list[Way]:
    ways = []
    for dialect, own, antialias, options in variants:
        all_dialects.get(dialect).fill_options(options)  # first: what there is not is an error, whatever the method
        try:
            ways.append(way_of(dialect, own or method, antialias, options))
        except UnknownNameError:
            if own is not None or method.lower() not in _ELSEWHERE:
                raise
            notes.append(f"left out: {dialect} has no {method}; {dialect}:METHOD gives it one of its own")
    different = list(dict.fromkeys(ways))
    if len(different) < 2:
        given = ", ".join(way.label for way in different) or "none"
        raise ArgumentError(f"give two different variants or more, like pillow,opencv,torch; there is {given}")
    return different


def _size(size: tuple[int, ...]) -> tuple[int, int]:
    if len(size) != 2:
        raise ArgumentError(f"size is {'x'.join(map(str, size))}; an image has two lengths of at least 1, like 224x224")
    height, width = size
    return height, width


def _made(way: Way, picture: Picture, size: tuple[int, int]) -> Made:
    height, width, _ = picture.x.shape
    plan = way.plan((height, width), size)
    finished, made = next(results(way, plan, picture))
    return finished, plan, whole(finished, made, picture.wanted)


def _names(made: Sequence[Made], *chosen: Made) -> list[str]:
    """What to call some results in a sentence: the library, or the whole way where others are that library's, too."""
    titles = [way.title for way, _, _ in made]
    return [way.title if titles.count(way.title) == 1 else way.call for way, _, _ in chosen]


def _entry(first: Made, one: Made, names: Sequence[str], picture: Picture) -> Entry:
    way, _, pixels = one
    kind = np.float64 if is_floating(pixels.dtype) or pixels.dtype.itemsize > 2 else np.int32
    apart = np.abs(pixels.astype(kind) - first[2].astype(kind))
    whole = _difference(apart, picture.range)
    return Entry(
        way=way,
        pixels=pixels,
        difference=whole,
        channels=tuple(_difference(apart[..., [channel]], picture.range) for channel in range(apart.shape[-1])),
        apart=apart.max(axis=-1),
        finding="" if one is first else _finding(first, one, names, whole, picture),
    )


def _difference(apart: NDArray, limit: float) -> Difference:
    square = float(np.square(apart, dtype=np.float64).mean())
    psnr = 10 * math.log10(limit**2 / square) if square else math.inf
    differs = float((apart > 0).any(axis=-1).mean())
    return Difference(float(apart.max()), float(apart.mean()), psnr, 100 * differs)


def _finding(first: Made, other: Made, names: Sequence[str], apart: Difference, picture: Picture) -> str:
    """What sets a result apart from the first, and what comes nearer to it."""
    if apart.largest == 0:
        return f"{names[0]} and {names[1]} give the same pixels"
    why = reason(first[1], other[1], names[0], names[1])
    opening = f"{names[0]} and {names[1]} differ by up to {apart.largest:.4g} of {picture.range:.4g}"
    return f"{opening}, PSNR {apart.psnr:.1f} dB: {why}{_remedy(first, other, picture)}"


def _remedy(first: Made, other: Made, picture: Picture) -> str:
    """The way of the other dialect that comes nearest to the first result: tried, in windows of it, and then told."""
    windows = telling(first[2])
    wanted = cut(first[2], windows)
    least = _NEARER * score(cut(other[2], windows), wanted).residual
    nearest = None
    for way, plan in all_ways(other[1].input_size, other[1].output_size, [other[0].dialect]):  # type: ignore[arg-type]
        finished, made = next(results(way, plan, picture, windows))
        residual = score(whole(finished, made, picture.wanted), wanted).residual
        if residual < least:
            nearest, least = finished, residual
    if nearest is None:
        return ""
    pixels = _made(nearest, picture, first[1].output_size)[2]  # type: ignore[arg-type]
    psnr = _difference(np.abs(pixels.astype(np.float64) - first[2]), picture.range).psnr
    close = "gives the same pixels" if math.isinf(psnr) else f"comes nearer, PSNR {psnr:.1f} dB"
    return f"; {nearest.call} {close}"
