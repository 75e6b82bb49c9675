"""The native core: which kernels run, what is refused, and that no table can make a kernel leave its arrays."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from engine_limits import engine_limits
from recording import Record
from tolerances import assert_same_bits
from variants import Variant, noise

import sizewise as sw
from sizewise import _core
from sizewise.version import __version__

TESTS = Path(__file__).parent
PACKAGE = Path(sw.__file__).parent
NATIVE = pytest.mark.skipif(_core.native() is None, reason="there is no native core")
IN_ORDER = ("v4vbmi", "v4", "v3", "v2"), ("neon",), ("generic",)
KNOWN = "v4vbmi, v4, v3, v2, neon, generic, numpy"

RESIZE = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np, sizewise as sw
    try:
        for _ in range(2):
            print(sw.resize(np.arange(8, dtype="f4"), (4,), "nearest").tolist())
        print(*sw.core_info()[:1], sw.core_info().version, sw.core_info().reason, sep="; ")
    except sw.errors.ArgumentError as refused:
        print(refused)
for warning in caught:
    print(warning.category.__name__, warning.message)
"""
RIGHT = ["[1.0, 3.0, 5.0, 7.0]"] * 2


def run(code: str, folder: Path = TESTS.parent, **environment: str) -> list[str]:
    """Return the lines that a new Python prints, with the package of this folder."""
    variables = {name: value for name, value in os.environ.items() if name != "SIZEWISE_ISA"}
    variables |= {"PYTHONPATH": f"{folder}{os.pathsep}{TESTS}", **environment}
    command = [sys.executable, "-X", "faulthandler", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# --- which kernels run -----------------------------------------------------------------------------------------------


@NATIVE
def test_core_info() -> None:
    info = sw.core_info()
    assert info is sw.core_info()
    assert isinstance(info, sw.CoreInfo)
    assert (info.version, info.reason) == (__version__, None)
    assert info.isa in info.supported
    assert any(info.supported == names[-len(info.supported) :] for names in IN_ORDER)  # best first, none left out
    assert _core.has_byte_shuffle() == (info.isa == "v4vbmi")


@NATIVE
def test_the_best_instruction_set_is_used() -> None:
    *results, used = run(RESIZE)
    assert results == RIGHT
    assert used == f"{sw.core_info().supported[0]}; {__version__}; None"


@NATIVE
@pytest.mark.parametrize("spelled", ["{}", " {} "])
def test_every_supported_instruction_set_can_be_forced(spelled: str) -> None:
    for isa in sw.core_info().supported:
        *results, used = run(RESIZE, SIZEWISE_ISA=spelled.format(isa))
        assert (results, used) == (RIGHT, f"{isa}; {__version__}; None")


def test_numpy_can_be_forced_without_a_warning() -> None:
    assert run(RESIZE, SIZEWISE_ISA="numpy") == [*RIGHT, "numpy; None; SIZEWISE_ISA=numpy"]


@pytest.mark.parametrize("given", ["nonsense", "V4", "v5", "v4,v3", "avx2", "²"])
def test_unknown_instruction_sets_are_rejected_at_the_first_use(given: str) -> None:
    assert run(RESIZE, SIZEWISE_ISA=given) == [f"SIZEWISE_ISA must be one of {KNOWN}, not {given!r}"]


def test_an_unknown_instruction_set_is_rejected_in_every_call() -> None:
    code = """
import sizewise as sw
for call in (lambda: sw.resize([1.0, 2.0], 3), lambda: sw.resize([1.0, 2.0], 3), sw.core_info):
    try:
        call()
    except sw.errors.ArgumentError as refused:
        print(refused)
sw.make_plan((4,), (2,))  # a plan needs no kernels
"""
    assert run(code, SIZEWISE_ISA="nonsense") == [f"SIZEWISE_ISA must be one of {KNOWN}, not 'nonsense'"] * 3


@NATIVE
def test_instruction_sets_that_the_cpu_lacks_are_rejected() -> None:
    supported = sw.core_info().supported
    for isa in set(_core.INSTRUCTION_SETS) - {*supported, "numpy"}:
        [said] = run(RESIZE, SIZEWISE_ISA=isa)
        known = ", ".join((*supported, "numpy"))
        assert said == f"SIZEWISE_ISA must be an instruction set that this CPU supports ({known}), not {isa}"


def test_an_import_loads_no_kernels() -> None:
    code = """
import sys
import sizewise as sw
sw.make_plan((4, 4), (2, 2)), sw.dialects.names()
print("sizewise._core._native" in sys.modules)
"""
    assert run(code) == ["False"]
    assert run(code, SIZEWISE_ISA="nonsense") == ["False"]


# --- installs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package."""
    shutil.copytree(PACKAGE, tmp_path / "sizewise", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def core_file(installed: Path) -> Path:
    [path] = [path for path in (installed / "sizewise" / "_core").glob("_native*") if path.suffix in (".so", ".pyd")]
    return path


@NATIVE
def test_control_a_copy_of_the_package_runs(installed: Path) -> None:
    assert run(RESIZE, installed) == [*RIGHT, f"{sw.core_info().supported[0]}; {__version__}; None"]


@NATIVE
def test_a_core_of_another_version_is_rejected_by_name(installed: Path) -> None:
    (installed / "sizewise" / "version.py").write_text('__version__ = "99.1.2"\n', encoding="utf-8")
    *results, info, warned = run(RESIZE, installed)
    reason = f"{core_file(installed)} is of version {__version__}, and this is Sizewise 99.1.2: reinstall it"
    assert (results, info) == (RIGHT, f"numpy; None; {reason}")
    said = f"the native core cannot be used ({reason}); Sizewise runs on NumPy, with the same results but slower"
    assert warned == f"SizewiseWarning {said}"


@pytest.mark.parametrize("damage", ["missing", "empty", "cut short", "text"])
def test_without_a_core_there_is_one_warning_and_numpy_runs(installed: Path, damage: str) -> None:
    for path in (installed / "sizewise" / "_core").glob("_native*"):
        content = path.read_bytes()
        path.unlink()
        if damage != "missing":
            path.write_bytes({"empty": b"", "cut short": content[:40], "text": b"no library"}[damage])
    *results, info, warned = run(RESIZE, installed)
    assert results == RIGHT
    assert info.startswith("numpy; None; ")
    assert warned.startswith("SizewiseWarning the native core cannot be used (")
    assert ("it is missing from pure-Python installs" in warned) == (damage == "missing")


# --- tables, layouts, bands and arrays that make no sense ------------------------------------------------------------

KERNELS = (
    "vertical_only", "horizontal_only", "vertical_first", "horizontal_first", "fused_2x2", "nearest",
    "vertical_first_verified", "horizontal_first_verified", "fixed_point", "fixed_point_2x2", "fixed_point_pairs",
    "fixed_point_shuffled", "fixed_point_pairs_shuffled",
)  # fmt: skip
# Fields that a kernel does not use to find elements, so that any value is accepted.
FLAGS = {"nontemporal", "vertical_first", "joint", "divides", "sum_block"}


@NATIVE
@pytest.mark.skipif(sys.platform != "linux", reason="calls mprotect with Linux constants")
def test_no_corrupt_argument_makes_a_kernel_leave_its_arrays(record_property: Record) -> None:
    kernels = [kernel for kernel in KERNELS if _core.has_byte_shuffle() or not kernel.endswith("shuffled")]
    command = [sys.executable, "-X", "faulthandler", str(TESTS / "corrupt_calls.py"), *kernels]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-3000:]}"
    reports = json.loads(done.stdout)
    assert list(reports) == kernels
    for kernel, report in reports.items():
        assert report["counts"]["refused"] > 500, kernel
        assert report["counts"]["harmless"] > 50, kernel  # other values that make sense
        allowed = FLAGS if kernel == "vertical_only" else {*FLAGS, "row_length"}
        assert set(report["accepted"]) <= allowed, kernel
        assert set(report["accepted by run"]) <= allowed, kernel
    tried = sum(sum(report["counts"].values()) for report in reports.values())
    record_property("corrupt arguments of kernel calls", tried)


