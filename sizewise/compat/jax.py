"""jax.image.resize and jax.image.scale_and_translate, with the same signatures.

Replace the import and keep the code: the same pixels, with exact gradients, inside every transformation of JAX.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.image import ResizeMethod

from .. import validation
from ..axes import resolve_axes
from ..errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError, UnsupportedError, short_repr
from ..memory_limits import require_memory
from ._arguments import resize_with_empty_axes

__all__ = ["ResizeMethod", "resize", "scale_and_translate"]
__dir__ = __all__.copy

_HIGHEST = jax.lax.Precision.HIGHEST


def resize(
    image: Any, shape: Sequence[int], method: str | ResizeMethod, antialias: bool = True, precision: Any = _HIGHEST
) -> jax.Array:
    """Return the image resized to `shape` as jax.image.resize does, along every axis whose length changes.

    Sums are always as exact as JAX's own at the highest `precision`, which is ignored.

    >>> resize(jnp.arange(2.0), (4,), "linear")
    Array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """
    image, name = _as_array(image), _method_name(method)
    lengths = _require_lengths(image, shape)
    axes = tuple(axis for axis, length in enumerate(lengths) if not _is_equal(length, image.shape[axis]))
    if not axes:
        return image if name == "nearest" else _as_inexact(image)
    return _resize(image, lengths, axes, name, antialias, {})


def scale_and_translate(
    image: Any,
    shape: Sequence[int],
    spatial_dims: Sequence[int],
    scale: Any,
    translation: Any,
    method: str | ResizeMethod,
    antialias: bool = True,
    precision: Any = _HIGHEST,
) -> jax.Array:
    """Return the image scaled and moved as by jax.image.scale_and_translate: x goes to x * scale + translation.

    Outputs outside the image are 0. Give one scale and one translation for each of `spatial_dims`. They cannot be
    traced: derivatives are with respect to the image.

    >>> scale_and_translate(jnp.arange(1.0, 5.0), (4,), (0,), jnp.ones(1), jnp.array([2.0]), "linear")
    Array([0., 0., 1., 2.], dtype=float32)
    """
    image, name = _as_array(image), _method_name(method)
    lengths = _require_lengths(image, shape)
    if name == "nearest":
        raise UnsupportedError("scale_and_translate has no method 'nearest', as in JAX; use resize, or 'linear'")
    dims = validation.as_sequence(spatial_dims)
    axes = () if dims == () else resolve_axes((spatial_dims,) if dims is None else dims, image.ndim, ())
    transform = {
        name: _require_one_per_axis(given, len(axes), name)
        for name, given in (("scale", scale), ("translation", translation))
    }
    if not axes:
        return _as_inexact(image)
    if any(image.shape[axis] == 0 for axis in axes):
        shape = [length if axis in axes else image.shape[axis] for axis, length in enumerate(lengths)]
        return jnp.zeros(shape, _as_inexact(image).dtype)
    return _resize(image, lengths, axes, name, antialias, transform)


def _resize(
    image: jax.Array, lengths: tuple[Any, ...], axes: tuple[int, ...], name: str, antialias: Any, transform: Any
) -> jax.Array:
    """Return the image resized by dialect "jax"; `transform` has a scale and a translation per axis, or nothing."""
    options = {"dialect": "jax", "antialias": validation.require_bool(antialias, "antialias")}
    empty = [axis for axis in axes if _is_equal(lengths[axis], 0)]
    if len(empty) == len(axes) and name != "nearest":
        image = _as_inexact(image)
    per_axis = {"size": [lengths[axis] for axis in axes], **transform}
    result: jax.Array = resize_with_empty_axes(image, axes, empty, per_axis, method=name, **options)
    return result


def _as_array(image: Any) -> jax.Array:
    if isinstance(image, jax.Array):
        return image
    if not isinstance(image, np.ndarray | np.generic) or isinstance(image, np.ma.MaskedArray):
        raise ArgumentTypeError(f"image must be an array of JAX or NumPy, without a mask, not {short_repr(image)}")
    require_memory(image.nbytes, "an image of shape {} in JAX", image.shape)
    try:
        return jnp.asarray(image)
    except CONVERSION_ERRORS as failure:  # a dtype that JAX does not have
        raise ArgumentTypeError(f"image must be an array, and {short_repr(image)} is none: {failure}") from None


def _as_inexact(image: jax.Array) -> jax.Array:
    """Return the image, integers converted to the floats that a division gives in JAX."""
    return image if jnp.issubdtype(image.dtype, jnp.inexact) else image / 1


def _require_lengths(image: Any, shape: Any) -> tuple[Any, ...]:
    """Return the shape; raise unless it has one entry per axis of the image."""
    entries, rank = validation.as_sequence(shape), image.ndim
    lengths = (shape,) if entries is None else entries
    if len(lengths) != rank:
        raise ArgumentError(
            f"shape has {len(lengths)} entries, {short_repr(lengths)}, and the image has {rank} axes, {image.shape}; "
            "give one length per axis, those of batch and channels too"
        )
    return lengths


def _is_equal(length: Any, n: Any) -> bool:
    """Return whether two lengths are equal; JAX compares symbolic ones."""
    return bool(length == n) if type(length) is type(n) else validation.as_int(length) == n


def _method_name(method: Any) -> str:
    """Return the name of a method in dialect "jax"."""
    if isinstance(method, ResizeMethod):
        return str(method.name).lower().replace("_", "-")
    if not isinstance(method, str):
        raise ArgumentError(f"method must be a name or a jax.image.ResizeMethod, not {short_repr(method)}")
    return method


def _require_one_per_axis(given: Any, count: int, name: str) -> list[float]:
    """Return `count` floats."""
    if isinstance(given, jax.core.Tracer):
        raise UnsupportedError(
            f"{name} is traced, and must be known: close over it, or name it in static_argnames; "
            "jax.image.scale_and_translate differentiates by it"
        )
    known = np.asarray(given, np.float64) if isinstance(given, jax.Array) else given
    values = validation.require_real_array(known, name)
    if values.shape != (count,):
        raise ArgumentError(f"{name} has shape {values.shape}; give one number for each of {count} spatial_dims")
    entries: list[float] = values.tolist()
    return entries
