"""JAX: jax.image.resize and jax.image.scale_and_translate on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request, scale_and_translation
from ..reference import Array, Reference


def _call(image: Any, request: Request) -> Any:
    import jax

    shape = (*request.output_size, image.shape[-1])
    placement = scale_and_translation(request)
    if placement is None:
        return jax.image.resize(image, shape, request.method, antialias=request.antialias)
    scale, translation = (np.array(one) for one in zip(*placement, strict=True))
    axes = range(len(placement))
    return jax.image.scale_and_translate(image, shape, axes, scale, translation, request.method, request.antialias)


def _resize(x: Array, request: Request) -> Array:
    import jax

    with jax.enable_x64(x.dtype.itemsize == 8):
        return np.asarray(_call(jax.numpy.asarray(x), request))


def _gradient(x: Array, dy: Array, request: Request) -> Array:
    import jax

    with jax.enable_x64(x.dtype.itemsize == 8):
        _, transposed = jax.vjp(lambda image: _call(image, request), jax.numpy.asarray(x))
        return np.asarray(transposed(jax.numpy.asarray(dy))[0])


REFERENCES = (
    Reference(
        dialect="jax",
        module="jax",
        package="jax",
        resize=_resize,
        # XLA decides by the shape whether coordinates round once or twice. Where it decides otherwise than the dialect
        # does, a coordinate is off by its last bit, which is the more the longer the axis is.
        ulp={"nearest": 0, "linear": 8, "cubic": 12, "cubic-pytorch": 24, "lanczos3": 12, "lanczos5": 12, "area": 4},
        gradient=_gradient,
        gradient_ulp={
            "nearest": 8,
            "linear": 16,
            "cubic": 16,
            "cubic-pytorch": 24,
            "lanczos3": 16,
            "lanczos5": 16,
            "area": 16,
        },
        share=0.2,  # every shape is compiled
    ),
)
