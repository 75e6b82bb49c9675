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
from os.path import join

Folder = str | os.PathLike[str]


def cores(root: Folder = "/") -> int | None:
    """Return the cores' worth of time this process may use, rounded up, or None where nothing limits it.

    The group of the process and all groups above it count: the tightest decides. `root` is where /proc and the control
    groups begin.

    >>> cores("/no/such/folder") is None
    True
    """
    quotas = [quota for folder in _groups(root, "cpu") if (quota := _quota(folder)) is not None]
    return max(1, math.ceil(min(quotas))) if quotas else None


def memory(root: Folder = "/") -> int | None:
    """Return the bytes that this process may still allocate, or None where nothing limits it; the page cache is free.

    >>> memory("/no/such/folder") is None
    True
    """
    left = [n for folder in _own(os.fspath(root), os.getpid()) if (n := _left(folder)) is not None]
    return max(0, min(left)) if left else None


@lru_cache(maxsize=4)
def _own(root: str, process: int) -> tuple[str, ...]:
    """The folders that may limit the memory of this process, read once: a fork may be put into others."""
    return tuple(_groups(root, "memory"))


def _groups(root: Folder, controller: str) -> Iterator[str]:
    """The folders of this process's groups that may limit it, and of all the groups above them."""
    try:
        own = _read(root, "proc/self/cgroup").splitlines()
        mounts = _read(root, "proc/self/mountinfo").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    paths = dict(_controllers(own))
    for mount in mounts:
        before, _, after = mount.partition(" - ")
        kind, options = after.split(" ")[0], after.split(" ")[-1].split(",")
        path = paths.get({"cgroup2": "", "cgroup": controller}.get(kind, "none"))
        if path is None or (kind == "cgroup" and controller not in options) or len(before.split(" ")) < 5:
            continue
        top, mount_point = map(_unescaped, before.split(" ")[3:5])
        yield from _upwards(join(root, mount_point.lstrip("/")), _parts(top), _parts(path))


def _read(folder: Folder, name: str) -> str:
    with open(join(folder, name), encoding="utf-8") as file:
        return file.read()


def _controllers(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Controller -> path of its group, from lines like `1:cpu,cpuacct:/user`; version 2 has no name: `0::/user`."""
    for line in lines:
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        for name in names.split(","):
            yield name, path


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _upwards(mount_point: str, top: list[str], path: list[str]) -> Iterator[str]:
    """The folder of a group and those above it, up to where they are mounted.

    `top` is the group at the mount point: in a container it may be the container's own.
    """
    inner = path[len(top) :] if path[: len(top)] == top and ".." not in path else []
    for depth in range(len(inner), -1, -1):
        yield join(mount_point, *inner[:depth])


def _quota(folder: str) -> float | None:
    """The cores' worth of time one group allows, by itself."""
    try:
        if os.path.exists(join(folder, "cpu.max")):
            quota, period = _read(folder, "cpu.max").split()
        else:
            quota, period = _read(folder, "cpu.cfs_quota_us"), _read(folder, "cpu.cfs_period_us")
        allowed = int(quota) / int(period)  # "max" is no number: no limit
    except (OSError, ValueError, ZeroDivisionError):
        return None
    return allowed if allowed > 0 else None  # version 1 writes -1 for no limit


def _left(folder: str) -> int | None:
    """The bytes that one group leaves, by itself: its limit, less what it holds other than files it could drop."""
    for limit, used, dropped in _MEMORY:
        try:
            most = int(_read(folder, limit))
            if most >= _NO_LIMIT:
                return None
            taken = int(_read(folder, used))
            lines = _read(folder, "memory.stat").splitlines()
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
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), word) if "\\" in word else word
