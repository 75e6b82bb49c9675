"""Memory of plans: required before it is allocated, and rejected where the machine has less."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from samples import sample

import sizewise as sw
from sizewise import memory_limits, plan, sampling, taps
from sizewise.errors import ArgumentError

LONG = 100_000
RATIOS = [(1, LONG), (LONG, 2), (LONG, LONG - 1)]
SLACK = 2 << 20  # bytes of what does not grow with the axis


@pytest.fixture
def required(override: Callable[..., None]) -> Iterator[list[int]]:
    """Yield the list of bytes that each plan requires before it allocates them."""
    found: list[int] = []

    def require_memory(n_bytes: int, what: str, *values: object) -> None:
        found.append(n_bytes)
        memory_limits.require_memory(n_bytes, what, *values)

    for module in (plan, sampling, taps):
        override(module, require_memory=require_memory)
    for module in (plan, sampling):
        override(module, MIN_CHECKED_BYTES=0)
    gc.collect()  # once: it takes its time in a process that has imported every framework
    tracemalloc.start()
    yield found
    tracemalloc.stop()


@pytest.mark.parametrize("dialect", sw.dialects.names())
def test_a_plan_allocates_no_more_than_it_requires(dialect: str, required: list[int]) -> None:
    every = ((method, one) for method, flags in sw.dialects.get(dialect).methods.items() for one in flags)
    for method, antialias in sample(every, 3, dialect):
        for n_in, n_out in RATIOS:
            sw.clear_cache()
            required.clear()
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            built = sw.make_plan((n_in,), (n_out,), method, antialias=antialias, dialect=dialect)
            peak = tracemalloc.get_traced_memory()[1] - before
            where = f"{dialect} {method} {antialias} {n_in} -> {n_out}: {peak / LONG:.0f} bytes for each pixel"
            assert peak <= max(required) + SLACK, where
            required.clear()
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            built.T
            assert tracemalloc.get_traced_memory()[1] - before <= max(required) + SLACK, where


def test_a_ratio_of_two_billion_is_rejected_before_allocation(override: Callable[..., None]) -> None:
    override(memory_limits, physical_memory=lambda: 2**34)
    for sizes in ((1, 2**31 - 1), (2**31 - 1, 1)):
        with pytest.raises(ArgumentError, match=r"[0-9,]{12,} bytes"):
            sw.make_plan(sizes[:1], sizes[1:], "lanczos5")
    assert sw.index_map(2**31 - 1, 3).tolist() == [357913941, 1073741823, 1789569705]
