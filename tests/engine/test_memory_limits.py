"""How much memory there is: the machine's, what is free, and what control groups and limits leave of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import sizewise as sw
from sizewise import cgroups, memory_limits
from sizewise.errors import ArgumentError

GIB = 2**30
V2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
V1 = "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"


def tree(root: Path, own: str, mount: str, files: dict[str, str]) -> Path:
    """A made-up system: the groups of this process, where they are mounted, and the files there."""
    for name, text in {"proc/self/cgroup": own, "proc/self/mountinfo": mount, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("most", "left"), [(str(2 * GIB), GIB + 4096), ("max", None), (str(GIB // 2), 0), ("nonsense", None)]
)
def test_version_2(tmp_path: Path, most: str, left: int | None) -> None:
    group = "sys/fs/cgroup/work"
    files = {
        f"{group}/memory.max": f"{most}\n",
        f"{group}/memory.current": f"{GIB}\n",
        f"{group}/memory.stat": "anon 7\ninactive_file 4096\nactive_file 5\n",
    }
    assert cgroups.memory_left(tree(tmp_path, "0::/work\n", V2, files)) == left


@pytest.mark.parametrize(("most", "left"), [(3 * GIB, 2 * GIB), (2**63 - 4096, None)])
def test_version_1(tmp_path: Path, most: int, left: int | None) -> None:
    group = "sys/fs/cgroup/memory/work"
    files = {
        f"{group}/memory.limit_in_bytes": f"{most}\n",
        f"{group}/memory.usage_in_bytes": f"{GIB + 10}\n",
        f"{group}/memory.stat": "inactive_file 3\ntotal_inactive_file 10\n",
    }
    assert cgroups.memory_left(tree(tmp_path, "4:memory:/work\n3:cpu:/other\n", V1, files)) == left


def test_the_tightest_group_above_decides(tmp_path: Path) -> None:
    files = {}
    for group, most in (("a/b", 9 * GIB), ("a", 2 * GIB), (".", 5 * GIB)):
        files |= {f"sys/fs/cgroup/{group}/memory.{name}": str(n) for name, n in (("max", most), ("current", GIB))}
        files[f"sys/fs/cgroup/{group}/memory.stat"] = ""
    assert cgroups.memory_left(tree(tmp_path, "0::/a/b\n", V2, files)) == GIB


def test_available_memory_is_at_most_the_physical_memory() -> None:
    assert 0 < memory_limits.available_memory() <= memory_limits.physical_memory()


@pytest.mark.parametrize("left", [None, GIB])
def test_a_control_group_limits_the_available_memory(override: Callable[..., None], left: int | None) -> None:
    override(cgroups, memory_left=lambda: left)
    override(memory_limits, _free_memory=lambda: 8 * GIB)
    override(memory_limits, physical_memory=lambda: 16 * GIB)
    assert memory_limits.available_memory() == (left or 8 * GIB)


def test_a_result_beyond_the_available_memory_is_rejected_with_its_bytes(override: Callable[..., None]) -> None:
    override(memory_limits, available_memory=lambda: GIB)
    override(memory_limits, physical_memory=lambda: 16 * GIB)
    x = np.zeros((8, 8), np.float32)
    with pytest.raises(ArgumentError, match=rf"{4 * 2**30:,} bytes; .* can allocate {GIB:,} of .* {16 * GIB:,} bytes"):
        sw.resize(x, (2**15, 2**15), "nearest")
    assert sw.resize(x, (16, 16)).shape == (16, 16)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process")
def test_a_limit_of_the_process_is_seen() -> None:
    code = """
import resource, sys, numpy as np, sizewise as sw
from sizewise.errors import ArgumentError
sw.resize(np.zeros((8, 8), np.uint8), (9, 9), "nearest")
with open("/proc/self/statm") as sizes:
    used = int(sizes.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
try:
    sw.resize(np.zeros((8, 8), np.uint8), (2**15, 2**15), "nearest")
except ArgumentError as error:
    sys.stdout.write(str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert f"would take {2**30:,} bytes" in done.stdout
