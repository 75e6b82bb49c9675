"""Every argument of every public function, tested with a table of bad values.

Valid values are accepted; all others are rejected at once with an error of Sizewise. Nothing crashes or hangs, and no
exception of another library reaches the caller.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from bad_arguments import public, worker
from bad_arguments.function_case import NOTHING, FunctionCase, names
from bad_arguments.worker import try_value
from recording import Record
from samples import fewer

import sizewise as sw
from sizewise.errors import ArgumentError

HERE = Path(__file__).parent
NEEDS = {"functions": "numpy", "compat_numpy": "autograd", "compat_torch": "torch", "compat_jax": "jax",
         "compat_tensorflow": "tensorflow"}  # fmt: skip
# One in how many bad values is tried for each argument, outside `make test-all`.
ONE_IN = {"functions": 4, "compat_numpy": 3, "compat_torch": 6, "compat_jax": 3, "compat_tensorflow": 20}


def run(module: str) -> str:
    """Return the report of the worker on one module of function cases; it must exit with 0."""
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "bad_arguments.worker", module, str(ONE_IN[module])]
    variables = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=variables)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(params=NEEDS)
def module(request: pytest.FixtureRequest) -> str:
    if importlib.util.find_spec(NEEDS[request.param]) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{NEEDS[request.param]} is not installed")
    return request.param


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process")
def test_every_value_is_accepted_or_rejected(module: str, record_property: Record) -> None:
    report = json.loads(run(module))
    record_property("calls with one bad value", report["asked"])
    assert not report["wrong"], "\n".join(report["wrong"])
    assert report["asked"] > fewer(500, ONE_IN[module])


# --- controls -------------------------------------------------------------------------------------------------------


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def test_control_a_function_without_a_case_is_seen() -> None:
    cases = {"get": FunctionCase(sw.filters.get, dict, {})}
    found = list(public.faults({"": sw.filters}, cases))
    assert "get: no case tries name" in found
    assert "names has no function case" in found
    assert "lanczos: no case tries lobes" in found


def refuse(x: object) -> None:
    raise ArgumentError("no")


def spell(x: object) -> None:
    raise ArgumentError(f"{'no' * 10_000}")


def crunch(x: object) -> None:
    begin = time.process_time()
    while time.process_time() - begin < worker.SECONDS + 0.1:
        pass


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        (refuse, "refused"),
        (float, "TypeError: float() argument must be a string or a real number, not 'NoneType'"),
        (repr, "works"),
        (spell, "refused in 20000 letters"),
        (lambda x: np.ones(60 * 2**20, np.uint8), "works, with 60 MB"),
    ],
)
@pytest.mark.usefixtures("traced")
def test_control_wrong_outcomes_are_seen(call: object, outcome: str) -> None:
    case = FunctionCase(lambda x: call(x), dict, {"x": NOTHING})  # type: ignore[operator]
    assert try_value(case, "x", "None") == outcome


@pytest.mark.usefixtures("traced")
def test_control_a_long_time_is_seen() -> None:
    assert try_value(FunctionCase(crunch, dict, {"x": names()}), "x", "None").startswith("works, after ")
