"""The same bits whatever processor the machine code was made for."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import llvmlite.binding
import pytest

ROOT = Path(__file__).parents[2]
AVX2 = {"avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"}
AVX512 = {*AVX2, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "adx", "clflushopt"}


def targets() -> dict[str, dict[str, str]]:
    """The processors to make code for, of those whose code this machine can run: what Numba is told of each."""
    given = {"native": {}, "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}}
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return given
    features = {name for name, there in llvmlite.binding.get_host_cpu_features().items() if there}
    names = ["x86-64", *["haswell"] * (features >= AVX2), *["skylake-avx512"] * (features >= AVX512)]
    return {"native": {}, **{name: {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""} for name in names}}


def hashes(words: dict[str, str]) -> dict[str, object]:
    """The hashes of the table of cases, from machine code made for one processor. Its files bear the target's name."""
    environment = {**os.environ, **words, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    script = str(ROOT / "tests" / "hashes.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, object]]:
    """What each target gives; two at a time, since most of it is compiling."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(targets(), pool.map(hashes, targets().values()), strict=True))


def test_every_target_gives_the_same_bits(results: dict[str, dict[str, object]]) -> None:
    expected = results["native"]["hashes"]
    assert len(expected) > 500
    for name, result in results.items():
        wrong = [case for case, digest in result["hashes"].items() if digest != expected[case]]
        assert not wrong, f"{name}: {len(wrong)} of {len(expected)} differ, such as {wrong[:5]}"
        assert result["hashes"].keys() == expected.keys()


def test_control_the_targets_were_different_ones(results: dict[str, dict[str, object]]) -> None:
    made = {tuple(result["target"]) for result in results.values()}
    assert len(made) == len(results) >= 2


def test_control_a_hash_sees_one_bit() -> None:
    import numpy as np
    from hashes import digest

    x = np.ones(5, np.float32)
    y = x.copy()
    y[3] = np.nextafter(y[3], np.float32(2))
    assert digest(x) != digest(y)
    assert digest(np.array([0.0])) != digest(np.array([-0.0]))
    assert digest(np.array([np.nan])) == digest(-np.array([np.nan]))
