"""Recorder of kernel calls: random resizes of every dialect, written to a file that `replay.cpp` runs again.

`python tests/core/record_calls.py FILE [COUNT]` records about COUNT calls and prints how many there are of each kernel.
A record holds the arguments of the call, its input, and a checksum of the result that this machine computes.
"""

from __future__ import annotations

import random
import struct
import sys
import threading
import zlib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from engine_limits import set_limits
from variants import ALL, Variant, max_axes

import sizewise as sw
from sizewise import _core
from sizewise.engine import kernel_call

Array = np.ndarray

# Types with kernels that the dialects use rarely or not at all: calls of the first are recorded with the others, too.
RETYPED = {
    ("float16", "float16", "float32"): [("bfloat16", "bfloat16")],
    ("float32", "float32", "float32"): [
        (x, out) for x in ("uint8", "uint16", "int16") for out in (x, "float32")
    ],
    ("float32", "float32", "float64"): [("uint8", "uint8")],
    ("float64", "float64", "float64"): [("float32", "float32")]
    + [(x, out) for x in ("uint8", "uint16", "int16") for out in (x, "float32")],
}  # fmt: skip
DTYPES = {"bfloat16": "uint16", "bits8": "uint8", "bits16": "uint16", "bits32": "uint32", "bits64": "uint64"}
MAX_TABLES = 4
HEADER = "<64s9qd"  # name of the kernel, rows, sizes of input, result and tables, bands, checksum, parameter
FILL = 0xA5  # of results before a call: bytes that it must not write keep this value
SEED = 20_260

MIN_RECORDS = 12  # of each kernel; then every eighth call of frequent ones
MAX_BYTES = 200_000  # of an input or a result: larger calls are not recorded
FLOATS = (np.float32, np.float32, np.float64, np.float16)
INTEGERS = (np.uint8, np.uint8, np.uint16, np.int16)
LENGTHS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 33, 40)
CHANNELS = (1, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24)


