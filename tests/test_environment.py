"""Surroundings that are not as they should be: folders, disks, other Numbas, NumPy's settings, words of the shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sizewise
from sizewise import kernels

TESTS = Path(__file__).parent
PACKAGE = Path(sizewise.__file__).parent


def run(code: str, *, without: tuple[str, ...] = (), cwd: Path | None = None, **environment: str) -> str:
    """What a new Python prints; it must end well."""
    variables = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}", **environment}
    for name in without:
        variables.pop(name, None)
    command = [sys.executable, "-X", "faulthandler", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


RESIZE = """
import numpy as np, sizewise as sw
from sizewise import kernels
print(sw.resize(np.arange(8, dtype="f4"), (4,), "nearest").tolist(), kernels.machine_code().folder)
"""
RIGHT = "[1.0, 3.0, 5.0, 7.0]"


# --- folders and disks -----------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package that cannot be written to, not even by root: a file is where its folder would be."""
    folder = tmp_path / "installed"
    shutil.copytree(PACKAGE, folder / "sizewise", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "sizewise" / "kernels" / "__pycache__").write_text("not a folder", encoding="utf-8")
    return folder


OWN_WORDS = ("SIZEWISE_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


def test_an_install_and_a_home_that_cannot_be_written(installed: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "home"
    blocked.write_text("not a folder", encoding="utf-8")
    assert (
        run(RESIZE, without=OWN_WORDS, cwd=installed, PYTHONPATH=str(installed), HOME=str(blocked)) == f"{RIGHT} None\n"
    )


def test_an_install_that_cannot_be_written_and_a_home_that_can(installed: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    made = run(RESIZE, without=OWN_WORDS, cwd=installed, PYTHONPATH=str(installed), HOME=str(home)).split()
    assert made[-1].startswith(str(home / ".cache" / "sizewise" / "kernels-"))


def test_nobody_at_home(installed: Path, tmp_path: Path) -> None:
    """HOME is unset, and the system knows no user of this number, as in many a container."""
    nowhere = "import pwd\ndef unknown(number): raise KeyError(number)\npwd.getpwuid = unknown\n"
    here = tmp_path / "here"
    here.mkdir()
    made = run(nowhere + RESIZE, without=(*OWN_WORDS, "HOME"), cwd=here, PYTHONPATH=str(installed))
    assert made == f"{RIGHT} None\n"
    assert list(here.iterdir()) == []  # no folder of the name "~"


def test_a_relative_folder_in_the_environment_is_not_used(installed: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    words = {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": "relative"}
    assert run(RESIZE, without=OWN_WORDS[:2], cwd=here, **words) == f"{RIGHT} None\n"
    assert list(here.iterdir()) == []


def test_a_full_disk(tmp_path: Path) -> None:
    """A disk of 16 kB, full but for a few bytes; where none can be made, test_robustness limits the size of files."""
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(tmp_path)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        (tmp_path / "other").write_bytes(b"x" * 8000)
        assert run(RESIZE, SIZEWISE_CACHE=str(tmp_path)).startswith(RIGHT)
        assert list(tmp_path.rglob("*.tmp")) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


# --- Numba -----------------------------------------------------------------------------------------------------------

FALLBACK = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np, sizewise as sw
    result = sw.resize(np.arange(8, dtype="f4"), (4,), "nearest").tolist()
    sw.resize_grad(np.ones((2, 2)), (5, 5))
from sizewise import kernels
print(result, kernels.load().__name__.rpartition(".")[2], kernels.machine_code().folder)
print([str(one.message) for one in caught if issubclass(one.category, sw.errors.SizewiseWarning)])
"""
STUB = """
__version__ = "{version}"
class config:
    DISABLE_JIT = False
def njit(*args, **words):
    return args[0] if args else lambda function: function
"""


@pytest.mark.parametrize(
    ("version", "said"), [("0.59.1", "older than 0.60"), ("99.0", "not a package"), ("nonsense", "older than 0.60")]
)
def test_a_numba_that_is_too_old_or_none(tmp_path: Path, version: str, said: str) -> None:
    (tmp_path / "numba.py").write_text(STUB.format(version=version), encoding="utf-8")
    result, warned = run(FALLBACK, PYTHONPATH=f"{tmp_path}{os.pathsep}{TESTS.parent}").splitlines()
    assert result == f"{RIGHT} fallback None"
    assert said in warned
    assert warned.count("Numba cannot be used") == 1


def test_the_oldest_numba_is_the_one_that_is_asked_for() -> None:
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [asked] = [words for words in project["dependencies"] if words.startswith("numba")]
    assert asked == f"numba>={'.'.join(map(str, kernels.OLDEST))}"


# --- NumPy -----------------------------------------------------------------------------------------------------------

# Everything that could raise a flag: numbers that are too small, too large, infinite, and none.
STRICT = """
import warnings
import numpy as np, sizewise as sw
from broad import CHANNELS
from variants import ALL, most_axes, noise
np.seterr(all="raise")
warnings.simplefilter("error", RuntimeWarning)
from sizewise import api, plan
api.forget(), plan.forget()  # those that were made before
n_calls = 0
for position, variant in enumerate(ALL):
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
print(n_calls == 10 * len(ALL), np.geterr()["over"])
"""


@pytest.mark.parametrize("switch", [{}, {"NUMBA_DISABLE_JIT": "1"}], ids=["numba", "numpy"])
def test_numpy_told_to_raise_errors(switch: dict[str, str]) -> None:
    silent = "import warnings; from sizewise.errors import SizewiseWarning\n"
    silent += "warnings.simplefilter('ignore', SizewiseWarning)\n"
    assert run(silent + STRICT, **switch) == "True raise\n"


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


# --- words of the shell, and cores ------------------------------------------------------------------------------------

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
    "words",
    [{"OMP_NUM_THREADS": "1"}, *({"SIZEWISE_THREADS": given} for given in ("1", "64", " 2 ", ""))],
    ids=str,
)
def test_any_number_of_threads_in_the_environment(words: dict[str, str], usual: str) -> None:
    assert run(LARGE, **words) == usual


@pytest.mark.parametrize("given", ["0", "-3", "many", "1.5", "1e3", "²"])
def test_no_number_of_threads_in_the_environment(given: str) -> None:
    said = run(LARGE, SIZEWISE_THREADS=given)
    assert said == f"SIZEWISE_THREADS must be an integer of at least 1, not {given!r}\n"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_one_core(usual: str) -> None:
    one = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    assert run(one + LARGE) == usual
    assert run(one + LARGE.replace('"bicubic")', '"bicubic", threads=8)')) == usual
