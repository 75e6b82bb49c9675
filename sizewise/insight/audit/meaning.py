"""Meaning: what the words of any dialect amount to, so that words of another one can be found that are nearest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

HALF, TORCH_HALF, SYMMETRIC = "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"
CORNERS, LEGACY, CROP = "align_corners", "asymmetric", "tf_crop_and_resize"
UP, DOWN, FLOOR, CEIL = "round_prefer_ceil", "round_prefer_floor", "floor", "ceil"


@dataclass(frozen=True)
class Meaning:
    """A resize without the words of a framework: the kind of filter, and where it is placed.

    `grid` says where outputs lie, in ONNX's words, `pick` which pixel nearest takes, `slope` is a cubic's, and `cut`
    whether weights outside of the image are left out, rather than given to its edge.

    >>> meaning("torch", "bicubic", False, {"align_corners": False}).slope
    -0.75
    """

    kind: str
    grid: str
    antialias: bool = False
    pick: str = ""
    slope: float = 0.0
    cut: bool = False


def meaning(dialect: str, method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    """What these words of a dialect mean; `options` may leave out those that are at their default.

    >>> meaning("tflite", "nearest", False, {})
    Meaning(kind='nearest', grid='asymmetric', antialias=False, pick='floor', slope=0.0, cut=False)
    """
    return _READERS[dialect](method, antialias, options)


def _onnx(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    grid = str(options.get("coordinate_transformation_mode", HALF))
    if method == "nearest":
        pick = str(options.get("nearest_mode", DOWN))
        if (grid, pick) == ("tf_half_pixel_for_nn", FLOOR):  # floor(x + 0.5): the nearest centre, ties up
            return Meaning("nearest", HALF, pick=UP)
        return Meaning("nearest", grid, pick=pick)
    slope = float(options.get("cubic_coeff_a", -0.75)) if method == "cubic" else 0.0  # type: ignore[arg-type]
    return _filtered(method, antialias, grid, round(slope, 6), cut=bool(options.get("exclude_outside", False)))


def _tensorflow1(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    corners, half = bool(options.get("align_corners")), bool(options.get("half_pixel_centers"))
    grid = CORNERS if corners else HALF if half else LEGACY
    if method == "nearest":
        return Meaning("nearest", grid, pick=FLOOR if grid == LEGACY else UP)
    if method == "bicubic":
        return Meaning("cubic", grid, slope=-0.5 if half else -0.75, cut=half)
    return Meaning("area", HALF, True) if method == "area" else Meaning("linear", grid)


def _tensorflow(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    if method in ("nearest", "area"):
        return Meaning("nearest", HALF, pick=UP) if method == "nearest" else Meaning("area", HALF, True)
    return _filtered({"bilinear": "linear", "bicubic": "cubic"}.get(method, method), antialias, cut=True)


def _torch(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    if method.startswith("nearest"):
        return Meaning("nearest", LEGACY, pick=FLOOR) if method == "nearest" else Meaning("nearest", HALF, pick=UP)
    if method == "area":
        return Meaning("area", HALF, True)
    grid = CORNERS if options.get("align_corners") else HALF
    kind = {"bilinear": "linear", "bicubic": "cubic", "lanczos": "lanczos3"}[method]
    return _filtered(kind, antialias, grid, -0.5 if antialias else -0.75, cut=antialias)


def _paddle(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    if method in ("nearest", "area"):
        return _torch(method, antialias, options)
    grid = CORNERS if options.get("align_corners") else HALF
    if method == "bilinear" and grid == HALF and options.get("align_mode") == 1:
        grid = LEGACY
    kind = {"bilinear": "linear", "bicubic": "cubic"}[method]
    return _filtered(kind, antialias, grid, -0.5 if antialias else -0.75, cut=antialias)


def _opencv(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    if method.startswith("nearest"):
        return _torch("nearest" if method == "nearest" else "nearest-exact", False, {})
    if method == "area":
        return Meaning("area", HALF, True)
    return _filtered(method.removesuffix("_exact"), False, slope=-0.75)


def _jax(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    if method in ("nearest", "area"):
        return _tensorflow(method, antialias, options)
    kind = "cubic" if method == "cubic-pytorch" else method
    padded = method == "cubic-pytorch" and not antialias
    return _filtered(kind, antialias, slope=-0.75 if padded else -0.5, cut=not padded)


def _pillow(method: str, antialias: bool, options: Mapping[str, object]) -> Meaning:
    if method == "nearest":
        return Meaning("nearest", HALF, pick=UP)
    kind = {"bilinear": "linear", "bicubic": "cubic", "lanczos": "lanczos3", "box": "area"}.get(method, method)
    return _filtered(kind, True, cut=kind != "area")


def _filtered(kind: str, antialias: bool, grid: str = HALF, slope: float = -0.5, *, cut: bool = False) -> Meaning:
    plain = kind == "linear" and not antialias  # two weights are the same, given to the edge or left out
    return Meaning(kind, grid, antialias, slope=slope if kind == "cubic" else 0.0, cut=cut and not plain)


_READERS: dict[str, Callable[[str, bool, Mapping[str, object]], Meaning]] = {
    **dict.fromkeys(("onnx", "onnx-reference"), _onnx),
    **dict.fromkeys(("tensorflow1", "tflite", "tfjs"), _tensorflow1),
    "tensorflow": _tensorflow,
    "torch": _torch,
    "paddle": _paddle,
    "opencv": _opencv,
    "jax": _jax,
    "pillow": _pillow,
}
