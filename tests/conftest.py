"""The fixture of representative variants, and a fixed profile for hypothesis: the same examples in every run."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
import samples
import torchvision_ops
from hypothesis import settings
from variants import REPRESENTATIVES, VARIANTS, Variant

settings.register_profile("fixed", derandomize=True, max_examples=15, deadline=None, database=None)
settings.load_profile("fixed")

os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")  # no request over the network at its import
# Programs that XLA compiled, kept for other processes and runs; XLA finds them by their code, its version and options.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(sys.prefix) / "jax-cache"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
torchvision_ops.declare_at_import()


def pytest_report_header() -> str:
    """Return a line that says whether long lists of cases are sampled."""
    cases = "all of them" if samples.ALL else f"a seeded sample of long lists; {samples.VARIABLE}=1 tries all of them"
    return f"cases: {cases}"


def pytest_collection_finish() -> None:
    """Exclude the imported frameworks from garbage collection, which then takes a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", params=VARIANTS, ids=str)
def variant(request: pytest.FixtureRequest) -> Variant:
    """A variant of the general promises, for tests/backends; tests/promises use `by_dialect` instead."""
    return request.param


@pytest.fixture(scope="session", params=REPRESENTATIVES, ids=str)
def representative(request: pytest.FixtureRequest) -> Variant:
    """A variant of each kind of taps and arithmetic, for promises that do not depend on the dialect."""
    return request.param
