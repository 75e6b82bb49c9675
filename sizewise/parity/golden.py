"""Golden vectors: inputs, outputs and gradients of every way to resize, in files that any runtime can read.

A folder has one `.npz` file per dialect, and `manifest.json`, which says of every case how it was resized, which arrays
of the file are its own, and how near a result has to be.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import dialects
from ..api import make_plan
from ..errors import ArgumentError, UnsupportedError
from ..plan import Plan
from ..version import __version__
from .reference import Array, Reference, installed, known, of
from .sweep import Size, version_of

MANIFEST = "manifest.json"
_CHANNELS = 3
# One axis or both, larger, smaller, mixed, by whole and other factors; one pixel; no change.
_SIZES: tuple[tuple[Size, Size], ...] = (
    ((5, 7), (9, 4)), ((12, 10), (6, 5)), ((4, 6), (4, 11)), ((1, 6), (3, 2)), ((13, 8), (5, 21)), ((6, 5), (6, 5)),
)  # fmt: skip


@dataclass(frozen=True)
class Golden:
    """One case: the words of the resize, its arrays, and how far from `y` and `dx` another runtime may be.

    `size` is what was asked for: `output_size`, unless an option, such as an aspect ratio to keep, makes another of it.
    `x` is an image with channels last, and `y` what it is resized to; `dy` a gradient at the output, and `dx` the one
    at the input (both None for integers). `ulp` is in units in the last place of the largest value; 0 for integers.
    """

    dialect: str
    method: str
    antialias: bool
    options: dict[str, Any]
    input_size: tuple[int, ...]
    size: tuple[int, ...]
    output_size: tuple[int, ...]
    ulp: float
    gradient_ulp: float
    x: Array
    y: Array
    dy: Array | None
    dx: Array | None


def write(
    folder: str | os.PathLike[str],
    names: Iterable[str] = (),
    *,
    of_frameworks: bool = False,
    done: Callable[[str], None] | None = None,
) -> Path:
    """Writes golden vectors of these dialects (by default all) into a folder; returns the manifest's path.

    With `of_frameworks`, outputs are those of the real frameworks (by default of all that are installed), and so are
    gradients where the framework has its own.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write(folder, ["tfjs"])
    ...     one = next(read(folder))
    >>> one.method, one.x.shape, one.y.shape
    ('bilinear', (5, 7, 3), (9, 4, 3))
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()) and not (place / MANIFEST).exists():
        raise ArgumentError(f"{place} is not empty, and holds no golden vectors; name a new folder")
    chosen = tuple(dialects.get(name).name for name in names) or (installed() if of_frameworks else dialects.names())
    record: dict[str, Any] = {"sizewise": __version__, "dialects": {}}
    for name in chosen:
        arrays, cases = _vectors(name, of_frameworks)
        file = f"{name.replace('@', '-')}.npz"
        _replace(place / file, partial(_save, arrays))
        made_by = " ".join(version_of(of(name))) if of_frameworks else f"sizewise {__version__}"
        versions = dialects.get(name).versions
        record["dialects"][name] = {"file": file, "reproduces": versions, "made_by": made_by, "cases": cases}
        if done is not None:
            done(name)
    text = json.dumps(record, indent=1)
    _replace(place / MANIFEST, lambda path: path.write_text(text, encoding="utf-8"))
    return place / MANIFEST


def read(folder: str | os.PathLike[str]) -> Iterator[Golden]:
    """Every case of a folder of golden vectors."""
    place = Path(folder)
    try:
        record = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{place} holds no golden vectors: {error}") from None
    for name, entry in record["dialects"].items():
        with np.load(place / entry["file"]) as arrays:
            for case in entry["cases"]:
                yield _golden(name, case, arrays)


def _save(arrays: dict[str, Array], path: Path) -> None:
    np.savez_compressed(path, allow_pickle=False, **arrays)


