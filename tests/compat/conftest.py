"""Lets the tests here import the helpers beside them, and asks once for the real TF.js."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import tfjs_node


@pytest.fixture(scope="session")
def node():
    """`node(requests)` runs requests on the real TF.js; without it: a skip, or a failure where CI must not skip."""
    reason = tfjs_node.missing()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return tfjs_node.run
