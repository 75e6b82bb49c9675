"""Contract of a dialect: how far its results may differ from those of its framework."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_NONE: Mapping[str, float] = MappingProxyType({})


class Contract(NamedTuple):
    """Promise of a dialect, by method, compared with the framework that `package` installs.

    `ulp` is the largest difference of float32 results, in units in the last place of the largest value, and
    `gradient_ulp` that of gradients, for methods whose gradient the framework has. The uint8 results of methods in
    `bit_exact` are the framework's, bit for bit.
    """

    package: str
    ulp: Mapping[str, float]
    gradient_ulp: Mapping[str, float] = _NONE
    bit_exact: tuple[str, ...] = ()
