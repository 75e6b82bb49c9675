"""The one override of the engine: limits that decide how work is split, staged in tiles and stored.

With it small arrays take the paths of large ones. No result depends on any of these, so that tests compare bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sizewise as sw
from sizewise import _core
from sizewise.engine import kernel_call, passes, staging

OWNERS = {
    **dict.fromkeys(("MIN_PARALLEL_WORK", "MIN_BAND_WORK", "MAX_BAND_WORK", "WAKEUP_WORK"), kernel_call),
    **dict.fromkeys(("TILE_ELEMENTS", "MAX_TILES"), staging),
    **dict.fromkeys(("MIN_RING_ROWS", "NONTEMPORAL_FRACTION", "MAX_AMBIGUOUS"), passes),
    "has_byte_shuffle": _core,
}
NO_LIMITS: dict[str, Any] = {"MIN_PARALLEL_WORK": 1, "MIN_BAND_WORK": 1, "WAKEUP_WORK": 0}  # any work is split evenly


def set_limits(**limits: Any) -> dict[str, Any]:
    """Set limits by name, forget the calls that were prepared with others, and return the former values."""
    before = {name: getattr(OWNERS[name], name) for name in limits}
    for name, value in limits.items():
        setattr(OWNERS[name], name, value)
    sw.clear_cache()
    return before


@contextmanager
def engine_limits(**limits: Any) -> Iterator[None]:
    """Set limits for the time of a `with` block."""
    before = set_limits(**limits)
    try:
        yield
    finally:
        set_limits(**before)
