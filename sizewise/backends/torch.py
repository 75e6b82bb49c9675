"""PyTorch tensors: the kernels on the memory of CPU tensors, PyTorch's own ops everywhere else; every derivative.

Eager code goes through an autograd.Function, whose derivatives are the plan and its transpose through itself: backward
and forward mode, torch.func, any order. Traced code (torch.compile, torch.export) becomes the operator
`sizewise::apply`, which takes the size as integers that may be symbolic, and the rest of the plan as text. Operators
have no forward mode: where that or torch.func is traced, the Function calls the operator.

Tensors in channels_last stay so. Nothing is copied: kernels read the tensor's memory, and results are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from .. import plan_text, resolve, validation
from ..engine.executor import Executor, executor_for
from ..engine.output_array import require_fit
from ..errors import ArgumentError, ArgumentTypeError, MissingExtraError
from ..thread_count import require_threads
from . import _ops_engine, concrete_arguments, refuse_out, require_engine
from ._array_api_ops import ArrayApiOps
from ._call import Call, not_on_cpu, require_version, unsupported_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan
    from ..typing import ArrayT

AXES = (-2, -1)
_DTYPES = {
    getattr(torch, name): np.dtype(name)
    for name in (
        *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
        *("float16", "float32", "float64"),
    )
    if hasattr(torch, name)
}
_CHANNELS_LAST = {4: (torch.channels_last, (0, 2, 3, 1)), 5: (torch.channels_last_3d, (0, 2, 3, 4, 1))}

require_version("PyTorch", torch.__version__, (2, 4))


def array(x: Tensor) -> Tensor:
    """Return the tensor itself; raise if its elements cannot be resized."""
    dtype(x)
    if x.is_nested:
        raise ArgumentTypeError("cannot resize a nested tensor; resize each of its tensors: x.unbind()")
    if x.layout is not torch.strided:
        raise ArgumentTypeError(f"cannot resize a tensor of layout {x.layout}; make it dense first: x.to_dense()")
    return x


def dtype(x: Tensor) -> np.dtype:
    """Return the NumPy dtype of a tensor."""
    known = _bfloat16() if x.dtype is torch.bfloat16 else _DTYPES.get(x.dtype)
    if known is None:
        raise unsupported_dtype(x.dtype)
    return known


@cache
def _bfloat16() -> np.dtype:
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise MissingExtraError("resizing tensors of bfloat16 (ml_dtypes is missing)", "torch") from None
    bfloat16: np.dtype = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def known(given: Any, name: str) -> Any:
    """Return the values of a tensor, and any other argument itself: torch.compile turns NumPy arrays into tensors.

    Integers that are unknown until a graph runs are checked there.
    """
    if isinstance(given, Tensor) and given.dim() == 1:
        return tuple(known(entry, name) for entry in given)
    if isinstance(given, Tensor) and not given.dim():
        try:
            given = given.item()
        except RuntimeError:  # on the device "meta", without values
            return given
    if isinstance(given, torch.SymInt) and not given.node.has_hint():
        torch._check(given >= 1)
    return given


def prepare(
    plan: Plan, x: Tensor, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Tensor, Tensor | None, int | None], Tensor]:
    """Return a function that applies the plan to tensors of this shape and dtype, on any device."""

    prepared = Call(plan, axes, engine)

    def resize(x: Tensor, out: Tensor | None = None, threads: int | None = None) -> Tensor:
        array(x)  # the same arguments may come with a tensor of another layout
        call = prepared if threads is None else prepared._replace(threads=require_threads(threads))
        if not _has_values(x):
            refuse_out(out, "a tensor that is being traced")
            return _trace(x, call)
        if not _may_be_differentiated(x):
            return _resize(x, call, out)
        if out is not None:
            raise ArgumentError("out cannot be used with a tensor that requires grad; leave it out, or x.detach()")
        result: Tensor = _Resize.apply(x, call)
        return result

    return resize


def _has_values(x: Tensor) -> bool:
    """Return whether the tensor has values, rather than standing for one in a graph."""
    return (
        (type(x) is Tensor or type(x) is torch.nn.Parameter)
        and not torch._C._len_torch_dispatch_stack()
        and not torch.jit.is_tracing()
        and x.device.type != "meta"
    )


def _may_be_differentiated(x: Tensor) -> bool:
    """Return whether derivatives may be taken: by the tape, in forward mode, or inside torch.func."""
    return (
        (x.requires_grad and torch.is_grad_enabled())
        or torch.autograd.forward_ad._current_level >= 0
        or torch._C._functorch.peek_interpreter_stack() is not None
    )


def _use_kernels(x: Tensor, engine: str | None) -> bool:
    """Return whether the kernels resize this tensor; raise if they cannot but must."""
    kind = x.device.type
    if engine == "kernel" and kind != "cpu":
        raise not_on_cpu(f"tensor is on {x.device}", "x.cpu()")
    return kind == "cpu" and engine != "framework"


class _Resize(torch.autograd.Function):
    """A plan applied to a tensor; linear, so its derivatives are itself and its transpose."""

    @staticmethod
    def forward(x: Tensor, call: Call) -> Tensor:
        return _resize(x, call) if _has_values(x) else _record(x, call)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.call = inputs[1]
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, dy: Tensor | None) -> tuple[Any, ...]:
        return None if dy is None else _Resize.apply(dy, ctx.call.T), None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor | None, _: None) -> Any:
        return None if tangent is None else _Resize.apply(tangent, ctx.call.linear)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], x: Tensor, call: Call) -> Any:
        batched, axes = _move_batch(x, in_dims[0], call.axes)
        return _Resize.apply(batched, call._replace(axes=axes)), 0


def _move_batch(x: Tensor, batch: int, axes: Sequence[int]) -> tuple[Tensor, tuple[int, ...]]:
    """Return the tensor with its batch axis first, and the other axes there."""
    return x.movedim(batch, 0), tuple(axis + 1 for axis in axes)


def _resize(x: Tensor, call: Call, out: Tensor | None = None) -> Tensor:
    """Return the plan applied to a tensor with values."""
    if torch._C._functorch.is_legacy_batchedtensor(x):  # autograd.grad(is_grads_batched=True): it loops over operators
        return _node(x, call)
    if not _use_kernels(x, call.engine):
        refuse_out(out, "the framework engine")
        return _by_framework(x, call)
    axes = call.axes
    order = _memory_order(x)
    if order is not None:
        axes = tuple(order.index(axis) for axis in axes)
        x = x.permute(order)
    source = _memory(x)
    executor = executor_for(call.plan, source.shape, source.dtype, axes)
    if out is not None:
        executor(source, _target(_memory(_require_writable(out)), order, executor), call.threads)
        torch.autograd.graph.increment_version(out)  # so that a backward pass that needs its old values raises
        return out
    result = _tensor(executor(source, None, call.threads))
    return result if order is None else result.permute(_inverse(order))


def _target(out: NDArray, order: tuple[int, ...] | None, executor: Executor) -> NDArray:
    """Return the memory to write into, its axes in that order; errors name the shape of the tensor itself."""
    if order is None:
        return out
    require_fit(out, tuple(executor.shape[axis] for axis in _inverse(order)), executor.result)
    return out.transpose(order)


def _memory_order(x: Tensor) -> tuple[int, ...] | None:
    """Return the order of axes in memory of a tensor in channels_last; None for all others."""
    found = _CHANNELS_LAST.get(x.dim())
    if found is None or x.is_contiguous() or not x.is_contiguous(memory_format=found[0]):
        return None
    return found[1]


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(axis) for axis in range(len(order)))


def _memory(x: Tensor) -> NDArray:
    """Return the memory of a CPU tensor as a NumPy array."""
    x = x.detach().resolve_neg()
    bits: NDArray = (x.view(torch.int16) if x.dtype is torch.bfloat16 else x).numpy()
    return bits.view(_bfloat16()) if x.dtype is torch.bfloat16 else bits


def _tensor(array: NDArray) -> Tensor:
    """Return a NumPy array as a tensor, in the same memory."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _require_writable(out: object) -> Tensor:
    """Return the tensor to write into; raise if the result cannot be written there."""
    if not isinstance(out, Tensor) or out.device.type != "cpu":
        raise ArgumentTypeError(f"out must be a CPU tensor, as the result is, not {type(out).__name__}")
    if out.is_neg():  # NumPy sees such a view as a copy
        raise ArgumentError("out is a negative view of its memory, which cannot be written; use out.resolve_neg()")
    if out.requires_grad:
        raise ArgumentError("out requires grad, and must not: what is written into it has no derivative")
    return out


