"""The default number of threads: the cores, the quota of control groups, and one inside the worker of a pool."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from sizewise import cgroups, thread_count
from sizewise.engine import thread_pool
from sizewise.errors import ArgumentError


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch: pytest.MonkeyPatch, override: Callable[..., None]) -> None:
    """Four cores, no quota and no wish, whatever the machine has."""
    monkeypatch.delenv("SIZEWISE_THREADS", raising=False)
    override(thread_count, _cores=lambda: 4)
    override(thread_count, _quota=lambda: sys.maxsize)


# --- control groups -------------------------------------------------------------------------------------------------

V2_MOUNT = "30 23 0:26 {top} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
V1_MOUNT = "32 31 0:29 {top} /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct"
OTHER_MOUNTS = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/cpu,cpuacct"


def tree(root: Path, own: str, mount: str, files: dict[str, str]) -> Path:
    """A made-up system: the groups of this process, where they are mounted, and the files there."""
    contents = {"proc/self/cgroup": own, "proc/self/mountinfo": f"{OTHER_MOUNTS}\n{mount}\n", **files}
    for name, text in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def version2(root: Path, path: str, quotas: dict[str, str], top: str = "/") -> int | None:
    """The cores by version 2; `quotas` by folder below the mount."""
    files = {f"{V2}/{folder}/cpu.max": text for folder, text in quotas.items()}
    return cgroups.cpu_limit(tree(root, f"0::{path}\n", V2_MOUNT.format(top=top), files))


def version1(root: Path, path: str, quotas: dict[str, tuple[int, int]], top: str = "/") -> int | None:
    """The cores by version 1; `quotas` by folder below the mount."""
    files = {}
    for folder, (quota, period) in quotas.items():
        files[f"{V1}/{folder}/cpu.cfs_quota_us"] = f"{quota}\n"
        files[f"{V1}/{folder}/cpu.cfs_period_us"] = f"{period}\n"
    own = f"9:memory:/elsewhere\n4:cpu,cpuacct:{path}\n0::/\n"
    return cgroups.cpu_limit(tree(root, own, V1_MOUNT.format(top=top), files))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max 100000\n", None),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("10000 100000\n", 1),
        ("200001 100000\n", 3),
        ("", None),
        ("nonsense\n", None),
        ("100000 0\n", None),
    ],
)
def test_version_2(tmp_path: Path, text: str, expected: int | None) -> None:
    assert version2(tmp_path, "/work", {"work": text}) == expected


def test_version_2_the_tightest_group_above_decides(tmp_path: Path) -> None:
    quotas = {"a/b": "max 100000", "a": "300000 100000", ".": "800000 100000", "other": "100000 100000"}
    assert version2(tmp_path, "/a/b", quotas) == 3


def test_version_2_in_a_container(tmp_path: Path) -> None:
    assert version2(tmp_path, "/", {".": "150000 100000"}) == 2


@pytest.mark.parametrize(("quota", "expected"), [(-1, None), (250000, 3), (5000, 1), (0, None)])
def test_version_1(tmp_path: Path, quota: int, expected: int | None) -> None:
    assert version1(tmp_path, "/work", {"work": (quota, 100000), ".": (-1, 100000)}) == expected


def test_version_1_the_tightest_group_above_decides(tmp_path: Path) -> None:
    assert version1(tmp_path, "/a/b", {"a/b": (-1, 100000), "a": (100000, 50000)}) == 2


def test_version_1_in_a_container_that_sees_the_path_of_its_host(tmp_path: Path) -> None:
    assert version1(tmp_path, "/docker/abc/job", {"job": (300000, 100000)}, top="/docker/abc") == 3
    assert version1(tmp_path / "2", "/docker/abc", {".": (300000, 100000)}, top="/docker/abc") == 3


def test_a_path_outside_the_mount_means_the_mount_itself(tmp_path: Path) -> None:
    assert version2(tmp_path, "/../../work", {".": "200000 100000"}) == 2
    assert version1(tmp_path / "1", "/elsewhere", {".": (200000, 100000)}, top="/docker/abc") == 2


def test_a_mount_with_a_space(tmp_path: Path) -> None:
    mount = "30 23 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw"
    assert cgroups.cpu_limit(tree(tmp_path, "0::/\n", mount, {"my groups/cpu.max": "200000 100000"})) == 2


def test_no_groups_at_all(tmp_path: Path) -> None:
    assert cgroups.cpu_limit(tmp_path) is None
    assert cgroups.cpu_limit(tree(tmp_path, "", "", {})) is None
    assert cgroups.cpu_limit(tree(tmp_path, "0::/\n::::\nbroken", "30 - cgroup2\n - cgroup\n", {})) is None


def test_memory_of_this_machine_is_read() -> None:
    assert cgroups.cpu_limit() is None or cgroups.cpu_limit() >= 1


# --- what decides ----------------------------------------------------------------------------------------------------


def test_the_smaller_of_cores_and_quota(override: Callable[..., None]) -> None:
    assert thread_count.default_threads() == 4
    override(thread_count, _quota=lambda: 3)
    assert thread_count.default_threads() == 3
    override(thread_count, _cores=lambda: 2)
    assert thread_count.default_threads() == 2


def test_the_environment_alone_decides_where_it_says_something(
    monkeypatch: pytest.MonkeyPatch, override: Callable[..., None]
) -> None:
    override(thread_count, _quota=lambda: 1)
    monkeypatch.setenv("SIZEWISE_THREADS", " 7 ")
    assert thread_count.default_threads() == 7
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(thread_count.default_threads).result() == 7
    monkeypatch.setenv("SIZEWISE_THREADS", "")
    assert thread_count.default_threads() == 1
    for wrong in ("0", "-1", "two", "1.5"):
        monkeypatch.setenv("SIZEWISE_THREADS", wrong)
        with pytest.raises(ArgumentError, match="SIZEWISE_THREADS"):
            thread_count.default_threads()


def test_one_in_a_worker_of_a_pool_of_threads() -> None:
    with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
        assert pool.submit(thread_count.default_threads).result() == 1
    with ThreadPool(2) as workers:
        assert workers.apply(thread_count.default_threads) == 1
    assert thread_count.default_threads() == 4


def test_all_in_a_thread_that_the_program_started() -> None:
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(thread_count.default_threads()))
    thread.start()
    thread.join()
    assert seen == [4]


POOLS = """
import os, sys
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
from sizewise import thread_count

