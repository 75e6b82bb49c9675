"""Fork safety: imports that a fork waits for, and cached values without locks.

A forked child inherits the locks of its parent but not the threads that would release them. If another thread is
importing a module, the child could wait for it forever, so a fork waits until no thread is in `import_module`.
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

FORK_TIMEOUT = 120.0  # seconds that a fork waits for an import before it proceeds

_importing = threading.RLock()


def import_module(name: str, package: str | None = None) -> ModuleType:
    """Import and return a module while no thread forks.

    >>> import_module("math").pi > 3
    True
    """
    with _importing:
        return importlib.import_module(name, package)


class lazy(cached_property[Value]):
    """A cached property without a lock; if two threads compute it at once, the last value is kept.

    Before Python 3.12, `cached_property` has one lock for all instances.

    >>> class Table:
    ...     @lazy
    ...     def size(self):
    ...         return len("computed")
    >>> Table().size
    8
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """Compute the value and store it in the instance."""
        if instance is None:
            return self
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value


def _acquire() -> None:
    _importing.acquire(timeout=FORK_TIMEOUT)


def _release() -> None:
    with contextlib.suppress(RuntimeError):  # the fork proceeded without the lock
        _importing.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_acquire, after_in_parent=_release, after_in_child=_release)
