"""A framework in a process of its own: what it returns, raises and prints, and how it ends."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np
import pytest

import sizewise as sw
from sizewise import parity
from sizewise.parity import child

REQUEST = sw.make_plan((4, 4), (2, 2), dialect="pillow").request


def elsewhere(function: object) -> parity.Reference:
    return parity.elsewhere(replace(parity.of("pillow"), resize=function))


def test_the_same_pixels_from_another_process() -> None:
    x = np.arange(16, dtype=np.float32).reshape(4, 4, 1)
    here, there = parity.of("pillow"), parity.elsewhere(parity.of("pillow"))
    assert (there.resize(x, REQUEST) == here.resize(x, REQUEST)).all()
    assert there.gradient is None
    assert elsewhere(os.getpid).resize() != os.getpid()
    assert elsewhere(os.getpid).resize() == elsewhere(os.getpid).resize()  # one process for all


def test_what_it_raises_and_prints() -> None:
    with pytest.raises(parity.ChildError, match="ValueError"):
        elsewhere(math.sqrt).resize(-1)
    assert elsewhere(print).resize("printed, not answered") is None
    assert elsewhere(math.sqrt).resize(4) == 2


def test_a_process_that_ends() -> None:
    child._child.cache_clear()
    try:
        with pytest.raises(parity.ChildError, match="ended"):
            elsewhere(os._exit).resize(3)
        with pytest.raises(parity.ChildError, match="ended"):
            elsewhere(math.sqrt).resize(4)
    finally:
        child._child.cache_clear()
    assert elsewhere(math.sqrt).resize(4) == 2


def test_releases() -> None:
    pillow = parity.of("pillow")
    assert pillow.is_installed() and "pillow" in parity.installed()
    assert not parity.of("pillow@12").is_installed()
    assert not replace(pillow, module="nowhere").is_installed()
    assert not replace(pillow, since=99).is_installed()
