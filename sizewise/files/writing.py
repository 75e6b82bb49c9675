"""Writing a file so that it is there whole, or not at all."""

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

# What a file is called until it is whole: hidden, short enough beside any name, and known for ours.
_PREFIX, _SUFFIX = ".sizewise-", ".part"
_SECONDS = 60  # that an unfinished file is left alone: its owner may be about to lock it


@contextlib.contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name only when everything is written.

    Whatever goes wrong before that, Ctrl-C included, the name keeps what it had, and nothing is left beside it.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole(folder / "a.txt") as file:
    ...     _ = file.write(b"all of it")
    >>> [(path.name, path.read_bytes()) for path in folder.iterdir()]
    [('a.txt', b'all of it')]
    """
    target = Path(path)
    try:
        number, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=target.parent)
        try:
            with open(number, "wb") as file:
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


def write_text(path: str | os.PathLike[str], words: str) -> None:
    """Writes words to a file, whole or not at all.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "page.html"
    >>> write_text(path, "<p>x</p>")
    >>> path.read_text()
    '<p>x</p>'
    """
    with whole(path) as file:
        file.write(words.encode("utf-8"))


def sweep(folder: str | os.PathLike[str]) -> int:
    """Removes what processes that were killed have left unfinished in a folder; returns how many files that were.

    A file that somebody still writes is locked, and stays.

    >>> sweep(tempfile.mkdtemp())
    0
    """
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    removed += _removed(entry)
    return removed


def _removed(entry: os.DirEntry[str]) -> bool:
    if not entry.is_file(follow_symlinks=False) or time.time() - entry.stat().st_mtime < _SECONDS:
        return False
    with open(entry.path, "rb") as file:
        if not _lock(file):
            return False
        os.unlink(entry.path)
    return True


def _lock(file: IO[bytes]) -> bool:
    """Whether the file is now locked by us, as long as it is open; its owner's death unlocks it, too."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):  # somebody else has it; or there are no locks here
        return False
    return True


def _umask() -> int:
    """What a new file may not be allowed: mkstemp allows its owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


_UMASK = _umask()  # asked once: asking changes it for a moment, in all threads
