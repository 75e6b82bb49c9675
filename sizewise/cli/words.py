"""Words of the command line that several commands read: sizes and options."""

from __future__ import annotations

import re

from ..errors import ArgumentError


def parse_size(given: str, name: str) -> tuple[int, ...]:
    """A size in words as lengths.

    >>> parse_size("480x640", "IN"), parse_size("1024", "OUT")
    ((480, 640), (1024,))
    """
    if not re.fullmatch(r"[0-9]{1,20}([xX][0-9]{1,20})*", given):
        raise ArgumentError(f"{name} is {given!r}; write lengths like 16x16, 480x640 or 1024")
    return tuple(map(int, re.split("[xX]", given)))


def parse_option(given: str) -> tuple[str, object]:
    """A dialect's option in words as its name and its value.

    >>> parse_option("align_corners=true"), parse_option("a=-0.75"), parse_option("mode=half_pixel")
    (('align_corners', True), ('a', -0.75), ('mode', 'half_pixel'))
    """
    name, equals, word = given.partition("=")
    if not (name and equals and word):
        raise ArgumentError(f"--option is {given!r}; write it like align_corners=true")
    if word.lower() in ("true", "false"):
        return name, word.lower() == "true"
    for number in (int, float):
        try:
            return name, number(word)
        except ValueError:
            continue
    return name, word
