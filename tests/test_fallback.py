"""Without the native core, or with a broken one: the same results to rounding, and exactly one warning."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from samples import sample
from tolerances import sum_bound
from variants import VARIANTS, Variant, noise

from sizewise import _core

BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == "sizewise._core._native":
            raise ImportError("the module is blocked")
sys.meta_path.insert(0, Blocker())
"""
EMPTY = """
import sys, types
sys.modules["sizewise._core._native"] = types.ModuleType("sizewise._core._native")
sys.modules["sizewise._core._native"].__file__ = "_native.so"
"""
BROKEN = """
import sys
from importlib.machinery import ModuleSpec
class Loader:
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        raise ImportError("undefined symbol: PyInit__native")
class Finder:
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, Loader()) if name == "sizewise._core._native" else None
sys.meta_path.insert(0, Finder())
"""
OLD_CPU = """
import sys
import sizewise.version
from sizewise._core import _native
class Module:
    VERSION = sizewise.version.__version__
    supported = staticmethod(lambda: [])
sys.modules["sizewise._core._native"] = Module
"""
CHILD = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np
    from test_fallback import CASES, run
    import sizewise as sw
    from sizewise.errors import SizewiseWarning
    results = {f"case{n}": run(CASES[n]) for n in map(int, sys.argv[2:])}
ours = [str(item.message) for item in caught if issubclass(item.category, SizewiseWarning)]
np.savez(sys.argv[1], messages=np.array(ours), isa=sw.core_info().isa, reason=sw.core_info().reason, **results)
"""

# Both pass orders, one axis alone, and 9 -> 3, where lanczos3 has weights of 0 inside its runs.
SIZES = [((2, 9, 11, 3), (4, 5)), ((2, 9, 11, 3), (20, 17)), ((9, 9), (3, 3)), ((9, 11), (9, 30)), ((30, 4, 9), (7, 4))]
# Some outputs that read nothing, and nothing but such.
CROP = ("coordinate_transformation_mode", "tf_crop_and_resize")
OUTSIDE = [
    Variant("onnx", method, False, (CROP, ("extrapolation_value", 7.0), ("roi", roi)))
    for method in ("nearest", "linear")
    for roi in [(0.5, 0.0, 1.5, 1.0), (2.0, 2.0, 3.0, 3.0)]
]
# (variant, shape, size, dtype, whether one pixel is NaN)
CASES = [
    (variant, shape, size, dtype, poisoned)
    for variant in [*VARIANTS, *OUTSIDE]
    for shape, size in SIZES
    for dtype, poisoned in [(np.float32, False), (np.float64, False), (np.float64, True), (np.uint8, False)]
]


def run(case: tuple) -> np.ndarray:
    """The result of a case, followed by a gradient where it has one, in one line of numbers."""
    variant, shape, size, dtype, poisoned = case
    y = variant.resize(image(shape, dtype, poisoned), size)
    if y.dtype != dtype or y.dtype.kind != "f":
        return y.ravel()
    return np.concatenate([y.ravel(), variant.grad(image(y.shape, dtype, poisoned), resized(shape)).ravel()])


def image(shape: tuple[int, ...], dtype: type, poisoned: bool) -> np.ndarray:
    x = noise(shape, dtype)
    if poisoned:
        x.flat[x.size // 2] = np.nan
    return x


def resized(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The lengths of the axes that are resized by default."""
    return shape if len(shape) == 2 else shape[-3:-1]


@pytest.fixture(scope="module")
def native_results() -> list[np.ndarray]:
    return [run(case) for case in CASES]


@pytest.mark.parametrize(
    ("prelude", "reason"),
    [
        (BLOCKED, "the module is blocked"),
        (EMPTY, "_native.so is of version unknown, and this is Sizewise"),
        (BROKEN, "undefined symbol: PyInit__native"),
        (OLD_CPU, "the CPU is older than x86-64-v2"),
    ],
    ids=["blocked", "empty", "broken", "old CPU"],
)
def test_same_results_and_one_warning(
    prelude: str, reason: str, native_results: list[np.ndarray], tmp_path: Path
) -> None:
    path = tmp_path / "results.npz"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    numbers = sample(range(len(CASES)), 1 if prelude == BLOCKED else 10, reason)  # results do not depend on the reason
    command = [sys.executable, "-c", prelude + CHILD, str(path), *map(str, numbers)]
    subprocess.run(command, env=environment, check=True, timeout=120)
    with np.load(path) as saved:
        assert str(saved["isa"]) == "numpy"
        assert reason in str(saved["reason"])
        assert saved["messages"].size == 1
        assert str(saved["messages"][0]).startswith("the native core cannot be used (")
        assert reason in str(saved["messages"][0])
        for n in numbers:
            assert_same_numbers(saved[f"case{n}"], native_results[n], CASES[n])


def assert_same_numbers(actual: np.ndarray, expected: np.ndarray, case: tuple) -> None:
    """Asserts NaNs at the same places, and elsewhere the same numbers to rounding."""
    variant, shape, size, *_ = case
    plan = variant.plan(resized(shape), size)
    assert actual.dtype == expected.dtype
    if actual.dtype.kind != "f":
        assert (actual == expected).all()
        return
    assert (np.isnan(actual) == np.isnan(expected)).all()
    finite = ~np.isnan(expected)
    magnitude = float(np.abs(expected[finite]).max(initial=0.0))
    allowed = sum_bound(plan.taps, actual.dtype, magnitude) + sum_bound(plan.T.taps, actual.dtype, magnitude)
    assert np.abs(actual - expected)[finite].max(initial=0.0) <= allowed


def test_control_the_native_core_is_used_where_it_can_be(native_results: list[np.ndarray]) -> None:
    assert _core.native() is not None
    assert any(np.isnan(result).any() and not np.isnan(result).all() for result in native_results)
    with pytest.raises(AssertionError):
        assert_same_numbers(native_results[0] * 1.001, native_results[0], CASES[0])
