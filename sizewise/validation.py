"""What a value that a caller gave is, in one look: None where it is not what it should be.

A value may be of anybody's class. Python's own errors of converting it say that it is not fit; others pass.
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

MAX_AXIS_LENGTH = 2**31 - 1  # that an axis may be: below it, indices and distances are exact 64-bit integers
MAX_ENTRIES = 4096  # entries of a sequence: plans may have many axes, arrays have 64 at most
DTYPE_CODES = frozenset("?bBhHiIlLqQefd")  # NumPy's codes of the dtypes that can be resized


def as_sequence(given: object) -> tuple[Any, ...] | None:
    """What a list, a tuple, an array or the like holds; None where that is more than `MAX_ENTRIES`: some never end.

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
    """The integer that a value is. A bool is none, and nor is a float, even a whole one.

    >>> as_int(np.int8(4)), as_int(4.0), as_int(True)
    (4, None, None)
    """
    if isinstance(given, bool):
        return None
    try:
        return int(given.__index__())  # type: ignore[attr-defined]
    except CONVERSION_ERRORS:
        return None


def as_float(given: object) -> float | None:
    """The finite number that a value is, as a float. Bools and text are none, and nor is what is complex.

    >>> as_float(np.float32(0.5)), as_float(10**400), as_float("2")
    (0.5, None, None)
    """
    kind, shape = getattr(getattr(given, "dtype", None), "kind", None), getattr(given, "shape", ())
    if isinstance(given, (bool, str, bytes, bytearray)) or (isinstance(kind, str) and kind in "bcOSUmM"):
        return None
    if isinstance(shape, tuple) and shape:  # of several numbers PyTorch's float() raises RuntimeError
        return None
    try:
        number = float(given)  # type: ignore[arg-type]
    except CONVERSION_ERRORS:
        return None
    return number if isfinite(number) else None


def require_int(given: object, name: str, least: int, most: int = MAX_AXIS_LENGTH) -> int:
    """An integer from the one to the other, or an error that says so.

    >>> require_int(np.uint8(3), "lobes", 1)
    3
    """
    found = as_int(given)
    if found is None or not least <= found <= most:
        raise ArgumentError(f"{name} must be an integer from {least} to {most:,}, not {short_repr(given)}")
    return found


def require_float(given: object, name: str) -> float:
    """A finite number, or an error that says so.

    >>> require_float(3, "radius")
    3.0
    """
    real = as_float(given)
    if real is None:
        raise ArgumentError(f"{name} must be a finite number, not {short_repr(given)}")
    return real


def require_bool(given: object, name: str) -> bool:
    """True or False, or an error that says so.

    >>> require_bool(np.True_, "align_corners")
    True
    """
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"{name} must be True or False, not {short_repr(given)}")
    return bool(given)


def require_real_array(given: object, name: str) -> NDArray:
    """An array of real numbers, as it is or made of nested lists; or an error that says so.

    >>> require_real_array([[1, 2]], "weights")
    array([[1, 2]])
    """
    try:
        found = np.asarray(given)
    except CONVERSION_ERRORS as failure:
        raise ArgumentError(f"{name} must be numbers, and {short_repr(given)} is none: {failure}") from None
    if found.dtype.kind not in "biuf" or is_masked(given):
        raise ArgumentTypeError(f"{name} must be numbers, and none of them masked, not {short_repr(given)}")
    require_memory(8 * found.size, "{} as numbers of 8 bytes", name)
    return found


def is_masked(given: object) -> bool:
    """Return whether a value is a masked array, without importing `numpy.ma`: where it is not loaded, there are none.

    >>> is_masked(np.zeros(2)), is_masked(np.ma.zeros(2))
    (False, True)
    """
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and isinstance(given, masked)


def is_symbolic(given: object) -> bool:
    """Return whether a value is an integer that a graph of PyTorch leaves open, without importing PyTorch.

    >>> is_symbolic(4)
    False
    """
    if isinstance(given, int):
        return False
    symbol = getattr(sys.modules.get("torch"), "SymInt", None)
    return symbol is not None and isinstance(given, symbol)


def require_dtype(given: object) -> np.dtype:
    """The dtype that a value names, of numbers that can be resized; or an error that lists those.

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
        raise ArgumentError(f"dtype must be one of NumPy's, such as 'float32' or np.uint8, not {short_repr(given)}")
    require_resizable_dtype(dtype)
    return dtype


def require_resizable_dtype(dtype: np.dtype) -> None:
    """Refuses dtypes that cannot be resized.

    >>> require_resizable_dtype(np.dtype(np.uint8))
    """
    if dtype.char not in DTYPE_CODES and dtype.name != "bfloat16":
        raise DtypeError(
            f"cannot resize an array of dtype {dtype}; use bool, an integer type, float16, bfloat16, float32 or float64"
        )
