"""A resize of an array on disk, through Dask, beside the same in memory: `python -m benchmarks.dask_out_of_core`.

Every child is a process of its own, which reports seconds and the most memory it had. On one core: the call in memory,
Dask on the same array in memory, Dask on a zarr file, and reading the file alone. On all cores: from zarr to zarr.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_BEGIN = """
import json, resource, sys, time
import dask, numpy as np, dask.array as da, zarr, sizewise as sw
folder, n_in, n_out, chunk, method = json.loads(sys.argv[1])
seconds = []
def timed(call, rounds=1):
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
sw.resize(da.ones((64, 64), chunks=32, dtype=np.float32), (16, 16), method).compute()  # loads the kernels
"""
_END = """
json.dump([min(seconds), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20], sys.stdout)
"""
_LOADED = "x = zarr.open(folder + '/x')[:]\n"
_ONE = "dask.config.set(scheduler='synchronous')\n"

MAKE = """
x = zarr.create_array(folder + "/x", shape=(n_in, n_in), chunks=(chunk, chunk), dtype="f4")
random = np.random.default_rng(0)
for i in range(0, n_in, chunk):
    x[i : i + chunk] = random.integers(0, 4096, (min(chunk, n_in - i), n_in)).astype("f4")  # as a camera's 12 bits
seconds.append(0.0)
"""
# Each result goes where it would go: into memory, or into a file.
CHILDREN = {
    "in memory, one thread": _LOADED + "timed(lambda: sw.resize(x, (n_out, n_out), method, threads=1), 3)",
    "Dask, the array in memory, one core": _LOADED
    + _ONE
    + "lazy = da.from_array(x, chunks=chunk, name=False)\n"
    + "timed(lambda: sw.resize(lazy, (n_out, n_out), method, threads=1).compute(), 3)",
    "Dask, from zarr, one core": _ONE
    + "lazy = da.from_zarr(folder + '/x')\n"
    + "timed(lambda: sw.resize(lazy, (n_out, n_out), method, threads=1).compute(), 2)",
    "reading zarr alone, one core": _ONE
    + "lazy = da.from_zarr(folder + '/x').map_blocks(lambda x: x[:1, :1], dtype='f4', chunks=(1, 1))\n"
    + "timed(lambda: lazy.compute(), 2)",
    "Dask, from zarr to zarr, all cores": "lazy = sw.resize(da.from_zarr(folder + '/x'), (n_out, n_out), method)\n"
    + "timed(lambda: lazy.to_zarr(folder + '/y', overwrite=True), 2)",
}


def measure(n_in: int, n_out: int, chunk: int, method: str) -> dict[str, tuple[float, float]]:
    """Child -> its best seconds, and the GiB it had at most."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        words = json.dumps([folder, n_in, n_out, chunk, method])
        _child(MAKE, words)
        for name, code in CHILDREN.items():
            figures[name] = _child(code, words)
    return figures


def _child(code: str, words: str) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", _BEGIN + code + _END, words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, gib = json.loads(done.stdout)
    return seconds, gib


def table(figures: dict[str, tuple[float, float]]) -> str:
    """The figures as a table in Markdown, each beside the call in memory."""
    unit = figures["in memory, one thread"][0]
    lines = ["| | seconds | of the call in memory | most memory, GiB |", "|---|---|---|---|"]
    lines += [f"| {name} | {s:.2f} | {s / unit:.2f} | {gib:.2f} |" for name, (s, gib) in figures.items()]
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, default=20_000, help="of the array, along each of two axes")
    options.add_argument("--to", type=int, default=5000)
    options.add_argument("--chunk", type=int, default=2000)
    options.add_argument("--method", default="bilinear")
    given = options.parse_args()
    figures = measure(given.size, given.to, given.chunk, given.method)
    print(f"float32, {given.size} x {given.size} -> {given.to} x {given.to}, {given.method}, chunks of {given.chunk}\n")
    print(table(figures))


if __name__ == "__main__":
    main()
