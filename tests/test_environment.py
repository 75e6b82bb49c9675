"""Unusual environments: folders without write access, no home, NumPy set to raise, environment variables, one core."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sizewise

TESTS = Path(__file__).parent
PACKAGE = Path(sizewise.__file__).parent


def run(code: str, *, without: tuple[str, ...] = (), cwd: Path | None = None, **environment: str) -> str:
    """Return the output of a new Python process, which must succeed."""
    variables = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}", **environment}
    for name in without:
        variables.pop(name, None)
    command = [sys.executable, "-X", "faulthandler", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


RESIZE = """
import numpy as np, sizewise as sw
print(sw.resize(np.arange(8, dtype="f4"), (4,), "nearest").tolist())
"""
RIGHT = "[1.0, 3.0, 5.0, 7.0]\n"


# --- folders ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package in which no __pycache__ can be made, not even by root: files take their places."""
    folder = tmp_path / "installed"
    shutil.copytree(PACKAGE, folder / "sizewise", ignore=shutil.ignore_patterns("__pycache__"))
    for path in [folder / "sizewise", *(folder / "sizewise").rglob("*/")]:
        if path.is_dir():
            (path / "__pycache__").write_text("not a folder", encoding="utf-8")
    return folder


def files_below(folder: Path) -> dict[str, int]:
    """Return the files of a folder, and when each was written."""
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_an_install_and_a_home_without_write_access(installed: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "home"
    blocked.write_text("not a folder", encoding="utf-8")
    assert run(RESIZE, cwd=installed, PYTHONPATH=str(installed), HOME=str(blocked)) == RIGHT


def test_no_home(installed: Path, tmp_path: Path) -> None:
    """HOME is unset, and the system knows no user of this number, as in some containers."""
    unknown = "import pwd\ndef unknown(number): raise KeyError(number)\npwd.getpwuid = unknown\n"
    here = tmp_path / "here"
    here.mkdir()
    assert run(unknown + RESIZE, without=("HOME",), cwd=here, PYTHONPATH=str(installed)) == RIGHT
    assert list(here.iterdir()) == []


# Resizes and gradients of every variant, on one thread and on two.
WRITES = """
import os, sys
from random_resizes import run_random_resizes
from samples import sample
from variants import VARIANTS
run_random_resizes(("float32", "uint8", "float16"), rounds=1, variants=sample(VARIANTS, 3))
sys.stdout.write("done")
"""


@pytest.mark.parametrize("isa", ["", "numpy"], ids=["native", "numpy"])
def test_no_file_is_written(tmp_path: Path, isa: str) -> None:
    """Not in the package, the home, the temporary or the current folder; Python's own __pycache__ is switched off."""
    package, home, temporary, here = (tmp_path / name for name in ("package", "home", "temporary", "here"))
    shutil.copytree(PACKAGE, package / "sizewise", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (home, temporary, here):
        folder.mkdir()
    before = files_below(tmp_path)
    arguments = {
        "PYTHONPATH": f"{package}{os.pathsep}{TESTS}",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    arguments |= {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1", "SIZEWISE_ISA": isa}
    code = f"import sizewise; assert sizewise.__file__.startswith({str(package)!r}), sizewise.__file__\n{WRITES}"
    assert run(code, cwd=here, **arguments) == "done"
    assert files_below(tmp_path) == before


def test_control_a_written_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    before = files_below(tmp_path)
    run("open('folder/cache', 'w').close()", cwd=tmp_path)
    assert files_below(tmp_path) != before


# --- NumPy -----------------------------------------------------------------------------------------------------------

# Everything that could raise a flag: numbers that are too small, too large, infinite, and none.
STRICT = """
import warnings
import numpy as np, sizewise as sw
from random_resizes import CHANNELS
from samples import sample
from variants import ALL, max_axes, noise
np.seterr(all="raise")
warnings.simplefilter("error", RuntimeWarning)
from sizewise import call_cache, plan
call_cache.clear(), plan.clear()  # those that were made before
n_calls = 0
tried = sample(ALL, 3)
for position, variant in enumerate(tried):
    for dtype in ("float32", "float16", "float64", ">f4", "uint8"):
        x = noise((9, 7, CHANNELS[position % 4]), dtype.lstrip(">")).astype(dtype)
        if x.dtype.kind == "f":
            x[0], x[1, 1], x[2, 2], x[3, 3] = np.finfo(x.dtype).tiny / 4, np.inf, np.nan, np.finfo(x.dtype).max
            x[4] = np.finfo(x.dtype).max
        for size in ((5, 12), (20, 3)):
            y = variant.resize(x, size, axes=(0, 1), threads=2)
            n_calls += 1
            if y.dtype.kind == "f":
                variant.grad(y, (9, 7), axes=(0, 1))
print(n_calls == 10 * len(tried), np.geterr()["over"])
"""


@pytest.mark.parametrize("switch", [{}, {"SIZEWISE_ISA": "numpy"}], ids=["native", "numpy"])
def test_numpy_set_to_raise_errors(switch: dict[str, str]) -> None:
    assert run(STRICT, **switch) == "True raise\n"


def test_subnormal_numbers_stay() -> None:
    code = """
import numpy as np, sizewise as sw
x = np.random.default_rng(0).integers(1, 2**13, (40, 50, 3)).astype(np.float32)
for method in ("nearest", "area"):
    for threads in (1, 3):
        whole = sw.resize(x, (20, 25), method, threads=threads)  # sums of four, halved twice: exact
        tiny = sw.resize(x * np.float32(2.0**-140), (20, 25), method, threads=threads)
        assert 0 < tiny.max() < np.finfo(np.float32).tiny
        assert (tiny.astype(np.float64) == np.rint(whole.astype(np.float64) * 2.0**9) * 2.0**-149).all()
print("exact")
"""
    assert run(code) == "exact\n"


# --- environment variables, and cores -------------------------------------------------------------------------------

LARGE = """
import hashlib, sys
import numpy as np, sizewise as sw
x = np.random.default_rng(0).random((900, 800, 3)).astype(np.float32)
try:
    print(hashlib.sha256(sw.resize(x, (1000, 900), "bicubic").tobytes()).hexdigest())
except sw.errors.ArgumentError as refused:
    print(refused)
"""


@pytest.fixture(scope="module")
def usual() -> str:
    return run(LARGE, without=("SIZEWISE_THREADS", "OMP_NUM_THREADS"))


@pytest.mark.parametrize(
    "arguments",
    [{"OMP_NUM_THREADS": "1"}, *({"SIZEWISE_THREADS": given} for given in ("1", "64", " 2 ", ""))],
    ids=str,
)
def test_any_number_of_threads_in_the_environment(arguments: dict[str, str], usual: str) -> None:
    assert run(LARGE, **arguments) == usual


@pytest.mark.parametrize("given", ["0", "-3", "many", "1.5", "1e3", "²"])
def test_no_number_of_threads_in_the_environment(given: str) -> None:
    said = run(LARGE, SIZEWISE_THREADS=given)
    assert said == f"SIZEWISE_THREADS must be an integer of at least 1, not {given!r}\n"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_one_core(usual: str) -> None:
    one = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    assert run(one + LARGE) == usual
    assert run(one + LARGE.replace('"bicubic")', '"bicubic", threads=8)')) == usual
