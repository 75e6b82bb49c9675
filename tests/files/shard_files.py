"""Shards for tests: tar files of members, and Parquet files."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image


def image_bytes(seed: int, height: int = 24, width: int = 32, format: str = "PNG") -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height // 8 + 1, width // 8 + 1, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).resize((width, height)).save(file, format)
    return file.getvalue()


def write_tar(path: Path, members: list[tuple[str, bytes]], **fields) -> None:
    """Write a tar file; `fields` are those of every header."""
    with tarfile.open(path, "w") as archive:
        for name, data in members:
            header = tarfile.TarInfo(name)
            header.size = len(data)
            for key, value in fields.items():
                setattr(header, key, value)
            archive.addfile(header, io.BytesIO(data))


def read_tar(path: Path) -> list[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        return [(member.name, archive.extractfile(member).read()) for member in archive if member.isreg()]


def pixels_of(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)
