"""ResizeSpec: one resize in the arguments of `sw.resize`, and its text form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from . import dialects
from .api import make_plan
from .errors import ArgumentError
from .plan import Plan

OptionItems = tuple[tuple[str, object], ...]


class Factor(NamedTuple):
    """An output length given as a multiple of the input length, rounded down."""

    by: float


@dataclass(frozen=True)
class ResizeSpec:
    """One resize in the arguments of `sw.resize`: `of` checks them and fills in the dialect's defaults.

    `size` and `scale` have one entry per resized axis; both are None where the resize is meant for any size.

    >>> spec = ResizeSpec.of("torch", "linear", scale=(2.0, 2.0))
    >>> spec.label, spec.make_plan((3, 4)).output_size
    ('torch bilinear, scale=2', (6, 8))
    """

    dialect: str
    method: str
    antialias: bool = False
    options: OptionItems = ()
    size: tuple[int | Factor, ...] | None = None
    scale: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls,
        dialect: str = "standard",
        method: object = "bilinear",
        antialias: object = None,
        options: Mapping[str, object] | None = None,
        size: tuple[int | Factor, ...] | None = None,
        scale: tuple[float, ...] | None = None,
    ) -> Self:
        """Return the spec of arguments as a user gives them; raise ArgumentError for what the dialect does not have.

        >>> ResizeSpec.of("tfjs", options={"align_corners": True}).options
        (('align_corners', True), ('half_pixel_centers', False))
        """
        chosen = dialects.get(dialect)
        name, items = chosen.resolve_method(method), chosen.fill_options(options or {})
        return cls(chosen.name, name, chosen.resolve_antialias(name, antialias), items, size, scale)

    @classmethod
    def of_plan(cls, plan: Plan) -> Self:
        """Return the spec of a plan, for any size."""
        request = plan.request
        return cls(request.dialect, request.method, request.antialias, request.options)

    @property
    def axes(self) -> int:
        """The number of resized axes; 0 without size and scale."""
        return len(self.size or self.scale or ())

    @property
    def unusual(self) -> dict[str, object]:
        """The options that differ from the dialect's defaults."""
        defaults = dict(dialects.get(self.dialect).fill_options({}))
        return {name: value for name, value in self.options if value != defaults[name]}

    @property
    def arguments(self) -> dict[str, object]:
        """`antialias` and the options, where they differ from the dialect's defaults."""
        default = dialects.get(self.dialect).methods[self.method][0]
        return {**({} if self.antialias == default else {"antialias": self.antialias}), **self.unusual}

    @property
    def changes(self) -> list[str]:
        """The text of every argument that differs from its default; a mode stands without the option's name."""
        texts = [
            value if isinstance(value, str) else f"{name}={format_value(value)}"
            for name, value in self.arguments.items()
        ]
        if self.scale is not None:
            texts.append(f"scale={format_value(self.scale[0] if len(set(self.scale)) == 1 else self.scale)}")
        return texts

    @property
    def label(self) -> str:
        """The dialect, the method, and every argument that differs from its default."""
        return ", ".join([f"{self.dialect} {self.method}", *self.changes])

    def make_plan(self, input_size: tuple[int, ...]) -> Plan:
        """Return the plan of this resize for an input size."""
        lengths = enumerate(self.size or ())
        size = tuple(math.floor(n.by * input_size[axis]) if isinstance(n, Factor) else n for axis, n in lengths) or None
        arguments: dict[str, Any] = {"antialias": self.antialias, "dialect": self.dialect, **dict(self.options)}
        return make_plan(input_size, size, self.method, scale=self.scale, **arguments)


def format_value(value: object) -> str:
    """Return the value of an option as the command line takes it.

    >>> format_value((0.0, 0.10000000149011612, 1.0)), format_value(True)
    ('0,0.1,1', 'True')
    """
    if isinstance(value, tuple):
        return ",".join(map(format_value, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def parse_size(given: str, name: str) -> tuple[int, ...]:
    """Return the lengths of a size.

    >>> parse_size("480x640", "IN"), parse_size("1024", "OUT")
    ((480, 640), (1024,))
    """
    if not re.fullmatch(r"[0-9]{1,20}([xX][0-9]{1,20})*", given):
        raise ArgumentError(f"{name} is {given!r}; write lengths like 16x16, 480x640 or 1024")
    return tuple(map(int, re.split("[xX]", given)))


def parse_option(text: str, name: str = "--option") -> tuple[str, object]:
    """Return the name and value of an option; commas separate several numbers.

    >>> parse_option("align_corners=true"), parse_option("mode=half_pixel"), parse_option("roi=0,0,1,0.5")
    (('align_corners', True), ('mode', 'half_pixel'), ('roi', (0, 0, 1, 0.5)))
    """
    option, equals, given = text.partition("=")
    if not (option and equals and given):
        raise ArgumentError(f"{name} is {text!r}; write it like align_corners=true")
    values = [_parse_value(part) for part in given.split(",")]
    if len(values) > 1 and not any(isinstance(value, (str, bool)) for value in values):
        return option, tuple(values)
    return option, _parse_value(given)


def _parse_value(text: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_variant(text: str) -> dict[str, Any]:
    """Return the arguments of `ResizeSpec.of` that a text names: a dialect, perhaps a method, and options.

    >>> parse_variant("torch bilinear antialias=false align_corners=true")
    {'dialect': 'torch', 'method': 'bilinear', 'antialias': False, 'options': {'align_corners': True}}
    >>> parse_variant("pillow:bicubic")
    {'dialect': 'pillow', 'method': 'bicubic', 'antialias': None, 'options': {}}
    """
    parts = text.replace(":", " ", 1).split()
    names = [part for part in parts if "=" not in part]
    options = dict(parse_option(part, "an option of a variant") for part in parts if "=" in part)
    antialias = options.pop("antialias", None)
    if not 1 <= len(names) <= 2 or not isinstance(antialias, bool | None):
        raise ArgumentError(f"variant {text!r}: write it like 'torch bicubic antialias=true align_corners=false'")
    return {**dict(zip(("dialect", "method"), names, strict=False)), "antialias": antialias, "options": options}
