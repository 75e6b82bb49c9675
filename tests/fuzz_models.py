"""A fuzzer of `sizewise audit`: model files of every format, damaged in their bytes and in their fields.

    python tests/fuzz_models.py --mutants 10000 --seed 1

audits that number of mutants of each format. Only errors of Sizewise may be raised, each within 2 seconds and 500 MB.
Any other outcome is reported with its format and seed, and `--format NAME --only SEED` runs that mutant again.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import resource
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from model_files import MODELS

from sizewise.errors import SizewiseError
from sizewise.insight.audit import TARGETS, audit

MAX_SECONDS, MAX_MEGABYTES = 2.0, 500
LENGTHS = (0, 1, 2, 3, 7, 127, 255, 4096, 65535, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)
WORDS = ("", "x", "\x00", "é", "Resize", "linear", "nearest", "bicubic", "align_corners", "../x", "channels_first")
ODD: tuple[Any, ...] = (None, True, False, -1, 0.5, -0.0, 1e308, [], {}, [[]], [None] * 5, "9" * 400, *LENGTHS, *WORDS)


def flip(data: bytes, choose: random.Random) -> bytes:
    """Some bytes are others."""
    damaged = bytearray(data)
    for _ in range(choose.choice((1, 1, 2, 3, 8))):
        damaged[choose.randrange(len(damaged))] = choose.choice((choose.randrange(256), 0, 255, 127, 128))
    return bytes(damaged)


def cut(data: bytes, choose: random.Random) -> bytes:
    """The file ends early."""
    return data[: choose.randrange(len(data))]


def splice(data: bytes, choose: random.Random) -> bytes:
    """A part of the file is left out, or there twice, or overwrites another."""
    start, end = sorted(choose.randrange(len(data)) for _ in range(2))
    part, at = data[start : min(end, start + 64)], choose.randrange(len(data))
    kind = choose.randrange(3)
    if kind == 0:
        return data[:start] + data[start + len(part) :]
    return data[:at] + part + data[at + (len(part) if kind == 2 else 0) :]


def lengthen(data: bytes, choose: random.Random) -> bytes:
    """A number of 4 or 8 bytes is huge, or below 0."""
    width = choose.choice((4, 4, 8))
    at = choose.randrange(max(len(data) - width, 1))
    if choose.random() < 0.7:
        at -= at % 4  # where flatbuffers and arrays have their numbers
    value = (choose.choice(LENGTHS) - choose.randrange(2)) % (1 << (8 * width))
    return data[:at] + value.to_bytes(width, "little") + data[at + width :]


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number as protobuf writes it, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data: bytes) -> list[tuple[int, bytes]] | None:
    """The fields of a protobuf message as (key, content); None for bytes that are none."""
    found, at = [], 0
    try:
        while at < len(data):
            key, at = read_varint(data, at)
            start, kind = at, key & 7
            if kind == 0:
                _, at = read_varint(data, at)
            elif kind == 2:
                length, start = read_varint(data, at)
                at = start + length
            elif kind in (1, 5):
                at += 8 if kind == 1 else 4
            if kind not in (0, 1, 2, 5) or key < 8 or at > len(data):
                return None
            found.append((key, data[start:at]))
    except IndexError:
        return None
    return found


def written(message: list[tuple[int, bytes]]) -> bytes:
    """A message of these fields."""
    return b"".join(varint(key) + (varint(len(value)) if key & 7 == 2 else b"") + value for key, value in message)


def protobuf(data: bytes, choose: random.Random) -> bytes:
    """A field, somewhere in a message, is left out, there twice, another number, other bytes, or of another name."""
    message = fields(data)
    if not message:
        return flip(data, choose) if data else b"\x08\x01"
    index = choose.randrange(len(message))
    key, value = message[index]
    if key & 7 == 2 and value and choose.random() < 0.8:
        message[index] = key, protobuf(value, choose)
        return written(message)
    kind = choose.randrange(5)
    if kind == 0:
        del message[index]
    elif kind == 1:
        message.insert(choose.randrange(len(message) + 1), message[index])
    elif kind == 2:
        message[index] = (key | 7) ^ 7, varint(choose.choice(LENGTHS))
    elif kind == 3:
        message[index] = (key | 7) ^ 5, choose.choice(WORDS).encode() + choose.choice((b"", b"\xff\xfe", b"\x80"))
    else:
        message[index] = (choose.randrange(1, 16) << 3) | key & 7, value
    return written(message)


def values(given: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    found, waiting = [], [given]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        for key in keys:
            found.append((one, key))
            if isinstance(one[key], (dict, list)):
                waiting.append(one[key])
    return found


def json_value(data: bytes, choose: random.Random) -> bytes:
    """A value of JSON is left out, another one, or there twice; or an object has another key."""
    record = json.loads(data)
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        container, key = choose.choice(values(record))
        kind = choose.randrange(5)
        if kind == 0:
            del container[key]
        elif kind == 1 and isinstance(container, dict):
            container[choose.choice((*container, *WORDS))] = container[key]
        elif kind == 1:
            container.append(container[key])
        elif kind == 2:
            container[key] = json.loads(json.dumps(choose.choice([one[at] for one, at in values(record)])))
        else:
            container[key] = choose.choice(ODD)
        if not record:
            break
    return json.dumps(record).encode()


def zipped(data: bytes, choose: random.Random) -> bytes:
    """A zip whose configuration is damaged."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        config = archive.read("config.json")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", choose.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        archive.writestr("config.json", choose.choice((json_value, json_value, json_value, flip, cut))(config, choose))
    return made.getvalue()


