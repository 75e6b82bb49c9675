"""`sizewise parity` and `sizewise golden`: tables, facts for machines, progress on stderr only, and how they end."""

from __future__ import annotations

import json

import pytest

from sizewise import parity
from sizewise.parity import Measure, Parity, Row

KEPT = Row("torch", "nearest", False, (), 9, Measure(100, 0, 0, 0), None, None, Measure(9, 3, 2.5, 4))
BROKEN = Row(
    "jax", "cubic", True, (("translation", 0.5),), 3, None, Measure(9, 9, float("inf"), 4), None, None, ("oh",)
)


@pytest.fixture
def compared(monkeypatch):
    """What is said to have been compared: the rows given."""

    def use(*rows, missing=()):
        def sweep(names, *, images, lines, done):
            for row in rows:
                done(row)
            return Parity((("torch", "2.13.0"),), rows, missing)

        monkeypatch.setattr(parity, "sweep", sweep)
        monkeypatch.setattr(parity, "count", lambda names: len(rows))

    return use


def test_the_table(command, compared):
    compared(KEPT, missing=("jax",))
    code, out, err = command("parity")
    assert (code, err) == (0, "torch nearest\n")
    assert "torch nearest" in out and "2.5 <= 4" in out and "kept" in out
    assert "1 of 1 rows keep what is promised." in out
    assert "Not installed here, so not compared: jax." in out
    assert all(len(line) <= 80 and line == line.rstrip() for line in out.splitlines())


def test_a_broken_promise_is_exit_code_1(command, compared):
    compared(KEPT, BROKEN)
    code, out, _ = command("parity")
    assert code == 1
    assert "inf > 4" in out and "Broken: jax cubic antialias translation=0.5: oh" in out


def test_json(command, compared):
    compared(KEPT, BROKEN)
    code, out, _ = command("parity", "--json")
    record = json.loads(out)
    assert (code, record["kept"], record["versions"]) == (1, False, {"torch": "2.13.0"})
    assert record["rows"][0]["gradient"] == {"compared": 9, "differing": 3, "largest": 2.5, "allowed": 4}
    assert record["rows"][1]["floats"]["largest"] is None and record["rows"][1]["failures"] == ["oh"]


@pytest.mark.parametrize(("words", "said"), [(("torhc",), "torch"), (("standard",), "no framework")])
def test_bad_names(command, words, said):
    code, out, err = command("parity", *words)
    assert code == 2 and said in err and out == ""


def test_golden(command, tmp_path):
    code, out, err = command("golden", tmp_path / "new", "--dialect", "tfjs")
    assert (code, err) == (0, "tfjs\n")
    assert out.strip() == str(tmp_path / "new" / "manifest.json")
    code, out, err = command("golden", tmp_path)
    assert code == 2 and "not empty" in err
