"""`sizewise warmup`: what it prints, where, and its exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FEW = ("warmup", "--dtype", "uint8", "--only", "nearest", "--only", "tfjs")  # copies alone: one kernel


def test_it_says_what_it_did_and_where(process, tmp_path: Path):
    done = process("-m", "sizewise", *FEW, SIZEWISE_CACHE=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()
    assert re.fullmatch(r"Compiled [1-9]\d* kernels in [\d.]+ s; 0 were there already\.", first)
    assert re.fullmatch(rf"\d+\.\d MB of machine code in {re.escape(str(tmp_path))}.kernels-[0-9a-f]{{16}}", second)
    again = process("-m", "sizewise", *FEW, "--json", SIZEWISE_CACHE=str(tmp_path))
    facts = json.loads(again.stdout)
    assert (again.returncode, again.stderr) == (0, "")
    assert facts["compiled"] == facts["lost"] == 0
    assert facts["loaded"] > 0
    assert facts["kept"] is True
    assert facts["n_bytes"] == sum(file.stat().st_size for file in Path(facts["folder"]).iterdir())


def test_a_place_that_cannot_be_written(process, tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = process("-m", "sizewise", *FEW, SIZEWISE_CACHE=str(blocked))
    assert done.returncode == 1
    assert "Nothing could be kept" in done.stdout
    assert "SIZEWISE_CACHE" in done.stdout
    facts = json.loads(process("-m", "sizewise", *FEW, "--json", SIZEWISE_CACHE=str(blocked)).stdout)
    assert (facts["kept"], facts["folder"]) == (False, None)


def test_without_numba(process):
    done = process("-W", "ignore", "-m", "sizewise", *FEW, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout) == (1, "Numba cannot be used here: there is nothing to compile.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--dtype", "float31"), "dtype must be one of float32, "),
        (("--only", "neares"), "did you mean 'nearest'"),
    ],
)
def test_wrong_words(command, words, message):
    code, out, err = command("warmup", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
