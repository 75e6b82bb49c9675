"""What the system's control groups allow this process: processor time, as a number of cores, and memory.

A container on a machine of 64 cores may well have the time of 2: more threads than that only wait for each other. And
one that takes more memory than it may have is killed. Reads files of Linux only; knows nothing of threads.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath


def cores(root: Path = Path("/")) -> int | None:
    """The cores' worth of time this process may use, rounded up, or None where nothing limits it.

    The group of the process and all groups above it count: the tightest decides. `root` is where /proc and the control
    groups begin.

    >>> cores(Path("/no/such/place")) is None
    True
    """
    quotas = [quota for folder in _groups(root, "cpu") if (quota := _quota(folder)) is not None]
    return max(1, math.ceil(min(quotas))) if quotas else None


def memory(root: Path = Path("/")) -> int | None:
    """The bytes that this process may still take, or None where nothing limits it. What files fill counts as free.

    >>> memory(Path("/no/such/place")) is None
    True
    """
    left = [n for folder in _own(root, os.getpid()) if (n := _left(folder)) is not None]
    return max(0, min(left)) if left else None


@lru_cache(maxsize=4)
def _own(root: Path, process: int) -> tuple[Path, ...]:
    """The folders that may limit the memory of this process, read once: a fork may be put into others."""
    return tuple(_groups(root, "memory"))


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """The folders of this process's groups that may limit it, and of all the groups above them."""
    try:
        own = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        mounts = (root / "proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    paths = dict(_controllers(own))
    for mount in mounts:
        before, _, after = mount.partition(" - ")
        kind, options = after.split(" ")[0], after.split(" ")[-1].split(",")
        path = paths.get({"cgroup2": "", "cgroup": controller}.get(kind, "none"))
        if path is None or (kind == "cgroup" and controller not in options) or len(before.split(" ")) < 5:
            continue
        top, place = map(_unescaped, before.split(" ")[3:5])
        yield from _upwards(root / place.lstrip("/"), PurePosixPath(top), PurePosixPath(path))


def _controllers(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Controller -> path of its group, from lines like `1:cpu,cpuacct:/user`; version 2 has no name: `0::/user`."""
    for line in lines:
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        for name in names.split(","):
            yield name, path


def _upwards(place: Path, top: PurePosixPath, path: PurePosixPath) -> Iterator[Path]:
    """The folder of a group and those above it, up to where they are mounted.

    `top` is the group that stands at the mount: in a container it may be the container's own.
    """
    inner = path.relative_to(top) if path.is_relative_to(top) and ".." not in path.parts else PurePosixPath()
    for group in (inner, *inner.parents):
        yield place / group


def _quota(folder: Path) -> float | None:
    """The cores' worth of time one group allows, by itself."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text(encoding="utf-8").split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text(encoding="utf-8")
            period = (folder / "cpu.cfs_period_us").read_text(encoding="utf-8")
        allowed = int(quota) / int(period)  # "max" is no number: no limit
    except (OSError, ValueError, ZeroDivisionError):
        return None
    return allowed if allowed > 0 else None  # version 1 writes -1 for no limit


def _left(folder: Path) -> int | None:
    """The bytes that one group leaves, by itself: its limit, less what it holds other than files it could drop."""
    for limit, used, dropped in _MEMORY:
        try:
            most = int((folder / limit).read_text(encoding="utf-8"))
            if most >= _NO_LIMIT:
                return None
            taken = int((folder / used).read_text(encoding="utf-8"))
            lines = (folder / "memory.stat").read_text(encoding="utf-8").splitlines()
            return most - taken + sum(int(line[len(dropped) :]) for line in lines if line.startswith(dropped))
        except (OSError, ValueError):  # of the other version; or "max", which is no number: no limit
            continue
    return None


_MEMORY = (
    ("memory.max", "memory.current", "inactive_file "),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "),
)
_NO_LIMIT = 1 << 60  # version 1 writes 2 ** 63 less a page


def _unescaped(word: str) -> str:
    """A path as mountinfo writes it: a space is \\040."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), word)
