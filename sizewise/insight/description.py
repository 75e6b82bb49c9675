"""Descriptions: methods, options, formulas, arithmetic and contract of each dialect, from the dialect itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from .. import dialects
from ..dialects import Arithmetic, Dialect, Formula, OpenOption, Request, is_floating
from ..resize_spec import ResizeSpec
from ..taps import MAX_FLOAT32_TAPS

Key = TypeVar("Key", bound=Hashable)

_SHRINK, _GROW = ((64, 64), (20, 20)), ((20, 20), (64, 64))
_DTYPES = ("uint8", "int32", "float16", "float32", "float64")


@dataclass(frozen=True)
class Option:
    """An option and its values, the default first: all of them, or examples where it is `open`."""

    name: str
    values: tuple[object, ...]
    open: bool


@dataclass(frozen=True)
class Rule:
    """A rule for the methods and options in `labels`; `when` is "shrinking" or "growing" if it does not always hold."""

    labels: tuple[str, ...]
    text: str
    when: str = ""


@dataclass(frozen=True)
class Coordinate:
    """The coordinate of output o: `x`, or the range from edge x to edge `to`; both may contain `step`."""

    labels: tuple[str, ...]
    x: str
    step: str
    to: str
    when: str = ""


@dataclass(frozen=True)
class ArithmeticRule:
    """The arithmetic of some dtypes with some methods."""

    dtypes: tuple[str, ...]
    labels: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Contract:
    """The contract with the framework, a package: methods that select the same pixels, those with the same uint8, and
    the allowed error of float32 and of its gradients in units in the last place, by method.
    """

    package: str
    picks: tuple[str, ...]
    whole: tuple[str, ...]
    floats: Mapping[str, float]
    gradients: Mapping[str, float]


@dataclass(frozen=True)
class Description:
    """A dialect: `methods` with their values of antialias, the default first; the coordinates of outputs (`places`),
    the `filters`, how many times they are widened (`widths`), and the treatment of `edges`; `length` is the formula
    from a scale to a size. `contract` is None without a framework to compare with; `notes` are paragraphs.
    """

    name: str
    versions: str
    methods: Mapping[str, tuple[bool, ...]]
    aliases: Mapping[str, str]
    options: tuple[Option, ...]
    places: tuple[Coordinate, ...]
    filters: tuple[Rule, ...]
    widths: tuple[Rule, ...]
    edges: tuple[Rule, ...]
    numbers: tuple[ArithmeticRule, ...]
    length: str
    contract: Contract | None
    notes: tuple[str, ...]


def describe(name: str) -> Description:
    """Return the description of one dialect."""
    dialect = dialects.get(name)
    return Description(
        name=dialect.name,
        versions=dialect.versions,
        methods=dialect.methods,
        aliases=dialect.aliases,
        options=tuple(_options(dialect)),
        places=tuple(_places(dialect)),
        filters=_rules(dialect, lambda formula: formula.kernel),
        widths=_rules(dialect, lambda formula: formula.stretch if formula.stretch != "1" else ""),
        edges=_rules(dialect, _edges),
        numbers=tuple(_numbers(dialect)),
        length=_length(dialect),
        contract=_contract(dialect),
        notes=tuple(" ".join(part.split()) for part in dialects.notes(name).split("\n\n")),
    )


def everything() -> tuple[Description, ...]:
    """Return the descriptions of all dialects."""
    return tuple(map(describe, dialects.names()))


def _options(dialect: Dialect) -> Iterator[Option]:
    for name, values in dialect.options.items():
        known = values.values if isinstance(values, OpenOption) else values
        yield Option(name, known, isinstance(values, OpenOption) and set(known) != {False, True})


def _places(dialect: Dialect) -> Iterator[Coordinate]:
    def place(request: Request) -> tuple[str, str, str]:
        stated = dialect.formula(request)
        return stated.x, stated.step if "step" in stated.x + stated.to else "", stated.to

    for ((x, step, to), when), labels in _group_specs(dialect, place).items():
        yield Coordinate(labels, x, step, to, when)


def _rules(dialect: Dialect, text_of: Callable[[Formula], str]) -> tuple[Rule, ...]:
    """Return the different texts of a dialect's formulas; an empty one is no rule."""
    found = _group_specs(dialect, lambda request: text_of(dialect.formula(request)))
    return tuple(Rule(labels, text, when) for (text, when), labels in found.items() if text)


