"""Timing of a resize of an array on disk, through Dask, and in memory: `python -m benchmarks.dask_out_of_core`.

Each measurement is a new process, which reports seconds and peak memory. The first has the array in memory and times
the direct call and Dask in turns, on one core and on all: the difference is the cost of tasks and chunk borders. The
others read a zarr file: reading alone, resizing into memory, and from file to file. `--write FILE` writes a page.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from sizewise_bench import machine

CHUNKS = ([5000, 5000], [2500, 20_000])  # of the same size in bytes: square, and full rows
TOP = """# Arrays larger than memory

Made by `make bench` (`python -m benchmarks.dask_out_of_core --write docs/measurements/dask.md`): do not edit.
{size} x {size} float32 elements (a camera's 12 bits) to {to} x {to}, {method}, on {cores} cores of an {processor};
Dask {dask}, zarr {zarr}, NumPy {numpy}. Each row that reads a file is a separate process; the last column is its peak
memory. The calls in memory took turns, {rounds} rounds. Targets of the rows with Dask are 1.5 times the call in memory,
and 1.5 GiB; reading and decompression by zarr alone is listed for comparison.
"""

_BEGIN = """
import json, resource, sys, time
import dask, numpy as np, dask.array as da, zarr, sizewise as sw
folder, n_in, n_out, chunk, method, rounds = json.loads(sys.argv[1])
chunk = tuple(chunk)
size, seconds = (n_out, n_out), {}
def measure(rounds, **calls):
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            seconds.setdefault(name, []).append(time.perf_counter() - begin)
def on_one_core(call):
    with dask.config.set(scheduler="synchronous"):
        call()
sw.resize(da.ones((64, 64), chunks=32, dtype=np.float32), (16, 16), method).compute()  # loads the kernels
"""
_END = """
json.dump([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20], sys.stdout)
"""

MAKE = """
x = zarr.create_array(folder + "/x", shape=(n_in, n_in), chunks=chunk, dtype="f4")
random = np.random.default_rng(0)
for i in range(0, n_in, chunk[0]):
    x[i : i + chunk[0]] = random.integers(0, 4096, (min(chunk[0], n_in - i), n_in)).astype("f4")  # a camera's 12 bits
"""

IN_MEMORY = """
x = zarr.open(folder + "/x")[:]
lazy = da.from_array(x, chunks=chunk, name=False)
out, stored = np.ones(size, np.float32), np.ones(size, np.float32)
def store(threads=None):
    da.store(sw.resize(lazy, size, method, threads=threads), stored, lock=False)
measure(
    rounds,
    memory_1=lambda: sw.resize(x, size, method, out=out, threads=1),
    dask_1=lambda: on_one_core(lambda: store(1)),
    memory_all=lambda: sw.resize(x, size, method, out=out),
    dask_all=store,
)
assert (out == stored).all()
"""

READ = """
lazy = da.from_zarr(folder + "/x").map_blocks(lambda x: x[:1, :1].copy(), dtype="f4", chunks=(1, 1))
measure(2, read_1=lambda: on_one_core(lazy.compute), read_all=lazy.compute)
"""

FROM_ZARR = """
lazy = sw.resize(da.from_zarr(folder + "/x"), size, method)
measure(2, zarr_1=lambda: on_one_core(lazy.compute), zarr_all=lazy.compute)
"""

TO_ZARR = """
lazy = sw.resize(da.from_zarr(folder + "/x"), size, method)
measure(2, to_zarr_all=lambda: lazy.to_zarr(folder + "/y", overwrite=True))
"""

WORDS = {
    "memory": "`sw.resize(x, ...)`, the array in memory",
    "dask": "the same through Dask, the array in memory",
    "read": "reading zarr alone",
    "zarr": "through Dask, from zarr into memory",
    "to_zarr": "through Dask, from zarr to zarr",
}


def measure(size: int, to: int, chunk: list[int], method: str, rounds: int) -> dict[str, tuple[list[float], float]]:
    """Return, by measurement, the sorted seconds and the peak memory of its process in GiB."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        arguments = json.dumps([folder, size, to, chunk, method, rounds])
        for code in (MAKE, IN_MEMORY, READ, FROM_ZARR, TO_ZARR):
            seconds, gib = _run(code, arguments)
            figures.update({name: (sorted(values), gib) for name, values in seconds.items()})
    return figures


def _run(code: str, arguments: str) -> tuple[dict[str, list[float]], float]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", _BEGIN + code + _END, arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    seconds, gib = json.loads(done.stdout)
    return seconds, gib


def table(figures: dict[str, tuple[list[float], float]]) -> str:
    """Return the figures as a table in Markdown, each with its ratio to the call in memory on the same cores."""
    lines = [
        "| | cores | best, s | median, s | best / call in memory | peak memory, GiB |",
        "|---|---|---|---|---|---|",
    ]
    for name, (seconds, gib) in figures.items():
        word, _, cores = name.rpartition("_")
        best, median = seconds[0], seconds[len(seconds) // 2]
        ratio = best / figures[f"memory_{cores}"][0][0]
        lines.append(f"| {WORDS[word]} | {cores} | {best:.3f} | {median:.3f} | {ratio:.2f} | {gib:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print the tables, and write the page if asked."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, default=20_000, help="of the array, along each of two axes")
    options.add_argument("--to", type=int, default=5000)
    options.add_argument("--chunk", type=int, nargs=2, action="append", help="rows and columns of a chunk; may repeat")
    options.add_argument("--method", default="bilinear")
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--write", type=Path, help="write the page to this file")
    given = options.parse_args()
    parts = []
    for part in _parts(given):
        print(part)
        parts.append(part)
    if given.write:
        given.write.write_text("\n".join([_top(given), *parts]), encoding="utf-8")


def _parts(given: argparse.Namespace) -> Iterator[str]:
    """Yield a table for each chunk size, under a heading."""
    for chunk in given.chunk or CHUNKS:
        figures = measure(given.size, given.to, chunk, given.method, given.rounds)
        yield f"## Chunks of {chunk[0]} x {chunk[1]}\n\n{table(figures)}\n"


def _top(given: argparse.Namespace) -> str:
    versions = {name: version(name) for name in ("dask", "zarr", "numpy")}
    fields = {"size": given.size, "to": given.to, "method": given.method, "rounds": given.rounds, **versions}
    return TOP.format(cores=machine.cores(), processor=machine.processor(), **fields)


if __name__ == "__main__":
    main()
