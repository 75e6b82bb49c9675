"""Hugging Face datasets."""

from __future__ import annotations

from typing import Any

from ..preprocessor import Preprocessor
from ._rows import RowFunction


class DatasetsFunction(RowFunction):
    """A function of `Dataset.map(batched=True)`: lists of a batch in, the new columns out."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return self.columns(batch[self.column])


def make_function(
    pre: Preprocessor, *, column: str = "image", output: str = "pixel_values", on_error: str = "raise"
) -> DatasetsFunction:
    """Return a function for `dataset.map(function, batched=True)`; cells are images, arrays, bytes or paths.

    Images of the feature `Image(decode=False)` reach the preprocessor as bytes, and are decoded as it says.
    """
    return DatasetsFunction(pre, column, output, on_error)
