"""Words of the command line that several commands read: sizes, options and variants."""

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


def parse_option(given: str, where: str = "--option") -> tuple[str, object]:
    """A dialect's option in words as its name and its value; several numbers stand with commas between them.

    >>> parse_option("align_corners=true"), parse_option("a=-0.75"), parse_option("mode=half_pixel")
    (('align_corners', True), ('a', -0.75), ('mode', 'half_pixel'))
    >>> parse_option("roi=0,0,1,0.5")
    ('roi', (0, 0, 1, 0.5))
    """
    name, equals, word = given.partition("=")
    if not (name and equals and word):
        raise ArgumentError(f"{where} is {given!r}; write it like align_corners=true")
    values = [_value(part) for part in word.split(",")]
    if len(values) > 1 and not any(isinstance(value, (str, bool)) for value in values):
        return name, tuple(values)
    return name, _value(word)


def parse_variant(given: str) -> tuple[str, str | None, bool | None, dict[str, object]]:
    """A variant in words as its dialect, method, antialias and options; None for what is the dialect's own choice.

    >>> parse_variant("torch bilinear antialias=false align_corners=true")
    ('torch', 'bilinear', False, {'align_corners': True})
    >>> parse_variant("pillow:bicubic"), parse_variant("opencv")
    (('pillow', 'bicubic', None, {}), ('opencv', None, None, {}))
    """
    words = given.replace(":", " ", 1).split()
    names = [word for word in words if "=" not in word]
    options = dict(parse_option(word, "--variant") for word in words if "=" in word)
    antialias = options.pop("antialias", None)
    if not 1 <= len(names) <= 2 or not isinstance(antialias, bool | None):
        raise ArgumentError(f"--variant is {given!r}; write it like 'torch bicubic antialias=true align_corners=false'")
    return names[0], names[1] if len(names) == 2 else None, antialias, options


def _value(word: str) -> object:
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    for number in (int, float):
        try:
            return number(word)
        except ValueError:
            continue
    return word
