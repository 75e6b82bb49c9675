"""A warm-up leaves nothing to compile; what is kept is bounded, and can be given back."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import sizewise as sw
from sizewise import api, kernels, plan, upkeep
from sizewise.errors import ArgumentError, UnknownNameError
from sizewise.kernels import memory

ROOT = Path(__file__).parents[1]


def run(code: str, folder: Path | None = None) -> str:
    """What a fresh Python prints that keeps its machine code in the folder, or where this one does."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    if folder is not None:
        environment["SIZEWISE_CACHE"] = str(folder)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_after_a_warm_up_no_process_compiles_anything(tmp_path: Path) -> None:
    report = "import sys, json; from sizewise import upkeep; from dataclasses import asdict"
    warm = f"{report}; json.dump(asdict(upkeep.warmup(['float32'], ['tfjs'])), sys.stdout)"  # all would take minutes
    warmed = json.loads(run(warm, tmp_path))
    assert warmed["compiled"] > 10
    assert (warmed["loaded"], warmed["lost"]) == (0, 0)
    assert warmed["n_bytes"] == sum(file.stat().st_size for file in tmp_path.rglob("*.nbc")) > 10_000
    assert run("import broad; print(broad.compiled_by(['float32'], 'tfjs'))", tmp_path) == "0\n"
    again = json.loads(run(warm, tmp_path))
    assert again["compiled"] == 0
    assert again["loaded"] > 0


def test_control_without_a_warm_up_something_is_compiled(tmp_path: Path) -> None:
    resize = "import numpy as np, sizewise as sw; sw.resize(np.ones(4, np.uint8), 2, 'nearest')"
    code = f"{resize}; from sizewise import kernels; print(kernels.machine_code().compiled > 0)"
    assert run(code, tmp_path) == "True\n"


def test_a_warm_up_reaches_every_kernel_of_every_dtype() -> None:
    code = """
import broad
from sizewise import kernels, upkeep
upkeep.warmup()
before = kernels.machine_code()
broad.resize_broadly(upkeep.DTYPES, rounds=1)
now = kernels.machine_code()
print(now.loaded - before.loaded, now.compiled - before.compiled)
"""
    assert run(code) == "0 0\n"


def test_only_what_is_named() -> None:
    steps: list[tuple[int, int, str]] = []
    upkeep.warmup(["float32"], ["nearest", "tfjs"], lambda *step: steps.append(step))
    assert steps == [(0, 1, "tfjs nearest")]
    steps.clear()
    upkeep.warmup("float32", "nearest", lambda *step: steps.append(step))
    assert list(dict.fromkeys(words for *_, words in steps)) == [f"{name} nearest" for name in sw.dialects.names()]
    assert [done for done, *_ in steps] == list(range(len(steps)))


@pytest.mark.parametrize("dtype", ["float31", "complex64", object, "datetime64"])
def test_dtypes_that_cannot_be_resized_are_refused(dtype: object) -> None:
    with pytest.raises(ArgumentError, match="dtype must be one of float32"):
        upkeep.warmup([dtype])


def test_names_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'nearest'"):
        upkeep.warmup(["float32"], ["neares"])


def test_without_numba_there_is_nothing_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    from sizewise.kernels import fallback

    monkeypatch.setattr(kernels, "load", lambda: fallback)
    assert kernels.machine_code() == kernels.MachineCode()
    assert not upkeep.warmup(["float32"], ["nearest", "tfjs"]).kept


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_clear_cache_gives_back_plans_and_blocks() -> None:
    x = np.ones((400, 500, 3), np.float32)
    kept = sw.resize(x, (500, 600))
    plan_before = sw.make_plan((400, 500), (500, 600))
    assert memory._kept
    assert api._recent
    sw.clear_cache()
    assert not memory._kept
    assert not api._recent
    assert plan.build.cache_info().currsize == 0
    assert sw.make_plan((400, 500), (500, 600)) is not plan_before
    other = sw.resize(2 * x, (500, 600))
    assert (kept == 1).all()
    assert (other == 2).all()


def test_plans_are_bounded_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    sw.clear_cache()
    one = sw.make_plan((1001,), (1000,)).n_bytes
    monkeypatch.setattr(plan, "MOST_BYTES", 4 * one)
    for n in range(50):
        size = (2000 + n,)
        assert sw.make_plan((1001,), size) is sw.make_plan((1001,), size)  # the latest always stays
        assert plan.build.cache_info().currsize <= 4
        sw.resize(np.ones(1001), size)
        assert len(api._recent) <= 4
    large = (100_000,)
    assert sw.make_plan((1001,), large) is sw.make_plan((1001,), large)
    sw.clear_cache()


def test_plans_are_bounded_by_number() -> None:
    sw.clear_cache()
    for n in range(2 * plan.MOST_PLANS):
        sw.make_plan((n + 1,), (2,))
    assert plan.build.cache_info().currsize == plan.MOST_PLANS
    sw.clear_cache()


@pytest.mark.parametrize("channels", [1, 3, 4, 20])
def test_a_plan_weighs_about_what_it_says(channels: int) -> None:
    sw.clear_cache()
    x = np.ones((300, 400, channels), np.float32)
    for size in ((200, 300), (500, 600), (3, 4)):
        for method in ("nearest", "bilinear", "lanczos3"):
            made = sw.make_plan(x.shape[:2], size, method)
            made.T(made(x))
            assert made.n_bytes / 4 < held_by(made) < 2 * made.n_bytes


def held_by(thing: object) -> int:
    """Bytes of all arrays that can be reached from a thing, but not through code."""
    seen: dict[int, object] = {}
    pending = [thing]
    while pending:
        one = pending.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType, FunctionType)) or "numba" in type(one).__module__:
            continue
        seen[id(one)] = one
        pending += [one.base] if isinstance(one, np.ndarray) else gc.get_referents(one)
    return sum(one.nbytes for one in seen.values() if isinstance(one, np.ndarray) and one.base is None)
