"""Peers: who else can resize, one file each, found by looking.

A file has NAME, PACKAGE (what must be installed), `version()`, and `enter(case, source, threads)`, the entrants it
sends into a case: none where it cannot do it. Its framework is imported inside the functions, when a race begins.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from ...errors import FRAMEWORKS, is_raised_by
from ..cases import Array, Case
from ..entrant import Entrant

Enter = Callable[[Case, Array, int], list[Entrant]]


@dataclass(frozen=True)
class Peer:
    """One library that is there, its version, and how it enters a race."""

    name: str
    version: str
    enter: Enter


def calm() -> None:
    """Keeps idle workers of frameworks from spinning, and frameworks from chatting; before any is imported.

    A spinning worker takes its core from whoever is timed next.

    >>> calm()
    >>> "OMP_WAIT_POLICY" in os.environ
    True
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


@contextmanager
def silence() -> Iterator[None]:
    """Drops what is written to the process's stderr meanwhile, by compiled code too.

    >>> with silence():
    ...     _ = os.write(2, b"never seen")
    """
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def names() -> tuple[str, ...]:
    """The names of the files in this folder.

    >>> "pytorch" in names()
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str) -> Peer:
    """The peer of that file, imported; ImportError or worse where it does not work here.

    >>> load("pillow").name  # doctest: +SKIP
    'Pillow'
    """
    module = importlib.import_module(f"{__name__}.{name}")
    version = module.version()
    named = module.named(version) if hasattr(module, "named") else module.NAME
    return Peer(named, version, module.enter)


def found(elsewhere: Collection[str] = ()) -> tuple[list[Peer], list[str]]:
    """The peers that are installed here, and a sentence about those that are not, or that do not work.

    `elsewhere` are names that need no such sentence: they run in processes of their own.
    """
    peers, notes, missing = [], [], []
    for name in names():
        module = importlib.import_module(f"{__name__}.{name}")
        if find_spec(module.PACKAGE) is None:
            missing += [] if module.NAME in elsewhere else [module.NAME]
            continue
        try:
            with silence():  # frameworks greet
                peers.append(load(name))
        except Exception as error:  # whatever a broken installation raises; the others can still race
            if not is_raised_by(error, *FRAMEWORKS):
                raise
            notes.append(f"{module.NAME} is installed but does not work: {type(error).__name__}: {error}")
    if missing:
        notes.append(f"Not installed here: {', '.join(missing)}.")
    return peers, notes
