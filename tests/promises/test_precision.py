"""`plan.for_dtype(dtype)` is the plan that arrays of that dtype go through, forward and transposed."""

from __future__ import annotations

import pickle

import numpy as np
from tolerances import assert_same_bits
from variants import VARIANTS, Variant, at_each, by_dialect, noise

import sizewise as sw

DTYPES = (np.float16, np.float32, np.float64)


@by_dialect(variant=VARIANTS)
@at_each(dtype=DTYPES)
def test_arrays_go_through_the_plan_of_their_dtype(variant: Variant, dtype: type) -> None:
    plan, x = variant.plan((9, 14), (23, 5)), noise((9, 14), dtype)
    seen = plan.for_dtype(x.dtype)
    apart = sw.Plan(seen.request, seen.taps)  # taps given by hand are taken as they are, at any dtype
    assert apart.for_dtype(np.dtype(np.float64)) is apart
    assert_same_bits(variant.resize(x, (23, 5)), apart(x))
    assert_same_bits(plan(x), apart(x))
    y = plan(x)
    assert_same_bits(variant.grad(y, (9, 14)), apart.T(y))


@by_dialect(variant=VARIANTS)
def test_transpose_and_for_dtype_commute(variant: Variant) -> None:
    plan = variant.plan((9, 14), (23, 5))
    for dtype in map(np.dtype, DTYPES):
        seen = plan.for_dtype(dtype)
        assert plan.T.for_dtype(dtype) is seen.T
        assert seen.for_dtype(dtype) is seen
        assert seen.for_dtype(np.dtype(np.float64)) is plan
        assert pickle.loads(pickle.dumps(seen)) is seen
        assert plan.for_dtype(dtype.newbyteorder(">")) is seen


def test_dialects_whose_taps_depend_on_the_dtype() -> None:
    single = np.dtype(np.float32)
    follows = {name for name in sw.dialects.names() if changes(name, single)}
    assert follows == {"jax", "paddle", "torch"}


def changes(dialect: str, dtype: np.dtype) -> bool:
    plan = sw.make_plan((26,), (22,), dialect=dialect)
    return bool((plan.for_dtype(dtype).taps[0].weights[:, 0] != plan.taps[0].weights[:, 0]).any())
