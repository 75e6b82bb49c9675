"""WebDataset shards: members in order, failed samples left out, equal bytes, and damaged files refused."""

from __future__ import annotations

import io
import sysconfig
import tarfile
import threading
import tracemalloc

import numpy as np
import pytest
from files.shard_files import read_tar, write_tar

from sizewise.errors import FileError
from sizewise.files import sample_map, shards
from sizewise.files.sample_map import Failure, ShardReport, Stopped, map_in_order


def reverse(name: str, data: bytes) -> tuple[str, bytes]:
    if data == b"bad":
        raise FileError(f"cannot read {name!r}: broken")
    return name, data[::-1]


MEMBERS = [
    ("README", b"about"),
    ("train/a.jpg", b"abc"),
    ("train/a.json", b"{}"),
    ("train/b.txt", b"caption"),
    ("train/b.jpg", b"def"),
    ("train/b.seg.png", b"ghi"),
    ("v1.0/c.cls", b"7"),
    ("v1.0/c.npy", b"array"),
]


def test_images_are_mapped_and_others_copied_in_order(tmp_path):
    write_tar(tmp_path / "a.tar", MEMBERS)
    report = shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse, threads=3)
    assert report == ShardReport(3)
    want = [(name, data[::-1] if name.endswith((".jpg", ".png")) else data) for name, data in MEMBERS]
    assert read_tar(tmp_path / "b.tar") == want
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_function_may_return_arrays_under_other_names(tmp_path):
    def to_array(name, data):
        file = io.BytesIO()
        np.save(file, np.frombuffer(data, np.uint8))
        return name.replace(".jpg", ".npy"), file.getvalue()

    write_tar(tmp_path / "a.tar", [("x.jpg", b"abc"), ("x.cls", b"1")])
    shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", to_array)
    (name, data), label = read_tar(tmp_path / "b.tar")
    assert (name, np.load(io.BytesIO(data)).tolist(), label) == ("x.npy", [97, 98, 99], ("x.cls", b"1"))


def test_the_selection_of_members(tmp_path):
    write_tar(tmp_path / "a.tar", MEMBERS)
    report = shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse, selects=lambda name: ".cls" in name)
    assert report.images == 1


@pytest.mark.parametrize("threads", [1, 4])
def test_a_failed_sample_is_left_out_with_all_its_members(tmp_path, threads):
    members = [
        ("a.txt", b"1"),
        ("a.jpg", b"abc"),
        ("b.txt", b"2"),
        ("b.jpg", b"bad"),
        ("b.json", b"{}"),
        ("c.jpg", b"def"),
        ("b.late", b"of a failed sample"),
    ]
    write_tar(tmp_path / "a.tar", members)
    report = shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse, threads=threads)
    assert report == ShardReport(2, (Failure("b.jpg", "cannot read 'b.jpg': broken"),))
    assert [name for name, _ in read_tar(tmp_path / "b.tar")] == ["a.txt", "a.jpg", "c.jpg"]


def test_two_members_of_one_name_fail(tmp_path):
    write_tar(tmp_path / "a.tar", [("a.jpg", b"abc"), ("a.png", b"def"), ("b.jpg", b"x")])
    report = shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", lambda name, data: (name[:2] + "webp", data))
    assert report.failures == (Failure("a.webp", "two members of the sample would be named 'a.webp'"),)
    assert read_tar(tmp_path / "b.tar") == [("b.webp", b"x")]


def test_headers_are_copied_and_bytes_are_equal(tmp_path):
    long = "deep/" * 40 + "é.jpg"
    members = [(long, b"abc"), ("b.jpg", b"def"), ("b.txt", b"t")] * 20
    fields = {"mtime": 1234567890.25, "uid": 7, "gid": 8, "uname": "ann", "mode": 0o640, "pax_headers": {"note": "x"}}
    write_tar(tmp_path / "a.tar", members, **fields)
    outputs = set()
    for threads in (1, 2, 5):
        shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse, threads=threads)
        outputs.add((tmp_path / "b.tar").read_bytes())
    assert len(outputs) == 1
    with tarfile.open(tmp_path / "b.tar") as archive:
        for member in archive:
            assert {key: getattr(member, key) for key in fields if key != "pax_headers"} == {
                key: value for key, value in fields.items() if key != "pax_headers"
            }
            assert member.pax_headers["note"] == "x"
    assert read_tar(tmp_path / "b.tar")[0] == (long, b"cba")


