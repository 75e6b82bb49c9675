"""Paddle: paddle.nn.functional.interpolate and paddle.nn.Upsample."""

from __future__ import annotations

from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import CORNERS, Choices, Syntax, antialias, call_text, code, lengths
from .torch import AXES, mode_name

_LAYER = ("size", "scale_factor", "mode", "align_corners", "align_mode", "data_format", "name", "antialias")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    given = call.bind(_LAYER if call.name.endswith("Upsample") else ("x", *_LAYER), "x", "x")
    values = given.values(*_LAYER[2:])
    if values.get("data_format", "NCHW") not in ("NCHW", "NCW", "NCDHW", ""):
        raise ArgumentError(f"data_format is {values['data_format']!r}; only channels first are supported: NCHW")
    mode = values.get("mode", "nearest")
    options = {"align_corners": bool(values.get("align_corners")), "align_mode": values.get("align_mode", 0)}
    size = given.size_or_scale(AXES.get(str(mode)))
    return ResizeSpec.of("paddle", mode, values.get("antialias", False), options, **size), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    if spec.method == "area" and spec.scale is not None:
        raise UnsupportedError("area takes a size here, not a scale")
    size = {"size": code(lengths(spec, image, 2), "[]")} if spec.scale is None else {"scale_factor": list(spec.scale)}
    keywords = {**size, "mode": mode_name(spec), **spec.unusual, **antialias(spec)}
    return call_text("paddle.nn.functional.interpolate", image, **keywords)


_CALLS = ("paddle.nn.functional.interpolate", "paddle.nn.Upsample")
_CHOICES: Choices = {"bilinear": {**CORNERS, "align_mode": (0, 1)}, "bicubic": CORNERS}
PADDLE = Syntax(
    "paddle",
    "Paddle",
    "paddle",
    _CALLS,
    _read,
    _write,
    "NCHW",
    ("paddlepaddle",),
    _CHOICES,
    counts=(1, 2, 3),
    scaled=True,
)
