"""Fork safety: imports that a fork waits for, and cached values without locks.

A forked child inherits the locks of its parent but not the threads that would release them: it would wait forever for
a module that another thread was importing. So a fork waits until no thread is in `import_module`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
from functools import cached_property
from types import ModuleType
from typing import Any, TypeVar

Value = TypeVar("Value")

PATIENCE = 120.0  # seconds that a fork waits for an import; then it goes ahead

_importing = threading.RLock()


def import_module(name: str, package: str | None = None) -> ModuleType:
    """Return the module of that name, imported while no thread forks.

    >>> import_module("math").pi > 3
    True
    """
    with _importing:
        return importlib.import_module(name, package)


class lazy(cached_property[Value]):
    """A property that is computed once and kept; if two threads compute it at once, the last value stays.

    Until Python 3.12, `cached_property` has a lock for all instances together.

    >>> class Table:
    ...     @lazy
    ...     def size(self):
    ...         return len("computed")
    >>> Table().size
    8
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """Return the value; from then on it is an attribute like any other."""
        if instance is None:
            return self
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value


def _before() -> None:
    _importing.acquire(timeout=PATIENCE)


def _after() -> None:
    with contextlib.suppress(RuntimeError):  # where the fork went ahead without the lock
        _importing.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
