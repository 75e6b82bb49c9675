"""PyTorch tensors: the kernels on the memory of CPU tensors, PyTorch's own ops everywhere else; every derivative.

There are two ways in. Running code goes through an autograd.Function, whose derivatives are the plan and its transpose
through itself: backward and forward mode, torch.func, any order. Code that a compiler reads (torch.compile,
torch.export) becomes the operator `sizewise::apply`, which keeps its size as integers that may be symbols, and all
else of its plan as text. Operators have no forward mode: where a compiler reads that, or torch.func, it is the Function
that calls the operator.

Tensors in channels_last stay so. Nothing is copied: kernels read the tensor's memory, and results are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from .. import plan_text, resolve, validation
from ..engine.executor import Executor, executor_for
from ..engine.output_array import require_fit
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, MissingExtraError, UnsupportedError
from ..thread_count import require_threads
from . import _framework, concrete_arguments, refuse_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan

AXES = (-2, -1)
_DTYPES = {
    getattr(torch, name): np.dtype(name)
    for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "uint16")
    if hasattr(torch, name)
}
_CHANNELS_LAST = {4: (torch.channels_last, (0, 2, 3, 1)), 5: (torch.channels_last_3d, (0, 2, 3, 4, 1))}

if tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) < (2, 4):
    raise ArgumentError(f"Sizewise needs PyTorch 2.4 or newer for tensors; this is {torch.__version__}")


def array(x: Tensor) -> Tensor:
    """The tensor itself, if it holds numbers that can be resized."""
    dtype(x)
    if x.layout is not torch.strided:
        raise ArgumentTypeError(f"cannot resize a tensor of layout {x.layout}; make it dense first: x.to_dense()")
    return x


def dtype(x: Tensor) -> np.dtype:
    """NumPy's name of the numbers of a tensor."""
    known = _DTYPES.get(x.dtype)
    if known is not None:
        return known
    if x.dtype is torch.bfloat16:
        return _bfloat16()
    raise DtypeError(
        f"cannot resize a tensor of {x.dtype}; use bool, an integer type, float16, bfloat16, float32 or float64"
    )


def _own_dtype(kind: np.dtype) -> torch.dtype:
    made: torch.dtype = getattr(torch, kind.name)
    return made


@cache
def _bfloat16() -> np.dtype:
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise MissingExtraError("resizing tensors of bfloat16 (ml_dtypes is missing)", "torch") from None
    bfloat16: np.dtype = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def known(given: Any, name: str) -> Any:
    """The number that a tensor holds, and any other argument itself: to a compiler, NumPy's integers are tensors.

    Integers that stay unknown until a graph runs are checked there.
    """
    if isinstance(given, Tensor) and not given.dim():
        try:
            given = given.item()
        except RuntimeError:  # one without numbers, of a device "meta"
            return given
    if isinstance(given, torch.SymInt) and not given.node.has_hint():
        torch._check(given >= 1)
    return given


def prepare(
    plan: Plan, x: Tensor, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Tensor, Tensor | None, int | None], Tensor]:
    """What applies the plan to tensors of this shape and dtype, wherever they are."""

    def resize(x: Tensor, out: Tensor | None = None, threads: int | None = None) -> Tensor:
        array(x)  # the same words may come with a tensor of another layout
        if threads is not None:
            threads = require_threads(threads)
        if not _running(x):
            refuse_out(out, "a tensor that is being traced")
            return _traced(plan, x, axes, threads, engine)
        if not _differentiated(x):
            return _resized(x, plan, axes, threads, engine, out)
        if out is not None:
            raise ArgumentError("out cannot be used with a tensor that requires grad; leave it out, or x.detach()")
        result: Tensor = _Resize.apply(x, plan, axes, threads, engine)
        return result

    return resize


def _running(x: Tensor) -> bool:
    """Whether the tensor has numbers, rather than standing for one in somebody's graph."""
    return (
        (type(x) is Tensor or type(x) is torch.nn.Parameter)
        and not torch._C._len_torch_dispatch_stack()
        and not torch.jit.is_tracing()
        and x.device.type != "meta"
    )


def _differentiated(x: Tensor) -> bool:
    """Whether derivatives may be asked for: by a tape, in forward mode, or inside torch.func."""
    return (
        (x.requires_grad and torch.is_grad_enabled())
        or torch.autograd.forward_ad._current_level >= 0
        or torch._C._functorch.peek_interpreter_stack() is not None
    )


def _uses_kernels(x: Tensor, engine: str | None) -> bool:
    """Whether the kernels are to do it."""
    kind = x.device.type
    if engine == "kernel" and kind != "cpu":
        raise UnsupportedError(
            f"the kernels run on the CPU, and this tensor is on {x.device}; leave engine out, or move it: x.cpu()"
        )
    return kind == "cpu" and engine != "framework"