def _golden(dialect: str, case: dict[str, Any], arrays: Any) -> Golden:
    found: dict[str, Any] = {key: arrays[case[key]] if case[key] else None for key in ("x", "y", "dy", "dx")}
    sizes: dict[str, Any] = {key: tuple(case[key]) for key in ("input_size", "size", "output_size")}
    words: dict[str, Any] = {key: case[key] for key in ("method", "antialias", "options", "ulp", "gradient_ulp")}
    return Golden(dialect=dialect, **words, **sizes, **found)


def _vectors(name: str, of_frameworks: bool) -> tuple[dict[str, Array], list[dict[str, Any]]]:
    """The arrays of one dialect by name, and its cases, in the words of the manifest."""
    reference = of(name) if name in known() else None
    arrays: dict[str, Array] = {}
    cases: list[dict[str, Any]] = []
    for method, antialias, options in dialects.get(name).variants():
        for input_size, output_size in _SIZES:
            with suppress(UnsupportedError, ArgumentError):  # what the dialect refuses, of sizes too
                words: dict[str, Any] = {"method": method, "antialias": antialias, "dialect": name, **options}
                plan = make_plan(input_size, output_size, **words)
                for dtype in _dtypes(reference, method):
                    made = _made(plan, dtype, reference if of_frameworks else None)
                    keys = _keys(plan, dtype, len(cases))
                    arrays |= {keys[key]: value for key, value in made.items()}
                    case = _case(plan, options, reference, dtype) | {"size": output_size}
                    cases.append(case | {"dy": None, "dx": None} | keys)
    return arrays, cases


def _dtypes(reference: Reference | None, method: str) -> list[np.dtype]:
    """float32, and uint8 where the dialect promises its bytes."""
    return [np.dtype(np.float32), *([np.dtype(np.uint8)] if reference and method in reference.whole else [])]


def _keys(plan: Plan, dtype: np.dtype, number: int) -> dict[str, str]:
    """The names of a case's arrays in the file; inputs of one size are the same for all cases."""
    height, width = plan.input_size
    keys = {"x": f"{dtype}_{height}x{width}", "y": f"{number}_y"}
    if dtype != np.uint8:
        height, width = plan.output_size
        keys |= {"dy": f"{dtype}_{height}x{width}", "dx": f"{number}_dx"}
    return keys


def _input(size: tuple[int, ...], dtype: np.dtype) -> Array:
    random, shape = np.random.default_rng(size), (*size, _CHANNELS)
    return (
        random.integers(0, 256, shape, np.uint8) if dtype == np.uint8 else random.standard_normal(shape).astype(dtype)
    )


def _made(plan: Plan, dtype: np.dtype, framework: Reference | None) -> dict[str, Array]:
    """The arrays of one case, by the framework if it is given, else ours."""
    x = _input(plan.input_size, dtype)
    if dtype == np.uint8:
        return {"x": x, "y": framework.resize(x, plan.request) if framework else plan(x, (0, 1))}
    dy = _input(plan.output_size, dtype)
    y, dx = plan(x, (0, 1)), plan.T(dy, (0, 1))
    if framework is not None:
        y = framework.resize(x, plan.request)
        if framework.gradient is not None and plan.request.method in framework.gradient_ulp:
            dx = framework.gradient(x, dy, plan.request)
    return {"x": x, "y": y, "dy": dy, "dx": dx}


def _case(plan: Plan, options: dict[str, Any], reference: Reference | None, dtype: np.dtype) -> dict[str, Any]:
    method, real = plan.request.method, dtype != np.uint8
    return {
        "method": method,
        "antialias": plan.request.antialias,
        "options": options,
        "input_size": plan.input_size,
        "output_size": plan.output_size,
        "ulp": float(reference.ulp.get(method, 4)) if reference and real else 4.0 * real,
        "gradient_ulp": float(reference.gradient_ulp.get(method, 8)) if reference and real else 8.0 * real,
    }


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file whole, or not at all."""
    draft = path.with_name(f".{path.name}")
    try:
        write(draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
