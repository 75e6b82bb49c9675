"""Files are written whole or not at all: full disks, interrupts, kills, and what those leave behind."""

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


def test_a_whole_file_replaces_the_old_one(tmp_path):
    path = tmp_path / "a.bin"
    for content in (b"old", b"new"):
        with writing.whole(path) as file:
            file.write(content)
            assert path.read_bytes() == b"old" if content == b"new" else not path.exists()
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["a.bin"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~writing._umask()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, OSError])
def test_whatever_goes_wrong_the_old_file_stays(tmp_path, error):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(FileError if error is OSError else error), writing.whole(path) as file:
        file.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_name_as_long_as_names_can_be(tmp_path):
    name = "ä" * 120 + ".png"  # 244 bytes, of 255
    with writing.whole(tmp_path / name) as file:
        file.write(b"x")
    assert os.listdir(tmp_path) == [name]


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    for path, message in (
        (tmp_path / "nowhere" / "a.png", "No such file or directory"),
        (tmp_path / "file" / "a.png", "Not a directory"),
        (tmp_path / "folder.png", "Is a directory"),
        (tmp_path / ("a" * 300), "File name too long"),
    ):
        with pytest.raises(FileError, match=f"cannot write .*: {message}"), writing.whole(path) as file:
            file.write(b"x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.png"]


def test_a_link_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "precious").write_bytes(b"precious")
    os.symlink("precious", tmp_path / "a.png")
    with writing.whole(tmp_path / "a.png") as file:
        file.write(b"x")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "a.png").is_symlink()


def leave(folder: Path, name: str, age: float) -> Path:
    path = folder / name
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_sweep_removes_what_the_dead_have_left(tmp_path):
    leave(tmp_path, ".sizewise-abc.part", 3600)
    kept = {leave(tmp_path, name, 3600).name for name in ("a.part", ".other.part", ".sizewise-abc", "photo.png")}
    kept.add(leave(tmp_path, ".sizewise-new.part", 5).name)
    (tmp_path / ".sizewise-folder.part").mkdir()
    os.symlink("photo.png", tmp_path / ".sizewise-link.part")
    kept |= {".sizewise-folder.part", ".sizewise-link.part"}
    assert writing.sweep(tmp_path) == 1
    assert set(os.listdir(tmp_path)) == kept
    assert writing.sweep(tmp_path / "nowhere") == 0


def test_sweep_leaves_what_somebody_still_writes(tmp_path):
    with writing.whole(tmp_path / "a.bin") as file:
        file.write(b"slowly")
        file.flush()
        os.utime(file.name if isinstance(file.name, str) else file.fileno(), (time.time() - 3600,) * 2)
        assert writing.sweep(tmp_path) == 0
    assert (tmp_path / "a.bin").read_bytes() == b"slowly"


KILLED = """
import sys, time
from sizewise.files.writing import whole
with whole(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
    time.sleep(60)
"""


def test_a_kill_leaves_a_hidden_part_that_the_next_sweep_removes(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, env=environment)
    assert child.stdout.readline() == b"ready\n"
    left = [one for one in tmp_path.iterdir() if one != path]
    os.utime(left[0], (time.time() - 3600,) * 2)
    assert writing.sweep(tmp_path) == 0  # it lives, and has its file locked
    child.kill()
    child.wait()
    child.stdout.close()
    assert path.read_bytes() == b"old"
    assert [one.name[0] for one in left] == ["."]
    assert writing.sweep(tmp_path) == 1
    assert os.listdir(tmp_path) == ["a.bin"]