thread_count.default_threads()  # in a process that is spawned, before it is known whose it is
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(1) as pool:
        seen = [pool.apply(thread_count.is_pool_worker)]
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        seen.append(pool.submit(thread_count.is_pool_worker).result())
    sys.stdout.write(f"{seen} {thread_count.is_pool_worker()}")
"""


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_one_in_a_worker_of_a_pool_of_processes(tmp_path: Path, start: str) -> None:
    if start != "spawn" and not hasattr(os, "fork"):
        start = "spawn"  # all that this system has
    script = tmp_path / "pools.py"
    script.write_text(POOLS, encoding="utf-8")
    assert output([str(script), start]) == "[True, True] False"


def test_one_in_a_worker_of_torch() -> None:
    code = """
import sys, torch
from sizewise import thread_count
class Answers(torch.utils.data.Dataset):
    def __len__(self): return 2
    def __getitem__(self, index): return thread_count.default_threads()
loader = torch.utils.data.DataLoader(Answers(), batch_size=1, num_workers=1)
sys.stdout.write(str([int(answer) for answer in loader]))
"""
    assert output(["-c", code]) == "[1, 1]"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_no_more_than_the_affinity_allows() -> None:
    code = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from sizewise import thread_count
sys.stdout.write(str(thread_count.default_threads()))
"""
    assert output(["-c", code]) == "1"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_asks_for_its_own_quota() -> None:
    code = """
import os, sys
from sizewise import cgroups
from sizewise import thread_count
thread_count._cores = lambda: 8
before = thread_count.default_threads()
cgroups.cpu_limit = lambda: 3
if os.fork() == 0:
    os._exit(thread_count.default_threads())
sys.stdout.write(str([before == thread_count.default_threads(), os.waitstatus_to_exitcode(os.wait()[1])]))
"""
    assert output(["-c", code]) == "[True, 3]"


