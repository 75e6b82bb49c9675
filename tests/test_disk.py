"""Machine code on disk: found again only where nothing has changed, never a reason to fail, and not kept for ever."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import llvmlite
import numba
import numpy as np
import pytest

import sizewise as sw
from sizewise.kernels import compiling, disk

sw.resize([1.0, 2.0], 3)  # whoever asks for names of machine code has Numba's own tables loaded


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two empty folders to look in; the second is the one to write to."""
    first, second = tmp_path / "a" / "kernels-0000000000000000", tmp_path / "b" / "kernels-0000000000000000"
    for folder in (first, second):
        folder.mkdir(parents=True)
    monkeypatch.setattr(disk, "folders", lambda: (first, second))
    monkeypatch.setattr(disk, "directory", lambda: second)
    return first, second


# --- names -----------------------------------------------------------------------------------------------------------


def folder_of(sources: dict[str, str], root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the folder for kernels of these sources."""
    root.mkdir(exist_ok=True)
    for name, text in sources.items():
        (root / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(disk, "__file__", str(root / "disk.py"))
    monkeypatch.setenv("SIZEWISE_CACHE", str(root))
    [folder] = disk.folders.__wrapped__()
    return folder.name


def test_a_change_in_any_kernel_file_is_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {"loops.py": "kernel = 1", "vectors.py": "lanes = 8"}
    names = [
        folder_of(sources, tmp_path / str(n), monkeypatch)
        for n, sources in enumerate([
            before, dict(before), {**before, "vectors.py": "lanes = 4"}, {**before, "more.py": ""},
            {"loops.py": "kernel = 1lanes = 8", "vectors.py": ""},
        ])
    ]  # fmt: skip
    assert names[0] == names[1]
    assert len(set(names)) == 4


@pytest.mark.parametrize(
    ("module", "attribute"),
    [(numba, "__version__"), (llvmlite, "__version__"), (np, "__version__"), (sys, "version"), (sys, "platform")],
)
def test_another_version_is_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, attribute: str
) -> None:
    before = folder_of({"loops.py": ""}, tmp_path, monkeypatch)
    monkeypatch.setattr(module, attribute, "another")
    assert folder_of({"loops.py": ""}, tmp_path, monkeypatch) != before


def test_without_sources_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "__file__", str(tmp_path / "disk.py"))
    assert disk.folders.__wrapped__() == ()


def test_the_folder_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    monkeypatch.delenv("SIZEWISE_CACHE", raising=False)
    assert [folder.parent for folder in disk.folders.__wrapped__()] == [tmp_path / "numba"]
    monkeypatch.setenv("SIZEWISE_CACHE", str(tmp_path / "own"))
    assert [folder.parent for folder in disk.folders.__wrapped__()] == [tmp_path / "own"]
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delenv("SIZEWISE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    beside, home = disk.folders.__wrapped__()
    assert beside.parent == Path(disk.__file__).parent / "__pycache__"
    assert home.parent == tmp_path / "home" / "sizewise"


class Processor:
    """What Numba generates code for."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def magic_tuple(self) -> tuple[str, ...]:
        return self.words


def made(constant: object, called: object = None) -> object:
    def closure(x: float) -> tuple[float, object, object]:
        return x, constant, called

    return closure


def test_kernels_types_and_processors_have_files_of_their_own() -> None:
    one, other = made(1), made(2)
    intel, arm = Processor("x86_64", "haswell", "+avx2"), Processor("arm64", "generic", "")
    floats, doubles = (numba.float32[::1],), (numba.float64[::1],)
    caches = [compiling.KernelCache(function) for function in (one, other, made(1, numba.njit(one)), made(1, other))]
    names = [
        cache._name(types, cpu) for cache in caches for types in (floats, doubles, floats[:1] * 2)
        for cpu in (intel, arm, Processor("x86_64", "haswell", "+avx"))
    ]  # fmt: skip
    assert len(set(names)) == len(names) == 36
    again = compiling.KernelCache(made(1, numba.njit(made(1))))
    assert again._name(floats, intel) == caches[2]._name(floats, intel)
    assert again._name(numba.void(*floats), intel) == again._name(floats, intel)


def test_what_has_no_lasting_name_is_not_kept(places: tuple[Path, Path]) -> None:
    cache = compiling.KernelCache(made(object()))
    with pytest.raises(ValueError, match="no name that lasts"):
        cache._name((numba.float32,), Processor("x86_64"))
    assert not any(places[1].iterdir())


# --- files -----------------------------------------------------------------------------------------------------------


def test_what_was_written_is_read(places: tuple[Path, Path]) -> None:
    assert disk.read("a.nbc") is None
    assert disk.write("a.nbc", pickle.dumps([1, 2]))
    assert disk.read("a.nbc") == [1, 2]
    assert [file.name for file in places[1].iterdir()] == ["a.nbc"]
    assert disk.size() == (places[1] / "a.nbc").stat().st_size


def test_a_place_that_cannot_be_written_is_still_read(places: tuple[Path, Path]) -> None:
    disk.write("a.nbc", pickle.dumps("warmed up when the container was built"))
    os.replace(places[1] / "a.nbc", places[0] / "a.nbc")
    assert disk.read("a.nbc") == "warmed up when the container was built"


def test_a_damaged_file_is_none(places: tuple[Path, Path]) -> None:
    disk.write("a.nbc", pickle.dumps(list(range(100))))
    file = places[1] / "a.nbc"
    whole = file.read_bytes()
    for position in range(0, len(whole), 7):
        file.write_bytes(whole[:position])
        assert disk.read("a.nbc") is None
        file.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        assert disk.read("a.nbc") is None
    file.write_bytes(whole)
    assert disk.read("a.nbc") == list(range(100))


def test_what_cannot_be_written_is_not_kept(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    places[1].rmdir()
    assert not disk.write("a.nbc", b"")
    monkeypatch.setattr(disk, "directory", lambda: None)
    assert not disk.write("a.nbc", b"")


def test_no_place_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(disk, "folders", lambda: (tmp_path / "file" / "kernels-0000000000000000",))
    assert disk.directory.__wrapped__() is None


# --- old folders -----------------------------------------------------------------------------------------------------


def old(root: Path, number: int, days: float, *files: str) -> Path:
    """A folder of another version, last used so many days ago."""
    folder = root / f"kernels-{number:016x}"
    folder.mkdir()
    for name in files or ("a.nbc", "b.nbc.tmp"):
        (folder / name).write_bytes(b"code")
    used = time.time() - days * disk.DAY
    os.utime(folder, (used, used))
    return folder


def test_old_folders_go_when_a_new_one_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = old(tmp_path, 1, 31)
    stays = [
        old(tmp_path, 2, 29),
        old(tmp_path, 3, 31, "a.nbc", "somebody's.txt"),
        (tmp_path / "kernels-unlike").absolute(),
    ]
    stays[2].mkdir()
    os.utime(stays[2], (0, 0))
    own = tmp_path / "kernels-ffffffffffffffff"
    monkeypatch.setattr(disk, "folders", lambda: (own,))
    assert disk.directory.__wrapped__() == own
    assert not gone.exists()
    assert all(folder.exists() for folder in [*stays, own])
    assert [file.name for file in stays[1].iterdir()] == ["somebody's.txt"]


def test_of_many_folders_the_latest_stay(tmp_path: Path) -> None:
    made = [old(tmp_path, n, 2 + n) for n in range(disk.MOST_UNUSED + 5)]
    busy = [old(tmp_path, 100 + n, 0.5) for n in range(disk.MOST_UNUSED + 5)]
    disk.discard(tmp_path / "kernels-ffffffffffffffff")
    assert all(folder.exists() for folder in busy)  # some process may be writing
    assert not any(folder.exists() for folder in made)
    for folder in busy[3:]:
        disk.discard(folder)  # never its own
    few = [old(tmp_path, 200 + n, 2 + n) for n in range(3)]
    for folder in busy:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    disk.discard(tmp_path / "kernels-ffffffffffffffff")
    assert all(folder.exists() for folder in few)


def test_a_folder_in_use_is_marked_as_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = old(tmp_path, 1, 20)
    monkeypatch.setattr(disk, "folders", lambda: (own,))
    assert disk.directory.__wrapped__() == own
    assert own.stat().st_mtime > time.time() - disk.DAY


# --- processes -------------------------------------------------------------------------------------------------------


def run(code: str, **environment: str) -> str:
    variables = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


COUNT = """
import sys
import numpy as np, sizewise as sw
from sizewise import kernels
print(sw.resize(np.arange(8, dtype=sys.argv[1] if len(sys.argv) > 1 else "f4"), (4,), "nearest"))
print(kernels.machine_code()[:3])
"""


def test_the_second_process_loads_what_the_first_has_compiled(tmp_path: Path) -> None:
    first = run(COUNT, SIZEWISE_CACHE=str(tmp_path)).splitlines()
    second = run(COUNT, SIZEWISE_CACHE=str(tmp_path)).splitlines()
    assert first[0] == second[0]
    assert first[1].startswith("(0, ")
    assert first[1].endswith(", 0)")
    assert second[1] == "(1, 0, 0)"


def test_scipy_waits_until_somebody_needs_it() -> None:
    code = """
import sys
import numpy as np, numba, sizewise as sw
sw.resize(np.ones((4, 4), np.float32), (2, 2))
print("scipy.linalg" in sys.modules)
try:
    print(numba.njit(lambda a, b: np.dot(a, b))(np.eye(2), np.eye(2)).tolist())
except Exception as error:
    print(type(error).__name__)
"""
    late, product = run(code).splitlines()
    assert late == "False"
    if find_spec("scipy") is not None:
        assert product == "[[1.0, 0.0], [0.0, 1.0]]"
