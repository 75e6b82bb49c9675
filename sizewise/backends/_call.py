"""Arguments of one resize, and the checks and errors that several backends share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ArgumentError, DtypeError, UnsupportedError
from ..thread_count import require_threads
from . import refuse_out

if TYPE_CHECKING:
    from ..plan import Plan

Prepared = Callable[[Any, object, int | None], Any]  # a function of (x, out, threads)


class Call(NamedTuple):
    """A plan, the axes to apply it along, and the options of the call."""

    plan: Plan
    axes: tuple[int, ...]
    engine: str | None = None
    threads: int | None = None

    @property
    def T(self) -> Call:
        """The call that returns the gradient of this one."""
        return self._replace(plan=self.plan.T)

    @property
    def linear(self) -> Call:
        """The call that returns the forward-mode derivative of this one."""
        return self._replace(plan=self.plan.linear)


def prepare_without_out(
    apply: Callable[[Any, Call], Any], owner: str, plan: Plan, axes: tuple[int, ...], engine: str | None
) -> Prepared:
    """Return a function that calls `apply`, for a library that always returns new arrays."""
    call = Call(plan, axes, engine)

    def resize(x: Any, out: object = None, threads: int | None = None) -> Any:
        refuse_out(out, owner)
        return apply(x, call if threads is None else call._replace(threads=require_threads(threads)))

    return resize


def require_version(library: str, version: str, minimum: tuple[int, int]) -> None:
    """Raise if a library is older than the oldest supported version.

    >>> require_version("PyTorch", "2.10.0+cpu", (2, 4))
    """
    if tuple(map(int, version.split(".")[:2])) < minimum:
        oldest = ".".join(map(str, minimum))
        raise ArgumentError(f"Sizewise needs {library} {oldest} or newer for its arrays; this is {version}")


def unsupported_dtype(dtype: object, has_bfloat16: bool = True) -> DtypeError:
    """Return the error for an array whose elements cannot be resized."""
    floats = "float16, bfloat16, float32" if has_bfloat16 else "float16, float32"
    return DtypeError(f"cannot resize an array of dtype {dtype}; use bool, an integer type, {floats} or float64")


def not_on_cpu(where: str, how_to_move: str) -> UnsupportedError:
    """Return the error for engine="kernel" and an array on another device."""
    return UnsupportedError(
        f"the kernels run on the CPU, and this {where}; leave engine out, or move the array: {how_to_move}"
    )
