"""Sanitizers: recorded kernel calls and the promise suite, run by a core with AddressSanitizer and UBSan.

`python tests/core/sanitized.py replay [COUNT]` runs recorded calls. Inputs, results, tables and scratch pieces are
allocated one by one with their exact sizes, so that every access beyond one of them is detected.
`python tests/core/sanitized.py promises [PYTEST ARGUMENTS]` runs tests/promises with a sanitized Python module, in a
copy of the package in `build/core/sanitized`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compilers
from compilers import ALL_CHECKS, CORE, LINK_SANITIZERS, ROOT, SANITIZED, SANITIZERS, TESTS, MissingTool

N_CALLS = 4000
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def replay(n_calls: int) -> int:
    """Run recorded calls by the kernels of each instruction set that this CPU supports."""
    import architectures
    import record_calls

    from sizewise import _core

    clang, isas, failed = compilers.find_clang(), _core.core_info().supported, False
    with tempfile.TemporaryDirectory() as folder:
        calls = Path(folder) / "calls.bin"
        record_calls.record(calls, n_calls)
        expected = architectures.read_checksums(calls)
        with ThreadPoolExecutor(compilers.JOBS) as pool:
            runs = pool.map(lambda isa: run_with_control(build_replay(clang, isa), calls), isas)
        for isa, (result, control) in zip(isas, runs, strict=True):
            n_run, n_equal, faults = architectures.compare(isa, result.stdout.split("\n")[:-1], expected)
            print(f"x86-64 {isa:8} with sanitizers: {n_run} calls, {n_equal} equal", flush=True)
            if result.returncode:
                faults.append(f"exit status {result.returncode}\n{result.stderr[:4000]}")
            if "heap-buffer-overflow" not in control.stderr:
                faults.append("the control, with inputs of half their size, must fail")
            print(*(f"    {fault}\n" for fault in faults[:10]), sep="", end="", flush=True)
            failed |= bool(faults)
    return int(failed)


def build_replay(clang: str, isa: str) -> Path:
    """Compile and link `replay` with the kernels of an instruction set."""
    flags = (*compilers.LANGUAGE, *compilers.WARNINGS, *SANITIZED, *SANITIZERS, *compilers.CLANG_ISAS[isa])
    flags = (*flags, f"-DSIZEWISE_ISA={isa}")
    sources = [(CORE / "kernels.cpp", flags), (TESTS / "replay.cpp", (*flags, *ALL_CHECKS))]
    return compilers.link((clang,), compilers.compile_objects((clang,), sources), LINK_SANITIZERS)


def run_with_control(program: Path, calls: Path) -> list[subprocess.CompletedProcess[str]]:
    """Run recorded calls, and again with inputs of half their size."""
    return [
        subprocess.run([program, calls, *half], capture_output=True, text=True, env=os.environ | OPTIONS)
        for half in ([], ["half"])
    ]


def promises(arguments: list[str]) -> int:
    """Run the promise suite with a sanitized module."""
    clang, copy = compilers.find_clang(), ROOT / "build/core/sanitized"
    module = build_module(clang)
    for folder in ("sizewise", "tests"):
        ignored = shutil.ignore_patterns("*.so", "__pycache__", "node_modules", "*.pyc")
        shutil.rmtree(copy / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copy(module, copy / "sizewise/_core/_native.abi3.so")
    environment = os.environ | OPTIONS | {
        "LD_PRELOAD": str(compilers.find_runtime(clang)), "PYTHONMALLOC": "malloc", "PYTHONPATH": str(copy),
    }  # fmt: skip
    look = [sys.executable, "-c", "from sizewise import _core; print(_core.native().__file__)"]
    loaded = subprocess.run(look, cwd=copy, env=environment, capture_output=True, text=True, check=True).stdout
    assert loaded.startswith(str(copy)), f"the tests would run {loaded}"
    for report in copy.glob("report.*"):
        report.unlink()
    for name, options in OPTIONS.items():  # pytest captures the standard error of a test that ends the process
        environment[name] = f"{options}:log_path={copy}/report"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        *(arguments or ["tests/promises", "tests/engine"]),
    ]
    status = subprocess.run(command, cwd=copy, env=environment).returncode
    for report in copy.glob("report.*"):
        print(report.read_text()[:4000])
    return status


def build_module(clang: str) -> Path:
    """Compile and link the Python module with all its instruction sets."""
    flags = (*compilers.LANGUAGE, *compilers.WARNINGS, *SANITIZED, *SANITIZERS)
    sources = [
        (CORE / "kernels.cpp", (*flags, *isa_flags, f"-DSIZEWISE_ISA={isa}"))
        for isa, isa_flags in compilers.CLANG_ISAS.items()
    ]
    version = f'-DSIZEWISE_VERSION="{_version()}"'
    others = [path for path in sorted(CORE.glob("*.cpp")) if path.name != "kernels.cpp"]
    sources += [(path, (*flags, *ALL_CHECKS, version, "-isystem", sysconfig.get_path("include"))) for path in others]
    objects = compilers.compile_objects((clang,), sources)
    return compilers.link((clang,), objects, ("-shared", *LINK_SANITIZERS, "-shared-libasan", "-pthread"))


def _version() -> str:
    from sizewise.version import __version__

    return __version__


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    try:
        sys.exit(promises(arguments) if what == "promises" else replay(int(arguments[0]) if arguments else N_CALLS))
    except MissingTool as tool:
        sys.exit(f"this needs {tool}")
