"""Errors and warnings of Sizewise, and helpers for their messages."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "DtypeError",
    "FileError",
    "MissingExtraError",
    "SizewiseError",
    "SizewiseWarning",
    "UnknownNameError",
    "UnsupportedError",
]
__dir__ = __all__.copy


class SizewiseError(Exception):
    """Base class of all errors that Sizewise raises.

    >>> issubclass(ArgumentError, SizewiseError) and issubclass(ArgumentError, ValueError)
    True
    """

    exit_code = 2


class ArgumentError(SizewiseError, ValueError):
    """An argument with a value that is not allowed; the message says which are.

    >>> import sizewise as sw
    >>> sw.make_plan((4, 4), (0, 2))
    Traceback (most recent call last):
    sizewise.errors.ArgumentError: output_size: entry 0 is 0; every entry must be an integer of at least 1
    """


class UnknownNameError(ArgumentError):
    """A method, dialect or option that does not exist; the message lists those that do.

    >>> import sizewise as sw
    >>> sw.make_plan((4, 4), (2, 2), dialect="tfjs", half_pixel=True)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sizewise.errors.UnknownNameError: unknown option of dialect 'tfjs': 'half_pixel'; did you mean ...
    """


class UnsupportedError(ArgumentError):
    """A combination of arguments that the framework of the dialect rejects as well.

    >>> import sizewise as sw
    >>> sw.make_plan((4, 4), (2, 2), "nearest", antialias=True)
    Traceback (most recent call last):
    sizewise.errors.UnsupportedError: standard: method 'nearest' has no antialias=True; leave it out
    """


class ArgumentTypeError(SizewiseError, TypeError):
    """An argument of a wrong type; the message says which types are allowed.

    >>> import sizewise as sw
    >>> sw.testing.dot_test("bilinear")
    Traceback (most recent call last):
    sizewise.errors.ArgumentTypeError: plan must be a Plan from make_plan, not 'bilinear'
    """


class DtypeError(ArgumentTypeError):
    """An array with a dtype that is not allowed.

    >>> import numpy as np, sizewise as sw
    >>> sw.resize_grad(np.ones((2, 2), int), (4, 4))
    Traceback (most recent call last):
    sizewise.errors.DtypeError: gradients exist for floating dtypes only, not int64; use float32 or float64
    """


class MissingExtraError(SizewiseError, ImportError):
    """A missing optional package; the message says how to install it.

    >>> print(MissingExtraError("grads()", "autograd"))
    grads() needs an optional package: pip install "sizewise[autograd]"
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f'{feature} needs an optional package: pip install "sizewise[{extra}]"')
        self._arguments = feature, extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments


class FileError(SizewiseError, OSError):
    """A file that cannot be read or written, or has invalid contents.

    >>> FileError("cannot read 'a.png': No such file or directory").exit_code
    1
    """

    exit_code = 1


# Errors of Python's own conversions of a value that does not fit. Others must propagate: signal handlers may raise them
# in the middle of any operation (Celery's soft time limit, TimeoutError from an alarm).
CONVERSION_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError)

# Packages whose errors mean that a file is broken, or that a framework does not support a call.
CODECS = ("PIL", "struct", "zlib", "lzma", "zipfile", "tarfile", "pyarrow", "numpy", "xml", "defusedxml")
FRAMEWORKS = (
    *("torch", "tensorflow", "keras", "jax", "jaxlib", "onnx", "onnxruntime", "cv2", "PIL", "paddle", "skimage"),
    *("scipy", "numpy", "pyvips", "resampler", "subprocess", "google", "absl"),
)


def is_raised_by(error: Exception, *packages: str) -> bool:
    """Return whether an operation raised the error: its class is Python's own, of Sizewise or of these packages.

    Other errors come from signal handlers, and so does a TimeoutError without errno.

    >>> is_raised_by(ValueError()), is_raised_by(TimeoutError("10 s")), is_raised_by(__import__("zlib").error(), "zlib")
    (True, False, True)
    """
    if isinstance(error, TimeoutError) and error.errno is None:
        return False
    return type(error).__module__.partition(".")[0] in {"builtins", "sizewise", *packages}


