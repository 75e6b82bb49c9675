"""Syntaxes: how each framework's own call is read and written, one file each in `syntaxes/`.

Files there are found by looking, so that adding one touches one file.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ... import dialects
from ...errors import ArgumentError, UnsupportedError, unknown_name
from . import syntaxes
from .calls import Call, Factor, length
from .words import Words

Choices = Callable[[str], Mapping[str, Sequence[object]]]


@dataclass(frozen=True)
class Syntax:
    """The call of one framework.

    `names` are what the called function is written as. `read` gives the words of a call, and `write` the call of words
    of its own dialect; what cannot be written is an UnsupportedError. `choices` are the options that can be varied to
    find a call, by method. `layout` says how images lie in memory, and `counts` how many axes can be resized. `scaled`
    says that a scale can be written; `note` is said of every call that is written.

    >>> get("pytorch").dialect
    'torch'
    """

    name: str
    title: str
    dialect: str
    names: tuple[str, ...]
    read: Callable[[Call], Words]
    write: Callable[[Words], str]
    layout: str
    aliases: tuple[str, ...] = ()
    choices: Choices = lambda method: {}
    methods: tuple[str, ...] = ()
    counts: tuple[int, ...] = (2,)
    scaled: bool = False
    note: str = ""

    @property
    def any_dialect(self) -> bool:
        """Whether it can write words of every dialect as they are."""
        return not self.dialect


@cache
def every() -> tuple[Syntax, ...]:
    """All syntaxes.

    >>> {"torch", "cv2", "pillow"} <= {one.name for one in every()}
    True
    """
    files = [module.name for module in pkgutil.iter_modules(syntaxes.__path__) if not module.name.startswith("_")]
    found = [importlib.import_module(f"{syntaxes.__name__}.{file}").SYNTAXES for file in files]
    return tuple(sorted(itertools.chain(*found), key=lambda one: one.name))


def get(name: object) -> Syntax:
    """The syntax of that name, alias or dialect."""
    known = {alias: one for one in every() for alias in (one.dialect, *one.aliases, one.name) if alias}
    wanted = name.lower() if isinstance(name, str) else name
    if wanted not in known:
        raise unknown_name("target", name, known)
    return known[str(wanted)]


def of(call: Call) -> Syntax:
    """Whose call it is.

    >>> from .calls import parse
    >>> of(parse("cv2.resize(x, (4, 4))")).name, of(parse("image.resize((4, 4))")).name
    ('cv2', 'pillow')
    """
    for one in every():
        if call.name in one.names:
            return one
    root, _, method = call.name.rpartition(".")
    modules = {name.partition(".")[0] for one in every() for name in one.names if "." in name} - {"Image"}
    if method == "resize" and root and root.partition(".")[0] not in modules | {"np", "numpy", "torchvision"}:
        return get("pillow")
    known = ", ".join(sorted(name for one in every() for name in one.names[:1]))
    what = "np.resize repeats numbers, and is no resize of images" if root in ("np", "numpy") else ""
    raise ArgumentError(f"{what or f'cannot tell whose call {call.name!r} is'}; these are known: {known}")


@cache
def variants(syntax: Syntax) -> tuple[tuple[str, bool, tuple[tuple[str, object], ...]], ...]:
    """Every (method, antialias, options) that the syntax may be asked to write, the plainest first."""
    return tuple(sorted(_variants(syntax), key=lambda one: _plainness(syntax, one[2])))


def _variants(syntax: Syntax) -> Iterator[tuple[str, bool, tuple[tuple[str, object], ...]]]:
    chosen = dialects.get(syntax.dialect)
    for method in syntax.methods or chosen.methods:
        varied = syntax.choices(method)
        for antialias, values in itertools.product(chosen.methods[method], itertools.product(*varied.values())):
            options = chosen.fill_options(dict(zip(varied, values, strict=True)))
            request = dialects.Request(chosen.name, method, antialias, (2, 2), (3, 3), None, options)
            try:
                chosen.taps(request)
            except UnsupportedError:
                continue
            yield method, antialias, options


def _plainness(syntax: Syntax, options: tuple[tuple[str, object], ...]) -> int:
    usual = dialects.get(syntax.dialect).fill_options({})
    return sum(one not in usual for one in options)


# What files in `syntaxes/` write with.


def call_text(name: str, *arguments: str, **keywords: object) -> str:
    """A call in Python; arguments are code, and keywords values.

    >>> call_text("F.interpolate", "x", mode="area", size=Code("(4, 4)"))
    "F.interpolate(x, mode='area', size=(4, 4))"
    """
    words = [f"{word}={value if isinstance(value, Code) else repr(value)}" for word, value in keywords.items()]
    return f"{name}({', '.join([*arguments, *words])})"


class Code(str):
    """Text that is code already.

    >>> str(Code("x.shape"))
    'x.shape'
    """


def code(parts: Iterable[str], brackets: str = "()") -> Code:
    """A tuple (or a list) of code.

    >>> code(["4"]), code(["4", "5"], "[]")
    ('(4,)', '[4, 5]')
    """
    entries = list(parts)
    comma = "," if len(entries) == 1 and brackets == "()" else ""
    return Code(f"{brackets[0]}{', '.join(entries)}{comma}{brackets[1]}")


def lengths(words: Words, of: Sequence[str], cut: str = "int") -> list[str]:
    """The lengths of the result as code: numbers, or multiples of the input's own, whose code is `of`."""
    if words.size is None:
        raise UnsupportedError("it takes a size, not a scale")
    return [_length(one, name, cut) for one, name in zip(words.size, of, strict=True)]


def _length(one: int | Factor, of: str, cut: str) -> str:
    if not isinstance(one, Factor):
        return str(one)
    if one.by == 1:
        return of
    return f"{one.by:.0f} * {of}" if float(one.by).is_integer() else f"{cut}({one.by!r} * {of})"


def read_lengths(nodes: Sequence[ast.expr], name: str, of: Sequence[str]) -> tuple[int | Factor, ...]:
    """Lengths as `lengths` writes them."""
    return tuple(length(node, name, one) for node, one in zip(nodes, of, strict=True))


def plain(value: Any) -> Any:
    """A number as short as it can be written; of several that are the same, one.

    >>> plain(2.0), plain((0.5, 0.5)), plain((1.0, 2.5))
    (2, 0.5, (1, 2.5))
    """
    if isinstance(value, tuple):
        return plain(value[0]) if len(set(value)) == 1 else tuple(map(plain, value))
    return int(value) if float(value).is_integer() else float(value)
