"""PyTorch: F.interpolate and nn.Upsample."""

from __future__ import annotations

from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import CORNERS, Syntax, antialias, call_text, code, lengths, plain

AXES = {"linear": 1, "trilinear": 3}
_LAYER = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")
_OLDER: dict[str, dict[str, object]] = {
    "UpsamplingNearest2d": {"mode": "nearest"},
    "UpsamplingBilinear2d": {"mode": "bilinear", "align_corners": True},
}
_PARAMETERS = {"interpolate": ("input", *_LAYER, "antialias"), "Upsample": _LAYER}
_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    name = call.name.rpartition(".")[2]
    given = call.bind(_PARAMETERS.get(name, _LAYER[:2]), "input", "x")
    values = {**given.values(*_LAYER[2:], "antialias"), **_OLDER.get(name, {})}
    mode = values.get("mode", "nearest")
    size = given.size_or_scale(AXES.get(str(mode)))
    if "align_corners" in values and mode in _WITHOUT_CORNERS:
        raise ArgumentError(f"align_corners is not for mode {mode!r} (torch refuses it too); leave it out")
    options = {name: bool(values.get(name)) for name in _LAYER[3:]}
    if mode == "area":  # adaptive pooling, which ignores the scale
        options["recompute_scale_factor"] = "scale" in size
    return ResizeSpec.of("torch", mode, values.get("antialias", False), options, **size), given.image


def mode_name(spec: ResizeSpec) -> str:
    """Return the mode for the axes of a spec; raise where it is for two axes alone."""
    if spec.axes != 2 and (spec.antialias or spec.method in ("bicubic", "lanczos")):
        raise UnsupportedError(f"{spec.method}{' with antialias' * spec.antialias} is for two axes, not {spec.axes}")
    return (
        {axes: mode for mode, axes in AXES.items()}.get(spec.axes, "bilinear")
        if spec.method == "bilinear"
        else spec.method
    )


def _write(spec: ResizeSpec, image: str) -> str:
    keywords: dict[str, object] = {"mode": mode_name(spec)}
    if spec.method in ("bilinear", "bicubic"):
        keywords["align_corners"] = bool(spec.unusual.get("align_corners"))
    if spec.unusual.get("recompute_scale_factor") and spec.method != "area":
        keywords["recompute_scale_factor"] = True
    size = {"size": code(lengths(spec, image, 2))} if spec.scale is None else {"scale_factor": plain(spec.scale)}
    return call_text("F.interpolate", image, **size, **keywords, **antialias(spec))


_CALLS = (
    *(f"{module}interpolate" for module in ("F.", "torch.nn.functional.", "nn.functional.", "functional.", "")),
    *(f"{module}{layer}" for layer in ("Upsample", *_OLDER) for module in ("nn.", "torch.nn.", "")),
)
TORCH = Syntax(
    "torch",
    "PyTorch",
    "torch",
    _CALLS,
    _read,
    _write,
    "NCHW",
    ("pytorch",),
    {"": CORNERS},
    counts=(1, 2, 3),
    scaled=True,
)
