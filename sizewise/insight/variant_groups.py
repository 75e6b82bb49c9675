"""Variant groups: the specs of a dialect grouped by a common property, with short labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import TypeVar

from ..dialects import Dialect, OpenOption, Request
from ..resize_spec import ResizeSpec

SHRINK, GROW = ((64, 64), (20, 20)), ((20, 20), (64, 64))

Key = TypeVar("Key", bound=Hashable)


def group_specs(dialect: Dialect, of: Callable[[Request], Key]) -> dict[tuple[Key, str], tuple[str, ...]]:
    """Return the values of `of` over all specs of a dialect, with the labels of the specs that have them.

    Each key has "shrinking" or "growing" where the value holds only then, else "".

    >>> from sizewise import dialects
    >>> group_specs(dialects.get("opencv"), lambda request: dialects.get("opencv").formula(request).to)
    {('', ''): ('nearest, nearest_exact, linear, linear_exact, cubic, lanczos4',), ('(o + 1) * step', 'shrinking'): \
('area',), ('', 'growing'): ('area',)}
    """
    found: dict[tuple[Key, str], list[ResizeSpec]] = {}
    for spec, shrinking, growing in _requests(dialect):
        one, other = of(shrinking), of(growing)
        for key in [(one, "")] if one == other else [(one, "shrinking"), (other, "growing")]:
            found.setdefault(key, []).append(spec)
    return {key: _labels(members, dialect) for key, members in found.items()}


def _requests(dialect: Dialect) -> Iterator[tuple[ResizeSpec, Request, Request]]:
    """Yield every spec of a dialect, with a request that shrinks and one that grows."""
    for method, antialias, options in dialect.variants():
        items = tuple(options.items())
        shrink, grow = (Request(dialect.name, method, antialias, *sizes, None, items) for sizes in (SHRINK, GROW))
        yield ResizeSpec(dialect.name, method, antialias, items), shrink, grow


def _labels(members: list[ResizeSpec], dialect: Dialect) -> tuple[str, ...]:
    """Join methods that have the same options, without options that make no difference."""
    by_option: dict[str, list[str]] = {}
    for spec in members:
        if spec.unusual and replace(spec, options=dialect.fill_options({})) in members:
            continue
        flags = {one.antialias for one in members if (one.method, one.options) == (spec.method, spec.options)}
        both = flags == set(dialect.methods[spec.method])
        name = spec.method if both else f"{spec.method} {'with' if spec.antialias else 'without'} antialias"
        names = by_option.setdefault("".join(f", {_option(dialect, *one)}" for one in spec.unusual.items()), [])
        names += [name] if name not in names else []
    return tuple(", ".join(names) + options for options, names in by_option.items())


def _option(dialect: Dialect, name: str, value: object) -> str:
    known = dialect.options[name]
    if isinstance(known, OpenOption) and known.values[0] is None:
        return f"{name} given"
    return value if isinstance(value, str) else f"{name}={value}"  # a mode needs no name
