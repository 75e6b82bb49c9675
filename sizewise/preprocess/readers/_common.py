"""Helpers that readers share: checks of keys and values, and round trips of writers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, UnsupportedError, short_repr, unknown_name
from ...validation import as_float, as_int, as_sequence
from ..pointwise_steps import Rescale
from ..size_rules import Size
from ..steps import Step

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor


def package_of(x: Any) -> str:
    """Return the package that defines the type of an object.

    >>> package_of(3)
    'builtins'
    """
    return type(x).__module__.partition(".")[0]


def require_keys(kind: str, given: Any, known: Iterable[str]) -> None:
    """Raise UnknownNameError for the first key that is not known."""
    names = tuple(known)
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{kind} is {short_repr(given)}; give an object with keys")
    for key in given:
        if key not in names:
            raise unknown_name(f"key of {kind}", key, names)


def look_up(kind: str, given: Any, table: Mapping[Any, Any]) -> Any:
    """Return an entry of a table; raise UnknownNameError for a name that it does not have."""
    if not isinstance(given, Hashable) or given not in table:
        raise unknown_name(kind, given, map(str, table))
    return table[given]


def pair(kind: str, given: Any) -> Size:
    """Return (height, width) of an integer, or of one or two of them.

    >>> pair("size", 224), pair("size", [224, 320])
    ((224, 224), (224, 320))
    """
    values = lengths(kind, given)
    return values[0], values[-1]


def lengths(kind: str, given: Any) -> list[int]:
    """Return one or two lengths as a list; raise ArgumentError for other values."""
    entries = (given,) if as_int(given) is not None else as_sequence(given) or ()
    values = [n for one in entries if (n := as_int(one)) is not None and n > 0]
    if len(values) not in (1, 2) or len(values) != len(entries):
        raise ArgumentError(f"{kind} is {short_repr(given)}; give one or two positive integers")
    return values


def color(given: Any, kind: str = "a color") -> tuple[float, ...]:
    """Return a fill value as a color: one value, or one per channel."""
    values = (given,) if as_float(given) is not None else as_sequence(given) or ()
    found = tuple(number for one in values if (number := as_float(one)) is not None)
    if not found or len(found) != len(values):
        raise ArgumentError(f"{kind} is {short_repr(given)}; give a number, or one for each channel")
    return found


def interval(kind: str, given: Any) -> Rescale:
    """Return the step from bytes to a range [low, high]: a product, then a sum, in float32.

    >>> interval("range", [0, 1]).scale == 1 / 255
    True
    """
    values = color(given) if isinstance(given, (list, tuple)) else ()
    if len(values) != 2 or values[0] >= values[1]:
        raise ArgumentError(f"{kind} is {short_repr(given)}; give two increasing numbers, such as [0, 1]")
    return Rescale((values[1] - values[0]) / 255, values[0])


def positive(kind: str, given: Any) -> float:
    """Return a positive number as a float; raise ArgumentError for other values.

    >>> positive("crop_pct", 0.875)
    0.875
    """
    number = as_float(given)
    if number is None or number <= 0:
        raise ArgumentError(f"{kind} is {short_repr(given)}; give a positive number")
    return number


def verified(library: str, preprocessor: Preprocessor, config: Any, read: Callable[[Any], Iterable[Step]]) -> Any:
    """Return a configuration that reads back as the same steps; raise UnsupportedError with the first that differs."""
    from ..preprocessor import Preprocessor as Recipe

    wanted = preprocessor.canonical
    try:
        found = Recipe(tuple(read(config))).canonical
    except ArgumentError as error:  # a value of a step that the library does not have
        steps = ", ".join(map(short_repr, wanted))
        raise UnsupportedError(f"{library} has no configuration for the steps {steps}: {error}") from error
    if wanted == found:
        return config
    for index in range(max(len(wanted), len(found))):
        if index == len(wanted):
            raise UnsupportedError(
                f"{library} has no configuration that ends with the step {short_repr(wanted[-1])}: {found[index].name} "
                "always follows"
            )
        if wanted[index : index + 1] != found[index : index + 1]:
            raise cannot_write(library, wanted[index])
    return config


def cannot_write(library: str, step: Step) -> UnsupportedError:
    """Return the error for a step that a library cannot express."""
    return UnsupportedError(f"{library} has no configuration for the step {short_repr(step)} at its place")
