"""Peers that cannot live in this process: pillow-simd, which takes Pillow's place, pyvips, and TF.js in node."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sizewise.errors import SizewiseError
from sizewise.racing.cases import Array, Case
from sizewise.racing.child import Child, packed, peer
from sizewise.racing.entrant import Entrant
from sizewise.racing.peers import Peer

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv" / "peers"  # made by `make bench`
_PEERS = {"pillow-simd": "pillow", "pyvips": "libvips"}  # environment -> the peer's file
_TFJS = ROOT / "tests" / "node" / "node_modules" / "@tensorflow" / "tfjs"
_KERNELS = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor"}

# TF.js takes a hundred times as long as others: a few rows show it. Its gradients are right for square single images.
TFJS_CASES = [
    Case((1, 224, 224, 3), (512, 512), method, gradient=gradient, dialect="tfjs")
    for method in _KERNELS
    for gradient in (False, True)
]


@contextmanager
def peers(folder: Path = ENVIRONMENTS) -> Iterator[tuple[list[Peer], list[str]]]:
    """Those that are there, each in a process that ends with the block, and a sentence about each that is not."""
    found: list[Peer] = []
    notes: list[str] = []
    children: list[Child] = []
    try:
        for name, file in _PEERS.items():
            python = folder / name / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            try:
                one, child = peer(str(python), file)
            except OSError:
                notes.append(f"{name} is left out: it has no environment here (`make bench` makes one).")
                continue
            except SizewiseError as error:
                notes.append(f"{name} is left out: {error}.")
                continue
            children.append(child)
            found.append(one)
        if shutil.which("node") is None or not _TFJS.is_dir():
            notes.append("TF.js is left out: it needs node, and `make node`.")
        else:
            children.append(Child(["node", str(Path(__file__).with_name("tfjs.js"))]))
            found.append(_tfjs(children[-1]))
        yield found, notes
    finally:
        for child in children:
            child.close()


def _tfjs(child: Child) -> Peer:
    def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
        if case.dialect != "tfjs" or case.method not in _KERNELS:
            return []
        words = {"name": _KERNELS[case.method], "gradient": case.gradient, "images": case.shape, "size": case.size}
        child.ask("enter", source=packed(source), **words)
        return [Entrant("TF.js", child.lap, child.result)]

    return Peer("TF.js", child.ask("version")["version"], enter)
