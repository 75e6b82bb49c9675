"""Memory that is kept to make later calls fast is bounded, and can be given back."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType, ModuleType

import numpy as np
import pytest

import sizewise as sw
from sizewise import call_cache, plan
from sizewise.engine import buffer_pool


def test_clear_cache_gives_back_plans_and_blocks() -> None:
    x = np.ones((400, 500, 3), np.float32)
    kept = sw.resize(x, (500, 600))
    plan_before = sw.make_plan((400, 500), (500, 600))
    assert bool(buffer_pool._blocks) == buffer_pool.has_reference_counts()
    assert call_cache._calls
    sw.clear_cache()
    assert not buffer_pool._blocks
    assert not call_cache._calls
    assert plan.build.cache_info().currsize == 0
    assert sw.make_plan((400, 500), (500, 600)) is not plan_before
    other = sw.resize(2 * x, (500, 600))
    assert (kept == 1).all()
    assert (other == 2).all()


def test_plans_are_bounded_by_bytes(override: Callable[..., None]) -> None:
    sw.clear_cache()
    one = sw.make_plan((1001,), (1000,)).n_bytes
    override(plan, MAX_PLAN_BYTES=4 * one)
    for n in range(50):
        size = (2000 + n,)
        assert sw.make_plan((1001,), size) is sw.make_plan((1001,), size)  # the latest always stays
        assert plan.build.cache_info().currsize <= 4
        sw.resize(np.ones(1001), size)
        assert len(call_cache._calls) <= 4
    large = (100_000,)
    assert sw.make_plan((1001,), large) is sw.make_plan((1001,), large)
    sw.clear_cache()


def test_threads_add_calls_at_once() -> None:
    one = sw.make_plan((4, 4), (2, 2))

    def add(_: int) -> None:
        for _ in range(20_000):
            call_cache.add("key", lambda x, out, threads: x, one)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(add, range(4))) == [None] * 4
    sw.clear_cache()


def test_plans_are_bounded_by_number() -> None:
    sw.clear_cache()
    for n in range(2 * plan.MAX_PLANS):
        sw.make_plan((n + 1,), (2,))
    assert plan.build.cache_info().currsize == plan.MAX_PLANS
    sw.clear_cache()


@pytest.mark.parametrize("channels", [1, 3, 4, 20])
def test_n_bytes_of_a_plan_is_about_its_memory(channels: int) -> None:
    sw.clear_cache()
    x = np.ones((300, 400, channels), np.float32)
    for size in ((200, 300), (500, 600), (3, 4)):
        for method in ("nearest", "bilinear", "lanczos3"):
            made = sw.make_plan(x.shape[:2], size, method)
            made.T(made(x))
            assert made.n_bytes / 4 < held_by(made) < 2 * made.n_bytes


def held_by(thing: object) -> int:
    """Bytes of all arrays that can be reached from a thing, but not through code."""
    seen: dict[int, object] = {}
    pending = [thing]
    while pending:
        one = pending.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType, FunctionType)):
            continue
        seen[id(one)] = one
        pending += [one.base] if isinstance(one, np.ndarray) else gc.get_referents(one)
    return sum(one.nbytes for one in seen.values() if isinstance(one, np.ndarray) and one.base is None)
