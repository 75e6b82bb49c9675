"""Peers in worker processes: pillow-simd, which replaces Pillow, pyvips, and TF.js in node."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sizewise.errors import SizewiseError
from sizewise_bench.cases import Array, Case
from sizewise_bench.contender import Contender
from sizewise_bench.peers import Peer
from sizewise_bench.subprocess_worker import Worker, encode_array, start_peer

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv" / "peers"  # created by `make bench`
_PEERS = {"pillow-simd": "pillow", "pyvips": "libvips"}  # environment -> file of the peer
_TFJS = ROOT / "tests" / "node" / "node_modules" / "@tensorflow" / "tfjs"
_KERNELS = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor"}

# TF.js is a hundred times slower than others, so few rows. Its gradients are correct for square single images.
TFJS_CASES = [
    Case((1, 224, 224, 3), (512, 512), method, gradient=gradient, dialect="tfjs")
    for method in _KERNELS
    for gradient in (False, True)
]


@contextmanager
def start(folder: Path = ENVIRONMENTS) -> Iterator[tuple[list[Peer], list[str]]]:
    """Yield the installed peers, each in a process that ends with the block, and a note for each missing one."""
    found: list[Peer] = []
    notes: list[str] = []
    workers: list[Worker] = []
    try:
        for name, file in _PEERS.items():
            python = folder / name / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            try:
                peer, worker = start_peer(str(python), file)
            except OSError:
                notes.append(f"{name} is left out: it has no environment (`make bench` creates one).")
                continue
            except SizewiseError as error:
                notes.append(f"{name} is left out: {error}.")
                continue
            workers.append(worker)
            found.append(peer)
        if shutil.which("node") is None or not _TFJS.is_dir():
            notes.append("TF.js is left out: it needs node, and `make node`.")
        else:
            workers.append(Worker(["node", str(Path(__file__).with_name("tfjs.js"))]))
            found.append(_tfjs(workers[-1]))
        yield found, notes
    finally:
        for worker in workers:
            worker.close()


def _tfjs(worker: Worker) -> Peer:
    def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
        if case.dialect != "tfjs" or case.method not in _KERNELS:
            return []
        arguments = {"name": _KERNELS[case.method], "gradient": case.gradient, "images": case.shape, "size": case.size}
        worker.ask("enter", source=encode_array(source), **arguments)
        return [Contender("TF.js", worker.time_once, worker.result)]

    return Peer("TF.js", worker.ask("version")["version"], contenders)
