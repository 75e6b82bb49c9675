"""Peers: the other libraries that resize, one file each.

A file has NAME, MODULE (which must be installed), `version()`, and `contenders(case, source, threads)`, which returns
an empty list for a case that the library does not support. The library is imported inside the functions.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from sizewise.errors import FRAMEWORKS, is_raised_by

from ..cases import Array, Case
from ..contender import Contender


@dataclass(frozen=True)
class Peer:
    """An installed library, its version, and the function that returns its contenders in a case."""

    name: str
    version: str
    contenders: Callable[[Case, Array, int], list[Contender]]


def quiet_frameworks() -> None:
    """Keep idle worker threads of frameworks from spinning, and silence their logs; call it before importing any.

    A spinning worker takes a core from the library that is timed next.

    >>> quiet_frameworks()
    >>> "OMP_WAIT_POLICY" in os.environ
    True
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


@contextmanager
def silence_stderr() -> Iterator[None]:
    """Discard the process's stderr, that of compiled code too.

    >>> with silence_stderr():
    ...     _ = os.write(2, b"never seen")
    """
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


def names() -> tuple[str, ...]:
    """Return the names of the files in this folder.

    >>> "torch" in names()
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str) -> Peer:
    """Import the library and return the peer of that file; raise what a broken installation raises.

    >>> load("pillow").name  # doctest: +SKIP
    'Pillow'
    """
    module = importlib.import_module(f"{__name__}.{name}")
    version = module.version()
    name = module.name_of(version) if hasattr(module, "name_of") else module.NAME
    return Peer(name, version, module.contenders)


def find_installed(in_workers: Collection[str] = ()) -> tuple[list[Peer], list[str]]:
    """Return the installed peers, and notes about those that are not installed or do not work.

    `in_workers` are names without a note: they run in worker processes.
    """
    peers, notes, missing = [], [], []
    for name in names():
        module = importlib.import_module(f"{__name__}.{name}")
        if find_spec(module.MODULE) is None:
            missing += [] if module.NAME in in_workers else [module.NAME]
            continue
        try:
            with silence_stderr():  # frameworks log when they are imported
                peers.append(load(name))
        except Exception as error:  # a broken installation may raise any type; the others can still be timed
            if not is_raised_by(error, *FRAMEWORKS):
                raise
            notes.append(f"{module.NAME} is installed but does not work: {type(error).__name__}: {error}")
    if missing:
        notes.append(f"Not installed here: {', '.join(missing)}.")
    return peers, notes
