"""A plan survives a pickle as the very same object, and so does its transpose."""

from __future__ import annotations

import pickle
import subprocess
import sys

from tolerances import assert_same_bits
from variants import VARIANTS, Variant, by_dialect, noise

import sizewise as sw


@by_dialect(variant=VARIANTS)
def test_the_same_object_comes_back(variant: Variant) -> None:
    plan = variant.plan((9, 8), (4, 11))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(plan, protocol)) is plan
        assert pickle.loads(pickle.dumps(plan.T, protocol)) is plan.T


def test_scale_survives() -> None:
    plan = sw.make_plan((9, 8), scale=0.7)
    assert pickle.loads(pickle.dumps(plan)) is plan


def test_pickles_are_small() -> None:
    assert len(pickle.dumps(sw.make_plan((4000, 4000), (1000, 1000)))) < 1000


def test_another_process_builds_the_same_plans() -> None:
    plans, x = [variant.plan((9, 8), (4, 11)) for variant in VARIANTS], noise((9, 8))
    code = "import pickle, sys; plans, x = pickle.load(sys.stdin.buffer)\n"
    code += "pickle.dump([plan(x) for plan in plans], sys.stdout.buffer)"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps((plans, x)), capture_output=True, check=True)
    for plan, result in zip(plans, pickle.loads(done.stdout), strict=True):
        assert_same_bits(result, plan(x))


def test_control_other_arguments_give_other_plans() -> None:
    plan = sw.make_plan((9, 8), (4, 11))
    assert pickle.loads(pickle.dumps(sw.make_plan((9, 8), (4, 12)))) is not plan
    assert pickle.loads(pickle.dumps(plan.T)) is not plan
