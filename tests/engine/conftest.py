"""The `override` fixture: the only means by which tests replace internals of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import sizewise as sw
from sizewise import cgroups, cpu_cache, memory_limits, plan, sampling, taps, thread_count
from sizewise.dialects import _registry
from sizewise.engine import buffer_pool, fixed_point_pass, integer_taps, kernel_call, layout, passes, staging

Override = Callable[..., None]

# Owner -> names that tests may replace.
OVERRIDABLE: dict[Any, set[str]] = {
    # The machine: cores, quotas, free memory, caches and the clock differ between machines.
    thread_count: {"_cores", "_quota"},
    cgroups: {"memory_left"},
    memory_limits: {"_free_memory", "available_memory", "physical_memory"},
    cpu_cache: {"_LISTED"},
    buffer_pool: {"MAX_BYTES", "_is_gil_enabled", "_COUNTS", "time"},
    # Capacities that only large arrays reach.
    plan: {"MAX_PLAN_BYTES", "MIN_CHECKED_BYTES", "require_memory"},
    # Functions that a test wraps to record their calls, or to show that a check depends on them.
    sampling: {"MIN_CHECKED_BYTES", "require_memory"},
    taps: {"require_memory"},
    _registry: {"import_module"},
    kernel_call.KernelCall: {"bands"},
    layout: {"contiguous_layout"},
    staging: {"_run_tiles"},
    passes: {"float32_error_bound"},
    fixed_point_pass: {"pack_fixed_point"},
    integer_taps: {"pack_fixed_point"},
}


@pytest.fixture
def override() -> Iterator[Override]:
    """Return a function that replaces internals for one test: `override(buffer_pool, MAX_BYTES=1 << 21)`.

    OVERRIDABLE lists what may be replaced, and why; another name is an error, so that tests depend on few internals.
    Calls that were prepared before are forgotten. Limits of how work is split have a separate override,
    `engine_limits`, because fuzzers and child processes without pytest set them too.
    """

    def replace(owner: Any, **values: Any) -> None:
        unknown = values.keys() - OVERRIDABLE.get(owner, set())
        if unknown:
            raise ValueError(f"tests may not replace {', '.join(sorted(unknown))} of {owner}; see {__file__}")
        for name, value in values.items():
            patch.setattr(owner, name, value)
        sw.clear_cache()

    with pytest.MonkeyPatch.context() as patch:
        yield replace
    sw.clear_cache()
