"""TensorFlow tensors: the kernels on the memory of CPU tensors, TensorFlow's own ops everywhere else; every derivative.

Running code (eager) uses the kernels: they read the tensor's own memory, and the result is memory of ours that becomes
a tensor as it is. Graphs (tf.function, tf.data, Keras models) are of TensorFlow's own ops unless engine="kernel" is
asked for: those compile (jit_compile), can be saved, and run on any device. A kernel in a graph is a Python function,
which no saved model can hold.

The gradient is the transposed plan through the same function, whoever asks for it: any order, and forward mode too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import tensorflow as tf

from ..engine import buffer_pool
from ..engine.executor import executor_for
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError
from ..memory_limits import require_memory
from . import _framework, refuse_out

try:  # computes what a graph makes of constants, tf.shape(x) // 2 for one; tf.get_static_value knows fewer ops
    from tensorflow.python.framework.smart_cond import smart_constant_value as _static_value
except ImportError:
    _static_value = tf.get_static_value
try:  # tells the tapes what ran, in 1 us; what is public, tf.custom_gradient, takes 100
    from tensorflow.python.eager import record
except ImportError:
    record = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan

AXES = (-3, -2)
_WHOLE = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
_DTYPES: dict[Any, np.dtype] = {
    kind: np.dtype(kind.as_numpy_dtype)
    for kind in map(tf.as_dtype, (*_WHOLE, "float16", "bfloat16", "float32", "float64"))
}
_from_dlpack = tf.experimental.dlpack.from_dlpack
_ALIGNED = 64  # bytes: TensorFlow ends the process where its ops meet memory that begins elsewhere
_KEPT = 64  # how many differentiable functions a plan keeps

if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 16):
    raise ArgumentError(f"Sizewise needs TensorFlow 2.16 or newer for tensors; this is {tf.__version__}")


def array(x: Any) -> Any:
    """The tensor or variable itself, if it holds numbers that can be resized."""
    if not isinstance(x, (tf.Tensor, tf.Variable)):
        dense = {"RaggedTensor": ": x.to_tensor()", "SparseTensor": ": tf.sparse.to_dense(x)"}
        raise ArgumentTypeError(
            f"cannot resize a {type(x).__name__} of TensorFlow; make it a tensor first{dense.get(type(x).__name__, '')}"
        )
    dtype(x)
    if x.shape.rank is None:
        raise ArgumentError("cannot resize a tensor of unknown rank; say it: tf.ensure_shape(x, [None, 8, 8, 3])")
    return x


def dtype(x: Any) -> np.dtype:
    """NumPy's name of the numbers of a tensor."""
    known = _DTYPES.get(x.dtype)
    if known is None:
        raise DtypeError(
            f"cannot resize a tensor of {x.dtype.name}; "
            "use bool, an integer type, float16, bfloat16, float32 or float64"
        )
    return known


def known(given: Any, name: str) -> Any:
    """The value of a tensor that a graph computes from constants alone, and any other argument itself."""
    if not tf.is_symbolic_tensor(given):
        return given
    value = _static_value(given)
    if value is None:
        raise ArgumentError(
            f"{name} is a tensor of a graph, and must be known when the graph is made; "
            "compute it from x.shape, which holds Python integers (tf.shape(x) is known only where all of x.shape is)"
        )
    return value


def prepare(
    plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Any, object, int | None], Any]:
    """What applies the plan to tensors of this shape and dtype, wherever they are."""

    def resize(x: Any, out: object = None, threads: int | None = None) -> Any:
        refuse_out(out, "tensors of TensorFlow")
        if isinstance(x, tf.Variable):
            x = tf.convert_to_tensor(x)
        return _resized(x, _Task(plan, axes, threads, engine))

    return resize


class _Task(NamedTuple):
    """What is to be done with a tensor."""

    plan: Plan
    axes: tuple[int, ...]
    threads: int | None
    engine: str | None


def _resized(x: tf.Tensor, task: _Task) -> tf.Tensor:
    """The plan applied to a tensor, and told to whoever takes derivatives."""
    if record is None or not tf.executing_eagerly():
        return _differentiable(task)(x)
    if _runs_kernels(x, task.engine):
        y = _by_kernels(x, task)
    else:
        with record.stop_recording():  # or tapes would keep every step of it
            y = _by_framework(x, task)
    kind = x.dtype  # and not x, which the tape would keep
    record.record_operation("Sizewise", [y], [x], lambda dy: [_gradient(dy, kind, task)])
    return y


def _gradient(dy: Any, kind: tf.DType, task: _Task) -> tf.Tensor:
    """The gradient at a tensor of that dtype, given the one at the result."""
    if not isinstance(dy, tf.Tensor):  # the gradient of tf.gather is tf.IndexedSlices
        dy = tf.convert_to_tensor(dy)
    dx = _resized(dy, task._replace(plan=task.plan.T))
    return dx if dx.dtype == kind else tf.cast(dx, kind)


def _differentiable(task: _Task) -> Any:
    """`_resized` in the words that graphs understand, kept with the plan."""
    kept, key = task.plan.cache, ("tensorflow", *task[1:])
    if key in kept:
        return kept[key]

    @tf.custom_gradient
    def resize(x: tf.Tensor) -> Any:
        kind = x.dtype
        return _numbers(x, task), lambda dy: _gradient(dy, kind, task)

    if len(kept) < _KEPT:
        kept[key] = resize
    return resize


