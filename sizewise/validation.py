"""Checks of arguments: `as_...` converts or returns None, `require_...` converts or raises an error.

Values may be of any class. Errors of Python's own conversions mean that a value does not fit; others propagate.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError, DtypeError, short_repr, unknown_name
from .memory_limits import require_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_AXIS_LENGTH = 2**31 - 1  # products of two lengths are exact 64-bit integers
MAX_ENTRIES = 4096  # of a sequence; arrays have at most 64 axes, plans may have more
DTYPE_CODES = frozenset("?bBhHiIlLqQefd")  # NumPy's codes of dtypes that can be resized


def as_sequence(given: object) -> tuple[Any, ...] | None:
    """Return the entries of a list, tuple, array or the like; None if there are more than MAX_ENTRIES.

    >>> as_sequence([2, 3]), as_sequence("23"), as_sequence(7), as_sequence(range(10**12))
    ((2, 3), None, None, None)
    """
    if isinstance(given, (str, bytes, bytearray, set, frozenset, Mapping)):
        return None
    try:
        entries = tuple(islice(iter(given), MAX_ENTRIES + 1))  # type: ignore[call-overload]
    except CONVERSION_ERRORS:
        return None
    return entries if len(entries) <= MAX_ENTRIES else None


def as_int(given: object) -> int | None:
    """Return an integer as an int; None for all other values, including bools and floats.

    >>> as_int(np.int8(4)), as_int(4.0), as_int(True)
    (4, None, None)
    """
    if isinstance(given, (bool, np.bool_)):  # older releases of NumPy give the second an __index__
        return None
    try:
        return int(given.__index__())  # type: ignore[attr-defined]
    except CONVERSION_ERRORS:
        return None


def as_float(given: object) -> float | None:
    """Return a finite real number as a float; None for all other values, including bools and strings.

    >>> as_float(np.float32(0.5)), as_float(10**400), as_float("2")
    (0.5, None, None)
    """
    kind, shape = getattr(getattr(given, "dtype", None), "kind", None), getattr(given, "shape", ())
    if isinstance(given, (bool, str, bytes, bytearray)) or (isinstance(kind, str) and kind in "bcOSUmM"):
        return None
    if isinstance(shape, tuple) and shape:  # float() of a PyTorch tensor with several elements raises RuntimeError
        return None
    try:
        number = float(given)  # type: ignore[arg-type]
    except CONVERSION_ERRORS:
        return None
    return number if isfinite(number) else None


def require_text(given: object, name: str) -> str:
    """Return a str unchanged; raise ArgumentTypeError for all other values.

    >>> require_text("nearest", "method")
    'nearest'
    """
    if not isinstance(given, str):
        raise ArgumentTypeError(f"{name} must be a str, not {short_repr(given)}")
    return given


def require_texts(given: object, name: str) -> tuple[str, ...]:
    """Return one str, or a sequence of them, as a tuple; raise ArgumentTypeError for all other values.

    >>> require_texts("torch", "dialects"), require_texts(["torch", "jax"], "dialects")
    (('torch',), ('torch', 'jax'))
    """
    found = (given,) if isinstance(given, str) else as_sequence(given)
    if found is None or not all(isinstance(one, str) for one in found):
        raise ArgumentTypeError(f"{name} must be a str or a sequence of them, not {short_repr(given)}")
    return found


def require_int(given: object, name: str, low: int, high: int = MAX_AXIS_LENGTH) -> int:
    """Return an integer from `low` to `high`; raise ArgumentError for all other values.

    >>> require_int(np.uint8(3), "lobes", 1)
    3
    """
    value = as_int(given)
    if value is None or not low <= value <= high:
        raise ArgumentError(f"{name} must be an integer from {low} to {high:,}, not {short_repr(given)}")
    return value


def require_float(given: object, name: str) -> float:
    """Return a finite number as a float; raise ArgumentError for all other values.

    >>> require_float(3, "radius")
    3.0
    """
    value = as_float(given)
    if value is None:
        raise ArgumentError(f"{name} must be a finite number, not {short_repr(given)}")
    return value


def require_bool(given: object, name: str) -> bool:
    """Return a bool; raise ArgumentError for all other values.

    >>> require_bool(np.True_, "align_corners")
    True
    """
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"{name} must be True or False, not {short_repr(given)}")
    return bool(given)


def require_window(given: object, n_out: int) -> slice:
    """Return a slice of the outputs with its start and stop resolved; raise ArgumentError for all other values.

    >>> require_window(slice(-3, None), 8)
    slice(5, 8, None)
    """
    try:
        start, stop, step = slice.indices(given, n_out)  # type: ignore[arg-type]
    except CONVERSION_ERRORS:  # no slice, or not of integers
        raise ArgumentError(
            f"a window must be a slice of outputs, such as slice(0, {n_out}), not {short_repr(given)}"
        ) from None
    if step != 1 or start >= stop:
        raise ArgumentError(
            f"a window must be contiguous and hold at least one of the {n_out} outputs, not {short_repr(given)}"
        )
    return slice(start, stop)


def require_real_array(given: object, name: str) -> NDArray:
    """Return an array of real numbers, converted from nested lists if needed; raise an error for all other values.

    >>> require_real_array([[1, 2]], "weights")
    array([[1, 2]])
    """
    try:
        array = np.asarray(given)
    except CONVERSION_ERRORS as failure:
        raise ArgumentError(f"{name} must be an array of numbers, not {short_repr(given)}: {failure}") from None
    if array.dtype.kind not in "biuf" or is_masked(given):
        raise ArgumentTypeError(f"{name} must be an array of real numbers without a mask, not {short_repr(given)}")
    require_memory(8 * array.size, "{} in float64", name)
    return array


def is_masked(given: object) -> bool:
    """Return whether a value is a masked array, without importing `numpy.ma`.

    >>> is_masked(np.zeros(2)), is_masked(np.ma.zeros(2))
    (False, True)
    """
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and isinstance(given, masked)


def is_symbolic(given: object) -> bool:
    """Return whether a value is a symbolic integer of PyTorch (SymInt), without importing PyTorch.

    >>> is_symbolic(4)
    False
    """
    if isinstance(given, int):
        return False
    symbol = getattr(sys.modules.get("torch"), "SymInt", None)
    return symbol is not None and isinstance(given, symbol)


def require_dtype(given: object) -> np.dtype:
    """Return a NumPy dtype, or the one of that name; raise an error if arrays of it cannot be resized.

    >>> require_dtype("float32")
    dtype('float32')
    """
    try:
        dtype = np.dtype(given) if isinstance(given, (np.dtype, str, type)) else None
    except (*CONVERSION_ERRORS, SyntaxError):
        dtype = None
    if dtype is None and isinstance(given, str):
        raise unknown_name("dtype", given, sorted({np.dtype(code).name for code in DTYPE_CODES}))
    if dtype is None:
        raise ArgumentError(f"dtype must be a NumPy dtype, such as 'float32' or np.uint8, not {short_repr(given)}")
    require_resizable_dtype(dtype)
    return dtype


def require_resizable_dtype(dtype: np.dtype) -> None:
    """Raise DtypeError if arrays of the dtype cannot be resized.

    >>> require_resizable_dtype(np.dtype(np.uint8))
    """
    if dtype.char not in DTYPE_CODES and dtype.name != "bfloat16":
        raise DtypeError(
            f"cannot resize an array of dtype {dtype}; use bool, an integer type, float16, bfloat16, float32 or float64"
        )
