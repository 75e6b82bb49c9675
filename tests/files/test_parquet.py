"""Parquet files of images: struct and binary columns, rows left out, and everything else kept."""

from __future__ import annotations

import sys

import pytest

from sizewise.errors import FileError, MissingExtraError
from sizewise.files import shards
from sizewise.files.sample_map import Failure, ShardReport, Stopped

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def upper(name: str, data: bytes) -> tuple[str, bytes]:
    if data == b"bad":
        raise FileError(f"cannot read {name!r}: broken")
    return name.replace(".jpg", ".png"), data.upper()


def write(path, images, kind=IMAGE, row_group_size=2, **arguments):
    columns = {"label": pa.array(range(len(images))), "image": pa.array(images, kind)}
    table = pa.table(columns).replace_schema_metadata({"huggingface": '{"info": {}}'})
    pq.write_table(table, path, row_group_size=row_group_size, **arguments)


def test_a_struct_column(tmp_path):
    images = [{"bytes": b"abc", "path": "x/a.jpg"}, None, {"bytes": b"\xff\xd8\xffdef", "path": None}]
    write(tmp_path / "a.parquet", images, compression="zstd")
    names = []

    def function(name, data):
        names.append(name)
        return upper(name, data)

    assert shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", function, threads=1) == ShardReport(2)
    assert names == ["x/a.jpg", "row-2.jpg"]
    made = pq.ParquetFile(tmp_path / "b.parquet")
    source = pq.ParquetFile(tmp_path / "a.parquet")
    assert made.schema_arrow.equals(source.schema_arrow, check_metadata=True)
    assert made.read().to_pylist() == [
        {"label": 0, "image": {"bytes": b"ABC", "path": "x/a.png"}},
        {"label": 1, "image": None},
        {"label": 2, "image": {"bytes": b"\xff\xd8\xffDEF", "path": None}},
    ]
    assert [made.metadata.row_group(n).num_rows for n in range(made.num_row_groups)] == [2, 1]
    for number in range(3):
        assert made.metadata.row_group(0).column(number).compression == "ZSTD"


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_a_binary_column(tmp_path, kind):
    write(tmp_path / "a.parquet", [b"abc", None, b"\x89PNGx"], kind, compression="none")
    report = shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper, threads=2)
    assert report == ShardReport(2)
    made = pq.read_table(tmp_path / "b.parquet")
    assert made.column("image").to_pylist() == [b"ABC", None, b"\x89PNGX"]
    assert made.schema.field("image").type == kind


def test_failed_rows_are_left_out(tmp_path):
    images = [{"bytes": data, "path": f"{n}.jpg"} for n, data in enumerate([b"a", b"bad", b"bad", b"bad", None, b"c"])]
    write(tmp_path / "a.parquet", images)
    report = shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper, threads=2)
    assert report.images == 2
    assert report.failures == (
        *(Failure(f"{n}.jpg", f"cannot read '{n}.jpg': broken") for n in (1, 2, 3)),
        Failure("4.jpg", "it has no bytes; files beside the Parquet file are not read"),
    )
    assert pq.read_table(tmp_path / "b.parquet").column("label").to_pylist() == [0, 5]


def test_bytes_are_equal(tmp_path):
    write(tmp_path / "a.parquet", [{"bytes": b"%d" % n, "path": f"{n}.jpg"} for n in range(50)], row_group_size=7)
    outputs = set()
    for threads in (1, 2, 5):
        shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper, threads=threads)
        outputs.add((tmp_path / "b.parquet").read_bytes())
    assert len(outputs) == 1


def test_an_empty_file(tmp_path):
    write(tmp_path / "a.parquet", [])
    assert shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper) == ShardReport(0)
    assert pq.read_table(tmp_path / "b.parquet").num_rows == 0


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("picture", "'picture' is no column of images; it has 'image' (--column)"),
        ("label", "'label' is no column of images; it has 'image' (--column)"),
    ],
)
def test_a_wrong_column_names_the_others(tmp_path, column, message):
    write(tmp_path / "a.parquet", [b"abc"], pa.binary())
    with pytest.raises(FileError) as caught:
        shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper, column=column)
    assert str(caught.value) == f"cannot read {str(tmp_path / 'a.parquet')!r}: {message}"


def test_damaged_files_are_refused(tmp_path):
    write(tmp_path / "good.parquet", [b"abc" * 999], pa.binary())
    data = (tmp_path / "good.parquet").read_bytes()
    for part in (b"", b"text" * 9, data[:-9], data[:-200] + bytes(192) + data[-8:]):
        (tmp_path / "a.parquet").write_bytes(part)
        with pytest.raises(FileError, match=r"cannot read '.*a\.parquet': "):
            shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "good.parquet"]


def test_a_stopped_file_is_not_written(tmp_path):
    write(tmp_path / "a.parquet", [b"abc"] * 9, pa.binary())
    with pytest.raises(Stopped):
        shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper, is_stopped=lambda: True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_without_pyarrow(tmp_path, monkeypatch):
    write(tmp_path / "a.parquet", [b"abc"], pa.binary())
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.delattr(pa, "parquet")
    with pytest.raises(
        MissingExtraError, match=r'Parquet needs an optional package: pip install "sizewise\[parquet\]"'
    ):
        shards.map_shard(tmp_path / "a.parquet", tmp_path / "b.parquet", upper)


def test_counting_and_reading(tmp_path):
    write(tmp_path / "a.parquet", [{"bytes": b"abc", "path": "a.jpg"}, None, {"bytes": None, "path": "b.jpg"}])
    assert shards.count_images(tmp_path / "a.parquet") == 3
    assert list(shards.read_images(tmp_path / "a.parquet")) == [("a.jpg", b"abc")]
