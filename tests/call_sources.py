"""Calls to translate: every way in which every dialect resizes, written in its framework's own syntax if it has one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from variants import ALL

from sizewise.errors import UnsupportedError
from sizewise.insight.translation import Words, syntax

SIZE = (12, 10)
# To that size: whole and odd growths and shrinks, both at once, an axis that stays.
INPUTS = ((6, 5), (29, 23), (24, 30), (5, 7), (5, 23), (12, 23))
OWN = {one.dialect: one for one in syntax.every() if one.name not in ("keras", "onnx-reference", "sizewise")}


@dataclass(frozen=True)
class Source:
    """A call, and whose it is."""

    dialect: str
    syntax: str
    call: str


def _written(words: Words) -> Source:
    own = OWN.get(words.dialect, syntax.get("sizewise"))
    try:
        return Source(words.dialect, own.name, own.write(words))
    except UnsupportedError:
        return Source(words.dialect, "sizewise", syntax.get("sizewise").write(words))


def _words() -> list[Words]:
    found = []
    for one in ALL:
        words = Words(one.dialect, one.method, one.antialias, one.options, size=SIZE)
        moved = dict(one.options).get("translation") is not None
        found.append(replace(words, scale=(0.5, 0.75)) if moved else words)
    return found


SOURCES = [_written(words) for words in _words()]
# Scales: whole ones, and some that leave fractions of pixels.
SCALED = [
    _written(replace(words, size=None, scale=scale))
    for words in _words()
    if words.scale is None and words.dialect in ("torch", "opencv", "onnx", "matlab", "standard", "paddle")
    if (words.dialect, words.method) != ("paddle", "area") and "keep_aspect_ratio_policy" not in words.said
    for scale in ((2.0, 2.0), (0.5, 0.5), (1.3, 0.7))
][::11]
DIALECTS = sorted({source.dialect for source in SOURCES})