def output(arguments: list[str]) -> str:
    """Return the output of a new Python process in which SIZEWISE_THREADS is not set."""
    environment = {name: value for name, value in os.environ.items() if name != "SIZEWISE_THREADS"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- bands -----------------------------------------------------------------------------------------------------------


def bands_of(
    n_rows: int, n_threads: int, multiple: int, least: int = 1, most: int | None = None, ahead: int = 0
) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    thread_pool.run(lambda first, last: seen.append((first, last)), n_rows, n_threads, multiple, least, most, ahead)
    return sorted(seen)


def test_bands_begin_at_multiples() -> None:
    assert bands_of(20, 2, 8) == [(0, 16), (16, 20)]
    assert bands_of(7, 4, 8) == [(0, 7)]
    assert bands_of(9, 4, 8) == [(0, 8), (8, 9)]


def test_bands_cover_every_row_once() -> None:
    for multiple in (1, 3, 8):
        for n_rows in (*range(1, 70), 1000):
            for n_threads in range(1, 7):
                for least, most, ahead in (
                    (1, None, 0), (5, None, 7), (1000, None, 0), (1000, None, 9), (1000, None, 2000), (1, 4, 0),
                    (8, 24, 1),
                ):  # fmt: skip
                    bands = bands_of(n_rows, n_threads, multiple, least, most, ahead)
                    assert [row for first, last in bands for row in range(first, last)] == list(range(n_rows))
                    assert all(first % multiple == 0 for first, _ in bands)
                    whole = -(-n_rows // multiple)
                    assert len(bands) > min(n_threads, whole) // 2
                    longest = n_rows if most is None else -(-most // multiple) * multiple
                    assert max(last - first for first, last in bands) <= longest


def test_few_rows_are_divided_evenly() -> None:
    for n_rows in range(1, 70):
        for n_threads in range(1, 7):
            blocks = [-(-(last - first) // 8) for first, last in bands_of(n_rows, n_threads, 8, least=n_rows)]
            assert len(blocks) == min(n_threads, sum(blocks))
            assert max(blocks) - min(blocks) <= 1


def test_of_few_rows_the_caller_has_more() -> None:
    assert bands_of(800, 2, 8, least=800, ahead=80) == [(0, 440), (440, 800)]
    assert bands_of(800, 3, 8, least=800, ahead=96) == [(0, 336), (336, 568), (568, 800)]
    assert bands_of(16, 2, 8, least=16, ahead=1000) == [(0, 8), (8, 16)]


def test_many_rows_are_cut_ever_smaller() -> None:
    sizes = [last - first for first, last in bands_of(1000, 2, 8, least=16)]
    assert sizes[:2] == [376, 376]
    assert sizes[2:] == sorted(sizes[2:], reverse=True)
    assert min(sizes[:-1]) >= 16
    assert len(sizes) < 20


def test_faster_threads_run_more_bands() -> None:
    rows = {True: 0, False: 0}

    def band(first: int, last: int) -> None:
        own = threading.current_thread() is threading.main_thread()
        time.sleep((last - first) * (0.004 if own else 0.001))
        rows[own] += last - first

    thread_pool.run(band, 100, 2)
    assert sum(rows.values()) == 100
    assert rows[False] > rows[True]


def test_large_pieces_are_nobodys_in_particular() -> None:
    for n_rows, n_threads, most in ((680, 2, 336), (512, 2, 128), (664, 2, 328), (4320, 16, 200)):
        bands = thread_pool.split_rows(n_rows, n_threads, 8, n_rows, most, 0)
        sizes = [last - first for first, last in bands.edges]
        assert max(sizes) <= most
        assert min(sizes) > max(sizes) / 3  # a share is cut evenly, too
        assert bands.left_to_caller == 0


def test_the_last_piece_is_the_callers() -> None:
    for _ in range(5):
        last_by: list[str] = []

        def band(first: int, last: int, last_by: list[str] = last_by) -> None:
            time.sleep((last - first) * 1e-4)
            if last == 100:
                last_by.append(threading.current_thread().name)

        thread_pool.run(band, 100, 2)
        assert last_by == [threading.main_thread().name]


def test_nobody_holds_a_band_that_is_done() -> None:
    class Band:
        """A call whose end can be seen."""

        def __call__(self, first: int, last: int) -> None: ...

    for _ in range(10):
        band = Band()
        alive = weakref.ref(band)
        thread_pool.run(band, 4, 2)
        del band
        assert alive() is None


def test_a_failure_holds_no_band() -> None:
    class Band:
        """A call that fails in the caller or in another thread."""

        def __init__(self, fails: int) -> None:
            self.fails = fails

        def __call__(self, first: int, last: int) -> None:
            if first == self.fails:
                raise ArithmeticError(first)
            time.sleep(0.01)

    for fails in (0, 1):
        band = Band(fails)
        alive = weakref.ref(band)
        try:
            thread_pool.run(band, 2, 2)
        except ArithmeticError:
            pass
        else:
            raise AssertionError("the failure has not arrived")
        del band
        assert alive() is None


INTERRUPTED = """
import sys
from sizewise.engine import thread_pool

code = {function.__code__ for function in (thread_pool.run_bands, thread_pool._Work.run)}

def interrupt_at(number):
    left = number
    def trace(frame, event, argument):
        nonlocal left
        if frame.f_code not in code:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace
    return trace

interrupted, number = 0, 0
while True:
    number += 1
    sys.settrace(interrupt_at(number))
    try:
        thread_pool.run(lambda first, last: None, 3, 3)
    except KeyboardInterrupt:
        interrupted += 1
    else:
        if number > 1000:
            break
    finally:
        sys.settrace(None)
    if number > 5000:
        break
print(interrupted > 50)
"""


def test_an_interruption_at_any_instruction_leaves_nobody_waiting() -> None:
    assert output(["-c", INTERRUPTED]) == "True\n"
