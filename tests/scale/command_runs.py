"""Runs of `sizewise preprocess run` on files and shards, by itself and on engines."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import memory
import numpy as np
import psutil
from results import Results, digest

COMMANDS = {
    "command-tar": ("tar",),
    "command-parquet": ("parquet",),
    "command-files": ("files",),
    "command-files-ray": ("files", "--engine", "ray"),
    "command-files-dask": ("files", "--engine", "dask"),
}


def run_command(name: str, folder: Path, logs: Path) -> tuple[Results, float]:
    """Return the results of a command, which are read after it, and its seconds."""
    inputs, *options = COMMANDS[name]
    out = Path(tempfile.mkdtemp(prefix="out-", dir=folder))
    arguments = ["preprocess", "run", folder / "recipe.json", folder / inputs, "-o", out, "--json", *options]
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "sizewise", *map(str, arguments)], stdout=subprocess.PIPE, text=True
    ) as running:
        watch(running, logs)
    if running.returncode:
        raise SystemExit(f"{name}: exit code {running.returncode}")
    return read_results(out), time.perf_counter() - start


def watch(running: subprocess.Popen[str], logs: Path) -> None:
    """Sample the processes of a command as it reports files."""
    images, sampled, top = 0, 0, psutil.Process(running.pid)
    for line in running.stdout or ():
        shape = json.loads(line)["shape"]
        images += shape[0] if len(shape) == 1 else 1  # of a shard, the shape is the number of images
        if images - sampled >= memory.SAMPLE_IMAGES:
            sampled = images
            for process in (top, *top.children(recursive=True)):
                memory.sample(logs, process, images)


def read_results(out: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the index and the digest of each array in the files and shards of a folder, and remove it."""
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        yield from READERS[path.suffix](path)
    shutil.rmtree(out)


def read_npy(path: Path) -> Iterator[tuple[int, bytes]]:
    yield int(path.stem), digest(np.load(path))


def read_tar(path: Path) -> Iterator[tuple[int, bytes]]:
    with tarfile.open(path) as tar:
        for member in tar:
            file = tar.extractfile(member)
            yield int(Path(member.name).stem), digest(np.load(io.BytesIO(file.read() if file else b"")))


def read_parquet(path: Path) -> Iterator[tuple[int, bytes]]:
    import pyarrow.parquet as parquet

    for row in parquet.read_table(path).to_pylist():
        yield row["index"], digest(np.load(io.BytesIO(row["image"]["bytes"])))


READERS = {".npy": read_npy, ".tar": read_tar, ".parquet": read_parquet}
