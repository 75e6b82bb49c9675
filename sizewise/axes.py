"""Axes along which arrays are resized."""

from __future__ import annotations

from typing import Any

from . import validation
from .errors import ArgumentError, short_repr

MAX_RANK = 62  # NumPy's limit is 64, and the engine adds two axes


def resolve_axes(axes: Any, rank: int, default: tuple[int, ...]) -> tuple[int, ...]:
    """Return the given axes, or the default ones, as distinct integers from 0 to rank - 1.

    >>> resolve_axes(None, 4, (-3, -2)), resolve_axes((-1,), 3, (-3, -2))
    ((1, 2), (2,))
    """
    if rank == 0:
        raise ArgumentError("cannot resize a 0-d array, which has no axes")
    if rank > MAX_RANK:
        raise ArgumentError(f"cannot resize an array of {rank} axes, only of up to {MAX_RANK}; reshape it first")
    if axes is None:
        return tuple(range(rank)) if rank <= 2 else tuple(axis % rank for axis in default)
    entries = validation.as_sequence(axes)
    found = [validation.as_int(axis) for axis in ((axes,) if entries is None else entries)]
    integers = tuple(axis for axis in found if axis is not None)
    if len(integers) != len(found):
        raise ArgumentError(f"axes must be integers, not {short_repr(axes)}")
    if not integers:
        raise ArgumentError("axes is empty; give at least one axis")
    if any(not -rank <= axis < rank for axis in integers):
        raise ArgumentError(
            f"axes {short_repr(integers)} do not fit an array of rank {rank}; use {-rank} to {rank - 1}"
        )
    positive = tuple(axis % rank for axis in integers)
    if len(set(positive)) != len(positive):
        raise ArgumentError(f"axes {integers} of an array of rank {rank} contain the same axis twice")
    return positive
