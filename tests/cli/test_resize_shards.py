"""`sizewise resize` of .tar and Parquet shards: reports, errors, interruptions, and continued runs."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from files.shard_files import image_bytes, pixels_of, read_tar, write_tar

import sizewise as sw
from sizewise.preprocess import Exact, Layout, Preprocessor, Rescale, Resize

ROOT = Path(__file__).parents[2]
SIZE = ("--size", "6x8")


@pytest.fixture
def shard(tmp_path):
    """Return a shard of three samples, the second of which is broken."""
    members = [("a.png", image_bytes(0)), ("a.txt", b"first")]
    members += [("b.json", b"{}"), ("b.png", image_bytes(1)[:90]), ("b.cls", b"2")]
    members += [("c.gif", image_bytes(2, format="GIF")), ("c.npy", b"kept"), ("c.mask.png", image_bytes(3))]
    write_tar(tmp_path / "s-000.tar", members)
    return tmp_path


def test_a_shard_with_a_broken_image(command, shard):
    out = shard / "out" / "s-000.tar"
    code, stdout, err = command("resize", shard / "s-000.tar", "-o", shard / "out", *SIZE)
    assert (code, stdout) == (1, f"{out}\n")
    lines = err.splitlines()
    broken = str(shard / "s-000.tar" / "b.png")
    assert lines[0].startswith(f"sizewise: cannot read {broken!r}: ")
    assert lines[0].endswith("; its sample is left out")
    assert lines[1] == f"note: {shard / 's-000.tar'}: 1 image: palette became 8-bit RGB"
    assert lines[2].startswith("resized 1 file with 3 images in shards, 1 image failed, ")
    assert lines[2].endswith(" images/s")
    made = read_tar(out)
    assert [name for name, _ in made] == ["a.png", "a.txt", "c.png", "c.npy", "c.mask.png"]
    assert (made[1][1], made[3][1]) == (b"first", b"kept")
    np.testing.assert_array_equal(pixels_of(made[0][1]), sw.resize(pixels_of(image_bytes(0)), (6, 8)))


def test_records(command, shard):
    code, stdout, _ = command("resize", shard / "s-000.tar", "-o", shard / "b.tar", *SIZE, "--json")
    record = json.loads(stdout)
    assert code == 1
    (failed,) = record.pop("failed")
    assert (failed["name"], "its sample is left out" in failed["error"]) == ("b.png", True)
    assert record == {
        "input": str(shard / "s-000.tar"),
        "output": str(shard / "b.tar"),
        "status": "resized",
        "images": 3,
        "notes": ["1 image: palette became 8-bit RGB"],
        "error": None,
    }


def test_dry_run_formats_and_folders(command, shard):
    Path(shard / "in").mkdir()
    (shard / "s-000.tar").rename(shard / "in" / "s.tar")
    (shard / "in" / "z.png").write_bytes(image_bytes(9))
    code, stdout, err = command("resize", shard / "in", "-o", shard / "out", *SIZE, "--dry-run")
    assert (code, err) == (0, "would resize 2 files with 4 images in shards\n")
    assert stdout.splitlines() == [
        f"{shard / 'in' / 's.tar'} -> {shard / 'out' / 's.tar'}  4 images",
        f"{shard / 'in' / 'z.png'} -> {shard / 'out' / 'z.png'}  24x32 -> 6x8",
    ]
    assert command("resize", shard / "in", "-o", shard / "out", *SIZE, "--format", "webp")[0] == 1
    assert sorted(path.name for path in (shard / "out").iterdir()) == ["s.tar", "z.webp"]
    names = [name for name, _ in read_tar(shard / "out" / "s.tar")]
    assert names == ["a.webp", "a.txt", "c.webp", "c.npy", "c.mask.webp"]


@pytest.mark.parametrize("out", ["b.png", "b.parquet"])
def test_a_shard_becomes_a_shard(command, shard, out):
    code, _, err = command("resize", shard / "s-000.tar", "-o", shard / out, *SIZE)
    assert code == 2
    assert "becomes a file of the same kind; use a folder" in err


def test_a_damaged_shard_fails_and_leaves_nothing(command, shard):
    data = (shard / "s-000.tar").read_bytes()
    (shard / "s-000.tar").write_bytes(data[:1500])
    code, stdout, err = command("resize", shard / "s-000.tar", "-o", shard / "out", *SIZE)
    assert (code, stdout) == (1, "")
    assert err.startswith(f"sizewise: cannot read {str(shard / 's-000.tar')!r}: ")
    assert err.endswith("resized 0 files, 1 failed\n")
    assert list((shard / "out").iterdir()) == []


def test_drafts_in_a_shard(command, tmp_path):
    sizes = [(16, 16), (240, 320), (480, 640), (240, 320)]
    write_tar(tmp_path / "a.tar", [(f"{n}.jpg", image_bytes(n, *size, format="JPEG")) for n, size in enumerate(sizes)])
    code, stdout, err = command(
        "resize", tmp_path / "a.tar", "-o", tmp_path / "o", "--size", "30x40", "--draft", "--json"
    )
    assert (code, json.loads(stdout)["draft"]) == (0, {"1/1": 1, "1/4": 2, "1/8": 1})
    assert err.startswith("note: --draft: 2 images at 1/4, 1 image at 1/8; pixels differ from a full decode: ")
    assert f"in {tmp_path / 'a.tar' / '1.jpg'} (1/4) by " in err


def test_parquet(command, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    images = [{"bytes": image_bytes(n), "path": f"{n}.png"} for n in range(3)]
    images[1]["bytes"] = b"no image"
    pq.write_table(pa.table({"photo": images, "label": ["x", "y", "z"]}), tmp_path / "a.parquet")
    arguments = ("resize", tmp_path / "a.parquet", "-o", tmp_path / "out", *SIZE)
    code, _, err = command(*arguments)
    assert code == 1
    assert "'image' is no column of images; it has 'photo' (--column)" in err
    code, _, err = command(*arguments, "--column", "photo", "--format", "jpeg", "--quality", "95")
    assert code == 1
    assert f"cannot read {str(tmp_path / 'a.parquet' / '1.png')!r}: not an image" in err
    made = pq.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert [(row["photo"]["path"], row["label"]) for row in made] == [("0.jpg", "x"), ("2.jpg", "z")]
    assert [pixels_of(row["photo"]["bytes"]).shape for row in made] == [(6, 8, 3)] * 2


def test_parquet_without_pyarrow(process, tmp_path):
    (tmp_path / "a.parquet").touch()
    code = "import sys; sys.modules['pyarrow'] = None; from sizewise.cli.app import run; sys.exit(run({!r}))"
    done = process("-c", code.format(["resize", str(tmp_path), "-o", str(tmp_path / "out"), "--scale", "2"]))
    assert done.returncode == 2
    assert done.stderr == 'sizewise: Parquet needs an optional package: pip install "sizewise[parquet]"\n'


BEGIN = "import signal; signal.signal(2, signal.default_int_handler); from sizewise.cli import main; main()"


def start(*arguments, command=("resize",)) -> subprocess.Popen:
    """Start a command of Sizewise in another process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    line = [sys.executable, "-c", BEGIN, *map(str, (*command, *arguments))]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder, except for hidden ones."""
    paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def is_writing(folder: Path) -> bool:
    """Return whether a part of a file is in the folder."""
    with contextlib.suppress(FileNotFoundError):  # the part got its name meanwhile
        return any(path.stat().st_size for path in folder.glob(".sizewise-*.part"))
    return False


@pytest.fixture
def many(tmp_path):
    """Return a folder of six shards, two of them Parquet, which take a while."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "in").mkdir()
    images = [image_bytes(number, 480, 640, "JPEG") for number in range(40)]
    for number in range(4):
        members = [
            (f"{n:03}.{kind}", data) for n, one in enumerate(images) for kind, data in (("jpg", one), ("cls", b"1"))
        ]
        write_tar(tmp_path / "in" / f"s-{number}.tar", members)
    for number in range(2):
        rows = [{"bytes": data, "path": f"{n:03}.jpg"} for n, data in enumerate(images)]
        pq.write_table(pa.table({"image": rows}), tmp_path / "in" / f"t-{number}.parquet", row_group_size=16)
    return tmp_path


