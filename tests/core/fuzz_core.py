"""Fuzzer of the checks of the C++ core: calls that pass them must run without a complaint of a sanitizer.

`python tests/core/fuzz_core.py` starts from recorded calls, and runs for FUZZ_SECONDS (60). Inputs that reach new code
are kept in `build/core/fuzz/corpus`; one that fails is written to `build/core/fuzz` and runs again by
`python tests/core/fuzz_core.py FILE`.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import compilers
from compilers import ALL_CHECKS, CORE, ROOT, SANITIZED, SANITIZERS, TESTS, MissingTool

FOLDER = ROOT / "build/core/fuzz"
N_CALLS, MAX_SEED_BYTES, MAX_INPUT_BYTES = 1500, 6000, 12_000


def build() -> Path:
    """Compile and link the fuzzer, with the kernels of the two best instruction sets that this CPU has."""
    from sizewise import _core

    clang, supported = compilers.find_clang(), _core.core_info().supported
    isas = (supported[0], supported[min(1, len(supported) - 1)])
    flags = (*compilers.LANGUAGE, *SANITIZED, *SANITIZERS, "-fsanitize=fuzzer-no-link", "-Wno-psabi")
    names = (f"-DFIRST_ISA={isas[0]}", f"-DSECOND_ISA={isas[1]}")
    sources = [
        (CORE / "kernels.cpp", (*flags, *compilers.CLANG_ISAS[isa], f"-DSIZEWISE_ISA={isa}"))
        for isa in dict.fromkeys(isas)
    ]
    sources.append((TESTS / "fuzz_core.cpp", (*flags, *ALL_CHECKS, *names)))
    objects = compilers.compile_objects((clang,), sources)
    return compilers.link((clang.replace("clang", "clang++"),), objects, ("-fsanitize=fuzzer,address,undefined",))


def write_seeds(folder: Path) -> None:
    """Record calls and write each as a file, without its arrays."""
    import record_calls

    calls = folder.with_suffix(".bin")
    record_calls.record(calls, N_CALLS)
    with calls.open("rb") as file:
        for i, length in enumerate(iter(lambda: file.read(8), b"")):
            record = file.read(*struct.unpack("<q", length))
            name, _, x_size, *_ = struct.unpack_from(record_calls.HEADER, record)
            n_bytes = x_size * record_calls.item_size(name.split()[1].rstrip(b"\0").decode())
            seed = record[: len(record) - (n_bytes + 7) // 8 * 8]
            if len(seed) <= MAX_SEED_BYTES:
                (folder / f"{i:05}").write_bytes(seed)


def main(arguments: list[str]) -> int:
    """Fuzz, or run the given files; return the exit status."""
    program, corpus = build(), FOLDER / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    options = {"ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    if arguments:
        return subprocess.run([program, *arguments], env=os.environ | options).returncode
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder) / "seeds"
        seeds.mkdir()
        write_seeds(seeds)
        seconds = os.environ.get("FUZZ_SECONDS") or "60"
        command = [
            str(program), f"-max_total_time={seconds}", f"-max_len={MAX_INPUT_BYTES}", "-rss_limit_mb=4096",
            "-timeout=20", f"-artifact_prefix={FOLDER}/", "-print_final_stats=1", "-len_control=0",
            str(corpus), str(seeds),
        ]  # fmt: skip
        return subprocess.run(command, env=os.environ | options).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except MissingTool as tool:
        sys.exit(f"this needs {tool}")