@NATIVE
def test_calls_are_rejected_with_a_reason() -> None:
    from corrupt_calls import arguments_of, with_value

    from sizewise.engine import layout, packing

    with engine_limits(has_byte_shuffle=_core.has_byte_shuffle):  # as before, after arguments_of has changed it
        arguments, _ = arguments_of("vertical_first")
    index, weights = arguments.tables
    start = 2 + packing.HEADER

    def refused(**changes: object) -> str:
        with pytest.raises(ValueError) as caught:
            arguments._replace(**changes).make_call()
        return str(caught.value)

    assert "taps outside the axis" in refused(tables=(with_value(index, start, 12), weights))
    assert "two axes that are cut short" in refused(tables=(index[:1], weights))
    assert "two axes that are cut short" in refused(tables=(index, weights[:5]))
    assert "fewer weights than taps" in refused(tables=(index, weights[: index[1] + 5]))
    assert refused(tables=(index, weights.astype(np.float64))) == "table 1 must hold aligned items of 4 bytes"
    assert refused(tables=(index.astype(np.int32), weights)) == "table 0 must hold aligned items of 8 bytes"
    assert "rows outside the input" in refused(x_size=arguments.x_size - 1)
    assert "rows outside the result" in refused(out_size=arguments.out_size - 1)
    assert "rows outside the input" in refused(layout=with_value(arguments.layout, layout.X_BASE, 1))
    assert refused(layout=arguments.layout[:9]) == "a layout has 80 bytes, not 72"
    assert refused(kind="sideways") == "there is no kernel sideways float32 float32 float32 float32"
    mixed = ("float32", "uint8", "float32", "float32")
    assert refused(types=mixed) == "there is no kernel vertical_first float32 uint8 float32 float32"
    call = arguments.make_call()
    x, out = np.zeros(arguments.x_size, np.float32), np.zeros(arguments.out_size, np.float32)
    bands = np.array([[0, arguments.n_rows + 1]])
    with pytest.raises(ValueError, match="a band outside the rows of the call"):
        call.run(x, out, None, bands, 1, 0, True)
    with pytest.raises(ValueError, match="arrays of other sizes than the call was made for"):
        call.fill(x[:-1], out)
    for wrong in (None, 3, "x", [1.0]):
        with pytest.raises(TypeError):
            call.fill(wrong, out)
    with pytest.raises(TypeError, match="fill takes x and out"):
        call.fill(x)


