"""Samples of the cases that take long: `make test` tries a seeded part of them, `make test-all` every one.

SIZEWISE_TEST_ALL=1 in the environment, which `make test-all` sets, selects every case, in child processes too.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")

VARIABLE = "SIZEWISE_TEST_ALL"
ALL = os.environ.get(VARIABLE, "0") not in ("", "0")


def sample(cases: Iterable[Case], one_in: int, seed: object = "") -> list[Case]:
    """Return one case of each `one_in` neighbors, the same ones in every run; in `make test-all` every case.

    There is always at least one. Tests that sample the same cases many times give each time another `seed`.
    """
    every = list(cases)
    if not every:
        raise ValueError("there are no cases to sample: the test would pass without trying anything")
    if ALL:
        return every
    choose = random.Random(f"{seed} {len(every)}")
    return [choose.choice(every[first : first + one_in]) for first in range(0, len(every), one_in)]


def fewer(count: int, one_in: int) -> int:
    """Return a part of a number of repetitions, and at least one; in `make test-all` all of them."""
    return count if ALL else max(1, count // one_in)
