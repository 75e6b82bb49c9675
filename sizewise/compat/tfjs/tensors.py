"""What the ops take for a tensor: arrays as they are, nested lists as TF.js's own `tf.tensor` reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import backends
from ...backends import numpy as arrays
from ...errors import ArgumentError, ArgumentTypeError


def tensor(x: Any, name: str) -> Any:
    """An array of numbers: x itself if it is one, else nested lists as float32 (of booleans: as bool)."""
    if backends.backend_for(x) is not arrays:
        if not hasattr(x, "astype"):
            raise ArgumentTypeError(f"{name} must be a NumPy array, nested lists or an autograd box, not {_kind(x)}")
        return backends.backend_for(x).array(x)
    if isinstance(x, (np.ndarray, np.generic)):
        return arrays.array(x)
    read = arrays.array(x)
    return read if read.dtype == bool else read.astype(np.float32)


def as_dtype(x: Any, dtype: np.dtype) -> Any:
    """The array in the given dtype; not copied if it has it (autograd has no forward mode through a cast)."""
    if x.dtype == dtype:
        return x
    with np.errstate(over="ignore"):  # what is too large is infinite, silently, as everywhere
        return x.astype(dtype)


def require_rank(shape: tuple[int, ...], ranks: tuple[int, ...], name: str) -> None:
    """Refuses a shape that is not that of images, NHWC."""
    if len(shape) not in ranks:
        allowed = " or ".join(map(str, ranks))
        raise ArgumentError(
            f"{name} has rank {len(shape)} (shape {tuple(shape)}); it must be of rank {allowed}, "
            "[batch, height, width, channels]" + (" or [height, width, channels]" if 3 in ranks else "")
        )


def _kind(x: object) -> str:
    return f"{type(x).__module__}.{type(x).__name__}"