Change = Callable[[bytes, random.Random], bytes]
BYTES: tuple[Change, ...] = (flip, cut, splice, lengthen)
CHANGES: dict[str, tuple[Change, ...]] = {
    "onnx": (*BYTES, *[protobuf] * 6),
    "saved_model": (*BYTES, *[protobuf] * 6),
    "tflite": (*BYTES, lengthen, lengthen, flip),
    "keras": (*BYTES, *[zipped] * 6),
    "tfjs_layers": (*BYTES, *[json_value] * 6),
    "tfjs_graph": (*BYTES, *[json_value] * 6),
}


def mutant(kind: str, seed: int) -> bytes:
    """A file of a format, damaged in one or two ways."""
    choose = random.Random(f"{kind} {seed}")
    data = choose.choice(MODELS[kind].files)()
    for _ in range(choose.choice((1, 1, 2))):
        data = choose.choice(CHANGES[kind])(data, choose) or b"\0"
        if kind in ("keras", "tfjs_layers", "tfjs_graph"):
            break  # what is damaged is no JSON any more
    return data


def fault(kind: str, seed: int, folder: Path) -> str:
    """Return the fault of the audit of a mutant; empty if there is none."""
    path = folder / MODELS[kind].name
    path.write_bytes(mutant(kind, seed))
    targets = tuple(TARGETS) if seed % 4 == 0 else ()
    before = time.process_time()  # which other processes do not lengthen
    try:
        audit(path, targets)
    except SizewiseError:
        pass
    except Exception:
        return "".join(traceback.format_exception_only(*sys.exc_info()[:2])).strip() + f" at {_last_line()}"
    seconds = time.process_time() - before
    return f"it took {seconds:.1f} s" if seconds > MAX_SECONDS else ""


def _last_line() -> str:
    frame = traceback.extract_tb(sys.exc_info()[2])[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def peak_megabytes() -> float:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(kinds: list[str], seeds: range) -> list[str]:
    """The faults of these mutants, each with what runs it again."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            for data in MODELS[kind].files:  # what is imported for a format does not count
                (Path(folder) / MODELS[kind].name).write_bytes(data())
                audit(Path(folder) / MODELS[kind].name, tuple(TARGETS))
            most = peak_megabytes()
            for seed in seeds:
                wrong = fault(kind, seed, Path(folder))
                grown = peak_megabytes() - most
                if grown > MAX_MEGABYTES:
                    wrong, most = f"{wrong} it took {grown:.0f} MB".strip(), most + grown
                if wrong:
                    found.append(f"--format {kind} --only {seed}: {wrong}")
    return found


def main() -> int:
    """Run the fuzzer from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=CHANGES)
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    first, count = (given.seed * 10_000_000, given.mutants) if given.only is None else (given.only, 1)
    kinds = [given.format] if given.format else list(CHANGES)
    before = time.perf_counter()
    faults = run(kinds, range(first, first + count))
    told = f"{count * len(kinds):,} mutants, {len(faults)} faults, {time.perf_counter() - before:.0f} s"
    sys.stdout.write("\n".join([*faults, told, ""]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
