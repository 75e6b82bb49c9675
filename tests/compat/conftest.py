"""Lets the tests here import the helpers beside them and the scripts of docs/, and asks once for the real TF.js."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs")]

import tfjs_node  # noqa: E402


@pytest.fixture(scope="session")
def node():
    """`node(requests)` runs requests on the real TF.js; without it: a skip, or a failure where CI must not skip."""
    reason = tfjs_node.missing()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return tfjs_node.run
