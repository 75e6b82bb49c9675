"""TensorFlow 2's tf.image.resize, and tf.raw_ops.ScaleAndTranslate, CPU: coordinates in float32.

`nearest`, `area`, and `bilinear` and `bicubic` without antialiasing are TensorFlow's original ops (dialect tensorflow1)
with half-pixel centers. All others are ScaleAndTranslate: a filter around each coordinate, renormalized at the edges of
the image. An axis that keeps its length is resampled as well, so that `gaussian` and `mitchellcubic` blur it.

With `translation` (0 for none) every filter is ScaleAndTranslate: output pixels are at scale * x + translation, and
those outside the image are 0. `scale` may then be given beside the size; the default is the ratio of the sizes.
`preserve_aspect_ratio` fits the size into the requested one.

All floats have gradients; in TensorFlow, ScaleAndTranslate has them for float32 only.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import filters, sampling
from ..errors import ArgumentError, UnsupportedError
from ..taps import Taps
from . import Dialect, FittedSize, Options, Request, _formula, per_axis_option, scale_and_translation, tensorflow1
from ._contract import Contract
from ._formula import BY_SIZE, Formula

_FILTERS = {
    "bilinear": filters.get("bilinear"),
    "bicubic": filters.get("bicubic"),
    **{name: filters.flat_top(filters.get(name), 1e-3) for name in ("lanczos3", "lanczos5")},
    "gaussian": filters.get("gaussian"),
    "mitchellcubic": filters.get("mitchell"),
}


def _original(request: Request) -> Request | None:
    """Return the request of TensorFlow's original op, or None for ScaleAndTranslate."""
    if (
        scale_and_translation(request) is not None
        or request.antialias
        or request.method not in tensorflow1.DIALECT.methods
    ):
        return None
    options = (("align_corners", False), ("half_pixel_centers", request.method != "area"))
    return replace(request, dialect="tensorflow1", options=options)


def _taps(request: Request) -> tuple[Taps, ...]:
    placement, original = scale_and_translation(request), _original(request)
    if original is not None:
        return tensorflow1.DIALECT.taps(original)
    if request.method not in _FILTERS:
        raise UnsupportedError(
            f"tensorflow: {request.method!r} has no translation (ScaleAndTranslate has only {', '.join(_FILTERS)})"
        )
    if placement is not None and request.option("preserve_aspect_ratio"):
        raise UnsupportedError(
            "tensorflow: preserve_aspect_ratio and translation cannot both be given (they belong to different ops)"
        )
    axes = zip(request.input_size, request.output_size, strict=True)
    return tuple(
        _scale_and_translate(n_in, n_out, *(placement[axis] if placement else (n_out / n_in, 0.0)), request)
        for axis, (n_in, n_out) in enumerate(axes)
    )


def _scale_and_translate(n_in: int, n_out: int, scale: float, translation: float, request: Request) -> Taps:
    step = np.float32(1.0 / np.float64(np.float32(scale)))
    if not np.isfinite(step):
        raise ArgumentError(f"tensorflow: scale {scale} is too small; its inverse must be a finite float32")
    center = sampling.grid(n_out, step, offset=0.5) - step * np.float32(translation)
    stretch = np.maximum(step, np.float32(1.0)) if request.antialias else np.float32(1.0)
    return sampling.filter_centers(n_in, center.astype(np.float64) - 0.5, _FILTERS[request.method], stretch)


def _fit(input_size: tuple[int, ...], size: tuple[int, ...], options: Options) -> FittedSize:
    """Return the size; with preserve_aspect_ratio all lengths times the smallest ratio, rounded half to even."""
    if not options["preserve_aspect_ratio"]:
        return size, None
    lengths = np.array(input_size, np.float32)
    fitted = tuple(np.rint((np.array(size, np.float32) / lengths).min() * lengths).astype(int).tolist())
    if 0 in fitted:
        raise UnsupportedError(
            f"tensorflow: size {size} with the aspect ratio of {input_size} is {fitted}; give a larger size"
        )
    return fitted, None


def _formula_of(request: Request) -> Formula:
    original = _original(request)
    if original is not None:
        return tensorflow1.DIALECT.formula(original)
    name = "mitchell" if request.method == "mitchellcubic" else request.method
    plain = _formula.filter_inside(BY_SIZE, name, request.antialias)
    return plain if scale_and_translation(request) is None else _formula.translate(plain)


DIALECT = Dialect(
    name="tensorflow",
    versions="TensorFlow 2.0 to 2.21, tf.image.resize",
    methods={
        "bilinear": (False, True),
        "nearest": (False,),
        "bicubic": (False, True),
        "area": (False,),
        **dict.fromkeys(("lanczos3", "lanczos5", "gaussian", "mitchellcubic"), (False, True)),
    },
    ignores_antialias=("nearest", "area"),
    options={"preserve_aspect_ratio": (False, True), "translation": per_axis_option("translation", 1, 0.75)},
    taps=_taps,
    arithmetic=tensorflow1.DIALECT.arithmetic,
    formula=_formula_of,
    fit=_fit,
    size_and_scale=True,
    contract=Contract(
        "tensorflow",
        # TensorFlow computes weights in float32 too: its cubics are accurate to about 1e-6.
        ulp={
            "nearest": 0,
            "bilinear": 4,
            "gaussian": 6,
            "bicubic": 16,
            "mitchellcubic": 24,
            **dict.fromkeys(("area", "lanczos3", "lanczos5"), 10),
        },
        gradient_ulp={**dict.fromkeys(_FILTERS, 16), "nearest": 8, "mitchellcubic": 24},  # `area` has no gradient
    ),
)
