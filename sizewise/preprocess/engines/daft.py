"""Daft user-defined functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import decoding
from ..preprocessor import Preprocessor
from ..size_rules import Exact
from ..steps import Resize
from . import import_library
from ._rows import RowFunction


class DaftFunction(RowFunction):
    """A function of a Daft series: one result per row, or a struct of result and error."""

    def __call__(self, cells: Any) -> list[Any]:
        results, _, errors = self.run(cells.to_pylist())
        if self.on_error == "raise":
            return list(results)
        pairs = zip(results, errors, strict=True)
        return [{self.output: result, self.error_column: error} for result, error in pairs]


def make_function(
    pre: Preprocessor, *, column: str = "image", output: str = "pixel_values", on_error: str = "raise"
) -> Any:
    """Return an expression for `frame.select(expression)` or `frame.with_columns`: the tensor, named `output`.

    Cells are bytes, paths or arrays. With `on_error="return"` it is a struct of the tensor, or None, and the error.
    """
    daft = import_library("daft", "daft")
    function = DaftFunction(pre, column, output, on_error)
    tensor = daft.DataType.tensor(daft.DataType.from_numpy_dtype(result_dtype(pre)))
    fields = {output: tensor, function.error_column: daft.DataType.string()}

    def preprocess(cells: Any) -> list[Any]:
        return function(cells)

    dtype = tensor if on_error == "raise" else daft.DataType.struct(fields)
    return daft.udf(return_dtype=dtype)(preprocess)(daft.col(column)).alias(output)


def result_dtype(pre: Preprocessor) -> np.dtype:
    """Return the dtype of the result of a uint8 image.

    >>> from sizewise.preprocess import CropBox, Rescale
    >>> result_dtype(Preprocessor([CropBox(9, 9, 4, 4), Rescale(1 / 255)]))
    dtype('float32')
    """
    steps = [replace(step, rule=Exact(1, 1)) if isinstance(step, Resize) else step for step in pre.steps]
    probe = Preprocessor([step for step in steps if isinstance(step, Resize) or step.is_pointwise])
    pixel = np.zeros((1, 1, decoding.CHANNELS[pre.decode.mode]), np.uint8)
    for step in probe.steps:
        pixel = step.apply(pixel)
    return pixel.dtype
