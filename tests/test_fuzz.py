"""The fuzzer of fuzz.py for a short time: by hypothesis, whose failures are small, and by its own command."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import fuzz
import numpy as np
import pytest
from engine_limits import OWNERS, engine_limits
from fuzz_arrays import OUTS, VIEWS, given, made, surrounded
from hypothesis import HealthCheck, settings
from hypothesis import given as examples
from hypothesis import strategies as st
from recording import Record
from samples import fewer

SCRIPT = Path(fuzz.__file__)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """The fuzzer changes what splits work; afterwards it is as it was."""
    with engine_limits(**{name: getattr(owner, name) for name, owner in OWNERS.items()}):
        yield


def test_hypothesis_finds_no_fault(record_property: Record) -> None:
    counts: Counter[str] = Counter()

    @settings(max_examples=fewer(60, 5), suppress_health_check=list(HealthCheck))
    @examples(st.randoms(use_true_random=False))
    def run_group(choose: random.Random) -> None:
        fuzz.group(choose, counts)

    run_group()
    assert counts["calls"] > fewer(1000, 5)
    record_property("random calls by hypothesis", counts["calls"])


def test_calls_by_the_command(record_property: Record) -> None:
    calls = fewer(1000, 5)
    command = [sys.executable, str(SCRIPT), "--calls", str(calls), "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert "no fault" in done.stdout
    record_property("random calls by the command", calls)


def test_control_a_wrong_result_is_seen_and_its_group_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    resize = fuzz.sw.resize

    def off(x: object, *args: object, **arguments: object) -> np.ndarray:
        result = resize(x, *args, **arguments)
        result[(-1,) * result.ndim] += 1 if result.dtype.kind != "b" else 0
        return result

    monkeypatch.setattr(fuzz.sw, "resize", off)
    with pytest.raises(AssertionError):
        fuzz.run(1000, 600, 3)
    assert "--group 3." in capsys.readouterr().err


def test_control_a_crash_is_named() -> None:
    code = """
import ctypes, sys, fuzz
fuzz.group = lambda choose, counts: ctypes.string_at(0)
sys.exit(fuzz.main())
"""
    # As `watched` does, with a fuzzer that dies.
    with tempfile.NamedTemporaryFile() as file:
        file.write(b" " * 64)
        file.flush()
        command = [sys.executable, "-c", code, "--calls", "10", "--note", file.name]
        done = subprocess.run(command, cwd=SCRIPT.parent, capture_output=True, check=False)
        assert done.returncode < 0
        assert Path(file.name).read_text().strip() == "0.0"


@pytest.mark.parametrize("kind", sorted({*VIEWS, *OUTS} - {"none", "repeated"}))
def test_control_memory_beside_an_array_is_watched(kind: str) -> None:
    untouched, out = surrounded(kind, (3, 4), np.dtype(np.float32))
    out[...] = 1.0
    assert untouched()
    block, array = made(kind, (3, 4), np.dtype(np.float32))
    assert array.shape == (3, 4)
    assert np.may_share_memory(block, array)


def test_control_one_number_beside_an_array_is_seen() -> None:
    untouched, out = surrounded("crop", (3, 4), np.dtype(np.float32))
    np.lib.stride_tricks.as_strided(out, (1, 8), (0, 4))[0, 1] = 2.0
    assert not untouched()


def test_layouts_hold_the_numbers_they_are_given() -> None:
    numbers = np.random.default_rng(0)
    for dtype in ("float32", "uint8", "float64", "bool"):
        x = numbers.integers(0, 2, (3, 4, 2)).astype(dtype)
        for kind in set(VIEWS) - {"repeated"}:
            assert (given(kind, x, numbers) == x).all(), kind
