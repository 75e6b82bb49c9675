"""Dialect: how one framework resizes, as a record of functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..errors import ArgumentError, UnsupportedError, short_repr, unknown_name
from ..taps import Taps
from ._arithmetic import Arithmetic
from ._formula import Formula
from ._options import OpenOption
from ._request import OptionItems, Options, Request
from ._suggestions import suggest_argument, suggest_method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._contract import Contract

Fill: TypeAlias = "tuple[float, tuple[NDArray[np.bool_], ...]]"  # a value, and per axis the outputs that are set to it
FittedSize = tuple[tuple[int, ...], tuple[float, ...] | None]  # an output size, and the scale of coordinates or None


def keep_size(input_size: tuple[int, ...], size: tuple[int, ...], options: Options) -> FittedSize:
    """Return the requested size and no scale: the default `fit` of a dialect."""
    return size, None


@dataclass(frozen=True, eq=False)
class Dialect:
    """How one framework resizes.

    `methods` maps each method to the values of `antialias` it takes, its default first. The framework accepts the
    flag for methods in `ignores_antialias`, without effect. `options` maps each option to its values, default first.

    `taps` returns one Taps per axis, and raises UnsupportedError for calls that the framework itself rejects; `formula`
    states the same for people. `fill` returns a value and which outputs along each axis lie outside the image and are
    set to it, or None if there are none; the taps of these outputs are empty.

    `scale` rounds a caller's scale to the framework's precision, and `length` converts it to an output length. `fit`
    converts a requested size to the output size, and to the scale of coordinates if that is not the ratio of the
    sizes. `size_and_scale` allows both to be given: the scale is then that of coordinates, and if the dialect `flips`,
    a negative one mirrors the image. `precision` returns the precision of coordinates for arrays of a dtype.

    >>> from sizewise import dialects
    >>> dialects.get("tfjs").methods
    {'bilinear': (False,), 'nearest': (False,)}
    """

    name: str
    versions: str
    methods: Mapping[str, tuple[bool, ...]]
    taps: Callable[[Request], tuple[Taps, ...]]
    arithmetic: Callable[[np.dtype, Request], Arithmetic]
    formula: Callable[[Request], Formula]
    aliases: Mapping[str, str] = field(default_factory=dict)
    ignores_antialias: tuple[str, ...] = ()
    options: Mapping[str, tuple[object, ...] | OpenOption] = field(default_factory=dict)
    fill: Callable[[Request], Fill | None] = lambda request: None
    scale: Callable[[float], float] = float
    length: Callable[[int, float], int] = lambda n_in, scale: round(n_in * scale)
    fit: Callable[[tuple[int, ...], tuple[int, ...], Options], FittedSize] = keep_size
    size_and_scale: bool = False
    flips: bool = False
    precision: Callable[[np.dtype, Request], str] = lambda dtype, request: request.precision
    contract: Contract | None = None

    def resolve_method(self, given: object) -> str:
        """Return the dialect's own name of a method: aliases resolved, case ignored."""
        lower = given.lower() if isinstance(given, str) else ""
        name = self.aliases.get(lower, lower)
        if name not in self.methods:
            known = {*self.methods, *self.aliases}
            raise unknown_name(f"method of dialect {self.name!r}", given, known, suggest_method(given))
        return name

    def resolve_antialias(self, method: str, given: object) -> bool:
        """Return whether the method antialiases: as given, or the dialect's default for None."""
        allowed = self.methods[method]
        if given is None:
            return allowed[0]
        if not isinstance(given, (bool, np.bool_)):
            raise ArgumentError(f"antialias must be True, False or None, not {short_repr(given)}")
        if method in self.ignores_antialias:
            return allowed[0]
        if bool(given) not in allowed:
            raise UnsupportedError(f"{self.name}: method {method!r} has no antialias={bool(given)}; leave it out")
        return bool(given)

    def fill_options(self, given: Options, n_axes: int = 0) -> OptionItems:
        """Return every option with its value, given or default; check per-axis options unless `n_axes` is 0."""
        for name in given:
            if name not in self.options:
                suggestion = suggest_argument(name, given[name])
                raise unknown_name(f"option of dialect {self.name!r}", name, self.options, suggestion)
        if not self.options:
            return ()
        items = tuple((name, self._value(name, given)) for name in self.options)
        for name, entries, count in self._per_axis(items):
            if n_axes and len(entries) != n_axes * count:
                raise ArgumentError(
                    f"{name} has {len(entries)} numbers for {n_axes} resized axes; give {count} for each"
                )
        return items

    def reorder_options(self, items: OptionItems, order: Sequence[int]) -> OptionItems:
        """Return the options with the entries of per-axis options in that order of the axes.

        >>> from sizewise import dialects
        >>> dialects.get("onnx").reorder_options((("roi", (0.0, 0.1, 0.8, 0.9)),), (1, 0))
        (('roi', (0.1, 0.0, 0.9, 0.8)),)
        """
        reordered = dict(items)
        for name, entries, _ in self._per_axis(items):
            firsts = range(0, len(entries), len(order))
            reordered[name] = tuple(entries[first + axis] for first in firsts for axis in order)
        return tuple(reordered.items())

    def _per_axis(self, items: OptionItems) -> Iterator[tuple[str, tuple[object, ...], int]]:
        """Yield name, entries and number of entries per axis of every per-axis option that is given."""
        for name, value in items:
            option = self.options[name]
            if isinstance(option, OpenOption) and option.per_axis and isinstance(value, tuple):
                yield name, value, option.per_axis

    def _value(self, name: str, given: Options) -> object:
        values = self.options[name]
        if isinstance(values, OpenOption):
            return values.parse(given[name]) if name in given else values.values[0]
        value = given.get(name, values[0])
        value = bool(value) if isinstance(value, np.bool_) else value
        if not any(type(value) is type(known) and value == known for known in values):
            allowed = ", ".join(map(repr, values))
            raise ArgumentError(f"{name} of dialect {self.name!r} must be one of {allowed}, not {short_repr(value)}")
        return value

    def variants(self) -> Iterator[tuple[str, bool, dict[str, object]]]:
        """Yield every supported (method, antialias, options) with at most one option away from its default.

        >>> from sizewise import dialects
        >>> len(list(dialects.get("tfjs").variants()))  # two methods, three legal pairs of flags
        6
        """
        values = {name: one.values if isinstance(one, OpenOption) else one for name, one in self.options.items()}
        defaults = {name: known[0] for name, known in values.items()}
        others = [defaults | {name: value} for name, known in values.items() for value in known[1:]]
        for method, flags in self.methods.items():
            for antialias, options in itertools.product(flags, [defaults, *others]):
                try:
                    self.taps(Request(self.name, method, antialias, (2,), (3,), None, tuple(options.items())))
                except UnsupportedError:
                    continue
                yield method, antialias, options


def per_axis(taps: Callable[[int, int, Request], Taps]) -> Callable[[Request], tuple[Taps, ...]]:
    """Return a dialect's `taps` from a function of one axis, (n_in, n_out, request) -> Taps.

    >>> every_second = per_axis(lambda n_in, n_out, request: Taps(n_in, 2 * np.arange(n_out), np.ones((n_out, 1))))
    >>> every_second(Request("mine", "nearest", False, input_size=(4, 6), output_size=(2, 3)))
    (Taps(4 -> 2, width 1), Taps(6 -> 3, width 1))
    """

    def all_axes(request: Request) -> tuple[Taps, ...]:
        pairs = tuple(zip(request.input_size, request.output_size, strict=True))
        by_pair = {pair: taps(*pair, request) for pair in dict.fromkeys(pairs)}  # a square's two axes are shared
        return tuple(by_pair[pair] for pair in pairs)

    return all_axes