def _edges(formula: Formula) -> str:
    """Return the treatment of edges, where a method reaches beyond them."""
    return formula.edges if formula.is_filter or "; " in formula.edges else ""


def _numbers(dialect: Dialect) -> Iterator[ArithmeticRule]:
    """Yield the arithmetic of every dtype and method, equal ones together."""
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for dtype in map(np.dtype, _DTYPES):
        for (how, when), labels in _group_specs(dialect, partial(_how, dialect, dtype)).items():
            shown = tuple(f"{label}, {when}" if when else label for label in labels)
            together.setdefault((how, shown), []).append(dtype.name)
    return (ArithmeticRule(tuple(dtypes), labels, how) for (how, labels), dtypes in together.items())


def _how(dialect: Dialect, dtype: np.dtype, request: Request) -> str:
    """Return how values of a dtype are computed."""
    if dialect.formula(request).kernel == "pick":
        return "copied"
    arithmetic = dialect.arithmetic(dtype, request)
    parts = [_sums(arithmetic, dtype)]
    if arithmetic.order is not None:
        parts.append("the last axis first" if arithmetic.order[0] else "the first axis first")
    if arithmetic.intermediate is not None:
        parts.append(f"{arithmetic.intermediate} between the passes")
    if arithmetic.result != dtype:
        parts.append(f"the result is {arithmetic.result}")
    return ", ".join(parts)


def _sums(arithmetic: Arithmetic, dtype: np.dtype) -> str:
    if arithmetic.two_pass is not None:
        return "integers, by tables of the dialect"
    if arithmetic.fixed_point is not None:
        below = (
            f", below 2**{arithmetic.fixed_point.weight_limit.bit_length() - 1}"
            if arithmetic.fixed_point.weight_limit < 2**31
            else ""
        )
        return f"integers, weights of up to {arithmetic.fixed_point.bits} bits{below}"
    rounded = ", rounded half to even" if arithmetic.result == dtype and dtype.kind in "ui" else ""
    is_single = arithmetic.accumulate == np.float32 and is_floating(arithmetic.result)
    wide = f", above {MAX_FLOAT32_TAPS} taps in float64" if is_single else ""
    return f"sums in {arithmetic.accumulate}{wide}{rounded}"


def _length(dialect: Dialect) -> str:
    """Return the formula from a scale to a length, found by calling the dialect's own function."""
    lengths = tuple(dialect.length(10, scale) for scale in (0.33, 0.37, 0.25))
    rules: dict[tuple[int, ...], str] = {(3, 3, 2): "floor", (4, 4, 3): "ceil", (3, 4, 2): "round"}
    return f"{rules[lengths]}(n_in * scale)"


def _contract(dialect: Dialect) -> Contract | None:
    contract, options = dialect.contract, dialect.fill_options({})
    if contract is None:
        return None
    picking = [
        method
        for method, flags in dialect.methods.items()
        if dialect.formula(Request(dialect.name, method, flags[0], *_SHRINK, None, options)).kernel == "pick"
    ]
    return Contract(
        contract.package,
        tuple(method for method in picking if contract.ulp[method] == 0),
        tuple(method for method in dialect.methods if method in contract.bit_exact),
        {method: contract.ulp[method] for method in dialect.methods if method not in picking or contract.ulp[method]},
        dict(contract.gradient_ulp),
    )


def _group_specs(dialect: Dialect, of: Callable[[Request], Key]) -> dict[tuple[Key, str], tuple[str, ...]]:
    """Return the values of `of` over all specs of a dialect, with the labels of the specs that have them.

    Each key has "shrinking" or "growing" where the value holds only then, else "".
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
        shrink, grow = (Request(dialect.name, method, antialias, *sizes, None, items) for sizes in (_SHRINK, _GROW))
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
