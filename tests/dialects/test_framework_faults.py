"""Each fault that docs/explanation/framework-faults.md tells of still exists, and not here; and the page is up to date.

A fault that fails here is gone from a newer version: take it out of docs/faults, and run `make docs`.
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
    """A skip where the framework is missing, or a failure where CI must not skip."""
    reason = faults.missing(framework)
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def titled(part: str) -> Fault:
    [fault] = [fault for fault in ALL if part in fault.title]
    return fault


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: f"{fault.framework}: {fault.title}")
def test_the_fault_exists_and_ours_is_right(fault: Fault) -> None:
    require(fault.framework)
    one = gather(fault)
    assert one.exists, f"{fault.framework} {one.version} gives {one.theirs}, which is right"
    assert one.is_ours_right, f"{one.ours}, right is {one.right}"


def test_the_page_is_what_the_command_writes_now() -> None:
    for framework in faults.NAMES:
        require(framework)
    page = make_framework_faults.page([gather(fault) for fault in ALL])
    assert make_framework_faults.PAGE.read_text(encoding="utf-8") == page


def test_control_a_right_answer_is_no_fault() -> None:
    require("torch")
    fault = titled("antialiased gradients resample")
    call = fault.call.replace("scale_factor=1.2", "scale_factor=1.0")
    assert call != fault.call
    assert not faults.gather(replace(fault, call=call)).exists


def test_control_a_wrong_answer_of_ours_is_seen() -> None:
    require("torch")
    fault = titled("antialiasing to a width of 1")
    ours = fault.ours.replace("(4, 1)", '(4, 1), "nearest"').replace("antialias=True, ", "")
    assert not faults.gather(replace(fault, ours=ours)).is_ours_right


def test_control_the_other_call_of_an_endless_one_returns() -> None:
    """The time-out is not what every call runs into: the same call without the flag is answered in time, and right."""
    require("tfjs")
    [fault] = [fault for fault in ALL if fault.endless]
    call = fault.call.replace(", true", ", false")
    assert call != fault.call
    assert not faults.gather(replace(fault, call=call)).exists
