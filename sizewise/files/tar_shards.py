"""WebDataset shards: tar files whose consecutive members of one key are a sample.

The key is the name up to the first dot after the last slash. Headers are copied, so equal inputs give equal bytes.
"""

from __future__ import annotations

import copy
import io
import os
import re
import tarfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import FileError
from . import reading, writing
from .formats import decode_errors
from .sample_map import Failure, Function, IsStopped, Selection, ShardReport, apply, map_in_order

_KEY = re.compile(r"((?:.*/)?[^./]+)\.[^/]*", re.DOTALL)
# Records of extended headers that tarfile derives from the fields of a member, and must not find twice.
_DERIVED = {"path", "linkpath", "size", "mtime", "uid", "gid", "uname", "gname"}


class Member(NamedTuple):
    """A member of a tar file; the contents of links and folders are empty."""

    header: tarfile.TarInfo
    data: bytes


class Sample(NamedTuple):
    """Members of one key, of which `images` were mapped; or the failure of one of them."""

    key: str
    members: tuple[Member, ...]
    images: int = 0
    failure: Failure | None = None


def map_tar(
    source: Path, target: Path, function: Function, selects: Selection, threads: int, is_stopped: IsStopped
) -> ShardReport:
    """Write a shard with the selected members mapped, and the others copied; samples that fail are left out."""
    images, failures, failed_keys = 0, list[Failure](), set[str]()

    def map_one(sample: Sample) -> Sample:
        return _map_sample(sample, function, selects)

    with (
        reading.open_file(source) as file,
        writing.atomic_write(target) as out,
        tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as archive,
    ):
        for sample in map_in_order(map_one, _samples(file, source), threads, is_stopped):
            if sample.failure is not None:
                failures.append(sample.failure)
                failed_keys.add(sample.key)
            elif sample.key not in failed_keys:
                images += sample.images
                _write(archive, sample)
    return ShardReport(images, tuple(failures))


def read_images(source: Path, selects: Selection) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the selected members."""
    with reading.open_file(source) as file:
        for header, data in _members(file, source):
            if header.isreg() and selects(header.name):
                yield header.name, data


def count_images(source: Path, selects: Selection) -> int:
    """Return the number of selected members, without reading their contents."""
    with reading.open_file(source) as file:
        return sum(header.isreg() and selects(header.name) for header in _headers(file, source))


def _headers(file: BinaryIO, source: Path) -> Iterator[tarfile.TarInfo]:
    """Yield the headers of all members; raise FileError for a damaged tar file."""
    name = os.fspath(source)
    with decode_errors(name):
        if file.read(2) == b"\x1f\x8b":
            raise FileError("it is compressed; decompress it (gunzip)")
        file.seek(0)
        n_bytes = os.fstat(file.fileno()).st_size
        with tarfile.open(fileobj=file, mode="r:", encoding="utf-8") as archive:
            while (header := archive.next()) is not None:
                if header.isreg() and header.offset_data + header.size > n_bytes:
                    raise FileError(f"it ends early, in {header.name!r}")
                yield header
                _forget_members(archive)
            # tarfile ends at a damaged header as at the end, which is a block of zeros.
            file.seek(archive.offset)
            if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
                raise FileError(f"it is damaged or ends early, after {archive.offset:,} bytes")


def _members(file: BinaryIO, source: Path) -> Iterator[Member]:
    for header in _headers(file, source):
        data = b""
        if header.isreg():
            with decode_errors(os.fspath(source)):
                data = _contents(file, header)
        yield Member(header, data)


def _contents(file: BinaryIO, header: tarfile.TarInfo) -> bytes:
    if header.issparse():
        raise FileError(f"{header.name!r} is a sparse member; write it with its zeros")
    position = file.tell()
    file.seek(header.offset_data)
    data = file.read(header.size)
    file.seek(position)
    if len(data) != header.size:
        raise FileError(f"it ends early, in {header.name!r}")
    return data


def _samples(file: BinaryIO, source: Path) -> Iterator[Sample]:
    for key, members in groupby(_members(file, source), key=_key):
        yield Sample(key, tuple(members))


def _key(member: Member) -> str:
    found = _KEY.fullmatch(member.header.name) if member.header.isreg() else None
    return found[1] if found else member.header.name


def _map_sample(sample: Sample, function: Function, selects: Selection) -> Sample:
    """Return the sample to write: its images mapped, or the first failure."""
    members, images = list[Member](), 0
    for header, data in sample.members:
        name, contents = header.name, data
        if header.isreg() and selects(name):
            result = apply(function, name, data)
            if isinstance(result, Failure):
                return Sample(sample.key, (), failure=result)
            (name, contents), images = result, images + 1
        members.append(Member(_header(header, name, len(contents)), contents))
    names = [member.header.name for member in members]
    if images and len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        return Sample(sample.key, (), failure=Failure(name, f"two members of the sample would be named {name!r}"))
    return Sample(sample.key, tuple(members), images)


def _header(header: tarfile.TarInfo, name: str, n_bytes: int) -> tarfile.TarInfo:
    """Return a header for other contents, with the times, owners and rights of the given one."""
    changed = copy.copy(header)
    changed.name, changed.size = name, n_bytes
    changed.type = tarfile.REGTYPE if header.isreg() else header.type
    changed.pax_headers = {key: value for key, value in header.pax_headers.items() if key not in _DERIVED}
    return changed


def _write(archive: tarfile.TarFile, sample: Sample) -> None:
    for header, data in sample.members:
        archive.addfile(header, io.BytesIO(data) if header.isreg() else None)
    _forget_members(archive)


def _forget_members(archive: Any) -> None:
    """Drop the headers that tarfile keeps of every member, so that memory does not grow."""
    archive.members.clear()
