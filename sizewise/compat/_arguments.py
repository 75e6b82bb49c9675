"""Checks of arguments, and resizes to lengths of 0, that several of these modules share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .. import api, validation
from ..errors import ArgumentError, ArgumentTypeError, short_repr, unknown_name


def dtype_name(x: Any, name: str) -> str:
    """Return the name of the dtype of an array of any library; raise if the argument `name` is no array.

    torch.compile can trace this, unlike the choice of a backend. Only PyTorch's dtypes have no `name`.

    >>> import numpy as np
    >>> dtype_name(np.zeros(3, np.float32), "src")
    'float32'
    """
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        raise ArgumentTypeError(f"{name} must be an array, not {type(x).__name__}; convert it: np.asarray({name})")
    return getattr(x.dtype, "name", None) or str(x.dtype).rpartition(".")[2]


def require_width_height(size: Any, name: str) -> tuple[int, int]:
    """Return (width, height) as integers.

    >>> require_width_height([640, 480], "size")
    (640, 480)
    """
    lengths = tuple(map(validation.as_int, validation.as_sequence(size) or ()))
    if len(lengths) != 2 or lengths[0] is None or lengths[1] is None:
        raise ArgumentError(f"{name} must be (width, height), two integers, not {short_repr(size)}")
    return lengths[0], lengths[1]


def require_known(given: Any, kind: str, known: Iterable[str]) -> str:
    """Return a known name; raise UnknownNameError for all other values."""
    if not isinstance(given, str) or given not in known:
        raise unknown_name(kind, given, known)
    return given


def require_one_of(**arguments: Any) -> None:
    """Raise unless exactly one of two arguments is given.

    >>> require_one_of(size=(2, 2), scale_factor=None)
    """
    given = [value is not None for value in arguments.values()]
    if sum(given) != 1:
        raise ArgumentError(
            f"give {' or '.join(arguments)}, one of them; {'both were' if all(given) else 'neither was'} given"
        )


def resize_with_empty_axes(
    x: Any, axes: Sequence[int], empty: Collection[int], per_axis: Mapping[str, Sequence[Any]], **arguments: Any
) -> Any:
    """Return x resized along `axes`, and empty along those that get a length of 0, as in several frameworks.

    `per_axis` holds the arguments that have an entry for each of the axes.

    >>> import numpy as np
    >>> resize_with_empty_axes(np.ones((4, 6)), (0, 1), [1], {"size": (2, 0)}).shape
    (2, 0)
    """
    kept = [position for position, axis in enumerate(axes) if axis not in empty]
    if kept:
        entries: dict[str, Any] = {
            name: tuple([values[position] for position in kept]) for name, values in per_axis.items()
        }
        x = api.resize(x, axes=tuple([axes[position] for position in kept]), **entries, **arguments)
    return empty_axes(x, empty)


def empty_axes(x: Any, axes: Collection[int]) -> Any:
    """Return x with a length of 0 along these axes.

    >>> import numpy as np
    >>> empty_axes(np.zeros((2, 3, 4)), (1,)).shape
    (2, 0, 4)
    """
    return x[tuple([slice(0) if axis in axes else slice(None) for axis in range(len(x.shape))])] if axes else x
