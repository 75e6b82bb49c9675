"""Rows of data engines: cells to images, and results or errors in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ArgumentError, ArgumentTypeError, short_repr
from .. import array_ops, batches
from ..preprocessor import Preprocessor


@dataclass(frozen=True)
class RowFunction:
    """A preprocessor and the names of its columns; `error_column` has the messages where `on_error` is "return"."""

    pre: Preprocessor
    column: str
    output: str
    on_error: str = "raise"
    threads: int = 1  # engines run one task per core

    def __post_init__(self) -> None:
        if not isinstance(self.pre, Preprocessor):
            raise ArgumentTypeError(f"pre is {short_repr(self.pre)}; give a sizewise.Preprocessor")
        if self.on_error not in ("raise", "return"):
            raise ArgumentError(f"on_error is {short_repr(self.on_error)}; use one of 'raise', 'return'")

    @property
    def error_column(self) -> str:
        """The name of the column of errors."""
        return f"{self.output}_error"

    def run(self, cells: Sequence[Any]) -> tuple[Any, Any, list[str | None]]:
        """Return the results (an array, or a list with None for errors), the mask of a padded batch, and the errors."""
        images = list(map(to_image, cells))
        results = batches.run_each(self.pre.steps, images, None, self.on_error, self.threads).images
        errors: list[str | None] = [str(one) if isinstance(one, Exception) else None for one in results]
        arrays = [array_ops.convert(one, "numpy") for one in results if not isinstance(one, Exception)]
        batch, mask = batches.collate(self.pre.steps, batches.Results(arrays, None))
        if len(arrays) == len(results):
            return batch, mask, errors
        return spread(batch, errors), None if mask is None else spread(mask, errors), errors

    def run_one(self, cell: Any) -> tuple[Any, str | None]:
        """Return the result of one image, or None and its error."""
        results, _, errors = self.run([cell])
        return results[0], errors[0]

    def columns(self, cells: Sequence[Any]) -> dict[str, Any]:
        """Return the new columns of a batch: results, a mask if they are padded, errors if they are returned."""
        results, mask, errors = self.run(cells)
        found = {self.output: results}
        if mask is not None:
            found[f"{self.output}_mask"] = mask
        if self.on_error == "return":
            found[self.error_column] = errors
        return found


def to_image(cell: Any) -> Any:
    """Return the image in a cell: of {"bytes", "path"}, as Hugging Face stores files, the bytes, else the path.

    >>> to_image({"bytes": None, "path": "a.png"}), to_image(b"...")
    ('a.png', b'...')
    """
    if not isinstance(cell, Mapping):
        return cell
    found = cell.get("bytes")
    return cell.get("path") if found is None else found


def spread(arrays: Sequence[Any], errors: Sequence[str | None]) -> list[Any]:
    """Return one entry per row: None for errors, the arrays in order for the others."""
    rest = iter(arrays)
    return [next(rest) if error is None else None for error in errors]


def object_array(values: Sequence[Any]) -> np.ndarray:
    """Return a 1-D array of objects, also if these are arrays of one shape."""
    column = np.empty(len(values), object)
    for index, value in enumerate(values):
        column[index] = value
    return column
