"""What a fork must not find half done.

A forked child has the locks of its parent as they were, but not the threads that would release them: what another
thread was importing or compiling at that moment, the child waits for without end. So a fork waits until nobody does
either, and what is computed once and kept is kept without a lock.
"""

from __future__ import annotations

import importlib
import logging  # noqa: F401  # first imported while a fork waits, it would be asked to release what it never took
import os
import threading
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol, TypeVar

Value = TypeVar("Value")

PATIENCE = 120.0  # seconds that a fork waits at most; then it goes ahead as if nobody had asked it to wait


class Lock(Protocol):
    """A lock that may be taken again by the thread that has it."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Takes it; whether that could be done in time."""

    def release(self) -> None:
        """Gives it back."""


_importing = threading.RLock()
_locks: list[Lock] = [_importing]  # in the order in which a thread may take them
_taken = threading.local()  # those that the thread has which is about to fork


def import_module(name: str, package: str | None = None) -> ModuleType:
    """The module of that name, imported while nobody forks.

    >>> import_module("math").pi > 3
    True
    """
    with _importing:
        return importlib.import_module(name, package)


def wait_for(lock: Lock) -> None:
    """Lets no thread fork while another one has the lock."""
    _locks.append(lock)


class lazy(cached_property[Value]):
    """A value that is computed when it is first asked for, and kept: of two that are computed at once, the last.

    Until Python 3.12, `cached_property` has a lock for all instances together.

    >>> class Table:
    ...     @lazy
    ...     def size(self):
    ...         return len("computed")
    >>> Table().size
    8
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """The value; from then on it is an attribute like any other."""
        if instance is None:
            return self
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value


def _before() -> None:
    _taken.locks = [lock for lock in _locks if lock.acquire(timeout=PATIENCE)]


def _after() -> None:
    while getattr(_taken, "locks", ()):
        _taken.locks.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
