"""JAX arrays: one linear primitive, "a plan applied along axes", with every derivative, inside every transformation.

Its forward-mode derivative is the plan's linear part and its transpose the transposed plan, both through the same
primitive; a batch is one more axis. On the CPU it is compiled to a call of the kernels on XLA's own memory (`_xla`), or
to a callback where XLA is of a version that is not known; on all other devices to JAX's own ops.
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
from ..errors import ArgumentError, DtypeError, SizewiseWarning, UnsupportedError, is_raised_by
from ..thread_count import require_threads
from . import CHANNELS_LAST, _framework, refuse_out
from ._namespace import Namespace

if jax.__version_info__ < (0, 8):
    raise ArgumentError(f"Sizewise needs JAX 0.8 or newer for its arrays; this is {jax.__version__}")

from jax.experimental import jet
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan

AXES = CHANNELS_LAST
NAME = "sizewise_apply"
_MOST_COMPILED = 128  # programs kept of calls outside of jax.jit


def array(x: jax.Array) -> jax.Array:
    """The array itself, if it holds numbers that can be resized."""
    if not isinstance(x.dtype, np.dtype):
        raise DtypeError(f"cannot resize an array of {x.dtype}; use an array of numbers")
    validation.require_resizable_dtype(x.dtype)
    return x


def dtype(x: jax.Array) -> np.dtype:
    """The dtype of an array, which is NumPy's."""
    kind: np.dtype = x.dtype
    return kind


def known(given: Any, name: str) -> Any:
    """The argument itself, unless it is traced and has no value yet."""
    if isinstance(given, jax.core.Tracer):
        raise ArgumentError(
            f"{name} is traced by JAX ({jax.typeof(given).str_short()}), and must be known when a program is compiled; "
            "compute it from x.shape, or make it a static argument: jax.jit(f, static_argnums=...)"
        )
    return given


def prepare(
    plan: Plan, x: jax.Array, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[jax.Array, object, int | None], jax.Array]:
    """What applies the plan to arrays of this shape and dtype."""
    text = plan.to_text()

    def resize(x: jax.Array, out: object = None, threads: int | None = None) -> jax.Array:
        refuse_out(out, "JAX arrays")
        if threads is not None:
            threads = require_threads(threads)
        if isinstance(x, jax.core.Tracer):
            return _bound(x, text, axes, threads, engine)
        return _program(text, axes, threads, engine)(x)

    return resize


# The primitive. Its parameters are plain values, the plan as text: programs of equal words are the same program.

apply_p = Primitive(NAME)