class SizewiseWarning(UserWarning):
    """A problem that does not stop the call, such as a missing native core.

    >>> issubclass(SizewiseWarning, UserWarning)
    True
    """


def unknown_name(
    kind: str, given: object, known: Iterable[str], suggestion: str = "", similarity: float = 0.6
) -> UnknownNameError:
    """Return the error for a name that is not `known`, with a suggestion: the given one, or the closest known name.

    The closest has at least that `similarity`, the ratio of difflib: names that share an ending need a higher one.

    >>> print(unknown_name("filter", "Lanzcos3", ["box", "lanczos3"]))
    unknown filter: 'Lanzcos3'; did you mean 'lanczos3'? known: box, lanczos3
    >>> print(unknown_name("dialect", "cv2", ["opencv"], "use 'opencv' for cv2"))
    unknown dialect: 'cv2'; use 'opencv' for cv2; known: opencv
    """
    import difflib  # slow to import

    names = sorted(known)
    by_lower = {name.lower(): name for name in names}
    wanted = given[:_MAX_CHARACTERS].lower() if isinstance(given, str) else ""
    near = difflib.get_close_matches(wanted, by_lower, n=_MAX_NEAR, cutoff=similarity)
    hint = f" {suggestion};" if suggestion else f" did you mean {by_lower[near[0]]!r}?" if near else ""
    listed = ", ".join(names) or "none"
    if len(names) > _MAX_NAMES:
        closest = [by_lower[name] for name in near] or names[:_MAX_NEAR]
        listed = f"{', '.join(closest)} and {len(names) - len(closest)} others"
    return UnknownNameError(f"unknown {kind}: {short_repr(given)};{hint} known: {listed}")


def short_repr(value: object) -> str:
    """Return the repr of a value for a message: shortened if it is long, or the type of unknown classes.

    >>> short_repr((2, 3)), short_repr("4x"), short_repr(-(10**5000))
    ('(2, 3)', "'4x'", 'less than -2**16609')
    """
    try:
        return _ShortRepr().repr(value)
    except CONVERSION_ERRORS:  # an unknown class in a module with the name of a known package
        return f"a value of {type(value).__name__}"


def format_count(n: int) -> str:
    """Return an integer with thousands separators, or its magnitude if it has hundreds of digits.

    >>> format_count(4096), format_count(10**5000)
    ('4,096', 'more than 2**16609')
    """
    if n.bit_length() <= _MAX_BITS:
        return f"{n:,}"
    return f"{'more than ' if n > 0 else 'less than -'}2**{n.bit_length() - 1}"


# Packages whose classes have a safe repr.
_KNOWN_PACKAGES = {
    *("builtins", "fractions", "decimal", "pathlib", "enum", "functools", "collections", "datetime", "types", "typing"),
    *("sizewise", "autograd", "dask", "ml_dtypes", "array_api_strict", *FRAMEWORKS),
}
_MAX_CHARACTERS = 200  # of the repr of a value
_MAX_NAMES = 60  # in an error that lists all known names; of more, the nearest are listed
_MAX_NEAR = 6
_MAX_BITS = 2000  # of an integer that is written out; Python's limit is about 14,000


class _ShortRepr(reprlib.Repr):
    """Short reprs that are safe for values of any class."""

    def __init__(self) -> None:
        super().__init__()
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = 8
        self.maxstring = self.maxother = _MAX_CHARACTERS

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= _MAX_BITS else format_count(x)

    def repr_instance(self, x: object, level: int) -> str:
        # The repr of an unknown class is not called: it may raise anything, or never return.
        if type(x).__module__.partition(".")[0] not in _KNOWN_PACKAGES:
            return f"a value of {type(x).__name__}"
        text = repr(x)
        return (
            text
            if len(text) <= _MAX_CHARACTERS
            else f"{text[: _MAX_CHARACTERS // 2]}...{text[-_MAX_CHARACTERS // 2 :]}"
        )
