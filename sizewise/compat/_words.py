"""What several of these modules ask of their arguments."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .. import validation
from ..errors import ArgumentError, ArgumentTypeError, short_repr


def kind(x: Any, name: str) -> str:
    """The name of an array's dtype, of whatever library it is.

    PyTorch's compiler can read this, and not how backends are found: torch.float32 has no name, all others have one.

    >>> import numpy as np
    >>> kind(np.zeros(3, np.float32), "src")
    'float32'
    """
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        raise ArgumentTypeError(f"{name} must be an array, not {type(x).__name__}; make one of it: np.asarray({name})")
    return getattr(x.dtype, "name", None) or str(x.dtype).rpartition(".")[2]


def pair(size: Any, name: str) -> tuple[int, int]:
    """(width, height) as integers.

    >>> pair([640, 480], "size")
    (640, 480)
    """
    numbers = tuple(map(validation.as_int, validation.as_sequence(size) or ()))
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        raise ArgumentError(f"{name} must be (width, height), two integers, not {short_repr(size)}")
    return numbers[0], numbers[1]


def emptied(x: Any, axes: Collection[int]) -> Any:
    """x with nothing left along these axes: what frameworks give for a length of 0.

    >>> import numpy as np
    >>> emptied(np.zeros((2, 3, 4)), (1,)).shape
    (2, 0, 4)
    """
    return x[tuple(slice(0) if axis in axes else slice(None) for axis in range(len(x.shape)))] if axes else x
