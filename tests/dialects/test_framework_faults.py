"""Faults in docs/explanation/framework-faults.md: each still exists in its framework, and not in Sizewise.

If a fault fails here, a newer release has fixed it: remove it from docs/faults, and run `make docs`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

import faults
import make_framework_faults
import pytest
from faults import Fault

ALL = faults.every()
gather = cache(faults.gather)


def require(framework: str) -> None:
    """Skip if the framework is missing; fail in CI."""
    reason = faults.missing(framework)
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def titled(part: str) -> Fault:
    [fault] = [fault for fault in ALL if part in fault.title]
    return fault


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: f"{fault.framework}: {fault.title}")
def test_fault_exists_and_sizewise_is_correct(fault: Fault) -> None:
    require(fault.framework)
    one = gather(fault)
    assert one.exists, f"{fault.framework} {one.version} gives {one.theirs}, which is right"
    assert one.is_ours_right, f"{one.ours}, right is {one.right}"


def test_page_is_up_to_date() -> None:
    for framework in faults.NAMES:
        require(framework)
    page = make_framework_faults.page([gather(fault) for fault in ALL])
    assert make_framework_faults.PAGE.read_text(encoding="utf-8") == page


def test_control_correct_answer_is_no_fault() -> None:
    require("torch")
    fault = titled("antialiased gradients resample")
    call = fault.call.replace("scale_factor=1.2", "scale_factor=1.0")
    assert call != fault.call
    assert not faults.gather(replace(fault, call=call)).exists


def test_control_wrong_answer_of_sizewise_fails() -> None:
    require("torch")
    fault = titled("antialiasing to a width of 1")
    ours = fault.ours.replace("(4, 1)", '(4, 1), "nearest"').replace("antialias=True, ", "")
    assert not faults.gather(replace(fault, ours=ours)).is_ours_right


def test_control_call_without_the_flag_returns() -> None:
    """The same call without the flag returns the correct result before the timeout."""
    require("tfjs")
    [fault] = [fault for fault in ALL if fault.endless]
    call = fault.call.replace(", true", ", false")
    assert call != fault.call
    assert not faults.gather(replace(fault, call=call)).exists