def test_a_changed_name_replaces_that_of_the_extended_header(tmp_path):
    long = "x" * 150
    write_tar(tmp_path / "a.tar", [(f"{long}.jpg", b"abc")])
    shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", lambda name, data: (f"{long}.webp", data * 9))
    assert read_tar(tmp_path / "b.tar") == [(f"{long}.webp", b"abc" * 9)]


def test_folders_and_links_are_copied(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, kind, link in (("d", tarfile.DIRTYPE, ""), ("d/l.jpg", tarfile.SYMTYPE, "../../etc/passwd")):
            header = tarfile.TarInfo(name)
            header.type, header.linkname = kind, link
            archive.addfile(header)
    assert shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse) == ShardReport(0)
    with tarfile.open(tmp_path / "b.tar") as archive:
        assert [(one.name, one.type, one.linkname) for one in archive] == [
            ("d", tarfile.DIRTYPE, ""),
            ("d/l.jpg", tarfile.SYMTYPE, "../../etc/passwd"),
        ]


def test_an_empty_shard(tmp_path):
    write_tar(tmp_path / "a.tar", [])
    assert shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse) == ShardReport(0)
    assert read_tar(tmp_path / "b.tar") == []


def damaged(data: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "text": b"no tar file" * 100,
        "in a member": data[: 512 + 200],
        "between members": data[:1536],
        "in a header": data[: 1024 + 100],
        "header": data[:1024] + b"\x7f" * 512 + data[1536:],
        "compressed": b"\x1f\x8b\x08" + bytes(600),
        "no end": data[: 3 * 1024],
    }


@pytest.mark.parametrize("kind", damaged(b""))
def test_damaged_files_are_refused(tmp_path, kind):
    write_tar(tmp_path / "good.tar", [(f"{n}.jpg", bytes(500)) for n in range(3)])
    (tmp_path / "a.tar").write_bytes(damaged((tmp_path / "good.tar").read_bytes())[kind])
    with pytest.raises(FileError, match=r"cannot read '.*a\.tar': ") as caught:
        shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", reverse)
    assert "\n" not in str(caught.value) and str(caught.value).count("cannot read") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "good.tar"]


def test_a_stopped_shard_is_not_written(tmp_path):
    write_tar(tmp_path / "a.tar", [(f"{n}.jpg", b"abc") for n in range(50)])
    stop = threading.Event()

    def stop_later(name, data):
        if name == "20.jpg":
            stop.set()
        return name, data

    with pytest.raises(Stopped):
        shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", stop_later, is_stopped=stop.is_set)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar"]


def test_errors_of_signal_handlers_propagate(tmp_path):
    class TimeIsUp(Exception):
        pass

    def fail(name, data):
        raise TimeIsUp

    write_tar(tmp_path / "a.tar", [("a.jpg", b"abc")])
    with pytest.raises(TimeIsUp):
        shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar"]


@pytest.mark.parametrize("threads", [1, 3])
def test_only_a_window_is_in_memory(threads):
    taken = 0

    def items():
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield number

    for done, result in enumerate(map_in_order(lambda number: -number, items(), threads)):
        assert result == -done
        assert taken - done <= sample_map._WINDOW_PER_THREAD * threads
    assert taken == 1000


def test_memory_does_not_grow_with_the_shard(tmp_path):
    data, count, threads = bytes(100_000), 600, 2
    write_tar(tmp_path / "a.tar", [(f"{n}.jpg", data) for n in range(count)])
    tracemalloc.start()
    shards.map_shard(tmp_path / "a.tar", tmp_path / "b.tar", lambda name, data: (name, data[:1000]), threads=threads)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The window, one sample being read and one being mapped by each thread, and as much for buffers, of 60 MB;
    # free-threaded Python may free memory of other threads later.
    factor = 4 if sysconfig.get_config_var("Py_GIL_DISABLED") else 2
    assert peak < factor * (sample_map._WINDOW_PER_THREAD * threads + 1 + threads) * len(data)


def test_counting_and_reading(tmp_path):
    write_tar(tmp_path / "a.tar", MEMBERS)
    assert shards.count_images(tmp_path / "a.tar") == 3
    assert list(shards.read_images(tmp_path / "a.tar")) == [
        ("train/a.jpg", b"abc"),
        ("train/b.jpg", b"def"),
        ("train/b.seg.png", b"ghi"),
    ]
