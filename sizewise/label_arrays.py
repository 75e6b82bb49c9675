"""Array operations that labels need, on arrays of any library: constants, clipping, joining."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentError, ArgumentTypeError, DtypeError, short_repr

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROOTS = {"jaxlib": "jax"}
_KNOWN = ("numpy", "torch", "jax", "tensorflow", "autograd", "dask")


def library_of(x: Any) -> str:
    """Return the library of an array, or "array_api" for others of the array API standard.

    >>> library_of(np.zeros(3))
    'numpy'
    """
    for base in type(x).__mro__:
        root = base.__module__.partition(".")[0]
        if (name := _ROOTS.get(root, root)) in _KNOWN:
            return name
    if hasattr(x, "__array_namespace__"):
        return "array_api"
    raise ArgumentTypeError(
        f"cannot map labels in a {type(x).__module__}.{type(x).__name__}; give a list, or an array of NumPy, PyTorch, "
        "JAX, TensorFlow, autograd, Dask or the array API standard"
    )


def dtype_name(x: Any) -> str:
    """Return the name of the dtype of an array.

    >>> dtype_name(np.zeros(3, np.int16))
    'int16'
    """
    dtype = x.dtype
    return str(getattr(dtype, "name", dtype)).rpartition(".")[2]


def as_floats(given: Any, name: str, last: Sequence[int]) -> Any:
    """Return labels as an array of floats whose last axes have these lengths; lists become NumPy arrays.

    Integers become float64 in NumPy, and the default float of other libraries.

    >>> as_floats([[1, 2]], "points", (2,))
    array([[1., 2.]])
    """
    x = as_array(given, name)
    if isinstance(given, (list, tuple)) and x.shape == (0,):
        x = x.reshape(0, *last)
    shape, count = tuple(x.shape), len(last)
    if len(shape) < count or any(n not in (None, m) for n, m in zip(shape[-count:], last, strict=True)):
        wanted = "x".join(map(str, last))
        raise ArgumentError(f"{name} have shape {shape}; the last {'axis' if count == 1 else 'axes'} must be {wanted}")
    kind = dtype_name(x)
    if kind.startswith(("float", "bfloat")):
        return x
    if not kind.startswith(("int", "uint")):
        raise DtypeError(f"{name} have dtype {kind}; give floats or integers")
    return _to_floats(x)


def as_array(given: Any, name: str) -> Any:
    """Return an array unchanged, and a list or tuple as a NumPy array of numbers.

    >>> as_array([1, 2], "points")
    array([1, 2])
    """
    if not isinstance(given, (list, tuple, int, float)):
        library_of(given)
        return given
    try:
        x = np.asarray(given)
    except (ValueError, TypeError, RuntimeError):  # rows of several lengths; tensors that have no NumPy array
        x = np.asarray(None)
    if x.dtype.kind not in "iuf":
        raise ArgumentError(f"{name} must be numbers in rows of one length, not {short_repr(given)}")
    return x


def _to_floats(x: Any) -> Any:
    """Return integers as floats."""
    library = library_of(x)
    if library == "tensorflow":
        return sys.modules["tensorflow"].cast(x, "float32")
    if library == "torch":
        return x.to(sys.modules["torch"].get_default_dtype())
    if library == "array_api":
        namespace = x.__array_namespace__()
        return namespace.astype(x, namespace.float64)
    return x * 1.0 if library == "jax" else x.astype(np.float64)


def constant(values: list[Any], like: Any) -> Any:
    """Return numbers as an array of the library, dtype and device of another.

    >>> constant([0.5, 2], np.zeros(3, np.float32))
    array([0.5, 2. ], dtype=float32)
    """
    library = library_of(like)
    if library == "torch":
        return like.new_tensor(values)
    if library == "tensorflow":
        return sys.modules["tensorflow"].constant(values, like.dtype)
    if library == "array_api":
        return like.__array_namespace__().asarray(values, dtype=like.dtype, device=like.device)
    return np.asarray(values, np.float64).astype(like.dtype)


def namespace_of(x: Any) -> Any:
    """Return the module of an array's library with the functions of NumPy; for array API arrays, their namespace.

    >>> namespace_of(np.zeros(3)) is np
    True
    """
    library = library_of(x)
    if library == "array_api":
        return x.__array_namespace__()
    if library in ("torch", "tensorflow"):
        return sys.modules[library]
    if library == "jax":
        import jax.numpy as namespace
    elif library == "autograd":
        import autograd.numpy as namespace
    elif library == "dask":
        import dask.array as namespace
    else:
        namespace = np
    return namespace


def clip(x: Any, low: list[float], high: list[float]) -> Any:
    """Return x limited along its last axis; NaN stays NaN.

    >>> clip(np.array([-1.0, 9.0]), [0, 0], [4, 4])
    array([0., 4.])
    """
    namespace, bounds = namespace_of(x), (constant(low, x), constant(high, x))
    limit = namespace.clip_by_value if library_of(x) == "tensorflow" else namespace.clip
    return limit(x, *bounds)


def join(parts: Sequence[Any]) -> Any:
    """Return arrays joined along their last axis.

    >>> join([np.zeros(1), np.ones(1)])
    array([0., 1.])
    """
    namespace, library = namespace_of(parts[0]), library_of(parts[0])
    name = {"torch": "cat", "tensorflow": "concat", "array_api": "concat"}.get(library, "concatenate")
    return getattr(namespace, name)(list(parts), axis=-1)


def reshape(x: Any, shape: tuple[int, ...]) -> Any:
    """Return x in another shape.

    >>> reshape(np.zeros(4), (2, 2)).shape
    (2, 2)
    """
    return namespace_of(x).reshape(x, shape)


def take(x: Any, index: NDArray[np.int64], axis: int) -> Any:
    """Return the entries of x at these positions of an axis.

    >>> take(np.array([5, 6, 7]), np.array([2, 0, 0]), 0)
    array([7, 5, 5])
    """
    library, namespace = library_of(x), namespace_of(x)
    if library == "torch":
        return x.index_select(axis, namespace.as_tensor(index, device=x.device))
    if library == "tensorflow":
        return namespace.gather(x, index, axis=axis)
    if library == "array_api":
        return namespace.take(x, namespace.asarray(index, device=x.device), axis=axis)
    if library == "autograd":  # which has no gradient of `take`
        return x[(slice(None),) * axis + (index,)]
    return namespace.take(x, index, axis=axis)


def replace(x: Any, where: NDArray[np.bool_], value: float) -> Any:
    """Return x with a value where the mask, which may be broadcast, is True.

    >>> replace(np.array([5, 6]), np.array([True, False]), 255)
    array([255,   6])
    """
    library, namespace, kind = library_of(x), namespace_of(x), dtype_name(x)
    if kind == "bool" or not kind.startswith(("float", "bfloat")):
        limits = (0, 1) if kind == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
        if value != int(value) or not limits[0] <= value <= limits[1]:
            raise ArgumentError(f"fill must be an integer from {limits[0]} to {limits[1]} for {kind}, not {value}")
        value = int(value)
    if library == "torch":
        return x.masked_fill(namespace.as_tensor(where, device=x.device), value)
    if library == "tensorflow":
        return namespace.where(where, namespace.cast(value, x.dtype), x)
    if library == "array_api":
        mask = namespace.asarray(where, device=x.device)
        return namespace.where(mask, namespace.asarray(value, dtype=x.dtype, device=x.device), x)
    return namespace.where(where, np.asarray(value).astype(x.dtype), x)
