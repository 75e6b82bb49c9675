"""Old names still work, with a DeprecationWarning that gives the new one; `dir` does not list them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import sizewise as sw
from sizewise import deprecation

PLAN = sw.make_plan((6, 4), (3, 2), "nearest")
OLD = [
    *((PLAN, old, new) for old, new in deprecation.PLAN.items()),
    *((PLAN.taps[0], old, new) for old, new in deprecation.TAPS.items()),
    *((sw.dialects, old, new) for old, new in deprecation.DIALECTS.items()),
]


@pytest.mark.parametrize(
    ("owner", "old", "new"), OLD, ids=[f"{getattr(one, '__name__', one)!r:.9} {old}" for one, old, _ in OLD]
)
def test_an_old_name_gives_the_new_attribute(owner: object, old: str, new: str) -> None:
    name = new.removesuffix("()")
    expected = getattr(owner, name)() if new.endswith("()") else getattr(owner, name)
    with pytest.warns(DeprecationWarning, match=rf"{old} is now {name}") as caught:
        given = getattr(owner, old)
    assert caught[0].filename == __file__
    assert np.array_equal(given, expected) if isinstance(given, np.ndarray) else given == expected
    assert old not in dir(owner)


@pytest.mark.parametrize("owner", [PLAN, PLAN.taps[0], sw.dialects])
def test_other_names_are_no_attributes(owner: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'something_else'"):
        owner.something_else  # type: ignore[attr-defined]


def test_plans_and_taps_are_copied_and_pickled_as_before() -> None:
    plan = sw.make_plan((6, 4), (3, 2), "nearest")
    assert copy.deepcopy(plan) is plan and pickle.loads(pickle.dumps(plan)) is plan
    assert (pickle.loads(pickle.dumps(plan.taps[0])).start == plan.taps[0].start).all()
