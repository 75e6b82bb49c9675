"""TF.js's kernel registry, with its four image-resizing kernels for the backend `cpu`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ... import validation
from ...errors import ArgumentError, ArgumentTypeError, SizewiseWarning, short_repr, unknown_name
from .._arguments import require_known
from . import ops

_ATTRIBUTES = ("alignCorners", "halfPixelCenters", "size")


@dataclass(frozen=True)
class KernelConfig:
    """A kernel: its TF.js name, the backend it runs on, and `kernel_func(inputs, attrs)`, with TF.js's names.

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
        is_named = isinstance(self.kernel_name, str) and isinstance(self.backend_name, str)
        if not is_named or not callable(self.kernel_func):
            raise ArgumentTypeError(
                "a KernelConfig has two names and a callable kernel_func, not "
                f"{short_repr((self.kernel_name, self.backend_name, self.kernel_func))}"
            )


_kernels: dict[tuple[str, str], KernelConfig] = {}


def get_kernel(name: str, backend: str = "cpu") -> KernelConfig:
    """Return the kernel of that name.

    >>> get_kernel("ResizeBilinear").kernel_func(inputs={"images": [[[1], [2]]]}, attrs={"size": (1, 4)}).ravel()
    array([1. , 1.5, 2. , 2. ], dtype=float32)
    """
    known = {kernel.kernel_name: kernel for kernel in kernels_for_backend(backend)}
    return known[require_known(name, f"kernel of backend {backend!r}", known)]


def register_kernel(config: KernelConfig) -> None:
    """Register a kernel; one of the same name and backend is replaced, with a warning, as in TF.js.

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
    """Remove a kernel from the registry; an unknown one is an error, as in TF.js.

    >>> register_kernel(KernelConfig("Identity", "mine", lambda inputs, attrs: inputs["x"]))
    >>> unregister_kernel("Identity", "mine")
    """
    kernel = get_kernel(name, backend)
    del _kernels[kernel.backend_name, kernel.kernel_name]


def kernels_for_backend(backend: str) -> list[KernelConfig]:
    """Return the kernels of a backend, in the order of their registration.

    >>> [kernel.kernel_name for kernel in kernels_for_backend("cpu")][:2]
    ['ResizeBilinear', 'ResizeBilinearGrad']
    """
    found = [kernel for kernel in _kernels.values() if isinstance(backend, str) and kernel.backend_name == backend]
    if not found:
        raise unknown_name("backend", backend, {kernel.backend_name for kernel in _kernels.values()})
    return found


def _kernel(name: str, op: Callable[..., Any], *needed: str) -> KernelConfig:
    """Return a kernel that calls `op` with its inputs and flags; forward kernels, which have no dy, need a size."""

    def kernel_func(inputs: Mapping[str, Any], attrs: Mapping[str, Any] | None = None) -> Any:
        given = {} if attrs is None else attrs
        for entries, known, kind in ((inputs, needed, "input"), (given, _ATTRIBUTES, "attribute")):
            if not isinstance(entries, Mapping):
                raise ArgumentTypeError(f"kernel {name} takes its {kind}s as a dict, not {type(entries).__name__}")
            for entry in entries:
                require_known(entry, f"{kind} of kernel {name}", known)
        missing = [entry for entry in needed if entry not in inputs]
        if missing:
            raise ArgumentError(f"kernel {name} needs the inputs {', '.join(needed)}; missing: {', '.join(missing)}")
        arguments = [inputs[entry] for entry in needed]
        if "dy" not in needed:
            if "size" not in given:
                raise ArgumentError(f"kernel {name} needs the attribute size, (height, width)")
            arguments.append(given["size"])
        elif "size" in given:  # TF.js passes all attributes of the forward kernel to that of the gradient
            _require_size(name, given["size"], ops.as_tensor(inputs["dy"], "dy").shape)
        return op(*arguments, given.get("alignCorners", False), given.get("halfPixelCenters", False))

    return KernelConfig(name, "cpu", kernel_func)


def _require_size(name: str, size: Any, shape: tuple[int, ...]) -> None:
    """Raise if a size is not that of dy."""
    if tuple(map(validation.as_int, validation.as_sequence(size) or ())) != tuple(shape[1:3]):
        raise ArgumentError(
            f"kernel {name}: size is {short_repr(size)}, but dy, of shape {tuple(shape)}, has {tuple(shape[1:3])}"
        )


for _config in (
    _kernel("ResizeBilinear", ops.resize_bilinear, "images"),
    _kernel("ResizeBilinearGrad", ops.resize_bilinear_grad, "dy", "images"),
    _kernel("ResizeNearestNeighbor", ops.resize_nearest_neighbor, "images"),
    _kernel("ResizeNearestNeighborGrad", ops.resize_nearest_neighbor_grad, "dy", "images"),
):
    register_kernel(_config)
