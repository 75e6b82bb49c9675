"""CPU and memory limits of Linux control groups (cgroups, versions 1 and 2).

A container on a machine with 64 cores may have the CPU time of 2: more threads than that only wait for each other. One
that exceeds its memory limit is killed.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from os.path import join

Folder = str | os.PathLike[str]


def cpu_limit(root: Folder = "/") -> int | None:
    """Return the number of cores whose CPU time this process may use, rounded up, or None without a limit.

    The tightest limit of the process's group and its ancestors counts. `root` is the folder that holds /proc.
    """
    quotas = [quota for folder in _groups(root, "cpu") if (quota := _quota(folder)) is not None]
    return max(1, math.ceil(min(quotas))) if quotas else None


def memory_left(root: Folder = "/") -> int | None:
    """Return the bytes that this process may still allocate, or None without a limit; page cache counts as free."""
    left = [n for folder in _memory_groups(os.fspath(root), os.getpid()) if (n := _memory_left(folder)) is not None]
    return max(0, min(left)) if left else None


@lru_cache(maxsize=4)
def _memory_groups(root: str, process: int) -> tuple[str, ...]:
    """Return the folders of groups that limit the memory of this process, cached: a fork may be in other groups."""
    return tuple(_groups(root, "memory"))


def _groups(root: Folder, controller: str) -> Iterator[str]:
    """Yield the folders of this process's groups with that controller, and of their ancestors."""
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
        top, mount_point = map(_unescape, before.split(" ")[3:5])
        yield from _ancestors(join(root, mount_point.lstrip("/")), _parts(top), _parts(path))


def _read(folder: Folder, name: str) -> str:
    with open(join(folder, name), encoding="utf-8") as file:
        return file.read()


def _controllers(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield controllers and paths of their groups, from lines like `1:cpu,cpuacct:/user` (version 2: `0::/user`)."""
    for line in lines:
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        for name in names.split(","):
            yield name, path


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _ancestors(mount_point: str, top: list[str], path: list[str]) -> Iterator[str]:
    """Yield the folder of a group and those of its ancestors, up to the mount point.

    `top` is the group at the mount point, in a container often the container's group.
    """
    inner = path[len(top) :] if path[: len(top)] == top and ".." not in path else []
    for depth in range(len(inner), -1, -1):
        yield join(mount_point, *inner[:depth])


def _quota(folder: str) -> float | None:
    """Return the number of cores whose CPU time one group allows."""
    try:
        if os.path.exists(join(folder, "cpu.max")):
            quota, period = _read(folder, "cpu.max").split()
        else:
            quota, period = _read(folder, "cpu.cfs_quota_us"), _read(folder, "cpu.cfs_period_us")
        allowed = int(quota) / int(period)  # "max", no limit, raises ValueError
    except (OSError, ValueError, ZeroDivisionError):
        return None
    return allowed if allowed > 0 else None  # version 1: -1 is no limit


def _memory_left(folder: str) -> int | None:
    """Return the bytes that one group allows beyond its current use, which excludes droppable page cache."""
    for limit, used, cached in _MEMORY_FILES:
        try:
            allowed = int(_read(folder, limit))
            if allowed >= _NO_LIMIT:
                return None
            in_use = int(_read(folder, used))
            lines = _read(folder, "memory.stat").splitlines()
            return allowed - in_use + sum(int(line[len(cached) :]) for line in lines if line.startswith(cached))
        except (OSError, ValueError):  # the other version, or "max": no limit
            continue
    return None


_MEMORY_FILES = (
    ("memory.max", "memory.current", "inactive_file "),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "),
)
_NO_LIMIT = 1 << 60  # version 1: 2 ** 63 minus a page


def _unescape(path: str) -> str:
    """Return a path of mountinfo without its octal escapes, such as \\040 for a space."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), path) if "\\" in path else path
