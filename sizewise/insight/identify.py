"""Finding out which library, version, method and options made a resized image of an original."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dialects import get
from ..dialects import names as every
from ..errors import ArgumentError, short_repr
from ..files import jpeg as compression
from ..validation import as_sequence, require_bool
from .calls import lines
from .glance import Glance, Progress, digest, glance
from .identity import Group, Identity, status, verdict
from .pairs import Pair, pair
from .pixels import results, whole
from .scores import score
from .ways import Way, usual

_TOLD = 8  # groups


def identify(
    original: Any,
    resized: Any,
    *,
    jpeg: bool = False,
    dialects: Iterable[str] | None = None,
    progress: Progress = lambda what: None,
) -> Identity:
    """Which way to resize made `resized` of `original`: all that dialects have, the nearest first.

    Args:
        original: pixels, (height, width) or (height, width, channels), or the name of an image file.
        resized: the same of the result.
        jpeg: whether the result was compressed as JPEG afterwards; as its file says, or else as it looks.
        dialects: whose ways to try; by default those of all.
        progress: hears of every step.

    >>> import numpy as np, sizewise as sw
    >>> x = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    >>> sw.identify(x, sw.resize(x, (20, 30), "lanczos", dialect="pillow"))
    undecidable at this size between pillow lanczos and pillow@12 lanczos: all 600 pixels are identical
      NumPy: sw.resize(image, (20, 30), "lanczos", dialect="pillow")
      PyTorch: sw.resize(tensor, (20, 30), "lanczos", dialect="pillow")
      Pillow: image.resize((30, 20), Image.Resampling.LANCZOS)
    """
    require_bool(jpeg, "jpeg")
    names = usual() if dialects is None else _known(dialects)
    if not callable(progress):
        raise ArgumentError(f"progress must be a function of one argument, not {short_repr(progress)}")
    two = pair(original, resized)
    if two.input_size == two.output_size:
        return _same_size(two)
    seen = glance(two, names, lossy=jpeg, progress=progress)
    read = compression.settings_of(resized) if isinstance(resized, (str, os.PathLike)) else None
    settings = (read or _guessed(two, seen)) if jpeg else None
    groups = _look(two, seen.worth(settings), settings, progress)
    kind = status(groups[0], two)
    name = settings.name if settings else ""
    return Identity(
        **_facts(two),
        status=kind,
        verdict=verdict(kind, groups, two, name)
        + (_hint(resized, read) if kind == "nothing fits" and not jpeg else ""),
        groups=tuple(groups[:_TOLD]),
        lines=_lines(groups[0], two) if kind != "nothing fits" else (),
        notes=two.notes,
        tried=len(seen.ways),
        jpeg=name,
    )


def _known(given: Iterable[str]) -> tuple[str, ...]:
    """Names of dialects, at least one."""
    names = as_sequence(given)
    if not names:
        raise ArgumentError(f"dialects must be some of {', '.join(every())}, not {short_repr(given)}")
    return tuple(get(name).name for name in names)


def _lines(group: Group, two: Pair) -> tuple[tuple[str, str], ...]:
    return lines(group.ways, two.output_size, two.dtype, two.theirs.dtype)


def _look(two: Pair, ways: list[Way], settings: compression.Settings | None, progress: Progress) -> list[Group]:
    """Ways by what they give, whole and compressed as the result was: those that coincide together, nearest first."""
    groups: dict[bytes, Group] = {}
    chosen = set(ways)
    for call in dict.fromkeys(replace(way, finish="") for way in ways):
        progress(call.call)
        for way, made in results(call, call.plan(two.input_size, two.output_size), two.picture):
            if way not in chosen:
                continue
            pixels = whole(way, made, two.theirs.dtype, None if settings else two.theirs)
            key = digest(pixels)
            if key not in groups:
                groups[key] = _judged(pixels, two, settings)
            groups[key] = replace(groups[key], ways=(*groups[key].ways, way))
    nearest = sorted(groups.values(), key=lambda group: group.score.key)
    exact = [group for group in nearest if group.score.exact]
    if exact:  # they may differ, but not in what can be seen: after compression, or in the last bits of floats
        together = tuple(way for group in exact for way in group.ways)
        nearest = [replace(exact[0], ways=together), *nearest[len(exact) :]]
    return [replace(group, ways=tuple(sorted(group.ways, key=lambda way: way.rank))) for group in nearest]


def _judged(pixels: NDArray, two: Pair, settings: compression.Settings | None) -> Group:
    """How near pixels are to the result, compressed as it was."""
    final = settings.again(pixels) if settings else pixels
    noise = score(final, pixels).residual if settings else None
    return Group((), score(final, two.theirs, two.tolerance), noise)


def _hint(resized: Any, read: compression.Settings | None) -> str:
    """What to try where nothing fits: files say what they are, arrays do not."""
    if read is not None:
        return "; it is a JPEG file: allow for that with --jpeg (jpeg=True)"
    named = isinstance(resized, (str, os.PathLike))
    return "" if named else "; if it was saved as JPEG before, allow for that with jpeg=True"


def _guessed(two: Pair, seen: Glance) -> compression.Settings:
    """How the result was compressed, as it looks beside the ways."""
    if two.theirs.dtype != np.uint8 or two.theirs.shape[-1] not in (1, 3):
        raise ArgumentError(
            f"JPEG is for uint8 with 1 or 3 channels, not {two.theirs.dtype} with {two.theirs.shape[-1]}; leave it out"
        )
    return min(compression.likely(two.theirs), key=seen.least)


def _same_size(two: Pair) -> Identity:
    apart = score(two.picture.x.astype(two.theirs.dtype), two.theirs, two.tolerance)
    how = "all pixels are identical" if apart.exact else f"pixels differ by up to {apart.largest:.4g}"
    return Identity(
        **_facts(two), status="same size", verdict=f"same size: nothing was resized; {how}", notes=two.notes
    )


def _facts(two: Pair) -> dict[str, Any]:
    return {
        "input_size": two.input_size,
        "output_size": two.output_size,
        "channels": two.theirs.shape[-1],
        "dtype": two.theirs.dtype.name,
    }
