"""Test of bit equality across architectures: recorded kernel calls, run by the kernels of each instruction set.

`python tests/core/architectures.py [COUNT]` records COUNT calls from Python, runs them on x86-64 (each instruction set
that this CPU supports), aarch64 (in qemu-user) and wasm32 (in Node.js), and prints how many results are equal, bit for
bit. The exit status is 1 if one differs, or if a kernel is run by no call.

A control is built with fused multiply-add, which must give other results: the comparison can fail.
"""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import compilers
import record_calls
from compilers import MissingTool

from sizewise import _core

N_CALLS = 4000
FUSED = "x86-64 v3, fused multiply-add"


class Architecture(NamedTuple):
    """An instruction set: the flags of Zig to compile for it, and the command that runs its programs."""

    name: str
    isa: str
    target: tuple[str, ...]
    runner: tuple[str, ...]
    flags: tuple[str, ...] = ()


def list_architectures() -> list[Architecture]:
    """Return all that can be tested here; raise MissingTool in CI if some cannot."""
    found = []
    linux = ("-target", "x86_64-linux-musl")
    for isa in _core.core_info().supported if platform.machine() == "x86_64" else ():
        found.append(Architecture(f"x86-64 {isa}", isa, (*linux, *compilers.ZIG_ISAS[isa]), ()))
        if isa == "v3":
            target = (*linux, *compilers.ZIG_ISAS[isa])
            found.append(Architecture(FUSED, isa, target, (), ("-ffp-contract=fast",)))
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if emulator or platform.machine() == "aarch64":
        runner = () if platform.machine() == "aarch64" else (str(emulator),)
        found.append(Architecture("aarch64 neon", "neon", ("-target", "aarch64-linux-musl"), runner))
    else:
        skip("qemu-aarch64 (Debian: apt-get install qemu-user)")
    if node := shutil.which("node"):
        target = ("-target", "wasm32-wasi", "-mcpu=generic+simd128")
        found.append(Architecture("wasm32 simd128", "generic", target, (node, str(compilers.TESTS / "run_wasi.mjs"))))
    else:
        skip("Node.js 20 or newer")
    return found


def skip(tool: str) -> None:
    """Print what is missing; raise an error in CI."""
    if os.environ.get("CI"):
        raise MissingTool(tool)
    print(f"skipped, for want of {tool}")


def build(architecture: Architecture) -> Path:
    """Compile and link `replay` for an architecture."""
    flags = (*architecture.target, *compilers.LANGUAGE, *compilers.WARNINGS, *compilers.OPTIMIZED, *architecture.flags)
    flags = (*flags, f"-DSIZEWISE_ISA={architecture.isa}")
    sources = [(compilers.CORE / "kernels.cpp", flags), (compilers.TESTS / "replay.cpp", flags)]
    objects = compilers.compile_objects((*compilers.ZIG, "c++"), sources)
    return compilers.link((*compilers.ZIG, "cc"), objects, (*architecture.target[:2], "-s"))


def build_and_run(architecture: Architecture, calls: Path) -> subprocess.CompletedProcess[str]:
    """Run the recorded calls by the kernels of an architecture."""
    command = [*architecture.runner, str(build(architecture)), str(calls)]
    return subprocess.run(command, capture_output=True, text=True)


def read_checksums(calls: Path) -> list[tuple[str, str]]:
    """Return the kernel and the checksum of each recorded call, as Python computed it."""
    found = []
    with calls.open("rb") as file:
        while length := file.read(8):
            name, *_, checksum, _ = struct.unpack_from(record_calls.HEADER, file.read(*struct.unpack("<q", length)))
            found.append((name.rstrip(b"\0").decode(), f"{checksum:08x}"))
    return found


def compare(isa: str, results: Sequence[str], expected: Sequence[tuple[str, str]]) -> tuple[int, int, list[str]]:
    """Return how many calls ran, how many results are equal, and the first differences."""
    faults = [line for line in results[len(expected) :] if not line.startswith("unused")]
    faults += [f"no call runs kernel {line.removeprefix('unused ')}" for line in results if line.startswith("unused")]
    n_run = n_equal = 0
    for i, (line, (kind, checksum)) in enumerate(zip(results, expected, strict=False)):
        if line == "-" and ("shuffled" in kind) != (isa == "v4vbmi"):
            continue  # v4vbmi adds the kernels with byte shuffles to those of v4
        n_run, n_equal = n_run + 1, n_equal + (line == checksum)
        if line != checksum:
            faults.append(f"call {i} ({kind}): {line}, expected {checksum}")
    if len(results) < len(expected):
        faults.append(f"ended after {len(results)} of {len(expected)} calls")
    return n_run, n_equal, faults


def main() -> int:
    """Record, build, run, compare; return the exit status."""
    architectures = list_architectures()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        calls = Path(folder) / "calls.bin"
        record_calls.record(calls, int(sys.argv[1]) if len(sys.argv) > 1 else N_CALLS)
        expected = read_checksums(calls)
        print(f"{'architecture':34}{'calls':>7}{'equal':>7}", flush=True)
        with ThreadPoolExecutor(compilers.JOBS) as pool:
            results = pool.map(lambda one: build_and_run(one, calls), architectures)
        for architecture, result in zip(architectures, results, strict=True):
            n_run, n_equal, faults = compare(architecture.isa, result.stdout.split("\n")[:-1], expected)
            if result.returncode:
                faults.append(f"exit status {result.returncode}: {result.stderr[-2000:]}")
            print(f"{architecture.name:34}{n_run:7}{n_equal:7}", flush=True)
            if architecture.name == FUSED:
                faults = [] if n_equal < n_run else ["the control must differ, or the comparison shows nothing"]
            failed |= bool(faults)
            print(*(f"    {fault}\n" for fault in faults[:10]), sep="", end="", flush=True)
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingTool as tool:
        sys.exit(f"this needs {tool}")
