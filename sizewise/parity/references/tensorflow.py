"""TensorFlow: its original ops (tf.raw_ops), and tf.image.resize with ScaleAndTranslate behind it, on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...dialects import Request, scale_and_translation
from ..reference import Array, Reference

_OPS = {"nearest": "ResizeNearestNeighbor"}  # the others are named like their methods
_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic"}  # ScaleAndTranslate's names


def _original(images: Any, request: Request) -> Any:
    import tensorflow

    flags = dict(request.options)
    if request.method == "area":
        del flags["half_pixel_centers"]
    name = _OPS.get(request.method, f"Resize{request.method.capitalize()}")
    return getattr(tensorflow.raw_ops, name)(images=images, size=request.output_size, **flags)


def _newer(images: Any, request: Request) -> Any:
    import tensorflow

    placement = scale_and_translation(request)
    if placement is None:  # output_size already keeps the aspect ratio
        return tensorflow.image.resize(images, request.output_size, request.method, antialias=request.antialias)
    scale, translation = zip(*placement, strict=True)
    return tensorflow.raw_ops.ScaleAndTranslate(
        images=images,
        size=request.output_size,
        scale=scale,
        translation=translation,
        kernel_type=_KERNELS.get(request.method, request.method),
        antialias=request.antialias,
    )


def _resize(x: Array, request: Request, call: Callable[[Any, Request], Any]) -> Array:
    image: Array = call(x[None], request)[0].numpy()
    return image


def _gradient(x: Array, dy: Array, request: Request, call: Callable[[Any, Request], Any]) -> Array:
    import tensorflow

    images = tensorflow.constant(x[None])
    with tensorflow.GradientTape() as tape:
        tape.watch(images)
        y = call(images, request)
    image: Array = tape.gradient(y, images, tensorflow.cast(dy[None], y.dtype))[0].numpy()
    return image


REFERENCES = tuple(
    Reference(dialect, "tensorflow", partial(_resize, call=call), partial(_gradient, call=call))
    for dialect, call in (("tensorflow1", _original), ("tensorflow", _newer))
)