def _by_framework(x: Tensor, call: Call) -> Tensor:
    """Return the result of PyTorch's own ops."""
    result: Tensor = _ops_engine.apply(OPS, call.plan, x, call.axes, dtype(x))
    return result


class _Ops(ArrayApiOps):
    """The ops of PyTorch that have other names."""

    def constant(self, values: NDArray, x: Tensor) -> Tensor:
        return torch.from_numpy(values.copy()).to(x.device)

    def copy(self, x: Tensor) -> Tensor:
        return x.clone()

    def take(self, x: Tensor, indices: Tensor, axis: int) -> Tensor:
        return torch.index_select(x, axis, indices)

    def cast(self, x: Tensor, dtype: np.dtype) -> Tensor:
        return x.to(self.dtype(dtype))

    def is_floating(self, x: Tensor) -> bool:
        return bool(x.is_floating_point())


OPS = _Ops(torch)


# Tracing: a call is resolved when its graph is made, and becomes one operator.


def call_traced(
    verb: str, x: ArrayT, arguments: tuple[Any, ...], out: Any, threads: int | None, engine: str | None
) -> ArrayT:
    """Return the result of `resize`, `resize_grad` or `Plan.apply` inside torch.compile: a node of its graph."""
    if out is not None:
        raise ArgumentError("out cannot be used inside torch.compile; leave it out")
    result: ArrayT = _call_in_graph(x, verb, arguments, threads, require_engine(engine))
    return result


