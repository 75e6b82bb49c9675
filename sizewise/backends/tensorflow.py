"""TensorFlow tensors: the kernels on the memory of CPU tensors, TensorFlow's own ops everywhere else; every derivative.

Eager code uses the kernels: they read the tensor's own memory, and the result becomes a tensor without a copy. Graphs
(tf.function, tf.data, Keras models) use TensorFlow's own ops unless engine="kernel" is given: those compile
(jit_compile), can be saved, and run on any device. A kernel in a graph is a Python function, which no saved model can
hold.

The gradient is the transposed plan through the same function: any order, and forward mode.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from ..engine import buffer_pool
from ..engine.executor import executor_for
from ..errors import ArgumentError, ArgumentTypeError, UnsupportedError
from ..memory_limits import require_memory
from . import CHANNELS_LAST, _ops_engine
from ._array_api_ops import ArrayApiOps
from ._call import Call, Prepared, not_on_cpu, prepare_without_out, require_version, unsupported_dtype

try:  # evaluates ops of constants, such as tf.shape(x) // 2; tf.get_static_value supports fewer ops
    from tensorflow.python.framework.smart_cond import smart_constant_value as _static_value
except ImportError:
    _static_value = tf.get_static_value
try:  # records an operation on the tapes in 1 us; the public tf.custom_gradient takes 100
    from tensorflow.python.eager import record
except ImportError:
    record = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan

AXES = CHANNELS_LAST
_INTEGERS = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
_DTYPES: dict[Any, np.dtype] = {
    kind: np.dtype(kind.as_numpy_dtype)
    for kind in map(tf.as_dtype, (*_INTEGERS, "float16", "bfloat16", "float32", "float64"))
}
_from_dlpack = tf.experimental.dlpack.from_dlpack
_ALIGNMENT = 64  # bytes: TensorFlow aborts the process if its ops get memory aligned to less
_TO_CPU = 'with tf.device("CPU"): x = tf.identity(x)'
_MAX_FUNCTIONS = 64  # differentiable functions that a plan keeps

require_version("TensorFlow", tf.__version__, (2, 16))


def array(x: Any) -> Any:
    """Return the tensor or variable itself; raise if its elements cannot be resized."""
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
    """Return the NumPy dtype of a tensor."""
    found = _DTYPES.get(x.dtype)
    if found is None:
        raise unsupported_dtype(x.dtype.name)
    return found


def known(given: Any, name: str) -> Any:
    """Return the value of a tensor that a graph computes from constants alone, and any other argument itself."""
    if not tf.is_symbolic_tensor(given):
        return given
    value = _static_value(given)
    if value is None:
        raise ArgumentError(
            f"{name} is a tensor of a graph, and must be known when the graph is made; "
            "compute it from x.shape, which holds Python integers (tf.shape(x) is known only where all of x.shape is)"
        )
    return value


def prepare(plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None) -> Prepared:
    """Return a function that applies the plan to tensors of this shape and dtype, on any device."""
    return prepare_without_out(_resize, "tensors of TensorFlow", plan, axes, engine)


def _resize(x: Any, call: Call) -> tf.Tensor:
    """Return the plan applied to a tensor or variable, and record it for derivatives."""
    if isinstance(x, tf.Variable):
        x = tf.convert_to_tensor(x)
    if record is None or not tf.executing_eagerly():
        return _differentiable(call)(x)
    if _use_kernels(x, call.engine):
        y = _by_kernels(x, call)
    else:
        with record.stop_recording():  # else tapes would keep every op
            y = _by_framework(x, call)
    kind = x.dtype  # not x itself, which the tape would keep
    record.record_operation("Sizewise", [y], [x], lambda dy: [_gradient(dy, kind, call)])
    return y


def _gradient(dy: Any, kind: tf.DType, call: Call) -> tf.Tensor:
    """Return the gradient at a tensor of that dtype, given the one at the result."""
    if not isinstance(dy, tf.Tensor):  # the gradient of tf.gather is tf.IndexedSlices
        dy = tf.convert_to_tensor(dy)
    dx = _resize(dy, call.T)
    return dx if dx.dtype == kind else tf.cast(dx, kind)


def _differentiable(call: Call) -> Any:
    """Return `_resize` with a custom gradient, for graphs, kept with the plan."""
    cached, key = call.plan.cache, ("tensorflow", *call[1:])
    if key in cached:
        return cached[key]

    @tf.custom_gradient
    def resize(x: tf.Tensor) -> Any:
        kind = x.dtype
        return _apply(x, call), lambda dy: _gradient(dy, kind, call)

    if len(cached) < _MAX_FUNCTIONS:
        cached[key] = resize
    return resize


def _apply(x: tf.Tensor, call: Call) -> tf.Tensor:
    """Return the plan applied to a tensor, by either engine."""
    if tf.is_symbolic_tensor(x):
        return _by_kernels_in_graph(x, call) if call.engine == "kernel" else _by_framework(x, call)
    return _by_kernels(x, call) if _use_kernels(x, call.engine) else _by_framework(x, call)


# The kernels.


def _use_kernels(x: tf.Tensor, engine: str | None) -> bool:
    """Return whether the kernels resize an eager tensor; raise if they cannot but must."""
    is_on_cpu = x.backing_device.startswith("/job:localhost/") and "device:CPU:" in x.backing_device
    if engine == "kernel" and not is_on_cpu:
        raise not_on_cpu(f"tensor is on {x.backing_device}", _TO_CPU)
    return is_on_cpu and engine != "framework"


def _by_kernels(x: tf.Tensor, call: Call) -> tf.Tensor:
    """Return the result of the kernels, from the memory of one tensor to that of another."""
    y = _tensor(_resize_memory(call, np.asarray(x)))
    if y.device == x.device:
        return y
    with tf.device(x.device):  # one of several CPU devices
        return tf.identity(y)


def _resize_memory(call: Call, source: NDArray) -> NDArray:
    """Return the result in memory that TensorFlow can use without a copy."""
    executor = executor_for(call.plan, source.shape, source.dtype, call.axes)
    require_memory(executor.n_bytes, "a result of shape {} and dtype {}", executor.shape, executor.result)
    return executor(source, _empty_aligned(executor.shape, executor.result), call.threads)


def _empty_aligned(shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
    """Return an uninitialized array, aligned as TensorFlow needs it."""
    block = buffer_pool.empty((prod(shape) * dtype.itemsize + _ALIGNMENT,), np.dtype(np.uint8))
    first: int = -block.__array_interface__["data"][0] % _ALIGNMENT
    return np.ndarray(shape, dtype, block, first)


def _tensor(array: NDArray) -> tf.Tensor:
    """Return an array as a tensor, in the same memory."""
    if array.dtype == _DTYPES[tf.bfloat16]:  # which NumPy's DLPack does not support
        return tf.bitcast(_tensor(array.view(np.int16)), tf.bfloat16)
    return _from_dlpack(array.__dlpack__())


def _by_kernels_in_graph(x: tf.Tensor, call: Call) -> tf.Tensor:
    """Return the result of the kernels, as a node of a graph."""
    if tf.__internal__.get_enclosing_xla_context() is not None:
        raise UnsupportedError(
            "the kernels cannot run inside jit_compile=True, which compiles TensorFlow's own ops only; "
            'leave engine out, or use engine="framework"'
        )
    if x.device and "CPU" not in x.device.upper():  # graphs mostly leave devices open
        raise not_on_cpu(f"tensor is on {x.device}", _TO_CPU)
    result = tf.as_dtype(call.plan.arithmetic(dtype(x)).result)
    y = tf.numpy_function(partial(_resize_memory, call), [x], result, stateful=False)
    lengths = dict(zip(call.axes, call.plan.output_size, strict=True))
    y.set_shape([lengths.get(axis, n) for axis, n in enumerate(x.shape)])
    return y


# TensorFlow's own ops.


def _by_framework(x: tf.Tensor, call: Call) -> tf.Tensor:
    """Return the result of TensorFlow's own ops, on the device of x: TensorFlow would move it to its first device."""
    with nullcontext() if tf.is_symbolic_tensor(x) else tf.device(x.device):
        return _ops_engine.apply(OPS, call.plan, x, call.axes, dtype(x))


