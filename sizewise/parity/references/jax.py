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


REFERENCES = (Reference("jax", "jax", _resize, _gradient, case_fraction=0.2),)  # every shape is compiled