class Recorder:
    """Replacement of the native module: calls run as usual and are recorded."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.native = file, _core.native()
        self.counts: Counter[tuple[str, ...]] = Counter()
        self.lock = threading.Lock()

    def install(self) -> None:
        """Record all calls made from now on."""
        others = {name: getattr(self.native, name) for name in dir(self.native) if not name.startswith("__")}
        module = SimpleNamespace(**{**others, "Call": lambda *arguments: RecordedCall(self, *arguments)})
        _core.native = lambda: module

    def write(self, call: RecordedCall, x: Array, layout: Array, bands: Array, out_size: int) -> None:
        """Run the call on a fresh result and write the record: header, layout, bands, tables, input."""
        result = np.full(out_size * item_size(call.types[1]), FILL, np.uint8)
        if max(x.nbytes, result.nbytes) > MAX_BYTES:
            return
        call.native.run(x, result, layout, bands, 2, 0, False)
        flat = x.reshape(-1).view(np.uint8)
        sizes = [len(table) for table in call.tables] + [0] * (MAX_TABLES - len(call.tables))
        header = (
            call.name.encode(), call.n_rows, flat.size // item_size(call.types[0]), out_size, *sizes, bands.size // 2,
            checksum(result, call.types[1]),
        )  # fmt: skip
        parts = [struct.pack(HEADER, *header, call.parameter), layout.tobytes(), bands.tobytes()]
        tables = call.tables
        if call.kind == "nearest":  # weights of any type, which are not read
            tables = (tables[0], tables[1].astype(np.uint8))
        parts += [table.tobytes() for table in tables] + [flat.tobytes()]
        record = b"".join(part + bytes(-len(part) % 8) for part in parts)
        with self.lock:
            self.file.write(struct.pack("<q", len(record)) + record)
            self.counts[call.kind, *call.types] += 1


class RecordedCall:
    """A native call object that records its runs."""

    def __init__(
        self, recorder: Recorder, name: str, layout: Array, tables: tuple[Array, ...], parameter: float, n_rows: int,
        x_size: int, out_size: int,
    ) -> None:  # fmt: skip
        self.recorder, self.name, self.layout, self.tables = recorder, name, layout, tables
        self.kind, *types = name.split()
        self.types = (*types, "", "")[:4]
        self.parameter, self.n_rows, self.sizes = parameter, n_rows, (x_size, out_size)
        self.native = recorder.native.Call(name, layout, tables, parameter, n_rows, x_size, out_size)

    def fill(self, x: Array, out: Array) -> None:
        """Fill contiguous arrays, as `Call.fill` does."""
        self.native.fill(x, out)
        self._record(x, self.layout, np.array([0, self.n_rows]), out.size)

    def run(self, x: Array, out: Array, layout: Array | None, bands: Array, *threads: int) -> None:
        """Fill bands of rows, as `Call.run` does."""
        self.native.run(x, out, layout, bands, *threads)
        self._record(x, self.layout if layout is None else layout, bands, out.size)

    def _record(self, x: Array, layout: Array, bands: Array, out_size: int) -> None:
        layout, bands = np.ascontiguousarray(layout), np.ascontiguousarray(bands, np.int64)
        self.recorder.write(self, x, layout, bands, out_size)
        for x_type, out_type in RETYPED.get(self.types[:3], ()):
            _, _, sums, scratch = self.types
            types = (x_type, out_type, sums, scratch if scratch in ("", sums) else x_type)
            is_rare = x_type == "bfloat16" or self.recorder.counts[self.kind, *types] < MIN_RECORDS
            if not is_rare and zlib.crc32(f"{x.shape} {x_type} {out_type}".encode()) % 8:
                continue
            data = np.random.default_rng(x.size).integers(0, 256, x.size * item_size(x_type), np.uint8)
            name = kernel_call.kernel_name(self.kind, types)
            arguments = (name, self.layout, self.tables, self.parameter, self.n_rows, *self.sizes)
            self.recorder.write(RecordedCall(self.recorder, *arguments), data, layout, bands, out_size)


def item_size(name: str) -> int:
    """Return the bytes of an element."""
    return np.dtype(DTYPES.get(name, name)).itemsize


def checksum(result: Array, out_type: str) -> int:
    """Return the CRC-32 of a result, every NaN as the same bits."""
    if out_type == "bfloat16":
        bits = result.view(np.uint16).copy()
        bits[bits & 0x7FFF > 0x7F80] = 0x7FC0
    elif out_type.startswith("float"):
        values = result.view(out_type).copy()
        values[np.isnan(values)] = np.nan
        bits = values
    else:
        bits = result
    return zlib.crc32(bits.tobytes())


def random_array(shape: tuple[int, ...], dtype: np.dtype, choose: random.Random) -> Array:
    """Return noise over the range of integers, or floats of which a few may be NaN, Inf, -0 or subnormal."""
    generator = np.random.default_rng(choose.getrandbits(32))
    if dtype.kind != "f":
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    x = generator.standard_normal(shape).astype(dtype)
    if choose.random() < 0.3:
        limits = np.finfo(dtype)
        special = np.array([np.nan, np.inf, -np.inf, -0.0, limits.smallest_subnormal, limits.max], dtype)
        places = generator.integers(0, x.size, max(1, x.size // 40))
        x.reshape(-1)[places] = generator.choice(special, len(places))
    return x


def random_sizes(choose: random.Random, n_axes: int, *, in_bytes: bool) -> list[tuple[int, ...]]:
    """Return an input size and an output size; those of uint8 shrink more often than not."""
    lengths = (5, 8, 9, 17, 23, 33, 40, 90) if in_bytes else LENGTHS
    sizes = [tuple(choose.choice(lengths) for _ in range(n_axes)) for _ in range(2)]
    if in_bytes and choose.random() < 0.6:
        sizes = [tuple(map(max, *sizes)), tuple(map(min, *sizes))]
    return sizes


def crop(shape: list[int], dtype: np.dtype, way: str, choose: random.Random) -> Array:
    """Return an array of this shape; its rows are contiguous, or lie apart or upside down in a larger array."""
    if way == "contiguous":
        return random_array(tuple(shape), dtype, choose)
    larger = random_array((shape[0], shape[1], shape[2] + 1, shape[3]), dtype, choose)
    return larger[:, ::-1, 1:] if way == "flipped" else larger[:, :, 1:]


def has_fixed_point(variant: Variant) -> bool:
    """Return whether uint8 images are resized in integers."""
    arithmetic = variant.plan((9, 9), (5, 5)).arithmetic(np.dtype(np.uint8))
    return arithmetic.fixed_point is not None or arithmetic.two_pass is not None


def resize_once(choose: random.Random, variants: dict[str, list[Variant]], in_bytes: bool) -> None:
    """Resize one random array, forward or backward, to a random layout, by one thread or several."""
    variant = choose.choice(variants[choose.choice(list(variants))])
    axes = (1, 2) if in_bytes else choose.choice([(1, 2), (1, 2), (1, 2), (1,), (2,), (2, 0, 1)])[: max_axes(variant)]
    plan = variant.plan(*random_sizes(choose, len(axes), in_bytes=in_bytes))
    is_gradient = not in_bytes and choose.random() < 0.4
    plan = plan.T if is_gradient else plan
    dtype = np.dtype(np.uint8 if in_bytes else choose.choice(FLOATS if is_gradient else FLOATS + INTEGERS))
    wide = 1 if in_bytes or choose.random() < 0.8 else 37  # long rows are streamed, and summed in pairs
    shape = [choose.choice([1, 1, 2, 3]), 6, 5, choose.choice(CHANNELS) * wide]
    result = list(shape)
    for axis, n_in, n_out in zip(axes, plan.input_size, plan.output_size, strict=True):
        shape[axis], result[axis] = n_in, n_out
    ways = [choose.choice(["contiguous", "contiguous", "cropped", "flipped"]) for _ in range(2)]
    x = crop(shape, dtype, ways[0], choose)
    out = crop(result, plan.arithmetic(dtype).result, ways[1], choose)
    fraction, work = choose.choice([0.0, 1.0]), choose.choice([1000, 2_000_000])  # several bands, or one
    shuffles, n_threads = HAS_BYTE_SHUFFLE and choose.random() < 0.4, choose.choice([1, 2, 3])
    limits = {"NONTEMPORAL_FRACTION": fraction, "MIN_PARALLEL_WORK": work, "MIN_BAND_WORK": work}
    set_limits(**limits, has_byte_shuffle=lambda: shuffles)
    with np.errstate(all="ignore"):
        plan.apply(x, axes, out=out, threads=n_threads)


HAS_BYTE_SHUFFLE = _core.has_byte_shuffle()


def record(path: Path, n_calls: int) -> Counter[tuple[str, ...]]:
    """Record at least n_calls calls; return how many there are of each kernel and types."""
    choose = random.Random(SEED)
    by_dialect = {name: [one for one in ALL if one.dialect == name] for name in sw.dialects.names()}
    in_bytes = {name: list(filter(has_fixed_point, some)) for name, some in by_dialect.items()}
    in_bytes = {name: some for name, some in in_bytes.items() if some}
    with path.open("wb") as file:
        recorder = Recorder(file)
        recorder.install()
        while recorder.counts.total() < n_calls:
            resize_once(choose, by_dialect, in_bytes=False)
            resize_once(choose, in_bytes, in_bytes=True)
    return recorder.counts


if __name__ == "__main__":
    counts = record(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
    for (kind, *types), count in sorted(counts.items()):
        print(f"{count:6} {kind:28}{' '.join(types)}")
    print(f"{counts.total():6} calls")
