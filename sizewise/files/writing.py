"""Writing a file so that it is there whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..errors import FileError


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
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
        try:
            with open(number, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_umask())
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


def _umask() -> int:
    """What a new file may not be allowed: mkstemp allows its owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