class _Resize(torch.autograd.Function):
    """A plan applied to a tensor; linear, so that its derivatives are itself and its transpose."""

    @staticmethod
    def forward(x: Tensor, plan: Plan, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Tensor:
        return _resized(x, plan, axes, threads, engine) if _running(x) else _recorded(plan, x, axes, threads, engine)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.plan, ctx.axes, ctx.threads, ctx.engine = inputs
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, dy: Tensor | None) -> tuple[Any, ...]:
        dx = None if dy is None else _Resize.apply(dy, ctx.plan.T, ctx.axes, ctx.threads, ctx.engine)
        return dx, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor | None, *_: Any) -> Any:
        return None if tangent is None else _Resize.apply(tangent, ctx.plan.linear, ctx.axes, ctx.threads, ctx.engine)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], x: Tensor, plan: Plan, axes: Any, threads: Any, engine: Any) -> Any:
        moved, axes = _batched(x, in_dims[0], axes)
        return _Resize.apply(moved, plan, axes, threads, engine), 0


def _batched(x: Tensor, batch: int, axes: tuple[int, ...]) -> tuple[Tensor, tuple[int, ...]]:
    """The tensor with its batch in front, and the axes there."""
    return x.movedim(batch, 0), tuple(axis + 1 for axis in axes)


