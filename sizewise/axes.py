"""Axes along which arrays are resized: by number, by the letters of a layout, or by default."""

from __future__ import annotations

import warnings
from typing import Any

from . import validation
from .errors import ArgumentError, SizewiseWarning, short_repr

MAX_RANK = 62  # NumPy's limit is 64, and the engine adds two axes
CHANNELS_LAST = (-3, -2)
HINT = 'name other axes by layout, such as layout="NCHW", or by axes'  # for errors about the lengths of axes


def resolve_axes(axes: Any, rank: int, default: tuple[int, ...], layout: Any = None) -> tuple[int, ...]:
    """Return the given axes, or the default ones, as distinct integers from 0 to rank - 1.

    >>> resolve_axes(None, 4, (-3, -2)), resolve_axes((-1,), 3, (-3, -2)), resolve_axes(None, 4, (-3, -2), "NCHW")
    ((1, 2), (2,), (2, 3))
    """
    if rank == 0:
        raise ArgumentError("cannot resize a 0-d array, which has no axes")
    if rank > MAX_RANK:
        raise ArgumentError(f"cannot resize an array of {rank} axes, only of up to {MAX_RANK}; reshape it first")
    if layout is not None:
        return _resolve_layout(layout, rank, axes)
    if axes is None:
        return tuple(range(rank)) if rank <= 2 else tuple([axis % rank for axis in default])
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


def _resolve_layout(layout: Any, rank: int, axes: Any) -> tuple[int, ...]:
    """Return where D, H and W stand in a layout, in this order."""
    if axes is not None:
        raise ArgumentError("give axes or layout, one of them; both were given")
    letters = layout.upper() if isinstance(layout, str) else ""
    resized = [letter for letter in "DHW" if letter in letters]
    is_known = len(set(letters)) == len(letters) and set(letters) <= set("NTCDHW")
    if not is_known or resized not in (["W"], ["H", "W"], ["D", "H", "W"]):
        raise ArgumentError(
            f"layout must name each axis by one letter, W, HW or DHW and any of N, T and C, each once, "
            f"such as 'NCHW' or 'HWC', not {short_repr(layout)}"
        )
    if len(letters) != rank:
        raise ArgumentError(f"layout {layout!r} names {len(letters)} axes, but the array has {rank}")
    return tuple(map(letters.index, resized))


def warn_if_channels_first(shape: Any, default: tuple[int, ...]) -> None:
    """Warn the caller's caller's caller if axes were not given, and (-3, -2) look like channels and height.

    >>> warn_if_channels_first((48, 64, 3), (-3, -2)), warn_if_channels_first((3, 48, 64), (-2, -1))
    (None, None)
    """
    if default != CHANNELS_LAST or len(shape) < 3 or shape[-3] not in (1, 3, 4):
        return
    small = (0, 1, 2, 3, 4)  # a feature map may have 4x4 pixels
    if shape[-2] not in small and shape[-1] not in small:
        warnings.warn(
            f"axes (-3, -2) of an array of shape {tuple(shape)} are resized, as in a layout of channels last; if its "
            f'channels come first, say layout="{"N" * (len(shape) == 4)}CHW"; if not, axes=(-3, -2)',
            SizewiseWarning,
            stacklevel=4,
        )
