"""Conversion of the bytes of one file to those of another: decoded, resized and encoded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import CODECS, FileError, is_raised_by
from . import arrays, decode, draft, encode, reading, resizing
from .colors import rgb
from .draft import Difference, ResizedSize
from .fit import Placement
from .picture import Picture, from_array
from .resizing import Recipe

Placements = tuple[tuple[str, Placement], ...]
JPEG_START = b"\xff\xd8\xff"


@dataclass(frozen=True)
class Task:
    """How every file is resized and written; `format` is that of the images in shards, `column` that of Parquet."""

    recipe: Recipe
    strip: bool = False
    quality: int | None = None
    skip: bool = False
    threads: int | None = None
    format: str | None = None
    column: str = "image"


@dataclass(frozen=True)
class Converted:
    """The bytes of the output, the placements of its arrays by name, notes, and the scale of a draft."""

    data: bytes
    placements: Placements
    notes: tuple[str, ...] = ()
    draft: str | None = None


def convert(data: bytes, name: str, format: str, task: Task) -> Converted:
    """Return the resized contents of a file in a format; errors mention `name`."""
    contents = reading.parse(data, name, _resized_size(task.recipe) if task.recipe.draft else None)
    if isinstance(contents, dict) and format != "npz":
        raise FileError(f"an .npz of {len(contents)} arrays becomes an .npz only, not {format}")
    if not isinstance(contents, dict) and format == "npz":
        raise FileError("only an .npz becomes an .npz; write .npy")
    if isinstance(contents, Picture):
        return _convert_picture(contents, format, task)
    if not isinstance(contents, dict) and format != "npy":
        return _convert_picture(from_array(contents, name), format, task)
    inputs = contents if isinstance(contents, dict) else {"": contents}
    resized = {key: resizing.resize_array(array, task.recipe, task.threads) for key, array in inputs.items()}
    placements = tuple((key, placement) for key, (_, placement) in resized.items() if placement)
    require_any(placements, {key: array.shape for key, array in inputs.items()}, task.recipe)
    if format == "npy":
        return Converted(arrays.encode_npy(resized[""][0]), placements)
    return Converted(arrays.encode_npz({key: array for key, (array, _) in resized.items()}), placements)


def require_any(placements: Placements, shapes: dict[str, tuple[int, ...]], recipe: Recipe) -> None:
    """Raise FileError for a file without an array that has the axes to resize."""
    if not placements:
        found = ", ".join(map(str, shapes.values())) or "none"
        axes = "two or more axes" if recipe.axes is None else f"axes {recipe.axes}"
        raise FileError(f"none of its arrays has {axes}: it has {found}; say which to resize (--axes 0)")


def measure_draft(data: bytes, name: str, task: Task) -> Difference | None:
    """Return the difference that a draft makes to the resized pixels of a JPEG; None if it is decoded in full size."""
    try:
        found = decode.read_draft(data, name, _resized_size(task.recipe))
        if found is None or found.scale == 1:
            return None
        drafted, full = decode.read(data, name, _resized_size(task.recipe)), decode.read(data, name)
        pixels = [resizing.resize_picture(one, task.recipe, task.threads)[0].pixels for one in (drafted, full)]
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return None
    return draft.difference(name, str(found), *pixels)


def _resized_size(recipe: Recipe) -> ResizedSize:
    """Return the function from the size of a file to the size that it is resized to."""

    def resized_size(size: tuple[int, int]) -> tuple[int, int]:
        height, width = recipe.placement(size).size
        return height, width

    return resized_size


def _convert_picture(contents: Picture, format: str, task: Task) -> Converted:
    picture, placement = resizing.resize_picture(contents, task.recipe, task.threads)
    scale = None if contents.draft is None else str(contents.draft)
    placements = (("", placement),)
    if task.strip:
        picture = replace(picture, metadata=picture.metadata.strip())
    if format == "npy":
        return Converted(arrays.encode_npy(picture.pixels), placements, contents.notes, scale)
    notes, written = contents.notes, encode.convert_for_format(picture, format, rgb(task.recipe.pad))
    if written.bands != contents.bands or written.pixels.dtype != contents.pixels.dtype:
        notes = (*notes, f"{contents.description} became {written.description}")
    return Converted(encode.encode(written, format, task.quality), placements, notes, scale)