def _numbers(x: tf.Tensor, task: _Task) -> tf.Tensor:
    """The plan applied to a tensor, by whichever engine."""
    if tf.is_symbolic_tensor(x):
        return _by_kernels_later(x, task) if task.engine == "kernel" else _by_framework(x, task)
    return _by_kernels(x, task) if _runs_kernels(x, task.engine) else _by_framework(x, task)


# The kernels.


def _runs_kernels(x: tf.Tensor, engine: str | None) -> bool:
    """Whether the kernels are to resize a tensor that has numbers."""
    here = x.backing_device.startswith("/job:localhost/") and "device:CPU:" in x.backing_device
    if engine == "kernel" and not here:
        raise _elsewhere(x.backing_device)
    return here and engine != "framework"


def _elsewhere(device: str) -> UnsupportedError:
    return UnsupportedError(
        f"the kernels run on the CPU, and this tensor is on {device}; leave engine out, "
        'or move it: with tf.device("CPU"): x = tf.identity(x)'
    )


def _by_kernels(x: tf.Tensor, task: _Task) -> tf.Tensor:
    """The plan by the kernels, from the memory of one tensor to that of another."""
    made = _tensor(_resized_memory(task, np.asarray(x)))
    if made.device == x.device:
        return made
    with tf.device(x.device):  # one of several CPU devices
        return tf.identity(made)


def _resized_memory(task: _Task, source: NDArray) -> NDArray:
    """The result in memory that TensorFlow can take over as it is."""
    recipe = executor_for(task.plan, source.shape, source.dtype, task.axes)
    require_memory(recipe.n_bytes, "a result of shape {} and dtype {}", recipe.shape, recipe.result)
    return recipe(source, _room(recipe.shape, recipe.result), task.threads)


def _room(shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
    """An array to be filled that begins where TensorFlow wants its tensors to."""
    block = buffer_pool.empty((prod(shape) * dtype.itemsize + _ALIGNED,), np.dtype(np.uint8))
    first: int = -block.__array_interface__["data"][0] % _ALIGNED
    return np.ndarray(shape, dtype, block, first)


def _tensor(made: NDArray) -> tf.Tensor:
    """An array as a tensor, in the same memory."""
    if made.dtype == _DTYPES[tf.bfloat16]:  # of which NumPy's DLPack knows nothing
        return tf.bitcast(_tensor(made.view(np.int16)), tf.bfloat16)
    return _from_dlpack(made.__dlpack__())


def _by_kernels_later(x: tf.Tensor, task: _Task) -> tf.Tensor:
    """The plan by the kernels, as a node of a graph."""
    if tf.__internal__.get_enclosing_xla_context() is not None:
        raise UnsupportedError(
            "the kernels cannot run inside jit_compile=True, which compiles TensorFlow's own ops only; "
            'leave engine out, or use engine="framework"'
        )
    if x.device and "CPU" not in x.device.upper():  # graphs mostly leave devices open
        raise _elsewhere(x.device)
    made = tf.as_dtype(task.plan.arithmetic(dtype(x)).result)
    y = tf.numpy_function(partial(_resized_memory, task), [x], made, stateful=False)
    lengths = dict(zip(task.axes, task.plan.output_size, strict=True))
    y.set_shape([lengths.get(axis, n) for axis, n in enumerate(x.shape)])
    return y


# TensorFlow's own ops.


def _by_framework(x: tf.Tensor, task: _Task) -> tf.Tensor:
    """The plan by TensorFlow's own ops, where the tensor is: TensorFlow itself would move it to its first device."""
    with nullcontext() if tf.is_symbolic_tensor(x) else tf.device(x.device):
        return _framework.apply(OPS, task.plan, x, task.axes, dtype(x))


class _Ops:
    """TensorFlow's own ops, for the framework engine."""

    def constant(self, values: NDArray, x: tf.Tensor) -> tf.Tensor:
        return tf.constant(values)

    def copy(self, x: tf.Tensor) -> tf.Tensor:
        return x

    def take(self, x: tf.Tensor, indices: tf.Tensor, axis: int) -> tf.Tensor:
        return tf.gather(x, indices, axis=axis)

    def cast(self, x: tf.Tensor, dtype: np.dtype) -> tf.Tensor:
        return tf.cast(x, tf.as_dtype(dtype))

    def rounded(self, x: tf.Tensor) -> tf.Tensor:
        return tf.round(x)

    def clipped(self, x: tf.Tensor, low: float, high: float) -> tf.Tensor:
        if x.dtype.is_floating:
            x = tf.where(tf.math.is_nan(x), tf.zeros_like(x), x)
        return tf.clip_by_value(x, tf.cast(low, x.dtype), tf.cast(high, x.dtype))

    def where(self, mask: tf.Tensor, x: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        return tf.where(mask, x, other)

    def total(self, x: tf.Tensor, axis: int) -> tf.Tensor:
        return tf.reduce_sum(x, axis=axis)

    def split(self, x: tf.Tensor, axis: int, width: int) -> tf.Tensor:
        lengths = [tf.shape(x)[position] if n is None else n for position, n in enumerate(x.shape)]
        return tf.reshape(x, [*lengths[:axis], lengths[axis] // width, width, *lengths[axis + 1 :]])


OPS = _Ops()
