"""Comparison: one image through several dialects, and how far each result is from the first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import dialects, validation
from ..errors import ArgumentError, ArgumentTypeError, UnknownNameError, short_repr
from ..memory_limits import require_memory
from ..plan import Plan
from ..resize_spec import parse_variant
from ..resolve import require_lengths
from .candidates import Candidate, all_candidates
from .differences import explain_difference
from .image_pair import read_image
from .notebook import HasPage
from .pixel_error import crop, difference, distinctive_windows, format_value, pixel_error
from .pixels import Source, finished, results

# Methods that other dialects have under another name, the nearest first.
_SIMILAR: dict[str, tuple[str, ...]] = {
    "nearest": (),
    "bilinear": (),
    "bicubic": (),
    "lanczos": ("lanczos3", "lanczos4"),
    "lanczos3": ("lanczos", "lanczos4"),
    "lanczos4": ("lanczos", "lanczos3"),
    "area": ("box",),
    "box": ("area",),
}
_NEARER = 0.7  # of the residual, from which on another method is recommended
_FINISHES = {
    "rounded": "floats of {titles} are rounded to {dtype} and clipped, as users do",
    "premultiplied": "{titles} multiplies colors by alpha first; all others resize alpha as one more channel",
}


@dataclass(frozen=True)
class Difference:
    """The largest and the mean difference of two images, PSNR in decibels (infinite where nothing differs), and the
    percentage of pixels that differ.
    """

    largest: float
    mean: float
    psnr: float
    percent: float


@dataclass(frozen=True)
class Entry:
    """One result: its spec, its pixels (channels last), and how far they are from the first, in all channels together
    and in each. `apart` is the difference of each pixel, `finding` its cause.
    """

    spec: Candidate
    pixels: NDArray = field(repr=False, compare=False)
    difference: Difference
    channels: tuple[Difference, ...]
    apart: NDArray = field(repr=False, compare=False)
    finding: str = ""


@dataclass(frozen=True, repr=False)
class Comparison(HasPage):
    """The results of one image, channels last like the original; all are compared with the first."""

    page_function = ("compare.html", "comparison_page")
    input_size: tuple[int, int]
    output_size: tuple[int, int]
    dtype: str
    range: float
    entries: tuple[Entry, ...]
    original: NDArray = field(compare=False)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sizes = " -> ".join("x".join(map(str, size)) for size in (self.input_size, self.output_size))
        first, *others = self.entries
        heading = f"{sizes}, {self.dtype}, each against {first.spec.call}"
        return "\n".join([heading, *(f"- {entry.spec.call}: {entry.finding}" for entry in others), *self.notes])


@dataclass(frozen=True)
class _Result:
    spec: Candidate
    plan: Plan
    pixels: NDArray


def compare(
    image: Any,
    size: tuple[int, ...],
    variants: Sequence[str] = ("pillow", "opencv", "torch", "tensorflow"),
    method: str = "bilinear",
) -> Comparison:
    """Resize one image with several dialects, and compare each result with the first.

    Args:
        image: pixels, (height, width) or (height, width, channels), or the name of an image file.
        size: (height, width) of the results.
        variants: names of dialects, perhaps with a method and options: "opencv", "pillow:bicubic", "torch bilinear
            antialias=true".
        method: for variants that name none. A dialect that does not have it is left out; a note says so.

    >>> import numpy as np, sizewise as sw
    >>> sw.compare(np.eye(8), (4, 4), ["torch", "tfjs"], "nearest")
    8x8 -> 4x4, float64, each against torch nearest
    - tfjs nearest: PyTorch and TensorFlow.js give the same pixels
    reproduced by Sizewise (as PyTorch 2.13 and @tensorflow/tfjs 4.22): no other package was called
    """
    notes: list[str] = []
    lengths = require_lengths(size, None, "size")
    if len(lengths) != 2:
        raise ArgumentError(f"size is {'x'.join(map(str, lengths))}; an image has two lengths, like 224x224")
    height, width = lengths
    specs = _specs(variants, validation.require_text(method, "method"), (height, width), notes)
    x = read_image(image, "image")
    require_memory(8 * height * width * x.shape[-1], "a result of {} pixels", f"{height}x{width}")
    source = Source(x, x.dtype, alpha=x.shape[-1] in (2, 4) and x.dtype == np.uint8)
    found = [_resize(spec, source, (height, width)) for spec in specs]
    return Comparison(
        input_size=(x.shape[0], x.shape[1]),
        output_size=(height, width),
        dtype=x.dtype.name,
        range=source.range,
        entries=tuple(_entry(found[0], one, _names(found, found[0], one), source) for one in found),
        original=x,
        notes=(*notes, *_notes([one.spec for one in found], x.dtype)),
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _notes(specs: Sequence[Candidate], dtype: np.dtype) -> Iterator[str]:
    """Describe how results became pixels: libraries that were not called, floats that were rounded, and alpha."""
    libraries = list(dict.fromkeys(spec.library for spec in specs if spec.dialect != "standard"))
    if libraries:
        yield f"reproduced by Sizewise (as {_listed(libraries)}): no other package was called"
    for finish, text in _FINISHES.items():
        titles = list(dict.fromkeys(spec.title for spec in specs if spec.finish == finish))
        if titles:
            yield text.format(titles=_listed(titles), dtype=dtype)


def similar_method(dialect: str, method: str) -> str:
    """Return the dialect's name of a method, or of the most similar one that it has."""
    chosen = dialects.get(dialect)
    known = {*chosen.methods, *chosen.aliases}
    names = (name for name in (method, *_SIMILAR.get(method.lower(), ())) if name.lower() in known)
    return chosen.resolve_method(next(names, method))


