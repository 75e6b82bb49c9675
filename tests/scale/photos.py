"""Small photos in each form that engines read, and the recipe that is run on them."""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

import sizewise as sw
from sizewise.preprocess import CenterCrop, Layout, Normalize, Rescale, Resize, ShortestEdge
from sizewise.preprocess.steps import Step

SHARD_IMAGES = 250
MIN_SHARDS = 8
PRE = sw.Preprocessor(
    [
        Resize(ShortestEdge(32), "bicubic", "pillow"),
        CenterCrop(32, 32),
        Rescale(1 / 255),
        Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.4)),
        Layout("CHW"),
    ]
)
RESULT_BYTES = 3 * 32 * 32 * 4  # float32
KEPT: list[np.ndarray] = []


@dataclass(frozen=True)
class Keep(Step):
    """A memory leak, planted for the negative control: a step that keeps every result in its process."""

    name: ClassVar[str] = "keep"

    def apply(self, x: Any) -> Any:
        """Return the images, of which a copy stays in memory."""
        KEPT.append(np.array(x))
        return x


def photo(seed: int) -> bytes:
    """Return a JPEG of 48x64 or 64x48 pixels."""
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, 3) if seed % 2 else (8, 6, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(coarse.repeat(8, 0).repeat(8, 1)).save(file, "JPEG", quality=85)
    return file.getvalue()


def make(folder: Path, count: int) -> None:
    """Write the recipe, and the images as files, tar shards and Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    for name in ("tar", "parquet"):
        (folder / name).mkdir(parents=True)
    PRE.save(folder / "recipe.json")
    shards = max(MIN_SHARDS, count // SHARD_IMAGES)
    for shard, indices in enumerate(np.array_split(np.arange(count), shards)):
        directory = folder / "files" / f"{shard:03}"
        directory.mkdir(parents=True)
        rows = []
        with tarfile.open(folder / "tar" / f"{shard:03}.tar", "w") as tar:
            for index in map(int, indices):
                data = photo(index)
                (directory / f"{index:06}.jpg").write_bytes(data)
                member = tarfile.TarInfo(f"{index:06}.jpg")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
                rows.append({"index": index, "image": {"bytes": data, "path": None}})
        schema = pa.schema({"index": pa.int64(), "image": pa.struct({"bytes": pa.binary(), "path": pa.string()})})
        parquet.write_table(pa.Table.from_pylist(rows, schema), folder / "parquet" / f"{shard:03}.parquet")
