"""`sizewise parity` and `sizewise golden`: table, JSON, progress on stderr only, and exit codes."""

from __future__ import annotations

import json

import pytest

from sizewise.cli import parity
from sizewise.parity.sweep import Measure, Parity, Row

PASSED = Row("torch", "nearest", False, (), 9, Measure(100, 0, 0, 0), None, None, Measure(9, 3, 2.5, 4))
FAILED = Row(
    "jax", "cubic", True, (("translation", 0.5),), 3, None, Measure(9, 9, float("inf"), 4), None, None, ("oh",)
)


@pytest.fixture
def compared(monkeypatch):
    """Replace the sweep by one that returns the given rows."""

    def use(*rows, missing=()):
        def sweep(names, *, images, lines, on_row):
            for row in rows:
                on_row(row)
            return Parity((("torch", "2.13.0"),), rows, missing)

        monkeypatch.setattr(parity, "sweep", sweep)
        monkeypatch.setattr(parity, "count", lambda names: len(rows))

    return use


def test_the_table(command, compared):
    compared(PASSED, missing=("jax",))
    code, out, err = command("parity")
    assert (code, err) == (0, "torch nearest\n")
    assert "torch nearest" in out and "2.5 <= 4" in out and "passed" in out
    assert "1 of 1 rows passed." in out
    assert "Not compared, since not installed: jax." in out
    assert all(len(line) <= 80 and line == line.rstrip() for line in out.splitlines())


def test_a_broken_contract_is_exit_code_1(command, compared):
    compared(PASSED, FAILED)
    code, out, _ = command("parity")
    assert code == 1
    assert "inf > 4" in out and "Failed: jax cubic antialias translation=0.5: oh" in out


def test_json(command, compared):
    compared(PASSED, FAILED)
    code, out, _ = command("parity", "--json")
    record = json.loads(out)
    assert (code, record["passed"], record["kept"], record["versions"]) == (1, False, False, {"torch": "2.13.0"})
    assert record["rows"][0]["gradient"] == {"compared": 9, "differing": 3, "largest": 2.5, "allowed": 4}
    assert record["rows"][1]["floats"]["largest"] is None and record["rows"][1]["failures"] == ["oh"]


@pytest.mark.parametrize(("arguments", "message"), [(("torhc",), "torch"), (("standard",), "no framework")])
def test_bad_names(command, arguments, message):
    code, out, err = command("parity", *arguments)
    assert code == 2 and message in err and out == ""


def test_golden(command, tmp_path):
    code, out, err = command("golden", tmp_path / "new", "--dialect", "tfjs")
    manifest = str(tmp_path / "new" / "manifest.json")
    assert (code, out, err) == (0, f"{manifest}\n", f"tfjs\nWrote {manifest!r}\n")
    code, out, err = command("golden", tmp_path)
    assert code == 2 and "not empty" in err


def test_golden_into_a_file(command, tmp_path):
    file = tmp_path / "photo.png"
    file.touch()
    (tmp_path / "recipe.json").write_text('{"sizewise_preprocessor": 1, "steps": [{"step": "layout"}]}')
    for arguments in (["golden", file], ["preprocess", "golden", tmp_path / "recipe.json", file]):
        assert command(*arguments) == (1, "", f"sizewise: {str(file)!r} is a file; name a folder\n")
    code, _, err = command("golden", file / "below")
    assert code == 1 and err.startswith(f"sizewise: cannot write {str(file / 'below')!r}: ")