def _bound(x: Any, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    return apply_p.bind(_gathered(x, axes), text=text, axes=axes, threads=threads, engine=engine)


def _gathered(x: Any, axes: tuple[int, ...]) -> Any:
    """Return x with the resized axes whole on every device, where its type says how it is sharded."""
    sharding = jax.typeof(x).sharding
    spec = [None if axis in axes else name for axis, name in enumerate(sharding.spec)]
    if spec == list(sharding.spec):
        return x
    return jax.sharding.reshard(x, sharding.update(spec=jax.sharding.PartitionSpec(*spec)))


@lru_cache(maxsize=_MOST_COMPILED)
def _program(text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Callable[[Any], Any]:
    """The primitive alone, compiled."""
    program: Callable[[Any], Any] = jax.jit(partial(_bound, text=text, axes=axes, threads=threads, engine=engine))
    return program


@apply_p.def_impl
def _run(x: Any, **words: Any) -> Any:
    with jax.disable_jit(False):  # else the program would come back here
        return _program(**words)(x)


@apply_p.def_abstract_eval
def _abstract(x: Any, *, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    """Return the type of the result; it varies over the mesh axes that x varies over, and is sharded as x is."""
    plan, shape = plan_text.from_text(text), list(x.shape)
    for axis, length in zip(axes, plan.output_size, strict=True):
        shape[axis] = length
    result = jax.dtypes.canonicalize_dtype(plan.arithmetic(x.dtype).result)  # 32 bits, unless 64 are switched on
    return x.update(shape=tuple(shape), dtype=result, weak_type=False)


def _forward(tangent: Any, x: Any, *, text: str, **words: Any) -> Any:
    return apply_p.bind(tangent, text=plan_text.from_text(text).linear.to_text(), **words)


def _transpose(cotangent: Any, x: Any, *, text: str, **words: Any) -> list[Any]:
    pulled = apply_p.bind(cotangent, text=plan_text.from_text(text).T.to_text(), **words)
    return [jax.lax.convert_element_type(pulled, x.aval.dtype)]  # dialects may return another dtype than they are given


ad.deflinear2(apply_p, _transpose)
ad.defjvp(apply_p, _forward)


def _taylor(xs: tuple[Any], series: tuple[list[Any]], **words: Any) -> tuple[Any, list[Any]]:
    """The result and its Taylor coefficients, each the linear part of x's own."""
    (x,), (coefficients,) = xs, series
    return apply_p.bind(x, **words), [_forward(one, x, **words) for one in coefficients]


jet.jet_rules[apply_p] = _taylor


def _batch(xs: tuple[Any], batched: tuple[int], *, axes: tuple[int, ...], **words: Any) -> tuple[Any, int]:
    """With a batch, wherever it is; but not between the axes, where it would change the order of passes."""
    (x,), (batch,) = xs, batched
    if min(axes) < batch <= max(axes):
        x, batch = jnp.moveaxis(x, batch, 0), 0
    return apply_p.bind(x, axes=tuple(axis + (axis >= batch) for axis in axes), **words), batch


batching.primitive_batchers[apply_p] = _batch


# How it is compiled.


def _on_cpu(context: Any, x: Any, *, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    # A serialized program must not hold a call of the kernels, unless they are asked for: it may run without Sizewise.
    if engine == "framework" or (engine is None and context.module_context.lowering_parameters.for_export):
        return _by_framework(context, x, text=text, axes=axes)
    if _registered():
        return jax.ffi.ffi_lowering(NAME)(context, x, words=repr((text, axes, threads)))
    called = partial(_called, text=text, axes=axes, threads=threads)
    return mlir.lower_fun(called, multiple_results=False)(context, x)


def _elsewhere(
    context: Any, x: Any, *, text: str, axes: tuple[int, ...], threads: int | None, engine: str | None
) -> Any:
    if engine == "kernel":
        platforms = ", ".join(context.module_context.platforms)
        raise UnsupportedError(
            f"the kernels run on the CPU, and this is compiled for {platforms}; leave engine out, or move the array: "
            'jax.device_put(x, jax.devices("cpu")[0])'
        )
    return _by_framework(context, x, text=text, axes=axes)


def _by_framework(context: Any, x: Any, *, text: str, axes: tuple[int, ...]) -> Any:
    given, made = context.avals_in[0].dtype, context.avals_out[0].dtype
    plan = plan_text.from_text(text)

    def resize(x: Any) -> Any:
        return _framework.apply(OPS, plan, x, axes, given).astype(made)

    # Some sums are in float64, whatever they are of, and whether or not 64 bits are switched on.
    wide = plan.arithmetic(given).accumulate.itemsize == 8
    with jax.enable_x64(True) if wide else nullcontext():
        return mlir.lower_fun(resize, multiple_results=False)(context, x)


mlir.register_lowering(apply_p, _on_cpu, platform="cpu")
mlir.register_lowering(apply_p, _elsewhere)


_registering = threading.Lock()
_found: list[bool] = []  # whether XLA calls the kernels, once that is known


def _registered() -> bool:
    """Whether XLA calls the kernels; told to it the first time."""
    with _registering:
        if not _found:
            try:
                _register()
                _found.append(True)
            except Exception as failure:  # whatever another XLA may do differently
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


def _called(x: Any, *, text: str, axes: tuple[int, ...], threads: int | None) -> Any:
    """The kernels, called back from Python."""
    made = jax.eval_shape(partial(_bound, text=text, axes=axes, threads=threads, engine=None), x)

    def resize(x: Any) -> NDArray:
        source = np.asarray(x)
        result = executor_for(plan_text.from_text(text), source.shape, source.dtype, axes)(source, None, threads)
        return result.astype(made.dtype, copy=False)

    return jax.pure_callback(resize, made, x)


class _Ops(Namespace):
    """JAX's own ops, for the framework engine."""

    def constant(self, values: NDArray, x: Any) -> Any:
        return jnp.asarray(values)

    def dtype(self, dtype: np.dtype) -> Any:
        return dtype

    def copy(self, x: Any) -> Any:
        return x  # arrays cannot be changed

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        return jnp.take(x, indices, axis=axis, mode="clip")  # none is outside


OPS = _Ops(jnp)
