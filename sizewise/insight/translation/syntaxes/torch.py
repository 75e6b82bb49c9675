"""PyTorch: F.interpolate and nn.Upsample."""

from __future__ import annotations

import ast
from typing import Any

from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, plain, read_lengths

PARAMETERS = ("input", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias")
LAYER = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")
COUNTS = {"linear": 1, "trilinear": 3}
_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}
_OLDER: dict[str, dict[str, object]] = {
    "UpsamplingNearest2d": {"mode": "nearest"},
    "UpsamplingBilinear2d": {"mode": "bilinear", "align_corners": True},
}
_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")


def shape(image: str, count: int) -> list[str]:
    """Return the code of the input lengths, for channels first."""
    return [f"{image}.shape[{axis}]" for axis in range(2, 2 + count)]


def sizes(bound: dict[str, ast.expr], image: str, mode: object) -> dict[str, Any]:
    """Return `size` or `scale`, whichever is given."""
    size, scale = bound.get("size"), bound.get("scale_factor")
    size, scale = (None if one is None or ast.unparse(one) == "None" else one for one in (size, scale))
    if (size is None) == (scale is None):
        raise ArgumentError(f"give size or scale_factor; {'neither' if size is None else 'both'} is given")
    given = size or scale
    assert given is not None
    listed = entries(given, "size" if size is not None else "scale_factor", COUNTS.get(str(mode)), alone=2)
    if size is not None:
        return {"size": read_lengths(listed, "size", shape(image, len(listed)))}
    return {"scale": numbers(listed, "scale_factor")}


def numbers(nodes: list[ast.expr], name: str) -> tuple[float, ...]:
    """Return positive numbers."""
    values = [literal(node, name) for node in nodes]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise ArgumentError(f"{name} has {value!r}; every scale must be a positive number")
    return tuple(float(value) for value in values)  # type: ignore[arg-type]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    name = call.name.rpartition(".")[2]
    bound = call.bind(PARAMETERS if name == "interpolate" else LAYER if name == "Upsample" else LAYER[:2])
    image = ast.unparse(bound.pop("input")) if "input" in bound else call.image or "x"
    values = {name: literal(node, name) for name, node in bound.items() if name not in ("size", "scale_factor")}
    values |= _OLDER.get(name, {})
    mode = values.get("mode", "nearest")
    given = sizes(bound, image, mode)
    if values.get("align_corners") is not None and mode in _WITHOUT_CORNERS:
        raise ArgumentError(f"align_corners is not for mode {mode!r} (torch refuses it too); leave it out")
    options = {name: bool(values.get(name)) for name in ("align_corners", "recompute_scale_factor")}
    if mode == "area":  # adaptive pooling, which ignores the scale
        options["recompute_scale_factor"] = "scale" in given
    return ResizeSpec.of("torch", mode, values.get("antialias", False), options, **given), image


def _write(spec: ResizeSpec, image: str) -> str:
    count, options = spec.axes, spec.unusual
    if count != 2 and (spec.antialias or spec.method in ("bicubic", "lanczos")):
        raise UnsupportedError(f"{spec.method}{' with antialias' * spec.antialias} is for two axes, not {count}")
    keywords: dict[str, object] = {}
    if spec.scale is None:
        keywords["size"] = code(lengths(spec, shape(image, count)))
    else:
        keywords["scale_factor"] = plain(spec.scale)
    keywords["mode"] = _MODES.get((spec.method, count), spec.method)
    if spec.method in ("bilinear", "bicubic"):
        keywords["align_corners"] = bool(options.get("align_corners", False))
    if options.get("recompute_scale_factor") and spec.method != "area":
        keywords["recompute_scale_factor"] = True
    if spec.antialias:
        keywords["antialias"] = True
    return call_text("F.interpolate", image, **keywords)


SYNTAXES = (
    Syntax(
        name="torch",
        title="PyTorch",
        dialect="torch",
        aliases=("pytorch",),
        names=(
            *(f"{module}interpolate" for module in ("F.", "torch.nn.functional.", "nn.functional.", "functional.", "")),
            *(f"{module}{layer}" for layer in ("Upsample", *_OLDER) for module in ("nn.", "torch.nn.", "")),
        ),
        read=_read,
        write=_write,
        layout="NCHW",
        choices=lambda method: {"align_corners": (False, True)},
        counts=(1, 2, 3),
        scaled=True,
    ),
)
