"""Parts of ONNX's Resize that its two implementations share: options, and taps at given coordinates.

They differ in coordinates, in which pixel is the nearest, and in which calls they reject.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import filters, sampling
from ..filters import Filter
from ..taps import Taps
from . import Fill, FittedSize, OpenOption, Options, Request, _formula, flag_option, float_option, per_axis_option
from ._formula import Formula

Coordinates = Callable[["Axis"], np.ndarray]

METHODS = {"nearest": (False,), "linear": (False, True), "cubic": (False, True)}
ALIASES = {"bilinear": "linear", "bicubic": "cubic"}
CROP, EDGES = "tf_crop_and_resize", "tf_half_pixel_for_nn"
MODES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", CROP)
OPTIONS: dict[str, tuple[object, ...] | OpenOption] = {
    "coordinate_transformation_mode": MODES,
    "nearest_mode": ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
    "cubic_coeff_a": float_option("cubic_coeff_a", -0.75, -0.5, real=np.float32),
    "exclude_outside": flag_option("exclude_outside"),
    "extrapolation_value": float_option("extrapolation_value", 0.0, real=np.float32),
    "roi": per_axis_option("roi", 2, real=np.float32),
    "keep_aspect_ratio_policy": ("stretch", "not_larger", "not_smaller"),
}


@dataclass(frozen=True)
class Axis:
    """One axis of a request: its scale in the precision of coordinates, and the part to resize.

    `start` and `end` are relative: 0 is the first pixel and 1 the last.
    """

    n_in: int
    n_out: int
    mode: str
    scale: np.floating
    start: np.float32
    end: np.float32

    @property
    def is_identity(self) -> bool:
        """Whether the axis is copied."""
        return bool(self.scale == 1 and self.start == 0 and self.end == 1)


def axes(request: Request, real: sampling.Real) -> list[Axis]:
    """Return the axes of a request; only tf_crop_and_resize with roi resizes a part of them."""
    count, mode, roi = len(request.input_size), str(request.option("coordinate_transformation_mode")), None
    if mode == CROP:
        roi = request.option("roi")
    table = np.array((0,) * count + (1,) * count if roi is None else roi, np.float32).reshape(2, count)
    return [
        Axis(n_in, n_out, mode, real(scale) if scale else _ratio(n_in, n_out, real), *ends)
        for (n_in, n_out, scale), *ends in zip(request.axes, *table, strict=True)
    ]


def _ratio(n_in: int, n_out: int, real: sampling.Real) -> np.floating:
    return sampling.step_size(n_out, n_in, corners=False, real=real)


def taps(request: Request, real: sampling.Real, coordinates: Coordinates, tie: float) -> tuple[Taps, ...]:
    """Return the taps of all axes, given the function of coordinates, and how far from a midpoint ties are."""
    return tuple(_axis_taps(request, axis, coordinates, tie) for axis in axes(request, real))


def _axis_taps(request: Request, axis: Axis, coordinates: Coordinates, tie: float) -> Taps:
    if axis.is_identity:
        return sampling.identity(axis.n_in)
    x, is_inside = _coordinates_inside(axis, coordinates)
    taps = _taps_at(request, axis, np.where(is_inside, x, type(axis.scale)(0.0)), tie)
    return sampling.mask_rows(taps, is_inside)


def nearest(x: np.ndarray, mode: str, tie: float) -> np.ndarray:
    """Return the input pixel of each output; a fraction within `tie` of one half, in float32, is a tie."""
    low = np.floor(x)
    t = x - low
    if mode in ("floor", "ceil"):
        upper = (t > 0) & (mode == "ceil")
    else:
        upper = np.where(np.abs(t - np.float32(0.5)) <= np.float32(tie), mode == "round_prefer_ceil", t > 0.5)
    index: np.ndarray = low.astype(np.int64) + upper
    return index


def _coordinates_inside(axis: Axis, coordinates: Coordinates) -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinate of each output, and whether it is inside the image, which matters for crops only."""
    with np.errstate(over="ignore", invalid="ignore"):  # far outside the image
        x = coordinates(axis)
    return x, (axis.mode != CROP) | ((x >= 0) & (x <= axis.n_in - 1))


