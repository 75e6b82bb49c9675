"""Machine code on disk: where it is kept, under which name, and what is thrown away.

Numba has a cache of its own, but three things about it are not good enough here. It watches only the file of the
function it stores: were `vectors.py` to change, old machine code that contains its old words would be loaded in
silence. Two processes that compile at once may each write under the other's name. And what cannot be written, it does
not read either, such as code that was compiled while a container was built. So there is one file for each kernel,
signature and processor, named after all three, in a folder named after every kernel file and every version.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
import time
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

DAY = 86_400.0
LONGEST_UNUSED = 30 * DAY  # after which a folder of other versions is thrown away
MOST_UNUSED = 8  # folders of other versions that stay once they have not been used for a day
_FOLDER = re.compile(r"kernels-[0-9a-f]{16}")
_FILE = re.compile(r".*\.nbc(\.tmp)?")
_CHECK = hashlib.sha256().digest_size


@cache
def folders() -> tuple[Path, ...]:
    """Where machine code may lie, whether it can be written or not; nowhere, if the sources cannot be read."""
    here = Path(__file__).parent
    sources = [source.read_bytes() for source in sorted(here.glob("*.py"))]
    if not sources:  # packed into one file with its Python: nothing would tell one version from the next
        return ()
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, sys.platform)
    digest = hashlib.sha256(repr(versions).encode())
    for source in sources:
        digest.update(hashlib.sha256(source).digest())
    given = os.environ.get("SIZEWISE_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    places = [Path(given)] if given else [here / "__pycache__", home / "sizewise"]
    if not given and not home.is_absolute():  # a user without a home: "~" would be a folder of that name, wherever
        places.pop()
    return tuple(place / f"kernels-{digest.hexdigest()[:16]}" for place in places)


@cache
def directory() -> Path | None:
    """The folder that machine code is written to: the first that can be, or None."""
    for folder in folders():
        with contextlib.suppress(OSError):
            if not folder.exists():
                folder.mkdir(parents=True, exist_ok=True)
                discard(folder)
            elif folder.stat().st_mtime < time.time() - DAY:
                os.utime(folder)  # the day of its last use: what is in use is not thrown away
            if os.access(folder, os.W_OK):
                return folder
    return None


def discard(own: Path) -> None:
    """Throws away the folders beside `own` that other versions have left: the very old, and the many.

    What was used within a day always stays, since some process may be writing it. One that is nevertheless robbed of
    its files compiles again.
    """
    for position, (used, folder) in enumerate(sorted(_others(own), reverse=True)):
        age = time.time() - used
        if age > LONGEST_UNUSED or (age > DAY and position >= MOST_UNUSED):
            with contextlib.suppress(OSError):
                for file in folder.iterdir():
                    if _FILE.fullmatch(file.name):  # never anything that is not ours
                        file.unlink()
                folder.rmdir()


def _others(own: Path) -> Iterator[tuple[float, Path]]:
    """The other folders of machine code beside `own`, each with the time of its last use."""
    with contextlib.suppress(OSError):
        for folder in own.parent.iterdir():
            if folder != own and _FOLDER.fullmatch(folder.name) and not folder.is_symlink():
                yield folder.stat().st_mtime, folder


def read(name: str) -> Any:
    """What was kept under a name, or None; a damaged file is as good as none."""
    for folder in folders():
        try:
            content = (folder / name).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(content[_CHECK:]).digest() == content[:_CHECK]:
            return pickle.loads(content[_CHECK:])
    return None


def write(name: str, pickled: bytes) -> bool:
    """Keeps something under a name, whole or not at all; whether that could be done."""
    folder = directory()
    if folder is None:
        return False
    temporary = folder / f"{uuid.uuid4().hex}.nbc.tmp"
    try:
        temporary.write_bytes(hashlib.sha256(pickled).digest() + pickled)
        os.replace(temporary, folder / name)
    except OSError:  # a full disk, a quota: no reason for a resize to fail
        with contextlib.suppress(OSError):
            temporary.unlink()
        return False
    return True


def size() -> int:
    """Bytes of the machine code that is kept for these versions.

    >>> size() >= 0
    True
    """
    total = 0
    for folder in folders():
        with contextlib.suppress(OSError):
            total += sum(file.stat().st_size for file in folder.iterdir())
    return total
