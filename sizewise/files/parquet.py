"""Parquet files with a column of images: binary, or Hugging Face's struct of bytes and path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FileError, MissingExtraError
from . import reading, writing
from .formats import decode_errors, ending_for, is_image
from .sample_map import Failure, Function, IsStopped, ShardReport, apply, map_in_order

_CODECS = {"UNCOMPRESSED": "NONE"}  # names that pyarrow reads, and those that it writes


class Row(NamedTuple):
    """The number of a row in the file, and the value of its image column."""

    number: int
    value: Any


def require_pyarrow() -> Any:
    """Return pyarrow; raise MissingExtraError without it."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None
    return pyarrow


def map_parquet(
    source: Path, target: Path, function: Function, column: str, threads: int, is_stopped: IsStopped
) -> ShardReport:
    """Write a Parquet file with the images of a column mapped; rows that fail are left out.

    Row groups, the schema with its metadata, and compression are those of the source. One row group is in memory.
    """
    arrow = require_pyarrow()
    images, failures = 0, list[Failure]()
    with reading.open_file(source) as file:
        table_file = _open(file, source, column)
        with (
            writing.atomic_write(target) as out,
            arrow.parquet.ParquetWriter(
                out, table_file.schema_arrow, compression=_compression(table_file.metadata)
            ) as writer,
        ):
            for first, table in _tables(table_file, source):
                rows = (Row(first + n, value.as_py()) for n, value in enumerate(table.column(column)))
                results = list(map_in_order(lambda row: _map_row(row, function), rows, threads, is_stopped))
                failures += [result for result in results if isinstance(result, Failure)]
                values = [result.value for result in results if isinstance(result, Row)]
                images += sum(value is not None for value in values)
                writer.write_table(_with_images(table, column, results, values), row_group_size=max(1, len(values)))
    return ShardReport(images, tuple(failures))


def read_images(source: Path, column: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the images of a column."""
    with reading.open_file(source) as file:
        for first, table in _tables(_open(file, source, column), source, [column]):
            for offset, value in enumerate(table.column(column)):
                name, data = _name_and_bytes(Row(first + offset, value.as_py()))
                if data is not None:
                    yield name, data


def count_images(source: Path, column: str) -> int:
    """Return the number of rows, without reading them."""
    with reading.open_file(source) as file:
        n_rows: int = _open(file, source, column).metadata.num_rows
        return n_rows


def _open(file: Any, source: Path, column: str) -> Any:
    """Return an open Parquet file; raise FileError unless the column holds images."""
    arrow, name = require_pyarrow(), os.fspath(source)
    with decode_errors(name):
        table_file = arrow.parquet.ParquetFile(file)
        schema = table_file.schema_arrow
    found = [field.name for field in schema if _holds_images(arrow, field.type)]
    if schema.names.count(column) == 1 and column in found:
        return table_file
    known = f"it has {', '.join(map(repr, found))} (--column)" if found else "it has no column of bytes"
    raise FileError(f"cannot read {name!r}: {column!r} is no column of images; {known}")


def _holds_images(arrow: Any, kind: Any) -> bool:
    """Return whether a column type is binary, or a struct with a field `bytes`."""
    if arrow.types.is_struct(kind):
        return kind.get_field_index("bytes") >= 0 and _holds_images(arrow, kind.field("bytes").type)
    return bool(arrow.types.is_binary(kind) or arrow.types.is_large_binary(kind))


def _compression(metadata: Any) -> dict[str, str] | str:
    """Return the codec of each column, by its path."""
    if not metadata.num_row_groups:
        return "snappy"
    group = metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    return {one.path_in_schema: _CODECS.get(one.compression, one.compression) for one in columns}


def _tables(table_file: Any, source: Path, columns: list[str] | None = None) -> Iterator[tuple[int, Any]]:
    """Yield each row group with the number of its first row."""
    first = 0
    for number in range(table_file.num_row_groups):
        with decode_errors(os.fspath(source)):
            table = table_file.read_row_group(number, columns)
        yield first, table
        first += table.num_rows


def _name_and_bytes(row: Row) -> tuple[str, bytes | None]:
    """Return the name of an image, by its path if it has one, and its bytes; None if it is missing."""
    is_struct = isinstance(row.value, dict)
    data = row.value["bytes"] if is_struct else row.value
    path = row.value.get("path") if is_struct else None
    return path if path and is_image(path) else f"row-{row.number}{ending_for(data or b'')}", data


def _map_row(row: Row, function: Function) -> Row | Failure:
    if row.value is None:
        return row
    name, data = _name_and_bytes(row)
    if data is None:
        return Failure(name, "it has no bytes; files beside the Parquet file are not read")
    result = apply(function, name, data)
    if isinstance(result, Failure):
        return result
    if not isinstance(row.value, dict):
        return Row(row.number, result[1])
    changed = {**row.value, "bytes": result[1]}
    if row.value.get("path") == name:
        changed["path"] = result[0]
    return Row(row.number, changed)


def _with_images(table: Any, column: str, results: list[Row | Failure], values: list[Any]) -> Any:
    """Return the table without failed rows, and with other images."""
    arrow = require_pyarrow()
    field = table.schema.field(column)
    if len(values) < len(results):
        table = table.filter(arrow.array([isinstance(result, Row) for result in results], arrow.bool_()))
    images = arrow.array(values, field.type)
    return table.set_column(table.schema.get_field_index(column), field, images)
