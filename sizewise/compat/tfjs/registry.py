"""TF.js's kernel registry, with its four image-resizing kernels for the backend `cpu`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ... import validation
from ...errors import ArgumentError, ArgumentTypeError, SizewiseWarning, short_repr, unknown_name
from . import ops
from .tensors import tensor

Words = Mapping[str, Any]
_ATTRIBUTES = ("alignCorners", "halfPixelCenters", "size")


@dataclass(frozen=True)
class KernelConfig:
    """A kernel: its TF.js name, the backend it runs on, and `kernel_func(inputs, attrs)`, in TF.js's own words.

    >>> kernel = get_kernel("ResizeNearestNeighborGrad")
    >>> kernel.kernel_name, kernel.backend_name
    ('ResizeNearestNeighborGrad', 'cpu')
    >>> kernel.kernel_func(inputs={"dy": [[[[1], [2]]]], "images": [[[[0]]]]}, attrs={"alignCorners": False})
    array([[[[3.]]]], dtype=float32)
    """

    kernel_name: str
    backend_name: str
    kernel_func: Callable[..., Any]

    def __post_init__(self) -> None:
        named = isinstance(self.kernel_name, str) and isinstance(self.backend_name, str)
        if not named or not callable(self.kernel_func):
            raise ArgumentTypeError(
                "a KernelConfig has two names and a callable kernel_func, not "
                f"{short_repr((self.kernel_name, self.backend_name, self.kernel_func))}"
            )


_kernels: dict[tuple[str, str], KernelConfig] = {}


def get_kernel(name: str, backend: str = "cpu") -> KernelConfig:
    """The kernel of that name.

    >>> get_kernel("ResizeBilinear").kernel_func(inputs={"images": [[[1], [2]]]}, attrs={"size": (1, 4)}).ravel()
    array([1. , 1.5, 2. , 2. ], dtype=float32)
    """
    known = {kernel.kernel_name: kernel for kernel in kernels_for_backend(backend)}
    if not isinstance(name, str) or name not in known:
        raise unknown_name(f"kernel of backend {backend!r}", name, known)
    return known[name]


def register_kernel(config: KernelConfig) -> None:
    """Adds a kernel; one of the same name and backend is replaced, with a warning, as in TF.js.

    >>> register_kernel(KernelConfig("ResizeBilinear", "mine", lambda inputs, attrs: inputs["images"]))
    >>> get_kernel("ResizeBilinear", "mine").kernel_func(inputs={"images": 7}, attrs={})
    7
    >>> unregister_kernel("ResizeBilinear", "mine")
    """
    if not isinstance(config, KernelConfig):
        raise ArgumentTypeError(f"register_kernel takes a KernelConfig, not {short_repr(config)}")
    key = config.backend_name, config.kernel_name
    if key in _kernels:
        warnings.warn(
            f"the kernel {config.kernel_name!r} for backend {config.backend_name!r} is already registered; "
            "it is replaced",
            SizewiseWarning,
            stacklevel=2,
        )
    _kernels[key] = config


def unregister_kernel(name: str, backend: str = "cpu") -> None:
    """Takes a kernel out of the registry; an unknown one is an error, as in TF.js.

    >>> register_kernel(KernelConfig("Identity", "mine", lambda inputs, attrs: inputs["x"]))
    >>> unregister_kernel("Identity", "mine")
    """
    kernel = get_kernel(name, backend)
    del _kernels[kernel.backend_name, kernel.kernel_name]


def kernels_for_backend(backend: str) -> list[KernelConfig]:
    """The kernels of a backend, in the order of their registration.

    >>> [kernel.kernel_name for kernel in kernels_for_backend("cpu")][:2]
    ['ResizeBilinear', 'ResizeBilinearGrad']
    """
    found = [kernel for kernel in _kernels.values() if isinstance(backend, str) and kernel.backend_name == backend]
    if not found:
        raise unknown_name("backend", backend, {kernel.backend_name for kernel in _kernels.values()})
    return found


def _forward(name: str, op: Callable[..., Any]) -> KernelConfig:
    def kernel_func(inputs: Words, attrs: Words | None = None) -> Any:
        given = _checked(name, inputs, attrs, ("images",))
        if "size" not in given:
            raise ArgumentError(f"kernel {name} needs the attribute size, (height, width)")
        return op(inputs["images"], given["size"], **_flags(given))

    return KernelConfig(name, "cpu", kernel_func)


def _gradient(name: str, op: Callable[..., Any]) -> KernelConfig:
    def kernel_func(inputs: Words, attrs: Words | None = None) -> Any:
        given = _checked(name, inputs, attrs, ("dy", "images"))
        # TF.js hands a gradient kernel all attributes of the forward one, its size among them.
        if "size" in given:
            _require_size(name, given["size"], tensor(inputs["dy"], "dy").shape)
        return op(inputs["dy"], inputs["images"], **_flags(given))

    return KernelConfig(name, "cpu", kernel_func)


def _checked(name: str, inputs: Words, attrs: Words | None, needed: tuple[str, ...]) -> Words:
    """The attributes, once inputs and attributes are known to be those of the kernel."""
    given = {} if attrs is None else attrs
    for words, known, kind in ((inputs, needed, "input"), (given, _ATTRIBUTES, "attribute")):
        if not isinstance(words, Mapping):
            raise ArgumentTypeError(f"kernel {name} takes its {kind}s as a dict, not {type(words).__name__}")
        for word in words:
            if word not in known:
                raise unknown_name(f"{kind} of kernel {name}", word, known)
    missing = [word for word in needed if word not in inputs]
    if missing:
        raise ArgumentError(f"kernel {name} needs the inputs {', '.join(needed)}; missing: {', '.join(missing)}")
    return given


def _flags(attrs: Words) -> dict[str, Any]:
    return {
        "align_corners": attrs.get("alignCorners", False),
        "half_pixel_centers": attrs.get("halfPixelCenters", False),
    }


def _require_size(name: str, size: Any, shape: tuple[int, ...]) -> None:
    """Refuses a size that is not that of a dy of the given shape."""
    if tuple(map(validation.as_int, validation.as_sequence(size) or ())) != tuple(shape[1:3]):
        raise ArgumentError(
            f"kernel {name}: size is {short_repr(size)}, but dy, of shape {tuple(shape)}, has {tuple(shape[1:3])}"
        )


for _config in (
    _forward("ResizeBilinear", ops.resize_bilinear),
    _gradient("ResizeBilinearGrad", ops.resize_bilinear_grad),
    _forward("ResizeNearestNeighbor", ops.resize_nearest_neighbor),
    _gradient("ResizeNearestNeighborGrad", ops.resize_nearest_neighbor_grad),
):
    register_kernel(_config)