def _resized(
    x: Tensor,
    plan: Plan,
    axes: tuple[int, ...],
    threads: int | None = None,
    engine: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The plan applied to a tensor that has numbers."""
    if torch._C._functorch.is_legacy_batchedtensor(x):  # autograd.grad(is_grads_batched=True): it loops over operators
        return _node(x, plan, axes, threads)
    if not _uses_kernels(x, engine):
        refuse_out(out, "the framework engine")
        made: Tensor = _framework.apply(OPS, plan, x, axes, dtype(x))
        return made
    order = _order(x)
    if order is not None:
        axes = tuple(order.index(axis) for axis in axes)
        x = x.permute(order)
    source = _memory(x)
    recipe = executor_for(plan, source.shape, source.dtype, axes)
    if out is not None:
        recipe(source, _target(_memory(_writable(out)), order, recipe), threads)
        return out
    made = _tensor(recipe(source, None, threads))
    return made if order is None else made.permute(_inverse(order))


def _target(out: NDArray, order: tuple[int, ...] | None, recipe: Executor) -> NDArray:
    """The memory to write into, its axes in that order; or an error that names them in the order of the tensor."""
    if order is None:
        return out
    require_fit(out, tuple(recipe.shape[axis] for axis in _inverse(order)), recipe.result)
    return out.transpose(order)


def _order(x: Tensor) -> tuple[int, ...] | None:
    """The order of axes in which a tensor in channels_last lies in memory; None for all others."""
    known = _CHANNELS_LAST.get(x.dim())
    if known is None or x.is_contiguous() or not x.is_contiguous(memory_format=known[0]):
        return None
    return known[1]


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(axis) for axis in range(len(order)))


def _memory(x: Tensor) -> NDArray:
    """The memory of a CPU tensor as a NumPy array."""
    x = x.detach().resolve_neg()
    bits: NDArray = (x.view(torch.int16) if x.dtype is torch.bfloat16 else x).numpy()
    return bits.view(_bfloat16()) if x.dtype is torch.bfloat16 else bits


def _tensor(made: NDArray) -> Tensor:
    """A NumPy array as a tensor, in the same memory."""
    if made.dtype.name == "bfloat16":
        return torch.from_numpy(made.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(made)


def _writable(out: object) -> Tensor:
    """The tensor to write into, once it is known that it can be."""
    if not isinstance(out, Tensor) or out.device.type != "cpu":
        raise ArgumentTypeError(f"out must be a CPU tensor, as the result is, not {type(out).__name__}")
    if out.is_neg():  # NumPy sees such a view as a copy
        raise ArgumentError("out is a negative view of its memory, which cannot be written; use out.resolve_neg()")
    if out.requires_grad:
        raise ArgumentError("out requires grad, and must not: what is written into it has no derivative")
    return out


class _Ops:
    """PyTorch's own ops, for the framework engine."""

    def constant(self, values: NDArray, x: Tensor) -> Tensor:
        return torch.from_numpy(values.copy()).to(x.device)

    def copy(self, x: Tensor) -> Tensor:
        return x.clone()

    def take(self, x: Tensor, indices: Tensor, axis: int) -> Tensor:
        return torch.index_select(x, axis, indices)

    def cast(self, x: Tensor, dtype: np.dtype) -> Tensor:
        return x.to(_own_dtype(dtype))

    def rounded(self, x: Tensor) -> Tensor:
        return torch.round(x)

    def clipped(self, x: Tensor, low: float, high: float) -> Tensor:
        return torch.clamp(torch.nan_to_num(x, nan=0.0) if x.is_floating_point() else x, low, high)

    def where(self, mask: Tensor, x: Tensor, other: Tensor) -> Tensor:
        return torch.where(mask, x, other)

    def total(self, x: Tensor, axis: int) -> Tensor:
        return torch.sum(x, dim=axis, dtype=x.dtype)

    def split(self, x: Tensor, axis: int, width: int) -> Tensor:
        return x.unflatten(axis, (x.shape[axis] // width, width))


OPS = _Ops()


# What a compiler sees: a call is understood when its graph is made, and becomes one operator.


@torch.compiler.allow_in_graph
def call(x: Tensor, verb: str, words: tuple[Any, ...], threads: int | None, engine: str | None) -> Tensor:
    """A call of `resize`, `resize_grad` or `Plan.apply`, of a tensor that may have symbols for lengths."""
    threads = None if threads is None else require_threads(threads)
    shape, kind = tuple(array(x).shape), dtype(x)
    if verb == "apply":
        plan, axes = plan_text.from_text(words[0]).bind(shape, kind, words[1], AXES)
        return _traced(plan, x, axes, threads, engine)
    words = concrete_arguments(verb, words)
    if _becomes_operator(x, engine) and not _has_transforms():
        text, size, axes = resolve.resolve_request(verb, shape, kind, AXES, words)
        if any(map(validation.is_symbolic, (*size, *(shape[axis] for axis in axes)))):
            return _operator(x, list(size), text, list(axes), threads or 0)
    plan, axes = resolve.resolve_call(verb, shape, kind, AXES, words, allocates=False)
    return _traced(plan, x, axes, threads, engine)


def _has_transforms() -> bool:
    """Whether torch.func or forward mode takes derivatives here, which operators have none for."""
    levels = torch._C._functorch.get_interpreter_stack() or ()
    vmap = torch._C._functorch.TransformType.Vmap
    return torch.autograd.forward_ad._current_level >= 0 or any(level.key() != vmap for level in levels)


def _traced(plan: Plan, x: Tensor, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Tensor:
    """The plan in a graph, with every derivative."""
    if not _has_transforms():
        return _recorded(plan, x, axes, threads, engine)
    made: Tensor = _Resize.apply(x, plan, axes, threads, engine)
    return made


def _recorded(plan: Plan, x: Tensor, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Tensor:
    """The plan as a node of a graph: our operator, or PyTorch's own where those are wanted or needed."""
    if _becomes_operator(x, engine):
        return _node(x, plan, axes, threads)
    made: Tensor = _framework.apply(OPS, plan, x, axes, dtype(x))
    return made


def _becomes_operator(x: Tensor, engine: str | None) -> bool:
    """Whether a graph gets our operator, rather than PyTorch's own."""
    kernels = _uses_kernels(x, engine) if x.device.type != "meta" else engine != "framework"
    return kernels and not torch.jit.is_tracing() and not torch.onnx.is_in_onnx_export()


def _node(x: Tensor, plan: Plan, axes: tuple[int, ...], threads: int | None) -> Tensor:
    return _operator(x, list(plan.output_size), plan.to_text(), list(axes), threads or 0)


_SCHEMA = "(Tensor x, SymInt[] size, str plan, int[] axes, int threads) -> Tensor"


@torch.library.custom_op("sizewise::apply", mutates_args=(), device_types="cpu", schema=_SCHEMA)
def _operator(x: Tensor, size: list[int], plan: str, axes: list[int], threads: int) -> Tensor:
    known = plan_text.from_text(plan, tuple(x.shape[axis] for axis in axes), tuple(size))
    return _resized(x, known, tuple(axes), threads or None, "kernel")


@_operator.register_fake
def _fake(x: Tensor, size: list[int], plan: str, axes: list[int], threads: int) -> Tensor:
    shape = list(x.shape)
    for axis, length in zip(axes, size, strict=True):
        shape[axis] = length
    made = _own_dtype(plan_text.result_dtype(plan, dtype(x)))
    order = _order(x)
    if order is None:
        return x.new_empty(shape, dtype=made)
    return x.new_empty([shape[axis] for axis in order], dtype=made).permute(_inverse(order))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, _, ctx.plan, ctx.axes, ctx.threads = inputs
    ctx.size = [x.shape[axis] for axis in ctx.axes]


def _backward(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return _operator(dy, ctx.size, plan_text.transpose_text(ctx.plan), ctx.axes, ctx.threads), None, None, None, None


def _mapped(info: Any, in_dims: Any, x: Tensor, size: list[int], plan: str, axes: list[int], threads: int) -> Any:
    moved, shifted = _batched(x, in_dims[0], tuple(axes))
    return _operator(moved, size, plan, list(shifted), threads), 0


_operator.register_autograd(_backward, setup_context=_keep)
if hasattr(_operator, "register_vmap"):  # PyTorch 2.4 has none, and loops over the batch
    _operator.register_vmap(_mapped)
