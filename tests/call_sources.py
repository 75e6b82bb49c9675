"""Calls to translate: every spec of every dialect, written in its framework's own syntax if it has one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from variants import ALL

from sizewise.errors import UnsupportedError
from sizewise.insight.translation import syntax
from sizewise.resize_spec import ResizeSpec

SIZE = (12, 10)
# To that size: whole and odd growths and shrinks, both at once, an axis that stays.
INPUTS = ((6, 5), (29, 23), (24, 30), (5, 7), (5, 23), (12, 23))
OWN = {
    one.dialect: one for one in syntax.every() if one.read and one.name not in ("keras", "onnx-reference", "sizewise")
}


@dataclass(frozen=True)
class Source:
    """A call, and whose it is."""

    dialect: str
    syntax: str
    call: str


def _written(spec: ResizeSpec) -> Source:
    own = OWN.get(spec.dialect, syntax.get("sizewise"))
    try:
        return Source(spec.dialect, own.name, own.write(spec, "x"))
    except UnsupportedError:
        return Source(spec.dialect, "sizewise", syntax.get("sizewise").write(spec, "x"))


def _specs() -> list[ResizeSpec]:
    found = []
    for one in ALL:
        spec = ResizeSpec(one.dialect, one.method, one.antialias, one.options, size=SIZE)
        moved = dict(one.options).get("translation") is not None
        found.append(replace(spec, scale=(0.5, 0.75)) if moved else spec)
    return found


SOURCES = [_written(spec) for spec in _specs()]
# Scales: whole ones, and some that leave fractions of pixels.
SCALED = [
    _written(replace(spec, size=None, scale=scale))
    for spec in _specs()
    if spec.scale is None and spec.dialect in ("torch", "opencv", "onnx", "matlab", "standard", "paddle")
    if (spec.dialect, spec.method) != ("paddle", "area") and "keep_aspect_ratio_policy" not in spec.unusual
    for scale in ((2.0, 2.0), (0.5, 0.5), (1.3, 0.7))
][::11]
DIALECTS = sorted({source.dialect for source in SOURCES})