# --- gradients that repeat one element -------------------------------------------------------------------------------


def repeated(shape: tuple[int, ...], dtype: type) -> dict[str, np.ndarray]:
    """Return arrays of this shape in which broadcasting repeats all, pixels, rows, columns, channels or images."""
    n, h, w, c = shape
    kept = {"all": (), "images": (h, w, c), "rows": (1, w, c), "columns": (h, 1, c), "channels": (n, h, w, 1)}
    return {name: np.broadcast_to(noise(part, dtype), shape) for name, part in {**kept, "pixels": (c,)}.items()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16], ids=lambda dtype: dtype.__name__)
def test_arrays_with_zero_strides_give_the_bits_of_contiguous_ones(representative: Variant, dtype: type) -> None:
    for channels in (1, 3, 20):
        for name, dy in repeated((2, 13, 9, channels), dtype).items():
            assert 0 in dy.strides or name == "channels"
            for threads in (1, 2):
                expected = representative.grad(np.ascontiguousarray(dy), (8, 17), threads=threads)
                assert_same_bits(representative.grad(dy, (8, 17), threads=threads), expected)
                expected = representative.resize(np.ascontiguousarray(dy), (8, 17), threads=threads)
                assert_same_bits(representative.resize(dy, (8, 17), threads=threads), expected)
