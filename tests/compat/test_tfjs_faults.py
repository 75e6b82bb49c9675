"""Each fault that docs/tfjs-faults.md tells of still exists in TF.js and not here, and the page is up to date."""

from __future__ import annotations

import make_tfjs_faults
import numpy as np
import pytest
from tfjs_cases import DIFFERENCES_ULP

from sizewise.testing import assert_same_pixels


@pytest.fixture(scope="module")
def facts(node):
    return make_tfjs_faults.gather()


def test_ours_is_right_and_theirs_is_not(facts):
    for one in facts:
        assert_same_pixels(one.ours, one.right.astype(np.float32), ulp=DIFFERENCES_ULP["bilinear"])
        if not isinstance(one.theirs, str):
            assert one.theirs.shape == one.right.shape
            assert not np.allclose(one.theirs, one.right, rtol=1e-3), one.fault.title


def test_each_fault_is_the_one_told_of(facts):
    non_square, bilinear, nearest, batch, endless = (one.theirs for one in facts)
    assert "'1,3,2,1'" in non_square and "does not match" in non_square
    assert np.allclose(bilinear.ravel(), [16 / 9, 20 / 9, 20 / 9, 25 / 9])
    assert nearest.ravel().tolist() == [4, 2, 2, 1]
    assert np.isnan(batch.ravel()[4]) and batch.ravel()[:4].tolist() == [1, 0, 0, 0]
    assert endless.startswith("nothing")


def test_the_other_call_of_an_endless_one_returns(node):
    """The time-out is not what every call runs into: the same call without the flag is answered in time."""
    [fault] = [fault for fault in make_tfjs_faults.FAULTS if fault.endless]
    request = fault.request("grad")
    request["attrs"]["alignCorners"] = False
    [answer] = node([request], timeout=make_tfjs_faults.PATIENCE)
    assert answer["values"] == [4]


def test_the_page_is_what_the_command_writes_now(node, facts):
    [version] = node([{"call": "version"}])
    assert make_tfjs_faults.PAGE.read_text(encoding="utf-8") == make_tfjs_faults.page(facts, version["tfjs"])
