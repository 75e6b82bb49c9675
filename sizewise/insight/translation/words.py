"""Words: a call in the words of `sw.resize`, whosever it was."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import dialects
from ...api import make_plan
from ...plan import Plan
from .calls import Factor

Size = tuple[int, ...]


@dataclass(frozen=True)
class Words:
    """One resize in the words of a dialect; its size, where it has one, may be given as factors of the input's.

    >>> Words("torch", "nearest", False, (), scale=(2.0, 2.0)).plan((3, 4)).output_size
    (6, 8)
    """

    dialect: str
    method: str
    antialias: bool
    options: tuple[tuple[str, object], ...]
    size: tuple[int | Factor, ...] | None = None
    scale: tuple[float, ...] | None = None
    image: str = "x"

    @property
    def count(self) -> int:
        """How many axes are resized."""
        return len(self.size or self.scale or ())

    @property
    def said(self) -> dict[str, object]:
        """The options that are not the dialect's default."""
        usual = dict(dialects.get(self.dialect).fill_options({}))
        return {name: value for name, value in self.options if value != usual[name]}

    def plan(self, input_size: Size) -> Plan:
        """The plan of the resize of an image of that size."""
        size = None if self.size is None else tuple(map(_resolved, self.size, input_size))
        words: dict[str, Any] = {"antialias": self.antialias, "dialect": self.dialect, **dict(self.options)}
        return make_plan(input_size, size, self.method, scale=self.scale, **words)


def _resolved(length: int | Factor, n_in: int) -> int:
    return math.floor(length.by * n_in) if isinstance(length, Factor) else length


def made(
    dialect: str,
    method: object,
    antialias: object = None,
    options: Mapping[str, object] | None = None,
    **rest: Any,
) -> Words:
    """Words with every name checked, and every option said.

    >>> made("torch", "linear", size=(4,)).method
    'bilinear'
    """
    chosen = dialects.get(dialect)
    name = chosen.resolve_method(method)
    return Words(
        chosen.name, name, chosen.resolve_antialias(name, antialias), chosen.fill_options(options or {}), **rest
    )
