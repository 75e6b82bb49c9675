"""Atomic writing: errors, interrupts, kills, and stale temporary files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sizewise.errors import FileError
from sizewise.files import writing

ROOT = Path(__file__).parents[2]


def test_file_replaces_the_old_one(tmp_path):
    path = tmp_path / "a.bin"
    for content in (b"old", b"new"):
        with writing.atomic_write(path) as file:
            file.write(content)
            assert path.read_bytes() == b"old" if content == b"new" else not path.exists()
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["a.bin"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~writing._umask()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, OSError])
def test_old_file_stays_after_any_error(tmp_path, error):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(FileError if error is OSError else error), writing.atomic_write(path) as file:
        file.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_longest_name(tmp_path):
    name = "ä" * 120 + ".png"  # 244 bytes, of 255
    with writing.atomic_write(tmp_path / name) as file:
        file.write(b"x")
    assert os.listdir(tmp_path) == [name]


def test_unwritable_paths(tmp_path):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    for path, message in (
        (tmp_path / "nowhere" / "a.png", "No such file or directory"),
        (tmp_path / "file" / "a.png", "Not a directory"),
        (tmp_path / "folder.png", "Is a directory"),
        (tmp_path / ("a" * 300), "File name too long"),
    ):
        with pytest.raises(FileError, match=f"cannot write .*: {message}"), writing.atomic_write(path) as file:
            file.write(b"x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.png"]


def test_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "precious").write_bytes(b"precious")
    os.symlink("precious", tmp_path / "a.png")
    with writing.atomic_write(tmp_path / "a.png") as file:
        file.write(b"x")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "a.png").is_symlink()


def leave(folder: Path, name: str, age: float) -> Path:
    path = folder / name
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_stale_files_are_removed(tmp_path):
    leave(tmp_path, ".sizewise-abc.part", 3600)
    kept = {leave(tmp_path, name, 3600).name for name in ("a.part", ".other.part", ".sizewise-abc", "photo.png")}
    kept.add(leave(tmp_path, ".sizewise-new.part", 5).name)
    (tmp_path / ".sizewise-folder.part").mkdir()
    os.symlink("photo.png", tmp_path / ".sizewise-link.part")
    kept |= {".sizewise-folder.part", ".sizewise-link.part"}
    assert writing.remove_stale_temp(tmp_path) == 1
    assert set(os.listdir(tmp_path)) == kept
    assert writing.remove_stale_temp(tmp_path / "nowhere") == 0


def test_files_in_use_stay(tmp_path):
    with writing.atomic_write(tmp_path / "a.bin") as file:
        file.write(b"slowly")
        file.flush()
        os.utime(file.name if isinstance(file.name, str) else file.fileno(), (time.time() - 3600,) * 2)
        assert writing.remove_stale_temp(tmp_path) == 0
    assert (tmp_path / "a.bin").read_bytes() == b"slowly"


KILLED = """
import sys, time
from sizewise.files.writing import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    time.sleep(60)
"""


def test_file_of_a_killed_process_is_removed_later(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, env=environment)
    assert child.stdout.readline() == b"ready\n"
    left = [one for one in tmp_path.iterdir() if one != path]
    os.utime(left[0], (time.time() - 3600,) * 2)
    assert writing.remove_stale_temp(tmp_path) == 0  # the process holds its lock
    child.kill()
    child.wait()
    child.stdout.close()
    assert path.read_bytes() == b"old"
    assert [one.name[0] for one in left] == ["."]
    assert writing.remove_stale_temp(tmp_path) == 1
    assert os.listdir(tmp_path) == ["a.bin"]
