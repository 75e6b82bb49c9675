"""Every instruction set gives the same bits: those of the one in use, and those stored in determinism.json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import determinism
import numpy as np
import pytest
from hashes import digest
from recording import Record

import sizewise as sw

TESTS = Path(__file__).parents[1]
SUPPORTED = sw.core_info().supported


def run(script: str, isa: str) -> dict[str, object]:
    """Return what a script prints when the kernels of this instruction set run."""
    path = f"{TESTS.parent}{os.pathsep}{TESTS}"
    environment = {**os.environ, "SIZEWISE_ISA": isa, "PYTHONPATH": path}
    command = [sys.executable, str(TESTS / script)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, object]]:
    """The hashes of a table of results by each instruction set of this CPU."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(SUPPORTED, pool.map(lambda isa: run("hashes.py", isa), SUPPORTED), strict=True))


def test_every_instruction_set_gives_the_same_bits(results: dict[str, dict], record_property: Record) -> None:
    expected = results[SUPPORTED[0]]["hashes"]
    assert len(expected) > 500
    for isa, result in results.items():
        assert result["hashes"].keys() == expected.keys()
        wrong = [case for case, hashed in result["hashes"].items() if hashed != expected[case]]
        assert not wrong, f"{isa}: {len(wrong)} of {len(expected)} differ, such as {wrong[:5]}"
        record_property("hashes compared between instruction sets", len(expected))


def test_control_the_kernels_were_those_of_each_instruction_set(results: dict[str, dict]) -> None:
    assert [result["isa"] for result in results.values()] == list(SUPPORTED)
    assert len(SUPPORTED) >= 2 or not SUPPORTED[0].startswith("v"), "x86-64 with kernels for one level only"


@pytest.mark.parametrize("isa", [*SUPPORTED, "numpy"])
def test_the_stored_bits(isa: str, record_property: Record) -> None:
    made, stored = run("determinism.py", isa), determinism.stored()
    compared = made.keys() & stored.keys()
    assert len(compared) > 40
    assert [name for name in sorted(compared) if made[name] != stored[name]] == []
    record_property("hashes compared with the stored ones", 2 * len(compared))


def test_control_a_hash_sees_one_bit() -> None:
    x = np.ones(5, np.float32)
    y = x.copy()
    y[3] = np.nextafter(y[3], np.float32(2))
    assert digest(x) != digest(y)
    assert digest(np.array([0.0])) != digest(np.array([-0.0]))
    assert digest(np.array([np.nan])) == digest(-np.array([np.nan]))
