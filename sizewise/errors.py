"""The errors users meet, and the few checks every module shares.

Knows nothing of the rest of the library; everything else may import it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable


class SizewiseError(Exception):
    """Base of every error that Sizewise raises on purpose.

    >>> issubclass(ArgumentError, SizewiseError) and issubclass(ArgumentError, ValueError)
    True
    """

    exit_code = 2


class ArgumentError(SizewiseError, ValueError):
    """An argument whose value is not allowed; the message says what is.

    >>> import sizewise as sw
    >>> sw.make_plan((4, 4), (0, 2))
    Traceback (most recent call last):
    sizewise.errors.ArgumentError: output_size: entry 0 is 0; every entry must be an integer of at least 1
    """


class UnknownNameError(ArgumentError):
    """A method, dialect, option or kernel that does not exist; the message lists those that do.

    >>> import sizewise as sw
    >>> sw.make_plan((4, 4), (2, 2), dialect="tfjs", half_pixel=True)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sizewise.errors.UnknownNameError: unknown option of dialect 'tfjs': 'half_pixel'; did you mean ...
    """


class UnsupportedError(ArgumentError):
    """A combination of known words that the dialect's own framework refuses.

    >>> import sizewise as sw
    >>> sw.make_plan((4, 4), (2, 2), "nearest", antialias=True)
    Traceback (most recent call last):
    sizewise.errors.UnsupportedError: standard: method 'nearest' has no antialias=True; leave it out
    """


class ArgumentTypeError(SizewiseError, TypeError):
    """An argument of a type that cannot be used here; the message says which can.

    >>> import sizewise as sw
    >>> sw.testing.dot_test("bilinear")
    Traceback (most recent call last):
    sizewise.errors.ArgumentTypeError: dot_test takes a plan, as make_plan gives it, not 'bilinear'
    """


class DtypeError(ArgumentTypeError):
    """An array of a dtype that cannot be used here.

    >>> import numpy as np, sizewise as sw
    >>> sw.resize_grad(np.ones((2, 2), int), (4, 4))
    Traceback (most recent call last):
    sizewise.errors.DtypeError: gradients exist for floating dtypes only, not int64; use float32 or float64
    """


class MissingExtraError(SizewiseError, ImportError):
    """An optional package that this call needs; the message gives the pip line.

    >>> print(MissingExtraError("grads()", "autograd"))
    grads() needs an optional package: pip install "sizewise[autograd]"
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional package: pip install "sizewise[{extra}]"')


class FileError(SizewiseError, OSError):
    """A file that cannot be read or written, or does not hold what it should.

    >>> FileError("cannot read 'a.png': No such file or directory").exit_code
    1
    """

    exit_code = 1


# What Python's own conversions raise of a value that is not fit. Others pass, since a signal handler may raise them in
# the middle of any operation: Celery's soft time limit, TimeoutError of an alarm.
CONVERSION_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError)

# Packages whose own errors say that a file is broken, or that a framework cannot do what it was asked for.
CODECS = ("PIL", "struct", "zlib", "lzma", "zipfile", "numpy", "xml", "defusedxml")
FRAMEWORKS = (
    *("torch", "tensorflow", "keras", "jax", "jaxlib", "onnx", "onnxruntime", "cv2", "PIL", "paddle", "skimage"),
    *("scipy", "numpy", "pyvips", "resampler", "subprocess", "google", "absl"),
)


def is_raised_by(error: Exception, *packages: str) -> bool:
    """Return whether an error is one of Python's own, of Sizewise or of these packages: of the operation that failed.

    Errors of other classes were raised by a signal handler in its midst, and so was a TimeoutError without a number.

    >>> is_raised_by(ValueError()), is_raised_by(TimeoutError("10 s are over")), is_raised_by(__import__("zlib").error(), "zlib")
    (True, False, True)
    """
    if isinstance(error, TimeoutError) and error.errno is None:
        return False
    return type(error).__module__.partition(".")[0] in {"builtins", "sizewise", *packages}


class SizewiseWarning(UserWarning):
    """Something still works, but not as well as it should (the native core is missing, for instance).

    >>> issubclass(SizewiseWarning, UserWarning)
    True
    """


def unknown_name(kind: str, given: object, known: Iterable[str], instead: str = "") -> UnknownNameError:
    """The error for a name that is not one of `known`, with what to say `instead`, or else the nearest that is.

    >>> print(unknown_name("filter", "Lanzcos3", ["box", "lanczos3"]))
    unknown filter: 'Lanzcos3'; did you mean 'lanczos3'? known: box, lanczos3
    >>> print(unknown_name("dialect", "cv2", ["opencv"], "that of cv2 is 'opencv'"))
    unknown dialect: 'cv2'; that of cv2 is 'opencv'; known: opencv
    """
    import difflib  # only here: it takes longer to import than a resize

    names = sorted(known)
    by_lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(given[:_MAX_CHARACTERS].lower(), by_lower, n=1) if isinstance(given, str) else []
    hint = f" {instead};" if instead else f" did you mean {by_lower[near[0]]!r}?" if near else ""
    return UnknownNameError(f"unknown {kind}: {short_repr(given)};{hint} known: {', '.join(names) or 'none'}")


def short_repr(value: object) -> str:
    """A value as a message shows it: its repr, shortened where it is long, or its type where it has none.

    >>> short_repr((2, 3)), short_repr("4x"), short_repr(-(10**5000))
    ('(2, 3)', "'4x'", 'less than -2**16609')
    """
    try:
        return _ShortRepr().repr(value)
    except CONVERSION_ERRORS:  # a class of somebody's own that only has the name of a known one
        return f"a value of {type(value).__name__}"


def format_count(n: int) -> str:
    """A number of things, its digits in groups; how large it is, where digits would fill the page.

    >>> format_count(4096), format_count(10**5000)
    ('4,096', 'more than 2**16609')
    """
    if n.bit_length() <= _MAX_BITS:
        return f"{n:,}"
    return f"{'more than ' if n > 0 else 'less than -'}2**{n.bit_length() - 1}"


# Packages whose values are shown by their repr.
_KNOWN_PACKAGES = {
    *("builtins", "fractions", "decimal", "pathlib", "enum", "functools", "collections", "datetime", "types", "typing"),
    *("sizewise", "autograd", "dask", "ml_dtypes", "array_api_strict", *FRAMEWORKS),
}
_MAX_CHARACTERS = 200  # letters of a value that are shown
_MAX_BITS = 2000  # of an integer that is shown digit by digit; Python itself refuses from some 14,000 on


class _ShortRepr(reprlib.Repr):
    """Short words for any value, whatever its own would be: endless, an exception, or one that never returns."""

    def __init__(self) -> None:
        super().__init__()
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = 8
        self.maxstring = self.maxother = _MAX_CHARACTERS

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= _MAX_BITS else format_count(x)

    def repr_instance(self, x: object, level: int) -> str:
        # Of classes that nobody here knows not even the repr is asked for: it may raise anything, or never end.
        if type(x).__module__.partition(".")[0] not in _KNOWN_PACKAGES:
            return f"a value of {type(x).__name__}"
        text = repr(x)
        return (
            text
            if len(text) <= _MAX_CHARACTERS
            else f"{text[: _MAX_CHARACTERS // 2]}...{text[-_MAX_CHARACTERS // 2 :]}"
        )
