"""Shards: files of many images, WebDataset's .tar and Parquet, mapped image by image."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import formats, parquet, tar_shards
from .sample_map import Function, IsStopped, Selection, ShardReport

__all__ = ["count_images", "map_shard", "read_images"]
__dir__ = __all__.copy


def map_shard(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    function: Function,
    *,
    selects: Selection = formats.is_image,
    column: str = "image",
    threads: int = 1,
    is_stopped: IsStopped = lambda: False,
) -> ShardReport:
    """Write a shard whose images are the results of a function, and return the number of images and the failures.

    Args:
        source: a .tar file, or a Parquet file.
        target: the file to write, atomically, of the same kind.
        function: takes the name and the bytes of an image, and returns those of the result, or raises. Several threads
            call it. Its name for the result may have another ending, such as .npy.
        selects: whether a member of a .tar is an image, by its name. Other members are copied.
        column: the images of a Parquet file: binary, or a struct with `bytes`, and `path` for names.
        threads: images at a time. Results are written in order; a few per thread are in memory, or a row group.
        is_stopped: called between images; once it returns true, `Stopped` is raised and nothing is written.

    A sample with an image that fails is left out: all members of its key in a .tar, or the row. The bytes of the result
    depend on those of the source and the function only.

    >>> import io, tarfile, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, target = Path(folder, "a.tar"), Path(folder, "b.tar")
    ...     with tarfile.open(source, "w") as tar:
    ...         for name in ("0.jpg", "0.txt"):
    ...             tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    ...     map_shard(source, target, lambda name, data: (f"{Path(name).stem}.npy", data))
    ...     with tarfile.open(target) as tar:
    ...         tar.getnames()
    ShardReport(images=1, failures=())
    ['0.npy', '0.txt']
    """
    if _is_parquet(source):
        return parquet.map_parquet(Path(source), Path(target), function, column, threads, is_stopped)
    return tar_shards.map_tar(Path(source), Path(target), function, selects, threads, is_stopped)


def read_images(source: str | os.PathLike[str], column: str = "image") -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the images in a shard: a .tar file, or `column` of a Parquet file.

    >>> import io, tarfile, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tarfile.open(Path(folder, "a.tar"), "w") as tar:
    ...         for name in ("0.jpg", "0.txt"):
    ...             tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    ...     list(read_images(Path(folder, "a.tar")))
    [('0.jpg', b'')]
    """
    if _is_parquet(source):
        return parquet.read_images(Path(source), column)
    return tar_shards.read_images(Path(source), formats.is_image)


def count_images(source: str | os.PathLike[str], column: str = "image") -> int:
    """Return the number of images in a shard, without reading them: a .tar file, or `column` of a Parquet file.

    >>> import io, tarfile, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tarfile.open(Path(folder, "a.tar"), "w") as tar:
    ...         for name in ("0.jpg", "0.txt", "1.jpg", "1.txt"):
    ...             tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    ...     count_images(Path(folder, "a.tar"))
    2
    """
    if _is_parquet(source):
        return parquet.count_images(Path(source), column)
    return tar_shards.count_images(Path(source), formats.is_image)


def require_packages(sources: Iterable[str | os.PathLike[str]]) -> None:
    """Raise MissingExtraError if one of these files needs a package that is not installed."""
    if any(map(_is_parquet, sources)):
        parquet.require_pyarrow()


def _is_parquet(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".parquet"
