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
_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic"}  # where ScaleAndTranslate has names of its own


def _original(images: Any, request: Request) -> Any:
    import tensorflow

    flags = dict(request.options)
    if request.method == "area":
        del flags["half_pixel_centers"]
    return getattr(tensorflow.raw_ops, _OPS[request.method])(images=images, size=request.output_size, **flags)


def _newer(images: Any, request: Request) -> Any:
    import tensorflow

    placement = scale_and_translation(request)
    if placement is None:  # whatever the aspect ratio did to the size, it has done
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
    Reference(
        dialect="tensorflow1",
        module="tensorflow",
        package="tensorflow",
        resize=_resize(_original),
        ulp={"nearest": 0, "bilinear": 4, "bicubic": 6, "area": 10},
        gradient=_gradient(_original),  # area has none
        gradient_ulp={"nearest": 8, "bilinear": 16, "bicubic": 16},
    ),
    Reference(
        dialect="tensorflow",
        module="tensorflow",
        package="tensorflow",
        resize=_resize(_newer),
        # TensorFlow computes weights in float32, too: its cubics are good to some 1e-6.
        ulp={
            "nearest": 0,
            "bilinear": 4,
            "bicubic": 16,
            "area": 10,
            "lanczos3": 10,
            "lanczos5": 10,
            "gaussian": 6,
            "mitchellcubic": 24,
        },
        gradient=_gradient(_newer),  # area has none
        gradient_ulp={
            "nearest": 8,
            "bilinear": 16,
            "bicubic": 16,
            "lanczos3": 16,
            "lanczos5": 16,
            "gaussian": 16,
            "mitchellcubic": 24,
        },
    ),
)
