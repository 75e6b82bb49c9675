"""Options of dialects that take more values than can be listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsFloat

import numpy as np

from .. import validation
from ..errors import ArgumentError, short_repr

Real = Callable[[float], SupportsFloat]


class OpenOption:
    """An option with too many values to list.

    `parse` converts a given value to its canonical, hashable form or raises ArgumentError. `values` holds examples,
    the default first. `per_axis` is the number of floats per resized axis (0: the option does not depend on axes);
    they form a tuple with the first float of every axis before the second of any, or None for the default.

    >>> from sizewise import dialects
    >>> option = dialects.get("onnx").options["cubic_coeff_a"]
    >>> option.values[0], option.parse(np.float32(-0.5))
    (-0.75, -0.5)
    """

    __slots__ = ("parse", "per_axis", "values")

    def __init__(self, values: tuple[object, ...], parse: Callable[[object], object], per_axis: int = 0) -> None:
        self.values, self.parse, self.per_axis = values, parse, per_axis


def float_option(name: str, default: float, *examples: float, real: Real = float) -> OpenOption:
    """Return an option that takes any finite number, rounded to the framework's precision.

    >>> float_option("cubic_coeff_a", -0.75).parse(np.float32(-0.5))
    -0.5
    >>> float_option("cubic_coeff_a", -0.75, real=np.float32).parse(-0.6)
    -0.6000000238418579
    """
    return OpenOption((default, *examples), lambda given: _parse_float(name, given, real))


def per_axis_option(name: str, per_axis: int, *examples: object, real: Real = float) -> OpenOption:
    """Return an option that takes None, its default, or `per_axis` finite numbers per resized axis.

    If `per_axis` is 1, a single number applies to all axes.

    >>> per_axis_option("roi", 2).parse([0, 0, 1, 0.5]), per_axis_option("translation", 1).parse(2)
    ((0.0, 0.0, 1.0, 0.5), 2.0)
    """

    def parse(given: object) -> object:
        if given is None:
            return None
        entries = validation.as_sequence(given)
        if entries is not None:
            return tuple(_parse_float(f"every entry of {name}", entry, real) for entry in entries)
        if per_axis > 1:
            raise ArgumentError(f"{name} must be None or {per_axis} numbers per resized axis, not {short_repr(given)}")
        return _parse_float(name, given, real)

    return OpenOption((None, *examples), parse, per_axis)


def flag_option(name: str) -> OpenOption:
    """Return an option that is False by default and takes 0 and 1 as well as False and True.

    >>> flag_option("exclude_outside").parse(1)
    True
    """

    def parse(given: object) -> bool:
        if not isinstance(given, (bool, np.bool_)) and validation.as_int(given) not in (0, 1):
            raise ArgumentError(f"{name} must be 0, 1, False or True, not {short_repr(given)}")
        return bool(given)

    return OpenOption((False, True), parse)


def _parse_float(name: str, given: object, real: Real) -> float:
    with np.errstate(over="ignore"):
        value = float(real(validation.require_float(given, name)))
    if not np.isfinite(value):
        raise ArgumentError(f"{name} must be a finite number, not {short_repr(given)}")
    return value
