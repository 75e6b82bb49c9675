"""A dialect's description in words and rows, which the terminal and a page show alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..insight.description import Contract, Description, Option, Place, Rule

INTRODUCTION = (
    "Output o of n_out reads the input around x, where the centres of the n_in pixels of an axis lie at 0, 1, 2, ...; "
    "a mean goes from edge to edge, where pixel i lies from i to i + 1. scale is as it was asked for, or n_out / n_in. "
    "Roundings are left out."
)
Row = tuple[str, ...]
_KERNELS = {"pick": "the pixel itself", "mean": "the mean of what is covered"}
_ANTIALIASED = {
    (False,): "",
    (False, True): "antialiased if asked: ",
    (True, False): "antialiased unless asked not to: ",
    (True,): "always antialiased: ",
}


def summary(about: Description) -> dict[str, str]:
    """A dialect in three lines: methods, options, what is promised; the last without its numbers by method."""
    return {
        "methods": _methods(about.methods),
        "options": ", ".join(option.name for option in about.options) or "none",
        "promised": "; ".join(_short(about.contract)),
    }


def _methods(methods: Mapping[str, tuple[bool, ...]]) -> str:
    """Methods by whether they antialias."""
    by_flags = {flags: [name for name, one in methods.items() if one == flags] for flags in _ANTIALIASED}
    return "; ".join(f"{_ANTIALIASED[flags]}{', '.join(names)}" for flags, names in by_flags.items() if names)


def _short(contract: Contract | None) -> Iterator[str]:
    if contract is None:
        yield "no framework to compare with"
        return
    if contract.picks:
        yield f"{' and '.join(contract.picks)} pick{'s' * (len(contract.picks) == 1)} the same pixels"
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


def promises(contract: Contract | None) -> Iterator[str]:
    """What is promised, method by method."""
    if contract is None:
        yield "Nothing: there is no framework to compare with."
        return
    yield f"Compared with the package {contract.package}; a ULP is a unit in the last place of the largest value."
    if contract.picks:
        yield f"The same pixels are picked: {', '.join(contract.picks)}."
    if contract.whole:
        yield f"uint8, bit for bit: {', '.join(contract.whole)}."
    for name, by_method in (("float32", contract.floats), ("gradients of float32", contract.gradients)):
        if by_method:
            yield f"{name}, within so many ULP: {', '.join(f'{method} {ulp:g}' for method, ulp in by_method.items())}."


def words(about: Description) -> dict[str, str]:
    """What a caller may say: methods, aliases, options, and how a scale becomes a size."""
    aliases: dict[str, list[str]] = {}
    for alias, method in about.aliases.items():
        aliases.setdefault(method, []).append(alias)
    said = {"methods": summary(about)["methods"]}
    if aliases:
        said["aliases"] = "; ".join(f"{', '.join(names)} for {method}" for method, names in aliases.items())
    for option in about.options:
        said[option.name] = _option(option)
    return {**said, "scale": f"a result of {about.length} pixels"}


def _option(option: Option) -> str:
    default, *others = map(str, option.values)
    if option.open:
        some = f", such as {', '.join(others)}" if others else ""
        return f"{default} by default; takes other values{some}"
    return f"{default} by default; or {', '.join(others)}"


def tables(about: Description) -> Iterator[tuple[str, Row, list[Row]]]:
    """The tables of a description: a heading, columns, and rows."""
    yield "Coordinates", ("for", "x", "step"), [_place(one) for one in about.places]
    yield "Filters", ("for", "filter"), [_rule(one) for one in about.filters]
    if about.widths:
        yield "Antialiasing", ("for", "times as wide"), [_rule(one) for one in about.widths]
    if about.edges:
        yield "Beyond the edges", ("for", "read"), [_rule(one) for one in about.edges]
    yield "Arithmetic", ("of", "for", "how"), [(", ".join(n.dtypes), _for(n.labels), n.how) for n in about.numbers]


def _for(labels: tuple[str, ...], when: str = "") -> str:
    return "; ".join(labels) + (f", {when}" if when else "")


def _rule(one: Rule) -> Row:
    name, comma, rest = one.text.partition(",")
    return _for(one.labels, one.when), f"{_KERNELS.get(name, name)}{comma}{rest}"


def _place(one: Place) -> Row:
    return _for(one.labels, one.when), f"from {one.x} to {one.to}" if one.to else one.x, one.step
