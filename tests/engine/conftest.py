"""The `override` fixture: the only means by which tests replace internals of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import sizewise as sw

Override = Callable[..., None]

# Owner, below the package -> names that tests may replace. Names, since not every environment has every framework.
OVERRIDABLE = {
    # The machine: cores, quotas, free memory, caches and the clock differ between machines.
    "thread_count": {"_cores", "_quota"},
    "cgroups": {"memory_left"},
    "memory_limits": {"_free_memory", "available_memory", "physical_memory"},
    "cpu_cache": {"_LISTED"},
    "engine.buffer_pool": {"MAX_BYTES", "_is_gil_enabled", "_COUNTS", "time"},
    # Capacities that only large arrays reach.
    "plan": {"MAX_PLAN_BYTES", "MIN_CHECKED_BYTES", "require_memory"},
    # Functions that a test wraps to record their calls, or to show that a check depends on them.
    "sampling": {"MIN_CHECKED_BYTES", "require_memory"},
    "taps": {"require_memory"},
    "dialects._registry": {"import_module"},
    "engine.executor.Executor": {"__call__"},
    "engine.kernel_call.KernelCall": {"bands"},
    "engine.layout": {"contiguous_layout"},
    "engine.staging": {"_run_tiles"},
    "engine.passes": {"float32_error_bound"},
    "engine.fixed_point_pass": {"pack_fixed_point"},
    "engine.integer_taps": {"pack_fixed_point"},
    # Abilities of a framework that other versions of it lack.
    "backends.jax": {"_found"},
    "backends.tensorflow": {"record"},
}


@pytest.fixture
def override() -> Iterator[Override]:
    """Return a function that replaces internals for one test: `override(buffer_pool, MAX_BYTES=1 << 21)`.

    OVERRIDABLE lists what may be replaced, and why; another name is an error, so that tests depend on few internals.
    Calls that were prepared before are forgotten. Limits of how work is split have a separate override,
    `engine_limits`, because fuzzers and child processes without pytest set them too.
    """

    def replace(owner: Any, **values: Any) -> None:
        module = getattr(owner, "__module__", None)  # of a class
        name = ".".join(filter(None, (module, getattr(owner, "__qualname__", None) or getattr(owner, "__name__", ""))))
        unknown = values.keys() - OVERRIDABLE.get(name.removeprefix("sizewise."), set())
        if unknown:
            raise ValueError(f"tests may not replace {', '.join(sorted(unknown))} of {owner}; see {__file__}")
        for name, value in values.items():
            patch.setattr(owner, name, value)
        sw.clear_cache()

    with pytest.MonkeyPatch.context() as patch:
        yield replace
    sw.clear_cache()
