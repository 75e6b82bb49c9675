"""Checks of the fields of steps and size rules, by their annotations."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..backends import is_torch_compiling
from ..errors import ArgumentError, short_repr
from ..validation import as_float, as_sequence, require_bool, require_float, require_int, require_text


@cache
def hints(cls: Any) -> dict[str, Any]:
    """Return the types of the fields of a class.

    >>> from sizewise.preprocess import Exact
    >>> hints(Exact)["height"]
    <class 'int'>
    """
    return typing.get_type_hints(cls)


def normalize(value: Any) -> None:
    """Convert each field of a step or size rule to its type; raise ArgumentError for a value that does not fit.

    Scalars of NumPy become Python's, which JSON can hold; one value becomes a color.

    >>> import numpy as np
    >>> from sizewise.preprocess import Exact, Normalize
    >>> Exact(np.int64(8), 9), Normalize(0.5, [0.5]).mean
    (Exact(height=8, width=9), (0.5,))
    """
    if is_torch_compiling():  # which cannot trace annotations; fields of steps made inside are right
        return
    cls: Any = type(value)
    types = hints(cls)
    for field in dataclasses.fields(value):
        given, name = getattr(value, field.name), f"{value.name}: {field.name}"
        convert = _converter(types[field.name], given)
        if convert is not None and given is not field.default:
            object.__setattr__(value, field.name, convert(given, name))


def _converter(hint: Any, given: Any) -> Callable[[Any, str], Any] | None:
    """Return the function that checks a value of a type; None if there is nothing to check."""
    options = typing.get_args(hint)
    if type(None) in options:
        return None if given is None else _converter(next(one for one in options if one is not type(None)), given)
    return _CONVERTERS.get(typing.get_origin(hint) or hint)


def _length(given: Any, name: str) -> int:
    return require_int(given, name, 0)


def _color(given: Any, name: str) -> tuple[float, ...]:
    entries = (given,) if as_float(given) is not None else as_sequence(given)
    values = tuple(number for one in entries or () if (number := as_float(one)) is not None)
    if not entries or len(values) != len(entries):
        raise ArgumentError(f"{name} must be a finite number, or one for each channel, not {short_repr(given)}")
    return values


def _options(given: Any, name: str) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise ArgumentError(f"{name} must be a dictionary of options, not {short_repr(given)}")
    return dict(given)


_CONVERTERS: dict[Any, Callable[[Any, str], Any]] = {
    int: _length,
    float: require_float,
    bool: require_bool,
    str: require_text,
    tuple: _color,
    Mapping: _options,
}
