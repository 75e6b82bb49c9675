"""TensorFlow: its original ops (tf.raw_ops), and tf.image.resize with ScaleAndTranslate behind it, on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dialects import Request, scale_and_translation
from ..reference import Array, Reference

_OPS = {
    "bilinear": "ResizeBilinear",
    "nearest": "ResizeNearestNeighbor",
    "bicubic": "ResizeBicubic",
    "area": "ResizeArea",
}
_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic"}  # ScaleAndTranslate's names


def _original(images: Any, request: Request) -> Any:
    import tensorflow

    flags = dict(request.options)
    if request.method == "area":
        del flags["half_pixel_centers"]
    return getattr(tensorflow.raw_ops, _OPS[request.method])(images=images, size=request.output_size, **flags)


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


def _resize(call: Callable[[Any, Request], Any]) -> Callable[[Array, Request], Array]:
    def resize(x: Array, request: Request) -> Array:
        image: Array = call(x[None], request)[0].numpy()
        return image

    return resize


def _gradient(call: Callable[[Any, Request], Any]) -> Callable[[Array, Array, Request], Array]:
    def gradient(x: Array, dy: Array, request: Request) -> Array:
        import tensorflow

        images = tensorflow.constant(x[None])
        with tensorflow.GradientTape() as tape:
            tape.watch(images)
            y = call(images, request)
        image: Array = tape.gradient(y, images, tensorflow.cast(dy[None], y.dtype))[0].numpy()
        return image

    return gradient


REFERENCES = (
    Reference("tensorflow1", "tensorflow", _resize(_original), _gradient(_original)),
    Reference("tensorflow", "tensorflow", _resize(_newer), _gradient(_newer)),
)
