"""Texts and tables of a dialect that the terminal and the documentation share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...insight.description import Contract, Coordinate, Description, Option, Rule

INTRODUCTION = (
    "Output o of n_out reads the input around x, where the centers of the n_in pixels of an axis are at 0, 1, 2, ...; "
    "a mean extends from edge to edge, where pixel i spans i to i + 1. scale is the given one, or n_out / n_in. "
    "Rounding is omitted."
)
Row = tuple[str, ...]
_KERNELS = {"pick": "the pixel itself", "mean": "the mean of the covered range"}
_ANTIALIASED = {
    (False,): "",
    (False, True): "antialiased on request: ",
    (True, False): "antialiased by default: ",
    (True,): "always antialiased: ",
}


def summary(about: Description) -> dict[str, str]:
    """Return a dialect in three lines: methods, options, and the contract over all methods."""
    return {
        "methods": _methods(about.methods),
        "options": ", ".join(option.name for option in about.options) or "none",
        "contract": "; ".join(_short(about.contract)),
    }


def _methods(methods: Mapping[str, tuple[bool, ...]]) -> str:
    """Return the methods by whether they antialias."""
    by_flags = {flags: [name for name, one in methods.items() if one == flags] for flags in _ANTIALIASED}
    return "; ".join(f"{_ANTIALIASED[flags]}{', '.join(names)}" for flags, names in by_flags.items() if names)


def _short(contract: Contract | None) -> Iterator[str]:
    if contract is None:
        yield "no framework to compare with"
        return
    if contract.picks:
        yield f"{' and '.join(contract.picks)} select{'s' * (len(contract.picks) == 1)} the same pixels"
    if contract.whole:
        some = "" if set(contract.floats) <= set(contract.whole) else f" ({', '.join(contract.whole)})"
        yield f"uint8 bit for bit{some}"
    for name, by_method in (("float32", contract.floats), ("gradients", contract.gradients)):
        if by_method:
            exact = max(by_method.values()) == 0
            yield f"{name} bit for bit" if exact else f"{name} within {_range(by_method)} ULP"


def _range(by_method: Mapping[str, float]) -> str:
    least, most = min(by_method.values()), max(by_method.values())
    return f"{most:g}" if least == most else f"{least:g} to {most:g}"


def guarantees(contract: Contract | None) -> Iterator[str]:
    """Yield the contract, method by method."""
    if contract is None:
        yield "None: there is no framework to compare with."
        return
    yield f"Compared with the package {contract.package}; a ULP is a unit in the last place of the largest value."
    if contract.picks:
        yield f"The same pixels are selected: {', '.join(contract.picks)}."
    if contract.whole:
        yield f"uint8, bit for bit: {', '.join(contract.whole)}."
    for name, by_method in (("float32", contract.floats), ("gradients of float32", contract.gradients)):
        if by_method:
            errors = ", ".join(f"{method} {ulp:g}" for method, ulp in by_method.items())
            yield f"{name}, largest error in ULP: {errors}."


def arguments(about: Description) -> dict[str, str]:
    """Return the methods, aliases and options, and the size that a scale gives."""
    aliases: dict[str, list[str]] = {}
    for alias, method in about.aliases.items():
        aliases.setdefault(method, []).append(alias)
    texts = {"methods": summary(about)["methods"]}
    if aliases:
        texts["aliases"] = "; ".join(f"{', '.join(names)} for {method}" for method, names in aliases.items())
    for option in about.options:
        texts[option.name] = _option(option)
    return {**texts, "scale": f"a result of {about.length} pixels"}


def _option(option: Option) -> str:
    default, *others = map(str, option.values)
    if option.open:
        some = f", such as {', '.join(others)}" if others else ""
        return f"{default} by default; takes other values{some}"
    return f"{default} by default; or {', '.join(others)}"


def tables(about: Description) -> Iterator[tuple[str, Row, list[Row]]]:
    """Yield the tables of a description: a heading, columns, and rows."""
    yield "Coordinates", ("for", "x", "step"), [_coordinate(one) for one in about.places]
    yield "Filters", ("for", "filter"), [_rule(one) for one in about.filters]
    if about.widths:
        yield "Antialiasing", ("for", "filter widened by"), [_rule(one) for one in about.widths]
    if about.edges:
        yield "Beyond the edges", ("for", "read"), [_rule(one) for one in about.edges]
    yield "Arithmetic", ("of", "for", "how"), [(", ".join(n.dtypes), _for(n.labels), n.how) for n in about.numbers]


def _for(labels: tuple[str, ...], when: str = "") -> str:
    return "; ".join(labels) + (f", {when}" if when else "")


def _rule(one: Rule) -> Row:
    name, comma, rest = one.text.partition(",")
    return _for(one.labels, one.when), f"{_KERNELS.get(name, name)}{comma}{rest}"


def _coordinate(one: Coordinate) -> Row:
    return _for(one.labels, one.when), f"from {one.x} to {one.to}" if one.to else one.x, one.step
