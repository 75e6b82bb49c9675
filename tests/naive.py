"""Obvious loops, written from the definitions: what the library must equal, sharing no code with it.

`resize` applies dense matrices, `resize_in_passes` a plan as its dialect's arithmetic says; `naive_matrices` builds
matrices for each dialect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


def resize(x: np.ndarray, matrices: Sequence[np.ndarray], axes: Sequence[int]) -> np.ndarray:
    """One matrix per axis applied to x, in float64."""
    for matrix, axis in zip(matrices, axes, strict=True):
        x = resize_axis(x, matrix, axis)
    return x


def resize_axis(x: np.ndarray, matrix: np.ndarray, axis: int) -> np.ndarray:
    """out[o] = the sum over v of matrix[o, v] * x[v], along one axis; a weight of 0 reads nothing."""
    moved = np.moveaxis(np.asarray(x, np.float64), axis, 0)
    out = np.zeros((len(matrix), *moved.shape[1:]))
    for o, row in enumerate(matrix.tolist()):
        for v, weight in enumerate(row):
            if weight != 0:
                out[o] += weight * moved[v]
    return np.moveaxis(out, 0, axis)


def resize_in_passes(x: np.ndarray, plan: Any, axes: Sequence[int], arithmetic: Any = None) -> np.ndarray:
    """A plan applied one axis after the other, in the order and with the roundings of its dialect's arithmetic."""
    arithmetic = arithmetic or plan.arithmetic(x.dtype)
    order = arithmetic.order or range(len(axes))
    positions = [position for position in order if not plan.taps[position].is_identity]
    for position in positions:
        stored = arithmetic.result if position == positions[-1] else arithmetic.intermediate or arithmetic.accumulate
        x = _stored(_sums(x, plan.taps[position], axes[position], arithmetic), stored)
    return _stored(x, arithmetic.result)


def _sums(x: np.ndarray, taps: Any, axis: int, arithmetic: Any) -> np.ndarray:
    """Return one pass: integers in fixed point, else sums in the precision of the arithmetic, from left to right."""
    kind = np.dtype(np.int64) if arithmetic.fixed_point else arithmetic.accumulate
    weights, bits = arithmetic.fixed_point.quantize(taps.weights) if arithmetic.fixed_point else (taps.weights, 0)
    moved = np.moveaxis(x, axis, 0).astype(kind)
    out = np.zeros((taps.n_out, *moved.shape[1:]), kind)
    for o in range(taps.n_out):
        for k in range(int(taps.count[o])):
            if taps.weights[o, k] != 0:  # a weight of 0 reads nothing
                out[o] += kind.type(weights[o, k]) * moved[taps.start[o] + k]
    out = np.moveaxis(out, 0, axis)
    return (out + 2 ** (bits - 1)) >> bits if arithmetic.fixed_point else out


def _stored(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers in another dtype; integers rounded half to even and clipped."""
    if dtype.kind == "f" or values.dtype == dtype:
        return values.astype(dtype)
    whole = np.rint(values) if values.dtype.kind == "f" else values
    return np.clip(whole, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


def entries(taps: Any) -> Iterator[tuple[int, int, float]]:
    """(row, column, weight) of each tap that is not 0, read from start, count and weights."""
    for o in range(len(taps.start)):
        for k in range(int(taps.count[o])):
            if taps.weights[o, k] != 0:
                yield o, int(taps.start[o]) + k, float(taps.weights[o, k])