class _Ops(ArrayApiOps):
    """The ops of TensorFlow that have other names."""

    def constant(self, values: NDArray, x: tf.Tensor) -> tf.Tensor:
        return tf.constant(values)

    def copy(self, x: tf.Tensor) -> tf.Tensor:
        return x  # tensors are immutable

    def take(self, x: tf.Tensor, indices: tf.Tensor, axis: int) -> tf.Tensor:
        return tf.gather(x, indices, axis=axis)

    def cast(self, x: tf.Tensor, dtype: np.dtype) -> tf.Tensor:
        return tf.cast(x, tf.as_dtype(dtype))

    def clip(self, x: tf.Tensor, low: float, high: float) -> tf.Tensor:
        if x.dtype.is_floating:
            x = tf.where(tf.math.is_nan(x), tf.zeros_like(x), x)
        return tf.clip_by_value(x, tf.cast(low, x.dtype), tf.cast(high, x.dtype))

    def sum(self, x: tf.Tensor, axis: int) -> tf.Tensor:
        return tf.reduce_sum(x, axis=axis)

    def split(self, x: tf.Tensor, axis: int, width: int) -> tf.Tensor:
        lengths = [tf.shape(x)[position] if n is None else n for position, n in enumerate(x.shape)]
        return tf.reshape(x, [*lengths[:axis], lengths[axis] // width, width, *lengths[axis + 1 :]])


OPS = _Ops(tf)
