"""Labels: the ways in which a dialect resizes, grouped by something that they have in common, and named in short."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple, TypeVar

from ..dialects import Dialect, OpenOption, Request

SHRINK, GROW = ((64, 64), (20, 20)), ((20, 20), (64, 64))

Key = TypeVar("Key", bound=Hashable)


class Variant(NamedTuple):
    """A way to resize; `said` are the options that are not the default."""

    method: str
    antialias: bool
    said: tuple[tuple[str, object], ...]


def grouped(dialect: Dialect, of: Callable[[Request], Key]) -> dict[tuple[Key, str], tuple[str, ...]]:
    """What `of` gives of every way to resize, with the labels of those that it is of.

    Beside it stands "shrinking" or "growing", where it is so for one of them only.

    >>> from sizewise import dialects
    >>> grouped(dialects.get("opencv"), lambda request: dialects.get("opencv").formula(request).to)
    {('', ''): ('nearest, nearest_exact, linear, linear_exact, cubic, lanczos4',), ('(o + 1) * step', 'shrinking'): \
('area',), ('', 'growing'): ('area',)}
    """
    found: dict[tuple[Key, str], list[Variant]] = {}
    for variant, shrinking, growing in _requests(dialect):
        one, other = of(shrinking), of(growing)
        for key in [(one, "")] if one == other else [(one, "shrinking"), (other, "growing")]:
            found.setdefault(key, []).append(variant)
    return {key: _labels(members, dialect) for key, members in found.items()}


def _requests(dialect: Dialect) -> Iterator[tuple[Variant, Request, Request]]:
    """Every variant of a dialect, and a request of it that shrinks, and one that grows."""
    usual = dict(dialect.fill_options({}))
    for method, antialias, options in dialect.variants():
        said = tuple((name, value) for name, value in options.items() if value != usual[name])
        words = tuple(options.items())
        shrink, grow = (Request(dialect.name, method, antialias, *sizes, None, words) for sizes in (SHRINK, GROW))
        yield Variant(method, antialias, said), shrink, grow


def _labels(members: list[Variant], dialect: Dialect) -> tuple[str, ...]:
    """Methods together that have the same options, without options that make no difference."""
    by_option: dict[str, list[str]] = {}
    for method, antialias, said in members:
        if said and Variant(method, antialias, ()) in members:
            continue
        flags = {flag for name, flag, more in members if (name, more) == (method, said)}
        both = flags == set(dialect.methods[method])
        name = method if both else f"{method} {'with' if antialias else 'without'} antialias"
        listed = by_option.setdefault("".join(f", {_option(dialect, *one)}" for one in said), [])
        listed += [name] if name not in listed else []
    return tuple(", ".join(names) + options for options, names in by_option.items())


def _option(dialect: Dialect, name: str, value: object) -> str:
    known = dialect.options[name]
    if isinstance(known, OpenOption) and known.values[0] is None:
        return f"{name} given"
    return value if isinstance(value, str) else f"{name}={value}"  # a mode says by itself what it is of
