"""The card of a recipe as a page: steps, sizes as drawings, a photo after each step, and code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...errors import ArgumentError
from ...insight.audit.fit import describe_range, describe_result
from ...preprocess import Decode, Layout, PadBatch, Preprocessor, array_ops, decoding, golden
from ...preprocess.text import describe
from ..page import page
from ..pictures import image_uri, to_uint8
from ..text import format_size, printable
from .library_code import library_codes
from .sample_photo import sample_photo
from .size_picture import SizePicture, size_picture

SIZES = ((480, 640), (640, 480), (1080, 1920))  # of usual photos: landscape, portrait and wide
EXPLANATIONS = {
    "decode": "reads a file into pixels",
    "resize": "resizes the image to the size of a rule",
    "center_crop": "cuts out the center, and pads what is smaller",
    "crop_box": "cuts out a fixed box",
    "crop_inside": "cuts out the center",
    "pad_to": "adds margins up to a fixed size",
    "pad_to_multiple": "adds margins up to a multiple",
    "pad_to_square": "adds margins up to a square",
    "pad_at_least": "adds margins where the image is smaller",
    "pad_by": "adds margins of fixed widths",
    "pad_to_aspect": "adds margins up to an aspect ratio",
    "crop_to_aspect": "cuts out the center of an aspect ratio",
    "crop_or_resize": "cuts out the center, and resizes what is smaller",
    "to_unit_range": "converts integers to floats from 0 to 1",
    "rescale": "multiplies every value by one factor",
    "normalize": "subtracts the mean and divides by the standard deviation of each channel",
    "reverse_channels": "reverses the channels: RGB to BGR, or back",
    "cast": "converts the values to another dtype",
    "layout": "orders the axes of the array",
    "pad_batch": "pads the images of a batch to the largest",
}
_CODE = """import sizewise as sw

recipe = sw.Preprocessor.load("recipe.json")
batch = recipe(["photo.jpg"])"""


def card_page(recipe: Preprocessor, name: str, command: str = "") -> str:
    """Return the page of a recipe; `command` is the line that writes it again."""
    result = describe_result(recipe)
    size = SIZES[0]
    columns = ("#", "step", "what it does", "parameters", f"size of a {format_size(size)} image")
    return page(
        "preprocess_card.html",
        title=f"Input recipe: {printable(name)}",
        lead=f"From an image to the array that the model takes, in {len(recipe.steps)} steps. "
        "Sizes are height x width.",
        command=command,
        numbers=_numbers(recipe, result.channels, result.dtype, describe_range(result.low, result.high)),
        step_columns=columns,
        step_rows=list(_rows(recipe, size)),
        drawings=[one for size in SIZES if (one := _drawing(recipe, size)) is not None],
        photos=list(_photos(recipe)),
        code=_CODE,
        json=recipe.to_json(),
        libraries=library_codes(recipe),
    )


def _numbers(recipe: Preprocessor, channels: int, dtype: str, values: str) -> list[tuple[str, str]]:
    """Return the facts about a result, by name."""
    sizes = _sizes(recipe, SIZES[0])
    height, width = sizes[-1] if sizes else ("height", "width")
    lengths = {"C": channels, "H": height, "W": width}
    fingerprint = golden.fingerprint(recipe)
    return [
        ("shape", f"({', '.join(str(lengths[axis]) for axis in recipe.layout)})"),
        ("order of axes", recipe.layout),
        ("dtype", dtype),
        ("values", f"{values}, for bytes from 0 to 255"),
        *([("SHA-256 of golden vector 0", fingerprint)] if fingerprint else []),
    ]


def _sizes(recipe: Preprocessor, size: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the size before and after each step; empty where the recipe refuses the image."""
    try:
        return recipe.sizes(size)
    except ArgumentError:
        return []


def _rows(recipe: Preprocessor, size: tuple[int, int]) -> Iterator[list[Any]]:
    sizes = _sizes(recipe, size)
    for index, step in enumerate(recipe.steps):
        after = format_size(sizes[index + 1]) if sizes else "refused"
        yield [index + 1, step.name, EXPLANATIONS[step.name], printable(describe(step)), after]


def _drawing(recipe: Preprocessor, size: tuple[int, int]) -> SizePicture | None:
    return size_picture(recipe, size) if _sizes(recipe, size) else None


def _photos(recipe: Preprocessor) -> Iterator[dict[str, object]]:
    """Yield the synthetic photo and what each step that changes pixels makes of it."""
    image = Image.fromarray(sample_photo())
    if not _sizes(recipe, (image.height, image.width)):
        return
    yield _photo("the photo", decoding.to_pixels(image, recipe.decode, None))
    for step, x in recipe.trace(image):
        if not isinstance(step, (Decode, Layout, PadBatch)):
            yield _photo(f"after {step.name}", array_ops.convert(x, "numpy"))


def _photo(title: str, pixels: NDArray) -> dict[str, object]:
    low, high = float(pixels.min()), float(pixels.max())
    shape = format_size(pixels.shape[:2])
    return {
        "title": title,
        "uri": image_uri(to_uint8(np.asarray(pixels), low, high - low or 1.0)),
        "ratio": pixels.shape[1] / pixels.shape[0],
        "caption": f"{shape}, {pixels.dtype.name}, {describe_range(low, high)}",
    }
