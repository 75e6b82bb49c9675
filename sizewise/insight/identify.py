"""Identification of the library, version, method and options behind a resized image."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dialects import get, names
from ..errors import ArgumentError, short_repr
from ..files import jpeg as compression
from ..validation import as_sequence, require_bool
from .candidates import Candidate, by_popularity
from .identification import Group, Identification, status, verdict
from .image_pair import ImagePair, image_pair
from .pixel_error import format_value, pixel_error
from .pixels import finished, results
from .prefilter import Prefilter, Progress, pixel_digest, prefilter
from .reproduce import lines

_MAX_GROUPS = 8


def identify(
    original: Any,
    resized: Any,
    *,
    jpeg: bool = False,
    dialects: Iterable[str] | None = None,
    progress: Progress = lambda description: None,
) -> Identification:
    """Identify the resizes that may have produced `resized` from `original`, the nearest first.

    Args:
        original: pixels, (height, width) or (height, width, channels), or the name of an image file.
        resized: the resized image, likewise.
        jpeg: whether the result was compressed as JPEG afterwards; the settings come from its file, or are estimated.
        dialects: the dialects to try; by default all.
        progress: called with a description of every step.

    >>> import numpy as np, sizewise as sw
    >>> x = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    >>> sw.identify(x, sw.resize(x, (20, 30), "lanczos", dialect="pillow"))
    undecidable at this size between pillow lanczos and pillow@12 lanczos: all 600 pixels are identical
      NumPy: sw.resize(image, (20, 30), method='lanczos', dialect='pillow')
      PyTorch: sw.resize(tensor, (20, 30), method='lanczos', dialect='pillow')
      Pillow: image.resize((30, 20), Image.Resampling.LANCZOS)
    """
    require_bool(jpeg, "jpeg")
    given = by_popularity() if dialects is None else as_sequence(dialects)
    if not given:
        raise ArgumentError(f"dialects must be some of {', '.join(names())}, not {short_repr(dialects)}")
    chosen = tuple(get(name).name for name in given)
    if not callable(progress):
        raise ArgumentError(f"progress must be a function of one argument, not {short_repr(progress)}")
    pair = image_pair(original, resized)
    if pair.input_size == pair.output_size:
        return _same_size(pair)
    windowed = prefilter(pair, chosen, lossy=jpeg, progress=progress)
    read = compression.settings_of(resized) if _is_file(resized) else None
    settings = (read or _estimate_settings(pair, windowed)) if jpeg else None
    groups = _compare(pair, windowed.selected(settings), settings, progress)
    kind, name = status(groups[0], pair), settings.name if settings else ""
    fits = kind != "nothing fits"
    sizes = pair.input_size, pair.output_size
    return Identification(
        **_facts(pair),
        status=kind,
        verdict=verdict(kind, groups, pair, name) + ("" if fits or jpeg else _hint(original, resized, read)),
        groups=tuple(groups[:_MAX_GROUPS]),
        lines=lines(groups[0].specs, *sizes, pair.dtype, pair.theirs.dtype) if fits else (),
        notes=pair.notes,
        tried=len(windowed.candidates),
        jpeg=name,
    )


def _compare(
    pair: ImagePair, candidates: list[Candidate], settings: compression.Settings | None, progress: Progress
) -> list[Group]:
    """Return candidates grouped by their pixels, compressed as the result was; the nearest group first."""
    groups: dict[bytes, Group] = {}
    chosen = set(candidates)
    for call in dict.fromkeys(replace(candidate, finish="") for candidate in candidates):
        progress(call.call)
        for candidate, values in results(call, call.make_plan(pair.input_size), pair.source):
            if candidate not in chosen:
                continue
            pixels = finished(candidate, values, pair.theirs.dtype, None if settings else pair.theirs)
            key = pixel_digest(pixels)
            if key not in groups:
                groups[key] = _group(pixels, pair, settings)
            groups[key] = replace(groups[key], specs=(*groups[key].specs, candidate))
    nearest = sorted(groups.values(), key=lambda group: group.error.key)
    exact = [group for group in nearest if group.error.exact]
    if exact:  # groups may differ before compression, or in the last bits of floats
        together = tuple(candidate for group in exact for candidate in group.specs)
        nearest = [replace(exact[0], specs=together), *nearest[len(exact) :]]
    return [replace(group, specs=tuple(sorted(group.specs, key=lambda one: one.rank))) for group in nearest]


def _group(pixels: NDArray, pair: ImagePair, settings: compression.Settings | None) -> Group:
    """Return a group without candidates: the error of its pixels, compressed as the result was."""
    compressed = settings.recompress(pixels) if settings else pixels
    noise = pixel_error(compressed, pixels).residual if settings else None
    return Group((), pixel_error(compressed, pair.theirs, pair.tolerance), noise)


def _hint(original: Any, resized: Any, read: compression.Settings | None) -> str:
    """Return what to try where nothing fits: files show that they were rotated or are JPEG, arrays do not."""
    hint = ""
    if _is_file(original) and _is_turned(original):
        stored = "sw.identify(np.asarray(Image.open(ORIGINAL)), RESIZED)"
        hint = f"; EXIF turns the original upright: if the result was made from its stored pixels, use {stored}"
    if read is not None:
        return f"{hint}; it is a JPEG file: allow for that with --jpeg (jpeg=True)"
    return hint if _is_file(resized) else f"{hint}; if it was saved as JPEG before, allow for that with jpeg=True"


def _is_file(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike))


def _is_turned(path: str | os.PathLike[str]) -> bool:
    from ..files.reading import is_turned  # imports Pillow, which arrays do not need

    return is_turned(path)


def _estimate_settings(pair: ImagePair, windowed: Prefilter) -> compression.Settings:
    """Return the JPEG settings under which a candidate comes nearest to the result."""
    if pair.theirs.dtype != np.uint8 or pair.theirs.shape[-1] not in (1, 3):
        raise ArgumentError(
            f"JPEG is for uint8 with 1 or 3 channels, not {pair.theirs.dtype} with {pair.theirs.shape[-1]}; "
            "leave jpeg out"
        )
    return min(compression.likely_settings(pair.theirs), key=windowed.least_residual)


def _same_size(pair: ImagePair) -> Identification:
    error = pixel_error(pair.source.x.astype(pair.theirs.dtype), pair.theirs, pair.tolerance)
    how = "all pixels are identical" if error.exact else f"pixels differ by up to {format_value(error.largest)}"
    return Identification(
        **_facts(pair), status="same size", verdict=f"same size: nothing was resized; {how}", notes=pair.notes
    )


def _facts(pair: ImagePair) -> dict[str, Any]:
    return {
        "input_size": pair.input_size,
        "output_size": pair.output_size,
        "channels": pair.theirs.shape[-1],
        "dtype": pair.theirs.dtype.name,
    }
