"""`sizewise resize` as a process: interruptions, kills, full disks, closed pipes, a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from photo_files import names, photo, pixels_of, write_tree

ROOT = Path(__file__).parents[2]
SIZE_ARGUMENTS = ("--size", "6x8")


@pytest.fixture
def folder(tmp_path):
    """Return a tree with three photos."""
    return write_tree(tmp_path)


# The command as a separate process, which handles Ctrl-C even if this one was started to ignore it.
BEGIN = """
import resource, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
largest = {largest} or resource.RLIM_INFINITY
resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
from sizewise.cli import main
main()
"""


def start(*arguments, largest: int = 0) -> subprocess.Popen:
    """Start `sizewise resize`; files are limited to `largest` bytes, unless that is 0."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    line = [sys.executable, "-c", BEGIN.format(largest=largest), "resize", *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.fixture
def many(tmp_path):
    """Return enough photos to interrupt a run."""
    photo(tmp_path / "in" / "000.png", 600, 800, compress_level=1)
    for number in range(1, 100):
        os.link(tmp_path / "in" / "000.png", tmp_path / "in" / f"{number:03}.png")
    return tmp_path


def complete_files(folder: Path) -> list[str]:
    """Return the names of the files in a folder, after reading each."""
    for name in names(folder):
        if not name.startswith("."):
            assert pixels_of(folder / name).shape == (300, 400, 3)
    return names(folder)


@pytest.mark.parametrize("workers", [1, 3])
def test_control_c_leaves_no_partial_file(many, workers):
    running = start(many / "in", "-o", many / "out", "--scale", "0.5", "--workers", workers)
    printed = [running.stdout.readline() for _ in range(5)]
    running.send_signal(signal.SIGINT)
    printed += running.stdout.readlines()
    err = running.stderr.read()
    assert running.wait(60) == 130
    made = complete_files(many / "out")
    assert 5 <= len(made) < 100
    assert not [name for name in made if name.startswith(".")]
    assert printed == [f"{many / 'out' / name}\n" for name in made]
    assert f"{100 - len(made)} not started (--skip-existing continues from here)" in err
    assert "Traceback" not in err


def test_a_closed_pipe_stops_the_run(many):
    running = start(many / "in", "-o", many / "out", "--scale", "0.5", "--workers", 3)
    running.stdout.readline()
    running.stdout.close()
    err = running.stderr.read()
    assert (running.wait(60), err) == (1, "")
    made = complete_files(many / "out")
    assert 1 <= len(made) < 100
    assert not [name for name in made if name.startswith(".")]


def test_a_kill_leaves_no_partial_file_and_the_next_run_continues(many):
    arguments = (many / "in", "-o", many / "out", "--scale", "0.5", "--workers", 3)
    running = start(*arguments)
    for _ in range(5):
        running.stdout.readline()
    running.kill()
    running.communicate(timeout=60)
    made = complete_files(many / "out")
    assert 5 <= len(made) < 100
    left = [many / "out" / name for name in made if name.startswith(".")]
    assert len(left) <= 3
    for number in range(96):  # leaves few to do
        target = many / "out" / f"{number:03}.png"
        if not target.exists():
            os.link(next((many / "out").glob("0*.png")), target)
    dead = many / "out" / ".sizewise-dead.part"
    for path in (*left, dead):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - 3600,) * 2)
    again = start(*arguments, "--skip-existing")
    _, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert complete_files(many / "out") == [f"{number:03}.png" for number in range(100)]


def test_a_full_disk_leaves_no_partial_file(folder):
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no right to mount a small disk here")
    try:
        running = start(folder / "in", "-o", disk, "--size", "64x64", "--workers", 2)
        _, err = running.communicate(timeout=60)
        made = names(disk)
    finally:
        subprocess.run(["umount", disk], check=True)
    assert running.returncode == 1
    assert made == ["a.png"] or len(made) < 2
    assert err.count("No space left on device") == 3 - len(made)
    assert "Traceback" not in err


def test_a_file_size_limit_leaves_no_partial_file(folder):
    arguments = (folder / "in", "-o", folder / "out", "--overwrite")
    small = start(*arguments, "--size", "8x8", largest=4000)
    small.communicate(timeout=60)
    assert (small.returncode, names(folder / "out")) == (0, ["a.png", "b.png", "deep/c.png"])
    before = (folder / "out" / "a.png").read_bytes()
    large = start(*arguments, "--size", "64x64", largest=4000)
    _, err = large.communicate(timeout=60)
    assert (large.returncode, err.count("File too large")) == (1, 3)
    assert names(folder / "out") == ["a.png", "b.png", "deep/c.png"]
    assert (folder / "out" / "a.png").read_bytes() == before


def test_warnings_of_c_libraries_are_hidden(tmp_path):
    photo(tmp_path / "a.tif", compression="tiff_lzw")
    data = bytearray((tmp_path / "a.tif").read_bytes())
    data[200:900] = bytes(700)
    (tmp_path / "a.tif").write_bytes(data)
    control = [sys.executable, "-c", f"from PIL import Image; Image.open({str(tmp_path / 'a.tif')!r}).load()"]
    assert "LZWDecode" in subprocess.run(control, capture_output=True, text=True).stderr
    running = start(tmp_path / "a.tif", "-o", tmp_path / "o.png", *SIZE_ARGUMENTS)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert err.splitlines()[0].startswith(f"sizewise: cannot read {str(tmp_path / 'a.tif')!r}: ")
    assert err.splitlines()[1:] == ["resized 0 files, 1 failed"]


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX's")
def test_progress_bar_with_rate_and_time_left(folder):
    import pty

    here, there = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    arguments = ("-m", "sizewise", "resize", str(folder / "in"), "-o", str(folder / "out"), *SIZE_ARGUMENTS)
    running = subprocess.Popen([sys.executable, *arguments], stdout=there, stderr=there, env=environment)
    os.close(there)
    shown = b""
    try:
        while piece := os.read(here, 65536):
            shown += piece
    except OSError:
        pass
    os.close(here)
    assert running.wait(60) == 0
    text = shown.decode()
    assert "3/3" in text
    assert "files/s" in text
    assert "0:00:00" in text
    assert "out/a.png" not in text  # the names are for pipes
    assert text.rpartition("resized 3 files")[2].count("\n") == 1
