"""PyTorch: F.interpolate and nn.Upsample."""

from __future__ import annotations

import ast

from ....errors import ArgumentError, UnsupportedError
from ..calls import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, plain, read_lengths
from ..words import Words, made

PARAMETERS = ("input", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias")
LAYER = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")
COUNTS = {"linear": 1, "trilinear": 3}
_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}
_OLDER: dict[str, dict[str, object]] = {
    "UpsamplingNearest2d": {"mode": "nearest"},
    "UpsamplingBilinear2d": {"mode": "bilinear", "align_corners": True},
}
_PICKING = ("nearest", "nearest-exact", "area")


def shape(image: str, count: int) -> list[str]:
    """The lengths of the input's axes, in code: channels stand before them."""
    return [f"{image}.shape[{axis}]" for axis in range(2, 2 + count)]


def sizes(bound: dict[str, ast.expr], image: str, mode: object) -> dict[str, object]:
    """`size` or `scale_factor`, whichever is given."""
    size, scale = bound.get("size"), bound.get("scale_factor")
    size, scale = (None if one is None or ast.unparse(one) == "None" else one for one in (size, scale))
    if (size is None) == (scale is None):
        raise ArgumentError(f"give size or scale_factor, one of them; {'neither' if size is None else 'both'} is given")
    given = size or scale
    assert given is not None
    listed = entries(given, "size" if size is not None else "scale_factor", COUNTS.get(str(mode)), alone=2)
    if size is not None:
        return {"size": read_lengths(listed, "size", shape(image, len(listed)))}
    return {"scale": numbers(listed, "scale_factor")}


def numbers(nodes: list[ast.expr], name: str) -> tuple[float, ...]:
    """Positive numbers."""
    values = [literal(node, name) for node in nodes]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise ArgumentError(f"{name} has {value!r}; every scale must be a positive number")
    return tuple(float(value) for value in values)  # type: ignore[arg-type]


def _read(call: Call) -> Words:
    name = call.name.rpartition(".")[2]
    bound = call.bind(PARAMETERS if name == "interpolate" else LAYER if name == "Upsample" else LAYER[:2])
    image = ast.unparse(bound.pop("input")) if "input" in bound else call.image or "x"
    words = {name: literal(node, name) for name, node in bound.items() if name not in ("size", "scale_factor")}
    words |= _OLDER.get(name, {})
    mode = words.get("mode", "nearest")
    given = sizes(bound, image, mode)
    if words.get("align_corners") is not None and mode in _PICKING:
        raise ArgumentError(f"align_corners is not for mode {mode!r} (torch refuses it too); leave it out")
    options = {name: bool(words.get(name)) for name in ("align_corners", "recompute_scale_factor")}
    if mode == "area":  # which is pooling, by sizes alone
        options["recompute_scale_factor"] = "scale" in given
    return made("torch", mode, words.get("antialias", False), options, image=image, **given)


def _write(words: Words) -> str:
    count, options = words.count, words.said
    if count != 2 and (words.antialias or words.method in ("bicubic", "lanczos")):
        raise UnsupportedError(f"{words.method}{' with antialias' * words.antialias} is for two axes, not {count}")
    keywords: dict[str, object] = {}
    if words.scale is None:
        keywords["size"] = code(lengths(words, shape(words.image, count)))
    else:
        keywords["scale_factor"] = plain(words.scale)
    keywords["mode"] = _MODES.get((words.method, count), words.method)
    if words.method in ("bilinear", "bicubic"):
        keywords["align_corners"] = bool(options.get("align_corners", False))
    if options.get("recompute_scale_factor") and words.method != "area":
        keywords["recompute_scale_factor"] = True
    if words.antialias:
        keywords["antialias"] = True
    return call_text("F.interpolate", words.image, **keywords)


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
