"""The override fixture replaces listed internals for one test, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sizewise import thread_count
from sizewise.engine import buffer_pool


def test_a_listed_name_is_replaced(override: Callable[..., None]) -> None:
    override(thread_count, _cores=lambda: 7)
    assert thread_count._cores() == 7


def test_control_other_names_are_rejected(override: Callable[..., None]) -> None:
    with pytest.raises(ValueError, match="tests may not replace empty"):
        override(buffer_pool, empty=None)
    with pytest.raises(ValueError, match="tests may not replace environ"):
        override("os", environ={})
