"""Syntaxes: how each framework's call is read and written, one file each in `syntaxes/`, found by looking there."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ... import dialects
from ...errors import ArgumentError, UnsupportedError, unknown_name
from ...resize_spec import Factor, ResizeSpec
from . import syntaxes
from .parse_call import Call, input_lengths

Options = Mapping[str, Sequence[object]]
Choices = Mapping[str, Options]  # by method
CORNERS: Options = {"align_corners": (False, True)}
Reader = Callable[[Call], tuple[ResizeSpec, str]]
FLAGS: Options = {**CORNERS, "half_pixel_centers": (False, True)}

# torchvision resizes what it is given as the library of that does.
_TORCHVISION = ("torchvision", "transforms", "T", "TF", "F", "v2")
_OF_TORCHVISION = (
    "{} is torchvision's, which resizes tensors with F.interpolate(x, size=(h, w), mode='bilinear', antialias=True) "
    "and images with image.resize((w, h), Image.BILINEAR), where one integer is the length of the shorter edge; "
    "translate the one of these that you use, with the lengths of the result"
)


@dataclass(frozen=True, eq=False)
class Syntax:
    """The call of one framework.

    `names` are the spellings of the function. `read` returns the spec of a call and the code of its image (None for
    calls that are only written), and `write` the call of a spec in this dialect; what cannot be written raises
    UnsupportedError. `choices` are the options to vary when searching for a call, by method ("" for all others).
    `layout` is the memory layout of images, and `counts` how many axes can be resized. `scaled` says that a scale can
    be written; `note` goes with every call that is written.
    """

    name: str
    title: str
    dialect: str
    names: tuple[str, ...]
    read: Reader | None
    write: Callable[[ResizeSpec, str], str]
    layout: str
    aliases: tuple[str, ...] = ()
    choices: Choices = field(default_factory=dict)
    methods: tuple[str, ...] = ()
    counts: tuple[int, ...] = (2,)
    scaled: bool = False
    note: str = ""

    @property
    def any_dialect(self) -> bool:
        """Whether it can write specs of every dialect."""
        return not self.dialect


@cache
def every() -> tuple[Syntax, ...]:
    """Return all syntaxes."""
    files = [module.name for module in pkgutil.iter_modules(syntaxes.__path__) if not module.name.startswith("_")]
    modules = [importlib.import_module(f"{syntaxes.__name__}.{file}") for file in files]
    found = (value for module in modules for value in vars(module).values() if isinstance(value, Syntax))
    return tuple(sorted(found, key=lambda one: one.name))


def get(name: object) -> Syntax:
    """Return the syntax of a name, alias or dialect."""
    known = {alias: one for one in every() for alias in (one.dialect, *one.aliases, one.name) if alias}
    wanted = name.lower() if isinstance(name, str) else name
    if wanted not in known:
        raise unknown_name("target", name, known)
    return known[str(wanted)]


def of(call: Call) -> Syntax:
    """Return the syntax of a call."""
    for one in every():
        if call.name in one.names:
            return one
    root, _, method = call.name.rpartition(".")
    if method in ("Resize", "resize") and root.partition(".")[0] in _TORCHVISION:
        raise ArgumentError(_OF_TORCHVISION.format(call.name))
    modules = {name.partition(".")[0] for one in every() for name in one.names if "." in name} - {"Image"}
    if method == "resize" and root and root.partition(".")[0] not in modules | {"np", "numpy"}:
        return get("pillow")
    known = ", ".join(sorted(name for one in every() for name in one.names[:1]))
    what = "np.resize repeats values and does not resample" if root in ("np", "numpy") else ""
    raise ArgumentError(f"{what or f'cannot tell whose call {call.name!r} is'}; known calls: {known}")


def read(call: Call) -> tuple[ResizeSpec, str]:
    """Return the spec of a call, and the code of its image."""
    found = of(call)
    assert found.read is not None, "syntaxes that are only written have no names"
    try:
        return found.read(call)
    except ArgumentError as error:
        if call.name not in found.names:  # the resize of any object is read as that of an image
            error.args = (f"{call.name} is read as Pillow's Image.resize: {error}",)
        raise


@cache
def variants(syntax: Syntax) -> tuple[ResizeSpec, ...]:
    """Return every spec to try to write, those with the fewest options first."""
    return tuple(sorted(_variants(syntax), key=lambda spec: len(spec.unusual)))


def _variants(syntax: Syntax) -> Iterator[ResizeSpec]:
    chosen = dialects.get(syntax.dialect)
    for method in syntax.methods or chosen.methods:
        varied = syntax.choices.get(method, syntax.choices.get("", {}))
        for antialias, values in itertools.product(chosen.methods[method], itertools.product(*varied.values())):
            options = chosen.fill_options(dict(zip(varied, values, strict=True)))
            try:
                chosen.taps(dialects.Request(chosen.name, method, antialias, (2, 2), (3, 3), None, options))
            except UnsupportedError:
                continue
            yield ResizeSpec(chosen.name, method, antialias, options)


# Helpers of the files in `syntaxes/`.


def call_text(name: str, *arguments: str, **keywords: object) -> str:
    """Return a call in Python; arguments are code, and keywords are values."""
    named = [f"{name}={value if isinstance(value, Code) else repr(value)}" for name, value in keywords.items()]
    return f"{name}({', '.join([*arguments, *named])})"


class Code(str):
    """Text that is code already."""


def code(parts: Iterable[str], brackets: str = "()") -> Code:
    """Return a tuple or a list as code."""
    entries = list(parts)
    comma = "," if len(entries) == 1 and brackets == "()" else ""
    return Code(f"{brackets[0]}{', '.join(entries)}{comma}{brackets[1]}")


def antialias(spec: ResizeSpec) -> dict[str, object]:
    """Return the keyword of frameworks that do not antialias by default."""
    return {"antialias": True} if spec.antialias else {}


def lengths(
    spec: ResizeSpec, image: str, first: int | None = None, *, of: Sequence[str] = (), floor: str = "int"
) -> list[str]:
    """Return the output lengths as code: integers, or multiples of the input lengths, as `Arguments.lengths` reads."""
    if spec.size is None:
        raise UnsupportedError("it takes a size, not a scale")
    codes = of or input_lengths(image, spec.axes, first)
    return [_length(one, code, floor) for one, code in zip(spec.size, codes, strict=True)]


def _length(one: int | Factor, of: str, floor: str) -> str:
    if not isinstance(one, Factor):
        return str(one)
    if one.by == 1:
        return of
    return f"{one.by:.0f} * {of}" if float(one.by).is_integer() else f"{floor}({one.by!r} * {of})"


def plain(value: Any) -> Any:
    """Return a number as an integer where possible, and one of several that are equal."""
    if isinstance(value, tuple):
        return plain(value[0]) if len(set(value)) == 1 else tuple(map(plain, value))
    return int(value) if float(value).is_integer() else float(value)
