"""Parsing of arguments that several commands take."""

from __future__ import annotations

import re

from ..errors import ArgumentError


def parse_size(given: str, name: str) -> tuple[int, ...]:
    """Return the lengths of a size.

    >>> parse_size("480x640", "IN"), parse_size("1024", "OUT")
    ((480, 640), (1024,))
    """
    if not re.fullmatch(r"[0-9]{1,20}([xX][0-9]{1,20})*", given):
        raise ArgumentError(f"{name} is {given!r}; write lengths like 16x16, 480x640 or 1024")
    return tuple(map(int, re.split("[xX]", given)))
