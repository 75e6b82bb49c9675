"""The list of cases: each is a valid call, and no two are the same."""

from __future__ import annotations

import pytest
from variants import at_each

import sizewise as sw
from sizewise.errors import ArgumentError
from sizewise_bench.cases import Case, all_cases, quick_cases, select


def test_names_are_unique_and_quick_cases_are_a_subset():
    names = [case.name for case in all_cases()]
    assert len(set(names)) == len(names)
    assert {case.name for case in quick_cases()} <= set(names)
    assert 10 <= len(quick_cases()) <= 15


@at_each(case=all_cases())
def test_every_case_is_a_valid_call(case):
    arguments = {name: value for name, value in case.arguments.items() if name != "axes"}
    plan = sw.make_plan(case.shape[1:3], case.size, **arguments)
    sizes = (plan.input_size, plan.output_size)
    rows = slice(2, 4) if case.layout == "NCHW" else slice(1, 3)
    assert (case.source_shape[rows], case.result_shape[rows]) == (sizes[::-1] if case.gradient else sizes)


def test_the_targets_have_cases():
    cases = [case for case in all_cases() if case.dtype == "float32" and case.dialect == "standard"]
    assert {case.method for case in cases} == {"nearest", "bilinear", "bicubic", "lanczos3", "area"}
    assert {case.shape[3] for case in cases} == {1, 3, 4, 64}
    assert {(case.layout, case.gradient, case.grows) for case in cases} == {
        (layout, gradient, grows)
        for layout in ("NHWC", "NCHW")
        for gradient in (False, True)
        for grows in (False, True)
    }


@pytest.mark.parametrize("dialect", ["pillow", "torch", "opencv"])
def test_bit_exact_dialects_have_uint8_cases(dialect):
    rows = [case for case in all_cases() if case.dialect == dialect]
    assert rows
    assert {case.dtype for case in rows} <= {"uint8"}


def test_source_is_deterministic_and_has_its_dtype():
    case = Case((1, 4, 5, 3), (2, 2), "bilinear", dtype="float16", layout="NCHW")
    assert case.source().shape == (1, 3, 4, 5)
    assert case.source().dtype == "float16"
    assert (case.source() == case.source()).all()


def test_selection_by_words_and_error_without_match():
    assert all("gradient" in case.name and "NCHW" in case.name for case in select(all_cases(), "nchw gradient"))
    with pytest.raises(ArgumentError, match=r"no case has all the words 'bilinear cubist'.*names look like: nearest"):
        select(all_cases(), "bilinear cubist")
