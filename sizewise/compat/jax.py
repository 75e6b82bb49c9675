"""jax.image.resize and jax.image.scale_and_translate, word for word.

Swap the import and keep the code: the same pixels and their exact gradient, inside every transformation of JAX.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.image import ResizeMethod
from numpy.typing import NDArray

from .. import validation
from ..api import resize as _resize
from ..axes import resolve_axes
from ..errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError, UnsupportedError, short_repr
from ..memory_limits import require_memory
from ._words import emptied

__all__ = ["ResizeMethod", "resize", "scale_and_translate"]
__dir__ = __all__.copy

_HIGHEST = jax.lax.Precision.HIGHEST


def resize(
    image: Any, shape: Sequence[int], method: str | ResizeMethod, antialias: bool = True, precision: Any = _HIGHEST
) -> jax.Array:
    """jax.image.resize: the image made of that shape, along every axis whose length is another there.

    Sums are always as exact as JAX's own are at the highest `precision`, whatever that is.

    >>> resize(jnp.arange(2.0), (4,), "linear")
    Array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """
    image, name = _image(image), _name(method)
    lengths = _lengths(image, shape)
    axes = tuple(axis for axis, length in enumerate(lengths) if not _same(length, image.shape[axis]))
    if not axes:
        return image if name == "nearest" else _inexact(image)
    return _applied(image, lengths, axes, name, antialias, {})


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
    """jax.image.scale_and_translate: what was at x is at x * scale + translation; outputs outside the image are 0.

    One scale and one translation for each of `spatial_dims`, known numbers: derivatives are those of the image.

    >>> scale_and_translate(jnp.arange(1.0, 5.0), (4,), (0,), jnp.ones(1), jnp.array([2.0]), "linear")
    Array([0., 0., 1., 2.], dtype=float32)
    """
    image, name = _image(image), _name(method)
    lengths = _lengths(image, shape)
    if name == "nearest":
        raise UnsupportedError("scale_and_translate has no method 'nearest', as in JAX; use resize, or 'linear'")
    dims = validation.as_sequence(spatial_dims)
    axes = () if dims == () else resolve_axes((spatial_dims,) if dims is None else dims, image.ndim, ())
    scales, translations = (
        _numbers(given, len(axes), what) for given, what in ((scale, "scale"), (translation, "translation"))
    )
    if not axes:
        return _inexact(image)
    if any(image.shape[axis] == 0 for axis in axes):
        shape = [length if axis in axes else image.shape[axis] for axis, length in enumerate(lengths)]
        return jnp.zeros(shape, _inexact(image).dtype)
    moved = {"scale": scales.tolist(), "translation": translations.tolist()}
    return _applied(image, lengths, axes, name, antialias, moved)


def _applied(
    image: jax.Array, lengths: tuple[Any, ...], axes: tuple[int, ...], name: str, antialias: bool, moved: dict[str, Any]
) -> jax.Array:
    """The call in the words of dialect "jax"; `moved` has a number for each of the axes."""
    words: dict[str, Any] = {"dialect": "jax", "antialias": validation.require_bool(antialias, "antialias")}
    empty = [axis for axis in axes if _same(lengths[axis], 0)]
    kept = [position for position, axis in enumerate(axes) if axis not in empty]
    if kept:
        size, where = (tuple(each[position] for position in kept) for each in ([lengths[axis] for axis in axes], axes))
        words |= {word: tuple(each[position] for position in kept) for word, each in moved.items()}
        image = _resize(image, size, name, axes=where, **words)
    elif name != "nearest":
        image = _inexact(image)
    made: jax.Array = emptied(image, empty)
    return made


def _image(image: Any) -> jax.Array:
    if isinstance(image, jax.Array):
        return image
    if not isinstance(image, np.ndarray | np.generic) or isinstance(image, np.ma.MaskedArray):
        raise ArgumentTypeError(f"image must be an array of JAX or NumPy, without a mask, not {short_repr(image)}")
    require_memory(image.nbytes, "an image of shape {} in JAX", image.shape)
    try:
        return jnp.asarray(image)
    except CONVERSION_ERRORS as failure:  # a dtype that JAX does not have
        raise ArgumentTypeError(f"image must be an array, and {short_repr(image)} is none: {failure}") from None


def _inexact(image: jax.Array) -> jax.Array:
    """The image as it is, integers as the floats that JAX makes of them where it divides."""
    return image if jnp.issubdtype(image.dtype, jnp.inexact) else image / 1


def _lengths(image: Any, shape: Any) -> tuple[Any, ...]:
    """The shape, with one entry per axis of the image."""
    entries, rank = validation.as_sequence(shape), image.ndim
    lengths = (shape,) if entries is None else entries
    if len(lengths) != rank:
        raise ArgumentError(
            f"shape has {len(lengths)} entries, {short_repr(lengths)}, and the image has {rank} axes, {image.shape}; "
            "give one length per axis, those of batch and channels too"
        )
    return lengths


def _same(length: Any, n: Any) -> bool:
    """Whether a length is that of the axis; one that stands for an unknown number is compared as JAX does."""
    return bool(length == n) if type(length) is type(n) else validation.as_int(length) == n


def _name(method: Any) -> str:
    """A method by its name in dialect "jax"."""
    if isinstance(method, ResizeMethod):
        return str(method.name).lower().replace("_", "-")
    if not isinstance(method, str):
        raise ArgumentError(f"method must be a name or a jax.image.ResizeMethod, not {short_repr(method)}")
    return method


def _numbers(given: Any, count: int, what: str) -> NDArray:
    """Numbers, one for each axis."""
    try:
        numbers = (
            np.asarray(given, np.float64)
            if isinstance(given, jax.Array)
            else validation.require_real_array(given, what)
        )
    except jax.errors.JAXTypeError:
        raise UnsupportedError(
            f"{what} is traced, and must be numbers: close over it, or name it in static_argnames; "
            "jax.image.scale_and_translate differentiates by it"
        ) from None
    if numbers.shape != (count,):
        raise ArgumentError(f"{what} has shape {numbers.shape}; give one number for each of {count} spatial_dims")
    return numbers
