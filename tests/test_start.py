"""Start-up: what an import and a first call load, and that they write no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sizewise as sw

ROOT = Path(sw.__file__).parents[1]

# Standard library and NumPy: slow to import, or of no use to a resize.
HEAVY = {
    *("logging", "pathlib", "difflib", "pkgutil", "importlib.util", "urllib", "textwrap", "tempfile", "subprocess"),
    *(
        "asyncio",
        "concurrent.futures",
        "multiprocessing",
        "ctypes",
        "json",
        "pickle",
        "argparse",
        "unittest",
        "doctest",
    ),
    *("numpy.ma", "numpy.typing", "numpy.random", "numpy.testing", "numpy.fft", "numpy.polynomial", "numpy.ctypeslib"),
}
OTHERS = {
    "PIL",
    "cv2",
    "matplotlib",
    "rich",
    "typer",
    "jinja2",
    "scipy",
    "numba",
    "llvmlite",
    "torch",
    "tensorflow",
    "jax",
}
RESIZE = "sizewise.resize(numpy.ones((48, 64, 3), {dtype!r}), (22, 24), dialect={dialect!r})"


def run(code: str, *options: str, **environment: str) -> str:
    """Return the output of a new Python, which must succeed."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout


def loaded_by(code: str) -> set[str]:
    """Return the modules that the code loads in a new Python, beyond those of `import numpy`."""
    report = "import sys, numpy; before = set(sys.modules)\n" + code + "\nprint(*sorted(set(sys.modules) - before))"
    return set(run(report).split())


def dialect_files(modules: set[str]) -> set[str]:
    names = {name.removeprefix("sizewise.dialects.") for name in modules if name.startswith("sizewise.dialects.")}
    return {name for name in names if not name.startswith("_")}


def test_import_loads_no_heavy_module() -> None:
    modules = loaded_by("import sizewise")
    assert "sizewise.api" in modules
    assert modules & (HEAVY | OTHERS) == set()
    assert dialect_files(modules) == set()
    assert modules & {"sizewise.testing", "sizewise.insight", "sizewise.report", "sizewise.backends.numpy"} == set()


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "int32"])
@pytest.mark.parametrize("dialect", ["standard", "pillow", "opencv", "torch", "onnx"])
def test_a_first_resize_loads_one_dialect_and_no_heavy_module(dialect: str, dtype: str) -> None:
    modules = loaded_by(f"import sizewise\n{RESIZE.format(dtype=dtype, dialect=dialect)}")
    assert "sizewise.engine.passes" in modules
    assert modules & (HEAVY | OTHERS) == set()
    assert dialect_files(modules) == {dialect}


def test_control_a_loaded_module_is_seen() -> None:
    modules = loaded_by("import sizewise, difflib\nsizewise.dialects.names()")
    assert {"difflib", "pkgutil"} <= modules
    assert len(dialect_files(modules)) > 5


def test_names_of_unknown_dialects_load_none() -> None:
    """Modules of the folder that are no dialects, and names that are no modules."""
    for name in (
        "_formula",
        "__init__",
        "nosuch",
        "nosuch@1",
        "os.path",
        "..taps",
        "",
        "a b",
        "torch\0",
        "é",
        "x" * 5000,
    ):
        with pytest.raises(sw.errors.UnknownNameError, match="unknown dialect"):
            sw.dialects.get(name)


def test_public_names_are_attributes() -> None:
    """Also those that are imported when they are first used: here in a Python that has used none."""
    code = """
import sizewise
assert set(sizewise.__all__) <= set(dir(sizewise)), set(sizewise.__all__) - set(dir(sizewise))
for name in ("testing", "identify", "dialects", "filters", "errors", *sizewise.__all__):
    getattr(sizewise, name)
assert sizewise.testing.dot_test and sizewise.testing is sizewise.testing
try:
    sizewise.no_such_name
except AttributeError as error:
    print(error)
"""
    assert run(code) == "module 'sizewise' has no attribute 'no_such_name'\n"
    assert run("from sizewise import *; print(testing.__name__, identify.__name__)") == "sizewise.testing identify\n"
    assert run("from sizewise import testing; import sizewise.testing as same; print(testing is same)") == "True\n"


def test_a_first_resize_writes_no_file(tmp_path: Path) -> None:
    """Every file that Python opens for writing is reported by an audit hook; its bytecode is switched off."""
    hook = """
import os, sys
def note(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        print("wrote", arguments[0])
    elif event in ("os.mkdir", "os.rename", "os.remove"):
        print(event, arguments)
sys.addaudithook(note)
"""
    resizes = "\n".join(RESIZE.format(dtype=dtype, dialect="standard") for dtype in ("float32", "uint8"))
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    assert run(f"{hook}import numpy, sizewise\n{resizes}", "-B", **environment) == ""
    assert list(tmp_path.iterdir()) == []
    assert "wrote" in run(f"{hook}open({str(tmp_path / 'file')!r}, 'w').close()", "-B")


def test_masked_arrays_are_rejected_if_their_module_is_not_imported() -> None:
    code = """
import numpy, sizewise
for make in (lambda: numpy.ma.ones((4, 4)), lambda: numpy.ma.masked_array([[1.0, 2.0]], [[True, False]])):
    try:
        sizewise.resize(make(), (2, 2), axes=(0, 1))
    except sizewise.errors.ArgumentTypeError as error:
        print(error)
"""
    assert run(code).splitlines() == ["a masked array would lose its mask; fill it first: x.filled(value)"] * 2
