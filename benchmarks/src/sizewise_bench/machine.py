"""Description of the machine: processor, cores, threads, and versions of the libraries."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sizewise import __version__

from .peers import Peer


@dataclass(frozen=True)
class Machine:
    """The processor's name, the cores this process may use, the threads per library, and (name, version) pairs."""

    processor: str
    cores: int
    threads: int
    versions: tuple[tuple[str, str], ...]


def this_machine(peers: Iterable[Peer], threads: int | None = None) -> Machine:
    """Return the description of this machine.

    >>> this_machine([], threads=1).threads
    1
    """
    versions = [("Sizewise", __version__), ("Python", platform.python_version()), ("NumPy", np.__version__)]
    versions += [(peer.name, peer.version) for peer in peers]
    return Machine(processor(), cores(), threads or cores(), tuple(versions))


def cores() -> int:
    """Return the number of cores this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """Return the name of the processor.

    >>> len(processor()) > 0
    True
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "an unnamed processor"
