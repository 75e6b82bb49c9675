"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..errors import FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Names of temporary files: hidden, short enough beside any name, and recognizable.
_PREFIX, _SUFFIX = ".sizewise-", ".part"
_MIN_AGE_SECONDS = 60  # of a stale file: the owner of a younger one may be about to lock it


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a temporary file that replaces `path` at the end of the block.

    After any error, Ctrl-C included, `path` is unchanged and the temporary file is removed.
    """
    target = Path(path)
    try:
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=target.parent)
        try:
            with open(descriptor, "wb") as file:
                _lock(file)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_UMASK)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file atomically."""
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))


def remove_stale_temp(folder: str | os.PathLike[str]) -> int:
    """Remove temporary files of killed processes from a folder; return their number.

    Files in use are locked, and stay.
    """
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    removed += _remove_if_stale(entry)
    return removed


def _remove_if_stale(entry: os.DirEntry[str]) -> bool:
    if not entry.is_file(follow_symlinks=False) or time.time() - entry.stat().st_mtime < _MIN_AGE_SECONDS:
        return False
    with open(entry.path, "rb") as file:
        if not _lock(file):
            return False
        os.unlink(entry.path)
    return True


def _lock(file: IO[bytes]) -> bool:
    """Lock an open file, until it is closed or this process ends; return whether that succeeded."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):  # another process has it; or the system has no locks
        return False
    return True


def _umask() -> int:
    """Return the umask, which mkstemp does not apply."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


_UMASK = _umask()  # read once: reading changes it for a moment, in all threads