@torch.compiler.allow_in_graph
def _call_in_graph(x: Tensor, verb: str, arguments: tuple[Any, ...], threads: int | None, engine: str | None) -> Tensor:
    """Return the result for a tensor whose lengths may be symbolic."""
    threads = None if threads is None else require_threads(threads)
    shape, kind = tuple(array(x).shape), dtype(x)
    if verb == "apply":
        bound = plan_text.from_text(arguments[0]).bind(shape, kind, arguments[1], AXES, arguments[2])
        return _trace(x, Call(*bound, engine, threads))
    arguments = concrete_arguments(verb, arguments)
    if _use_operator(x, engine) and not _has_transforms():
        text, size, axes = resolve.resolve_request(verb, shape, kind, AXES, arguments)
        if any(map(validation.is_symbolic, (*size, *(shape[axis] for axis in axes)))):
            return _operator(x, list(size), text, list(axes), threads or 0)
    resolved = resolve.resolve_call(verb, shape, kind, AXES, arguments, allocates=False)
    return _trace(x, Call(*resolved, engine, threads))


def _has_transforms() -> bool:
    """Return whether torch.func or forward mode is active, which operators do not support."""
    levels = torch._C._functorch.get_interpreter_stack() or ()
    vmap = torch._C._functorch.TransformType.Vmap
    return torch.autograd.forward_ad._current_level >= 0 or any(level.key() != vmap for level in levels)


def _trace(x: Tensor, call: Call) -> Tensor:
    """Return the result as a node of a graph, with every derivative."""
    if not _has_transforms():
        return _record(x, call)
    result: Tensor = _Resize.apply(x, call)
    return result


def _record(x: Tensor, call: Call) -> Tensor:
    """Return the result as a node of a graph: our operator, or PyTorch's own ops."""
    return _node(x, call) if _use_operator(x, call.engine) else _by_framework(x, call)


def _use_operator(x: Tensor, engine: str | None) -> bool:
    """Return whether a graph gets our operator, rather than PyTorch's own ops."""
    kernels = _use_kernels(x, engine) if x.device.type != "meta" else engine != "framework"
    return kernels and not torch.jit.is_tracing() and not torch.onnx.is_in_onnx_export()


def _node(x: Tensor, call: Call) -> Tensor:
    return _operator(x, list(call.plan.output_size), call.plan.to_text(), list(call.axes), call.threads or 0)


_SCHEMA = "(Tensor x, SymInt[] size, str plan, int[] axes, int threads) -> Tensor"


@torch.library.custom_op("sizewise::apply", mutates_args=(), device_types="cpu", schema=_SCHEMA)
def _operator(x: Tensor, size: list[int], plan: str, axes: list[int], threads: int) -> Tensor:
    read = plan_text.from_text(plan, tuple(x.shape[axis] for axis in axes), tuple(size))
    return _resize(x, Call(read, tuple(axes), "kernel", threads or None))


@_operator.register_fake
def _fake(x: Tensor, size: list[int], plan: str, axes: list[int], threads: int) -> Tensor:
    shape = list(x.shape)
    for axis, length in zip(axes, size, strict=True):
        shape[axis] = length
    result = OPS.dtype(plan_text.result_dtype(plan, dtype(x)))
    order = _memory_order(x)
    if order is None:
        return x.new_empty(shape, dtype=result)
    return x.new_empty([shape[axis] for axis in order], dtype=result).permute(_inverse(order))


def _setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, _, ctx.plan, ctx.axes, ctx.threads = inputs
    ctx.size = [x.shape[axis] for axis in ctx.axes]


def _backward(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return _operator(dy, ctx.size, plan_text.transpose_text(ctx.plan), ctx.axes, ctx.threads), None, None, None, None


def _vmap(info: Any, in_dims: Any, x: Tensor, size: list[int], plan: str, axes: list[int], threads: int) -> Any:
    batched, shifted = _move_batch(x, in_dims[0], axes)
    return _operator(batched, size, plan, list(shifted), threads), 0


_operator.register_autograd(_backward, setup_context=_setup_context)
if hasattr(_operator, "register_vmap"):  # PyTorch 2.4 has none, and loops over the batch
    _operator.register_vmap(_vmap)