def _specs(variants: object, method: str, size: tuple[int, ...], notes: list[str]) -> list[Candidate]:
    given = (variants,) if isinstance(variants, str) else validation.as_sequence(variants)
    if given is None or not all(isinstance(one, str) for one in given):
        raise ArgumentTypeError(f'variants must be texts such as "torch bicubic", not {short_repr(variants)}')
    specs = []
    for arguments in map(parse_variant, given):
        dialect, own = arguments["dialect"], arguments.pop("method", None)
        dialects.get(dialect).fill_options(arguments["options"])  # unknown options are errors, whatever the method
        try:
            specs.append(Candidate.of(method=similar_method(dialect, own or method), size=size, **arguments))
        except UnknownNameError:
            if own is not None or method.lower() not in _SIMILAR:
                raise
            notes.append(f"left out: {dialect} has no {method}; write {dialect}:METHOD to choose another")
    different = list(dict.fromkeys(specs))
    if len(different) < 2:
        labels = ", ".join(spec.label for spec in different) or "none"
        raise ArgumentError(f"give two different variants or more, like pillow,opencv,torch; got {labels}")
    return different


def _resize(spec: Candidate, source: Source, size: tuple[int, int]) -> _Result:
    height, width, _ = source.x.shape
    plan = spec.make_plan((height, width))
    if plan.output_size != size:
        raise ArgumentError(f"{spec.call} resizes {(height, width)} to {plan.output_size}, not {size}")
    one, values = next(results(spec, plan, source))
    return _Result(one, plan, finished(one, values, source.wanted))


def _names(found: Sequence[_Result], *chosen: _Result) -> list[str]:
    """Return the names of results: the library, or the whole spec where several results are of one library."""
    titles = [one.spec.title for one in found]
    return [one.spec.title if titles.count(one.spec.title) == 1 else one.spec.call for one in chosen]


def _entry(first: _Result, one: _Result, names: Sequence[str], source: Source) -> Entry:
    apart = difference(one.pixels, first.pixels)
    overall = _measure(apart, source.range)
    return Entry(
        spec=one.spec,
        pixels=one.pixels,
        difference=overall,
        channels=tuple(_measure(apart[..., [channel]], source.range) for channel in range(apart.shape[-1])),
        apart=apart.max(axis=-1),
        finding="" if one is first else _finding(first, one, names, overall, source),
    )


def _measure(apart: NDArray, limit: float) -> Difference:
    square = float(np.square(apart, dtype=np.float64).mean())
    psnr = 10 * math.log10(limit**2 / square) if square else math.inf
    differs = float((apart > 0).any(axis=-1).mean())
    return Difference(float(apart.max()), float(apart.mean()), psnr, 100 * differs)


def _finding(first: _Result, other: _Result, names: Sequence[str], measured: Difference, source: Source) -> str:
    """Return what sets a result apart from the first, and which spec is closer to it."""
    if measured.largest == 0:
        return f"{names[0]} and {names[1]} give the same pixels"
    why = explain_difference(first.plan, other.plan, names[0], names[1])
    largest = f"{format_value(measured.largest)} of {format_value(source.range)}"
    opening = f"{names[0]} and {names[1]} differ by up to {largest}, PSNR {measured.psnr:.1f} dB"
    return f"{opening}: {why}{_remedy(first, other, source)}"


def _remedy(first: _Result, other: _Result, source: Source) -> str:
    """Return the spec of the other dialect that comes nearest to the first result, tried in windows of it."""
    windows = distinctive_windows(first.pixels)
    wanted = crop(first.pixels, windows)
    least = _NEARER * pixel_error(crop(other.pixels, windows), wanted).residual
    nearest = None
    sizes = source.x.shape[:2], first.pixels.shape[:2]
    for candidate, plan in all_candidates(*sizes, [other.spec.dialect]):
        spec, values = next(results(candidate, plan, source, windows))
        residual = pixel_error(finished(spec, values, source.wanted), wanted).residual
        if residual < least:
            nearest, least = spec, residual
    if nearest is None:
        return ""
    pixels = _resize(nearest, source, sizes[1]).pixels
    psnr = _measure(np.abs(pixels.astype(np.float64) - first.pixels), source.range).psnr
    close = "gives the same pixels" if math.isinf(psnr) else f"is closer, PSNR {psnr:.1f} dB"
    return f"; {nearest.call} {close}"
