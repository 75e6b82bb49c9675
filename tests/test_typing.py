"""Types, names and `dir`, as editors and type checkers see them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, get_args

import pytest
import typing_samples

import sizewise as sw
from sizewise import typing as types
from sizewise.label_maps import LabelMaps

# Modules that users import.
PUBLIC = (
    *("sizewise", "sizewise.dialects", "sizewise.errors", "sizewise.filters", "sizewise.testing", "sizewise.typing"),
    *("sizewise.insight", "sizewise.parity"),
    *(f"sizewise.compat.{name}" for name in ("cv2", "jax", "onnx", "pillow", "tensorflow", "tfjs", "torch")),
)
# Attributes of a plan without an underscore that are for backends.
FOR_BACKENDS = {
    "autograph_info__",
    "bind",
    "cache",
    "fraction_bits",
    "full_taps",
    "is_from_request",
    "is_long",
    "to_text",
}


def test_the_literal_type_lists_every_dialect() -> None:
    assert set(get_args(types.DialectName)) == set(sw.dialects.names())


def test_the_literal_type_lists_every_method() -> None:
    known = [sw.dialects.get(name) for name in sw.dialects.names()]
    assert set(get_args(types.MethodName)) == {method for one in known for method in (*one.methods, *one.aliases)}


def test_samples_run() -> None:
    typing_samples.run_samples()


@pytest.mark.parametrize("call", typing_samples.WRONG)
def test_the_type_checker_rejects_wrong_calls(call: Callable[[], Any]) -> None:
    with pytest.raises(sw.errors.SizewiseError):
        call()


@pytest.mark.parametrize("name", PUBLIC)
def test_dir_of_a_module_lists_its_public_names(name: str) -> None:
    module = importlib.import_module(name)
    assert dir(module) == sorted(module.__all__)
    for public in module.__all__:
        assert getattr(module, public) is not None


@pytest.mark.parametrize("transposed", [False, True])
def test_dir_of_a_plan_lists_its_public_names(transposed: bool) -> None:
    plan = sw.make_plan((8, 8), (4, 4))
    plan = plan.T if transposed else plan
    named = {name for name in (*vars(plan), *vars(sw.Plan), *vars(LabelMaps)) if not name.startswith("_")}
    assert set(dir(plan)) == named - FOR_BACKENDS
    assert named > FOR_BACKENDS


def test_control_other_modules_show_all_they_have() -> None:
    assert "np" in dir(sw.plan)