def _taps_at(request: Request, axis: Axis, x: np.ndarray, tie: float) -> Taps:
    drops = bool(request.option("exclude_outside"))
    edge = sampling.drop_outside if drops else sampling.clamp_outside
    if request.method == "nearest":
        index = nearest(x, str(request.option("nearest_mode")), tie)
        rows = (index >= 0) & (index < axis.n_in)
        return sampling.mask_rows(sampling.nearest(axis.n_in, index), rows | (not drops))
    a = float(request.option("cubic_coeff_a"))  # type: ignore[arg-type]
    if request.antialias:
        real = type(axis.scale)
        kernel = Filter("cubic", 2.0, filters.cubic(0.0, -a)) if request.method == "cubic" else filters.get("linear")
        stretch = np.maximum(real(1.0) / axis.scale, real(1.0))
        return edge(axis.n_in, *sampling.filter_window(x + real(0.5), kernel.support, stretch, kernel))
    low = np.floor(x)
    t = (x - low).astype(np.float64)
    if request.method == "cubic":
        return edge(axis.n_in, low - 1, sampling.cubic_weights(t, a))
    return edge(axis.n_in, low, np.stack([1.0 - t, t], axis=1))


def fill(request: Request, real: sampling.Real, coordinates: Coordinates) -> Fill | None:
    """Return the extrapolation value and the outputs that are set to it."""
    if request.option("coordinate_transformation_mode") != CROP:
        return None
    inside = (axis.is_identity | _coordinates_inside(axis, coordinates)[1] for axis in axes(request, real))
    outside = tuple(~rows for rows in inside)
    value = float(request.option("extrapolation_value"))  # type: ignore[arg-type]
    return (value, outside) if any(rows.any() for rows in outside) else None


def scale(given: float) -> float:
    """Return a scale rounded to float32, as ONNX stores it."""
    with np.errstate(over="ignore"):
        return float(np.float32(given))


def fit(input_size: tuple[int, ...], size: tuple[int, ...], options: Options, real: sampling.Real) -> FittedSize:
    """Return the size with one scale for all axes, its lengths rounded half up, and that scale, not rounded."""
    policy = options["keep_aspect_ratio_policy"]
    if policy == "stretch":
        return size, None
    ratios = [_ratio(n_in, n_out, real) for n_in, n_out in zip(input_size, size, strict=True)]
    common = min(ratios) if policy == "not_larger" else max(ratios)
    fitted = tuple(math.floor(float(common * real(n)) + 0.5) for n in input_size)
    return fitted, (float(common),) * len(size)


_ROUNDED = {"round_prefer_floor": "ceil({} - 0.5)", "round_prefer_ceil": "floor({} + 0.5)"}


def formula(request: Request, length: str, alone: str) -> Formula:
    """Return the formula of a request; `length` is the output length, and `alone` the coordinate of a single output."""
    mode, drops = str(request.option("coordinate_transformation_mode")), bool(request.option("exclude_outside"))
    x = {
        "asymmetric": _formula.ASYMMETRIC,
        "align_corners": f"o * (n_in - 1) / ({length} - 1) if {length} != 1 else o",
        CROP: f"(start + o * (end - start) / ({length} - 1)) * (n_in - 1) if {length} != 1 "
        "else (start + end) / 2 * (n_in - 1)",
        "half_pixel_symmetric": f"n_in / 2 * (1 - n_out / (scale * n_in)) + {_formula.HALF_PIXEL}",
        "pytorch_half_pixel": f"{_formula.HALF_PIXEL} if {length} != 1 else {alone}",
        EDGES: "(o + 0.5) * step",
    }.get(mode, _formula.HALF_PIXEL)
    edges = _formula.LEFT_OUT if drops else _formula.REPEATED
    edges += "; outputs outside are extrapolation_value" if mode == CROP else ""
    if request.method == "nearest":
        rounding = str(request.option("nearest_mode"))
        index = _ROUNDED.get(rounding, f"{rounding}({{}})").format(f"({x})" if " if " in x else x)
        index = index.replace(" - 0.5 - 0.5", " - 1").replace(" - 0.5 + 0.5", "")
        return Formula(_formula.BY_SCALE, index, edges=edges, copied=mode == EDGES)
    a = float(request.option("cubic_coeff_a"))  # type: ignore[arg-type]
    kernel = "linear" if request.method == "linear" else _formula.cubic(a)
    widened = _formula.WIDENED if request.antialias else "1"
    return Formula(_formula.BY_SCALE, x, kernel, widened, edges, copied=mode == EDGES)
