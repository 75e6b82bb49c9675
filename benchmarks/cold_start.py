"""Where the time of the first call goes: `python -m benchmarks.cold_start [--rounds 9] [--write docs/cold-start.md]`.

Every round runs each child once, in turn, in a process of its own; the table has the best and the median of all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

# One child prints the seconds of all its stages, in their order.
_BEGIN = """
import json, sys, time
stages, last = {}, time.perf_counter()
def stage(name):
    global last
    now = time.perf_counter()
    stages[name] = now - last
    last = now
"""
_END = """
json.dump(stages, sys.stdout)
"""

WHOLE = """
import numpy
stage("`import numpy`")
import sizewise
stage("`import sizewise`")
x = numpy.zeros((64, 64, 3), numpy.float32)
last = time.perf_counter()
sizewise.resize(x, (32, 32))
stage("**the first resize, 64x64x3 -> 32x32**")
sizewise.resize(x, (96, 96))
stage("the second, of another kernel")
last = time.perf_counter()
sizewise.resize(x, (32, 32))
stage("the first again")
"""

PARTS = """
import numpy, sizewise
x = numpy.zeros((64, 64, 3), numpy.float32)
last = time.perf_counter()
import numba
stage("of it: `import numba`")
import sizewise.kernels.loops
stage("of it: our kernels, and Numba's mathematics of arrays without SciPy")
from numba.core.registry import cpu_target
cpu_target.target_context.refresh()
stage("of it: Numba's tables of types and functions")
sizewise.resize(x, (32, 32))
stage("of it: the plan, the machine code from disk, the resize")
"""

SCIPY = """
import numpy, numba
last = time.perf_counter()
try:
    import scipy.linalg.cython_blas
except ImportError:
    pass
stage("spared: SciPy, which Numba would import")
"""

COMPILED = WHOLE.replace("**the first resize, 64x64x3 -> 32x32**", "the same with nothing on disk: compiled")

# The least that any way without Numba would take: object code, loaded and called with llvmlite alone.
OBJECT = """
import ctypes, numpy
last = time.perf_counter()
import llvmlite.binding as llvm
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
engine.add_object_file(llvm.ObjectFileRef.from_data(open(sys.argv[1], "rb").read()))
engine.finalize_object()
assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(engine.get_function_address("twice"))(21) == 42
stage("for comparison: object code through llvmlite, without Numba")
"""

MAKE_OBJECT = """
import sys
import llvmlite.binding as llvm
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
code = llvm.parse_assembly("define i64 @twice(i64 %x) { %y = mul i64 %x, 2  ret i64 %y }")
machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
open(sys.argv[1], "wb").write(machine.emit_object(code))
"""

LIMIT_OF_COMPILING = 2  # rounds without machine code on disk: each takes seconds


def measure(rounds: int) -> dict[str, list[float]]:
    """Stage -> its seconds in every round, best first."""
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        warm, obj = Path(folder) / "warm", str(Path(folder) / "twice.o")
        _child(WHOLE, warm)  # leaves its machine code on disk
        subprocess.run([sys.executable, "-c", MAKE_OBJECT, obj], check=True)
        for number in range(rounds):
            results = [_child(WHOLE, warm), _child(PARTS, warm), _child(SCIPY, warm), _child(OBJECT, warm, obj)]
            if number < LIMIT_OF_COMPILING:
                cold = _child(COMPILED, Path(folder) / f"cold{number}")
                results.append({name: value for name, value in cold.items() if "compiled" in name})
            for result in results:
                for name, value in result.items():
                    seconds.setdefault(name, []).append(value)
    return {name: sorted(values) for name, values in seconds.items()}


def _child(code: str, cache: Path, *arguments: str) -> dict[str, float]:
    """The stages that a fresh Python reports, which keeps its machine code in the given place."""
    root = str(Path(__file__).parents[1])
    environment = {**os.environ, "SIZEWISE_CACHE": str(cache), "PYTHONPATH": root}
    command = [sys.executable, "-c", _BEGIN + code + _END, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    stages: dict[str, float] = json.loads(done.stdout)
    return stages


def table(seconds: dict[str, list[float]]) -> str:
    """The stages in order, as a table in Markdown."""
    lines = ["| | best, ms | median, ms |", "|---|---|---|"]
    order = [name for word in ("import", "the first resize", "of it", "the", "spared", "for") for name in seconds
             if name.strip("`*").startswith(word)]  # fmt: skip
    for name in dict.fromkeys(order):
        values = seconds[name]
        lines.append(f"| {name} | {_milliseconds(values[0])} | {_milliseconds(values[len(values) // 2])} |")
    return "\n".join(lines)


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.0f}" if seconds > 0.01 else f"{1000 * seconds:.2g}"


def main() -> None:
    """Measures, prints the table, and puts it into a page where that is wanted."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--write", type=Path, help="the page whose table is to be made anew")
    given = options.parse_args()
    import llvmlite
    import numba
    import numpy

    versions = f"Python {platform.python_version()}, NumPy {numpy.__version__}, Numba {numba.__version__}"
    load = f", {os.getloadavg()[0]:.0f} processes at work besides" if hasattr(os, "getloadavg") else ""
    heading = f"{versions}, llvmlite {llvmlite.__version__}; {given.rounds} rounds on {os.cpu_count()} cores{load}."
    made = f"{heading}\n\n{table(measure(given.rounds))}"
    print(made)
    if given.write:
        page = given.write.read_text(encoding="utf-8")
        before, begin, rest = page.partition("<!-- table -->\n")
        _, end, after = rest.partition("<!-- end -->")
        given.write.write_text(f"{before}{begin}{made}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
