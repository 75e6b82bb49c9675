"""JAX arrays: one linear primitive, "a plan applied along axes", with every derivative, inside every transformation.

Its forward-mode derivative is the plan's linear part and its transpose the transposed plan, both through the same
primitive; a batch is one more axis. On the CPU it is compiled to a call of the kernels on XLA's own memory (`_xla`), or
to a callback for untested versions of XLA; on all other devices to JAX's own ops.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import plan_text, validation
from ..engine.executor import executor_for
from ..errors import ArgumentError, SizewiseWarning, is_raised_by
from . import CHANNELS_LAST, _ops_engine
from ._array_api_ops import ArrayApiOps
from ._call import Call, Prepared, not_on_cpu, prepare_without_out, require_version, unsupported_dtype
from .numpy import dtype as dtype

if jax.__version_info__ < (0, 8):  # which lacks names imported below
    require_version("JAX", jax.__version__, (0, 8))

from jax.experimental import jet
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan

AXES = CHANNELS_LAST
NAME = "sizewise_apply"
_MAX_PROGRAMS = 128  # kept of calls outside jax.jit


def array(x: jax.Array) -> jax.Array:
    """Return the array itself; raise if its elements cannot be resized."""
    if not isinstance(x.dtype, np.dtype):
        raise unsupported_dtype(x.dtype)
    validation.require_resizable_dtype(x.dtype)
    return x


def known(given: Any, name: str) -> Any:
    """Return the argument itself; raise if it is traced and has no value yet."""
    if isinstance(given, jax.core.Tracer):
        raise ArgumentError(
            f"{name} is traced by JAX ({jax.typeof(given).str_short()}), and must be known when a program is compiled; "
            "compute it from x.shape, or make it a static argument: jax.jit(f, static_argnums=...)"
        )
    return given


def prepare(plan: Plan, x: jax.Array, axes: tuple[int, ...], engine: str | None = None) -> Prepared:
    """Return a function that applies the plan to arrays of this shape and dtype."""
    return prepare_without_out(partial(_resize, plan.to_text()), "JAX arrays", plan, axes, engine)


def _resize(text: str, x: jax.Array, call: Call) -> Any:
    if isinstance(x, jax.core.Tracer):
        return _bind(x, text, call.axes, call.threads, call.engine)
    return _program(text, call.axes, call.threads, call.engine)(x)


# The primitive. Its parameters are plain values, the plan as text: equal parameters make equal programs.

apply_p = Primitive(NAME)


def _bind(x: Any, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    return apply_p.bind(_gather_shards(x, axes), text=text, axes=axes, threads=threads, engine=engine)


def _gather_shards(x: Any, axes: tuple[int, ...]) -> Any:
    """Return x with the resized axes whole on every device, where its type says how it is sharded."""
    sharding = jax.typeof(x).sharding
    spec = [None if axis in axes else name for axis, name in enumerate(sharding.spec)]
    if spec == list(sharding.spec):
        return x
    return jax.sharding.reshard(x, sharding.update(spec=jax.sharding.PartitionSpec(*spec)))


@lru_cache(maxsize=_MAX_PROGRAMS)
def _program(text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Callable[[Any], Any]:
    """Return the primitive alone, compiled."""
    program: Callable[[Any], Any] = jax.jit(partial(_bind, text=text, axes=axes, threads=threads, engine=engine))
    return program


@apply_p.def_impl
def _run(x: Any, **parameters: Any) -> Any:
    with jax.disable_jit(False):  # else the program would come back here
        return _program(**parameters)(x)


@apply_p.def_abstract_eval
def _abstract(x: Any, *, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    """Return the type of the result; it varies over the mesh axes that x varies over, and is sharded as x is."""
    plan, shape = plan_text.from_text(text), list(x.shape)
    for axis, length in zip(axes, plan.output_size, strict=True):
        shape[axis] = length
    result = jax.dtypes.canonicalize_dtype(plan.arithmetic(x.dtype).result)  # 32 bits, unless 64 are switched on
    return x.update(shape=tuple(shape), dtype=result, weak_type=False)


def _forward(tangent: Any, x: Any, *, text: str, **parameters: Any) -> Any:
    return apply_p.bind(tangent, text=plan_text.from_text(text).linear.to_text(), **parameters)


def _transpose(cotangent: Any, x: Any, *, text: str, **parameters: Any) -> list[Any]:
    gradient = apply_p.bind(cotangent, text=plan_text.from_text(text).T.to_text(), **parameters)
    return [jax.lax.convert_element_type(gradient, x.aval.dtype)]  # a dialect may return another dtype than that of x


ad.deflinear2(apply_p, _transpose)
ad.defjvp(apply_p, _forward)


def _taylor(xs: tuple[Any], series: tuple[list[Any]], **parameters: Any) -> tuple[Any, list[Any]]:
    """Return the result and its Taylor coefficients: the linear part of the plan applied to those of x."""
    (x,), (coefficients,) = xs, series
    return apply_p.bind(x, **parameters), [_forward(term, x, **parameters) for term in coefficients]


jet.jet_rules[apply_p] = _taylor


def _batch(xs: tuple[Any], batched: tuple[int], *, axes: tuple[int, ...], **parameters: Any) -> tuple[Any, int]:
    """Return the result with a batch axis; between the axes it would change the pass order, so it is moved."""
    (x,), (batch,) = xs, batched
    if min(axes) < batch <= max(axes):
        x, batch = jnp.moveaxis(x, batch, 0), 0
    return apply_p.bind(x, axes=tuple(axis + (axis >= batch) for axis in axes), **parameters), batch


batching.primitive_batchers[apply_p] = _batch


# Lowering.


def _on_cpu(context: Any, x: Any, *, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    # A serialized program must not hold a call of the kernels, unless they are asked for: it may run without Sizewise.
    if engine == "framework" or (engine is None and context.module_context.lowering_parameters.for_export):
        return _by_framework(context, x, text=text, axes=axes)
    if _is_registered():
        return jax.ffi.ffi_lowering(NAME)(context, x, call=repr((text, axes, threads)))
    callback = partial(_call_back, text=text, axes=axes, threads=threads)
    return mlir.lower_fun(callback, multiple_results=False)(context, x)


def _on_other_devices(
    context: Any, x: Any, *, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None
) -> Any:
    if engine == "kernel":
        platforms = ", ".join(context.module_context.platforms)
        raise not_on_cpu(f"is compiled for {platforms}", 'jax.device_put(x, jax.devices("cpu")[0])')
    return _by_framework(context, x, text=text, axes=axes)


def _by_framework(context: Any, x: Any, *, text: str, axes: tuple[int, ...]) -> Any:
    given, result = context.avals_in[0].dtype, context.avals_out[0].dtype
    plan = plan_text.from_text(text)

    def resize(x: Any) -> Any:
        return _ops_engine.apply(OPS, plan, x, axes, given).astype(result)

    # Some sums are in float64 for every input, even if jax_enable_x64 is off.
    wide = plan.arithmetic(given).accumulate.itemsize == 8
    with jax.enable_x64(True) if wide else nullcontext():
        return mlir.lower_fun(resize, multiple_results=False)(context, x)


mlir.register_lowering(apply_p, _on_cpu, platform="cpu")
mlir.register_lowering(apply_p, _on_other_devices)


_registering = threading.Lock()
_found: list[bool] = []  # whether XLA calls the kernels, once that is known


def _is_registered() -> bool:
    """Return whether XLA calls the kernels; the first time, register them."""
    with _registering:
        if not _found:
            try:
                _register()
                _found.append(True)
            except Exception as failure:  # another version of XLA may raise anything
                if not is_raised_by(failure, "jax", "jaxlib"):
                    raise
                _found.append(False)
                warnings.warn(
                    f"jaxlib {jax.lib.__version__}: XLA cannot call the kernels ({failure}); they are called back from "
                    "Python, with the same results but slower",
                    SizewiseWarning,
                    stacklevel=2,
                )
        return _found[0]


def _register() -> None:
    from . import _xla

    jax.devices("cpu")  # first: a handler that the CPU's client refuses while it starts leaves the process without one
    jax.ffi.register_ffi_target(NAME, jax.ffi.pycapsule(_xla.handler(jax.ffi.include_dir())), platform="cpu")


def _call_back(x: Any, *, text: str, axes: tuple[int, ...], threads: int | None) -> Any:
    """Return the result of the kernels, called back from XLA through Python."""
    result_type = jax.eval_shape(partial(_bind, text=text, axes=axes, threads=threads, engine=None), x)

    def resize(x: Any) -> NDArray:
        source = np.asarray(x)
        result = executor_for(plan_text.from_text(text), source.shape, source.dtype, axes)(source, None, threads)
        return result.astype(result_type.dtype, copy=False)

    return jax.pure_callback(resize, result_type, x)


class _Ops(ArrayApiOps):
    """JAX's own ops, for the framework engine."""

    def copy(self, x: Any) -> Any:
        return x  # arrays are immutable

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        return jnp.take(x, indices, axis=axis, mode="clip")  # no index is outside


OPS = _Ops(jnp)
