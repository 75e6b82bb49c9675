"""The native core: loads the compiled kernels, and picks those of the best instruction set that the CPU has."""

from __future__ import annotations

import os
import warnings
from functools import cache
from types import ModuleType
from typing import NamedTuple

from ..errors import ArgumentError, SizewiseWarning, short_repr
from ..fork_safety import import_module
from ..version import __version__

NUMPY = "numpy"  # SIZEWISE_ISA=numpy: the NumPy fallback, for tests and for comparison
INSTRUCTION_SETS = ("v4vbmi", "v4", "v3", "v2", "neon", "generic", NUMPY)


class CoreInfo(NamedTuple):
    """Which kernels run: the instruction set in use, those that this CPU supports, and why there is no native core.

    >>> import sizewise as sw
    >>> isinstance(sw.core_info(), sw.CoreInfo)
    True
    """

    isa: str
    supported: tuple[str, ...]
    version: str | None
    reason: str | None = None


class _Core(NamedTuple):
    module: ModuleType | None
    info: CoreInfo


def native() -> ModuleType | None:
    """Return the compiled module, or None where the NumPy fallback runs (one warning says why)."""
    return _load().module


def has_byte_shuffle() -> bool:
    """Return whether kernels may shuffle the bytes of a whole register (`vpermb`)."""
    return _load().info.isa == "v4vbmi"


def core_info() -> CoreInfo:
    """Return which kernels run on this machine.

    >>> import sizewise as sw
    >>> sw.core_info().isa in ("v4vbmi", "v4", "v3", "v2", "neon", "generic", "numpy")
    True
    """
    return _load().info


@cache
def _load() -> _Core:
    wanted = _wanted()
    if wanted == NUMPY:
        return _Core(None, CoreInfo(NUMPY, (), None, "SIZEWISE_ISA=numpy"))
    try:
        module = _import_module()
        supported = tuple(module.supported())
        if not supported:
            raise ImportError("the CPU is older than x86-64-v2 (it has no SSE4.2)")
    except ImportError as failure:
        warnings.warn(
            f"the native core cannot be used ({failure}); Sizewise runs on NumPy, with the same results but slower",
            SizewiseWarning,
            stacklevel=2,
        )
        return _Core(None, CoreInfo(NUMPY, (), None, str(failure)))
    if wanted is not None and wanted not in supported:
        known = ", ".join((*supported, NUMPY))
        raise ArgumentError(f"SIZEWISE_ISA must be an instruction set that this CPU supports ({known}), not {wanted}")
    isa = wanted or supported[0]
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=module.after_fork)
    module.select(isa)
    return _Core(module, CoreInfo(isa, supported, module.VERSION))


def _import_module() -> ModuleType:
    """Import the compiled module; raise ImportError if it is missing or belongs to another version."""
    try:
        module = import_module("._native", __name__)
    except ModuleNotFoundError as failure:
        raise ImportError(f"{failure}; it is missing from pure-Python installs") from failure
    found = getattr(module, "VERSION", "unknown")
    if found != __version__:
        raise ImportError(f"{module.__file__} is of version {found}, and this is Sizewise {__version__}: reinstall it")
    return module


def _wanted() -> str | None:
    """Return the instruction set that SIZEWISE_ISA names, or None."""
    given = os.environ.get("SIZEWISE_ISA", "").strip()
    if given and given not in INSTRUCTION_SETS:
        raise ArgumentError(f"SIZEWISE_ISA must be one of {', '.join(INSTRUCTION_SETS)}, not {short_repr(given)}")
    return given or None