RESIZE = ("resize", "--size", "200x300", "--method", "lanczos3")
PREPROCESS = ("preprocess", "run", "recipe.json")


@pytest.mark.parametrize(("call", "after"), [(RESIZE, 1), (RESIZE, 3), (RESIZE, 4), (PREPROCESS, 1), (PREPROCESS, 3)])
def test_a_killed_run_continues_with_the_same_bytes(many, call, after):
    recipe = Preprocessor([Resize(Exact(200, 300), "lanczos3"), Rescale(1 / 255), Layout("CHW")])
    recipe.save(many / "recipe.json")
    command = [many / part if part == "recipe.json" else part for part in call]
    begin, arguments = partial(start, command=command), (many / "in", "--workers", 2)
    whole = begin(*arguments, "-o", many / "whole")
    assert (whole.communicate(timeout=120), whole.returncode)[1] == 0
    running = begin(*arguments, "-o", many / "out")
    for _ in range(after):
        running.stdout.readline()
    while not is_writing(many / "out"):
        assert running.poll() is None
    os.kill(running.pid, signal.SIGKILL)
    running.communicate(timeout=60)
    assert running.returncode == -signal.SIGKILL
    before = checksums(many / "out")
    assert after <= len(before) < 6
    assert before.items() <= checksums(many / "whole").items()
    times = {name: (many / "out" / name).stat().st_mtime_ns for name in before}
    again = begin(*arguments, "-o", many / "out", "--skip-existing")
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert len(out.splitlines()) == 6 - len(before)  # no shard twice
    assert {name: (many / "out" / name).stat().st_mtime_ns for name in before} == times
    assert checksums(many / "out") == checksums(many / "whole")


def test_control_c_abandons_the_shard(many):
    running = start(many / "in", "-o", many / "out", "--size", "200x300", "--workers", 2)
    printed = [running.stdout.readline()]
    running.send_signal(signal.SIGINT)
    printed += running.stdout.readlines()
    err = running.stderr.read()
    assert running.wait(60) == 130
    made = sorted(path.name for path in (many / "out").iterdir())
    assert 1 <= len(made) < 6
    assert [Path(line.strip()).name for line in printed] == made
    assert f"{6 - len(made)} not started (--skip-existing continues from here)" in err
    assert "Traceback" not in err


def test_npy_members_are_copied(command, tmp_path):
    file = io.BytesIO()
    np.save(file, np.arange(12.0).reshape(3, 4))
    write_tar(tmp_path / "a.tar", [("a.npy", file.getvalue()), ("a.png", image_bytes(0))])
    assert command("resize", tmp_path / "a.tar", "-o", tmp_path / "b.tar", *SIZE)[0] == 0
    assert read_tar(tmp_path / "b.tar")[0][1] == file.getvalue()
