"""Compilers for the tests of the C++ core: Zig for other architectures, Clang for sanitizers and libFuzzer.

Objects are cached in `build/core/tests` under a hash of their sources and flags. JOBS sets how many are compiled at a
time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE, TESTS, CACHE = ROOT / "sizewise/_core", ROOT / "tests/core", ROOT / "build/core/tests"
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
ZIG = (sys.executable, "-m", "ziglang")

# As in hatch_build.py.
WIDE = ("-mprefer-vector-width=512",)
ZIG_ISAS = {
    "v2": ("-mcpu=x86_64_v2",),
    "v3": ("-mcpu=x86_64_v3",),
    "v4": ("-mcpu=x86_64_v4", *WIDE),
    "v4vbmi": ("-mcpu=x86_64_v4+avx512vbmi", *WIDE),
}
CLANG_ISAS = {
    "v2": ("-march=x86-64-v2",),
    "v3": ("-march=x86-64-v3",),
    "v4": ("-march=x86-64-v4", *WIDE),
    "v4vbmi": ("-march=x86-64-v4", "-mavx512vbmi", *WIDE),
}
LANGUAGE = ("-std=c++20", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fPIC", "-ffp-contract=off")
WARNINGS = (
    "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wno-psabi", "-Wno-shorten-64-to-32",
    "-Werror",
)  # fmt: skip
OPTIMIZED = ("-O3", "-g0", "-Xclang", "-O3", "-mllvm", "-unroll-runtime=0")  # as in hatch_build.py
SANITIZED = ("-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", "-DSIZEWISE_CHECKED=1")
# Of UBSan, checks of pointers are left to AddressSanitizer in kernels: they compile four times as long with them.
SANITIZERS = (
    "-fsanitize=address,signed-integer-overflow,shift,integer-divide-by-zero,bounds,alignment,bool,enum,return,unreachable",
    "-mllvm", "-asan-instrumentation-with-call-threshold=0",
)  # fmt: skip
LINK_SANITIZERS = ("-fsanitize=address,undefined",)
# All checks of UBSan that need no C++ runtime, for the functions that check tables.
ALL_CHECKS = ("-fsanitize=undefined", "-fno-sanitize=function,vptr")


class MissingTool(Exception):
    """A program that a test needs is not installed."""


def find_clang() -> str:
    """Return the newest Clang that has AddressSanitizer and libFuzzer; CLANG names another."""
    found = [shutil.which(os.environ.get("CLANG") or f"clang-{version}") for version in range(30, 14, -1)]
    for path in (*found, shutil.which("clang")):
        if path and _has_runtime(path, "asan") and _has_runtime(path, "fuzzer"):
            return path
    raise MissingTool("Clang 15 or newer with sanitizers (Debian: apt-get install clang-16 libclang-rt-16-dev)")


def find_runtime(clang: str) -> Path:
    """Return the shared library of AddressSanitizer, for LD_PRELOAD."""
    return _runtime(clang, "libclang_rt.asan-x86_64.so", "libclang_rt.asan.so")


def compile_objects(compiler: Sequence[str], sources: Sequence[tuple[Path, Sequence[str]]]) -> list[Path]:
    """Compile each source with its flags; return the objects."""
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(lambda source: _compile(compiler, *source), sources))


def link(compiler: Sequence[str], objects: Sequence[Path], flags: Sequence[str]) -> Path:
    """Link objects, as C: nothing here needs a C++ runtime. Return the program."""
    program = CACHE / _hash(compiler, flags, sorted(map(str, objects)))
    if not program.exists():
        _run([*compiler, *flags, *map(str, objects), "-o", str(program)])
    return program


def _compile(compiler: Sequence[str], source: Path, flags: Sequence[str]) -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    result = CACHE / f"{source.stem}-{_hash(compiler, flags, _read_with_headers(source, {}))}.o"
    if not result.exists():
        temporary = result.with_suffix(f".{os.getpid()}.o")
        _run([*compiler, *flags, "-c", str(source), "-o", str(temporary)])
        temporary.replace(result)
    return result


def _read_with_headers(path: Path, found: dict[Path, str]) -> dict[Path, str]:
    """Return the text of a source and of all that it includes from the repository."""
    if path not in found and path.exists():
        found[path] = path.read_text()
        for name in re.findall('#include "(.+)"', found[path]):
            _read_with_headers((path.parent / name).resolve(), found)
    return found


def _run(command: list[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")


def _hash(*items: object) -> str:
    return hashlib.sha256(repr(items).encode()).hexdigest()[:16]


def _runtime(clang: str, *names: str) -> Path:
    for name in names:
        path = Path(subprocess.run([clang, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip())
        if path.is_absolute() and path.exists():
            return path
    raise MissingTool(f"{names[0]}, which belongs to {clang}")


def _has_runtime(clang: str, name: str) -> bool:
    version = re.search(r"version (\d+)", subprocess.run([clang, "--version"], capture_output=True, text=True).stdout)
    try:
        _runtime(clang, f"libclang_rt.{name}-x86_64.a", f"libclang_rt.{name}.a")
    except MissingTool:
        return False
    return version is not None and int(version[1]) >= 15
