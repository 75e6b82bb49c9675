"""Samples are the same in every run, never empty, and everything where everything is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from samples import ALL, VARIABLE, sample
from variants import at_each

TESTS = Path(__file__).parent
PRINT = "from samples import sample; print(*sample(range(100), 7, 'a'))"


def printed(everything: str) -> list[int]:
    """Return what a process with this value of the variable samples."""
    environment = {**os.environ, VARIABLE: everything, "PYTHONPATH": str(TESTS)}
    done = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, text=True, check=True, env=environment)
    return [int(word) for word in done.stdout.split()]


def test_a_sample_has_one_of_each_neighborhood_and_is_the_same_in_every_process() -> None:
    found = printed("0")
    assert found == printed("")
    assert [case // 7 for case in found] == list(range(15))
    assert printed("1") == list(range(100))


def test_seeds_give_other_samples() -> None:
    assert len({tuple(sample(range(100), 50, seed)) for seed in range(20)}) > (1 if not ALL else 0)


def test_an_empty_sample_is_an_error() -> None:
    with pytest.raises(ValueError, match="no cases to sample"):
        sample([], 3)
    assert sample([5], 3) == [5]


def test_at_each_without_values_is_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        at_each(pair=())(lambda pair: None)


def test_control_a_repeated_test_names_the_value_at_which_it_fails() -> None:
    seen = []

    @at_each(number=(1, 2, 3))
    def test(number: int) -> None:
        seen.append(number)
        assert number < 2

    with pytest.raises(AssertionError) as caught:
        test()
    assert seen == [1, 2]
    assert caught.value.__notes__ == ["at number = 2"]


def test_control_an_empty_list_of_parameters_fails_the_run(tmp_path: Path) -> None:
    """pyproject.toml makes a test without parameters an error, not a skip."""
    path = tmp_path / "test_empty.py"
    path.write_text("import pytest\n@pytest.mark.parametrize('x', [])\ndef test(x): assert x\n")
    command = [sys.executable, "-m", "pytest", "-c", str(TESTS.parent / "pyproject.toml"), "-p", "no:cacheprovider"]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode != 0
    assert "Empty parameter set" in done.stdout
