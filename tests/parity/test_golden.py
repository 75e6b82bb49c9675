"""Golden vectors: written files are read back, correct, and complete or absent."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from frameworks import assert_within

import sizewise as sw
from sizewise import parity
from sizewise.testing import assert_same_pixels

FROM_FRAMEWORKS = Path(__file__).parents[1] / "dialects" / "golden"


@cache
def from_frameworks() -> list[parity.Golden]:
    """Return the cases computed by the frameworks, read once."""
    return list(parity.read(FROM_FRAMEWORKS))


def check(case: parity.Golden) -> None:
    """Assert that pixels and gradients are those of the file, within its tolerance."""
    arguments = {"method": case.method, "antialias": case.antialias, "dialect": case.dialect, **case.options}
    plan = sw.make_plan(case.input_size, case.size, **arguments)
    assert plan.output_size == case.output_size
    y = plan(case.x, (0, 1))
    if case.x.dtype == np.uint8:
        assert_same_pixels(y, case.y)
        return
    assert_within(y.astype(case.y.dtype), case.y, case.x, case.ulp)
    dx = plan.T(case.dy, (0, 1))
    assert_within(dx.astype(case.dx.dtype), case.dx, case.dy, case.gradient_ulp)


def test_round_trip_and_correct_results(tmp_path):
    manifest = parity.write(tmp_path, ["torch", "tfjs"])
    cases = list(parity.read(tmp_path))
    assert {case.dialect for case in cases} == {"torch", "tfjs"}
    assert {case.x.dtype.name for case in cases} == {"float32", "uint8"}
    assert len({(case.method, case.antialias, str(case.options)) for case in cases if case.dialect == "torch"}) == 12
    for case in cases:
        check(case)
    record = json.loads(manifest.read_text())
    assert record["sizewise"] == sw.__version__
    assert record["dialects"]["torch"]["made_by"] == f"sizewise {sw.__version__}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "tfjs.npz", "torch.npz"]


def test_other_folders_are_not_changed(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(sw.errors.ArgumentError, match="not empty"):
        parity.write(tmp_path, ["tfjs"])
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_of_golden_vectors_is_written_again(tmp_path):
    parity.write(tmp_path, ["tfjs"])
    parity.write(tmp_path, ["tfjs"])
    assert len(list(parity.read(tmp_path))) == 36


def test_folder_without_a_manifest_is_rejected(tmp_path):
    with pytest.raises(sw.errors.ArgumentError, match="no golden vectors"):
        list(parity.read(tmp_path))


@pytest.mark.parametrize("dialect", json.loads((FROM_FRAMEWORKS / "manifest.json").read_text())["dialects"])
def test_pixels_of_the_frameworks(dialect):
    """Results of the real frameworks, written by `sizewise golden tests/dialects/golden --frameworks`."""
    cases = [case for case in from_frameworks() if case.dialect == dialect]
    assert cases
    for case in cases:
        try:
            check(case)
        except AssertionError as difference:
            about = (case.method, case.antialias, case.options, case.input_size, case.output_size, case.x.dtype)
            raise AssertionError(f"{about}: {difference}") from None


def test_control_another_dialect_differs():
    [case] = [
        case
        for case in from_frameworks()
        if case.dialect == "torch" and case.method == "bicubic" and not case.antialias
        and case.input_size == (5, 7) and case.x.dtype == np.float32 and not any(case.options.values())
    ]  # fmt: skip
    for other in ("standard", "tensorflow", "jax"):
        with pytest.raises(AssertionError):
            assert_within(
                sw.resize(case.x, case.output_size, sw.dialects.get(other).resolve_method("bicubic"), antialias=False,
                          dialect=other), case.y, case.x, case.ulp,
            )  # fmt: skip
