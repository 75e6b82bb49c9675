"""WebDataset samples."""

from __future__ import annotations

from typing import Any

from ...errors import ArgumentError
from ..preprocessor import Preprocessor
from ._rows import RowFunction

ENDINGS = ("jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp", "gif", "ppm", "pgm")


class WebDatasetFunction(RowFunction):
    """A function of `WebDataset.map`: a sample in, the sample with its result out; the image itself leaves it."""

    def __call__(self, sample: dict[str, Any]) -> dict[str, Any]:
        key = self.column or next((one for one in sample if one.lower().rpartition(".")[2] in ENDINGS), None)
        if key is None:
            members = ", ".join(one for one in sample if not one.startswith("__"))
            raise ArgumentError(f"the sample {sample.get('__key__')!r} has no image; its members are {members}")
        result, error = self.run_one(sample[key])
        rest = {name: value for name, value in sample.items() if name != key}
        return {**rest, self.output or key: result} if error is None else {**rest, "error.txt": error}


def make_function(
    pre: Preprocessor, *, column: str = "", output: str = "pixel_values.npy", on_error: str = "raise"
) -> WebDatasetFunction:
    """Return a function for `dataset.map(function)`: of the member `column`, or of the first with an image's ending.

    The result has the name `output`, or that of the image where `output` is "". Do not decode before: images are
    decoded as the preprocessor says. With `on_error="return"`, a sample that fails has the member "error.txt" in place
    of the result: its message.
    """
    return WebDatasetFunction(pre, column, output, on_error)
