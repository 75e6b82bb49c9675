"""Golden vectors: inputs, outputs and gradients of every method and option, in files that any runtime can read.

A folder has one `.npz` file per dialect, and `manifest.json`, which lists for each case the arguments of the resize,
the names of its arrays in the file, and the tolerance.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import dialects
from ..dialects._contract import Contract
from ..errors import ArgumentError
from ..plan import Plan
from ..version import __version__
from .reference import Array, Reference, installed, of
from .sweep import Size, plans, require_installed, variants, version_of

MANIFEST = "manifest.json"
_CHANNELS = 3
# One axis or both, growing, shrinking, mixed, by integer and other factors; one pixel; no change.
_SIZES: tuple[tuple[Size, Size], ...] = (
    ((5, 7), (9, 4)), ((12, 10), (6, 5)), ((4, 6), (4, 11)), ((1, 6), (3, 2)), ((13, 8), (5, 21)), ((6, 5), (6, 5)),
)  # fmt: skip


@dataclass(frozen=True)
class Golden:
    """One case: the arguments of the resize, its arrays, and the tolerance of `y` and `dx`.

    `size` is the size given: `output_size`, unless an option, such as an aspect ratio to keep, changes it. `x` is a
    channels-last image, and `y` the resized one; `dy` a gradient at the output, and `dx` the gradient at the input
    (both None for integers). `ulp` is the tolerance of `y`, `gradient_ulp` that of `dx`, in units in the last place of
    the largest value; 0 for integers.

    >>> import tempfile, sizewise as sw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manifest = write(folder, ["tfjs"])
    ...     case, *_ = read(folder)
    >>> case.dialect, case.method, case.input_size, case.output_size
    ('tfjs', 'bilinear', (5, 7), (9, 4))
    >>> options = {"antialias": case.antialias, "dialect": case.dialect, **case.options}
    >>> bool((sw.resize(case.x, case.size, case.method, **options) == case.y).all())
    True
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
    on_dialect: Callable[[str], None] | None = None,
) -> Path:
    """Write golden vectors of these dialects (by default all) into a folder; return the path of the manifest.

    Args:
        folder: a new folder, an empty one, or one of golden vectors.
        names: of dialects.
        of_frameworks: write the outputs of the real frameworks (by default of all that are installed), and their
            gradients where they have them.
        on_dialect: called with the name of each finished dialect.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manifest = write(folder, ["tfjs"])
    ...     manifest.name, sorted(path.name for path in manifest.parent.iterdir())
    ('manifest.json', ['manifest.json', 'tfjs.npz'])
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()) and not (target / MANIFEST).exists():
        raise ArgumentError(f"{target} is not empty, and holds no golden vectors; name a new folder")
    chosen = tuple(dialects.get(name).name for name in names) or (installed() if of_frameworks else dialects.names())
    if of_frameworks:
        require_installed(chosen)
    record: dict[str, Any] = {"sizewise": __version__, "dialects": {}}
    for name in chosen:
        arrays, cases = _vectors(name, of_frameworks)
        file = f"{name.replace('@', '-')}.npz"
        with _atomic_path(target / file) as path:
            np.savez_compressed(path, allow_pickle=False, **arrays)
        made_by = " ".join(version_of(of(name))) if of_frameworks else f"sizewise {__version__}"
        versions = dialects.get(name).versions
        record["dialects"][name] = {"file": file, "reproduces": versions, "made_by": made_by, "cases": cases}
        if on_dialect is not None:
            on_dialect(name)
    with _atomic_path(target / MANIFEST) as path:
        path.write_text(json.dumps(record, indent=1), encoding="utf-8")
    return target / MANIFEST


def read(folder: str | os.PathLike[str]) -> Iterator[Golden]:
    """Yield every case of a folder of golden vectors.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manifest = write(folder, ["tfjs"])
    ...     sorted({(case.method, case.x.dtype.name) for case in read(folder)})
    [('bilinear', 'float32'), ('nearest', 'float32')]
    """
    source = Path(folder)
    try:
        record = json.loads((source / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{source} holds no golden vectors: {error}") from None
    for name, entry in record["dialects"].items():
        with np.load(source / entry["file"]) as arrays:
            for case in entry["cases"]:
                values = {key: arrays[case[key]] if case[key] else None for key in ("x", "y", "dy", "dx")}
                sizes = {key: tuple(case[key]) for key in ("input_size", "size", "output_size")}
                yield Golden(**case | {"dialect": name} | sizes | values)


def _vectors(name: str, of_frameworks: bool) -> tuple[dict[str, Array], list[dict[str, Any]]]:
    """Return the arrays of one dialect by name, and its cases as in the manifest."""
    framework = of(name) if of_frameworks else None
    contract = dialects.get(name).contract
    arrays: dict[str, Array] = {}
    cases: list[dict[str, Any]] = []
    for arguments in variants(name):
        options = {key: value for key, value in arguments.items() if key not in ("method", "antialias", "dialect")}
        has_uint8 = contract and arguments["method"] in contract.bit_exact
        for size, plan in plans(arguments, _SIZES):
            for dtype in map(np.dtype, (np.float32, np.uint8) if has_uint8 else (np.float32,)):
                keys = _keys(plan, dtype, len(cases))
                arrays |= {keys[key]: value for key, value in _compute(plan, dtype, framework).items()}
                case = _case(plan, options, contract, dtype) | {"size": size}
                cases.append(case | {"dy": None, "dx": None} | keys)
    return arrays, cases


def _keys(plan: Plan, dtype: np.dtype, number: int) -> dict[str, str]:
    """Return the names of a case's arrays in the file; inputs of one size are the same for all cases."""
    height, width = plan.input_size
    keys = {"x": f"{dtype}_{height}x{width}", "y": f"{number}_y"}
    if dtype != np.uint8:
        height, width = plan.output_size
        keys |= {"dy": f"{dtype}_{height}x{width}", "dx": f"{number}_dx"}
    return keys


def _input(size: tuple[int, ...], dtype: np.dtype) -> Array:
    random, shape = np.random.default_rng(size), (*size, _CHANNELS)
    if dtype == np.uint8:
        return random.integers(0, 256, shape, np.uint8)
    return random.standard_normal(shape).astype(dtype)


def _compute(plan: Plan, dtype: np.dtype, framework: Reference | None) -> dict[str, Array]:
    """Return the arrays of one case, computed by the framework if one is given, else by the plan."""
    x = _input(plan.input_size, dtype)
    if dtype == np.uint8:
        return {"x": x, "y": framework.resize(x, plan.request) if framework else plan(x, (0, 1))}
    dy = _input(plan.output_size, dtype)
    y = framework.resize(x, plan.request) if framework else plan(x, (0, 1))
    dx = framework.gradient_or_none(x, dy, plan.request) if framework else None
    return {"x": x, "y": y, "dy": dy, "dx": plan.T(dy, (0, 1)) if dx is None else dx}


def _case(plan: Plan, options: dict[str, Any], contract: Contract | None, dtype: np.dtype) -> dict[str, Any]:
    method, is_float = plan.request.method, dtype != np.uint8
    return {
        "method": method,
        "antialias": plan.request.antialias,
        "options": options,
        "input_size": plan.input_size,
        "output_size": plan.output_size,
        "ulp": float(contract.ulp.get(method, 4)) if contract and is_float else 4.0 * is_float,
        "gradient_ulp": float(contract.gradient_ulp.get(method, 8)) if contract and is_float else 8.0 * is_float,
    }


@contextmanager
def _atomic_path(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces `path` at the end of the block."""
    draft = path.with_name(f".{path.name}")
    try:
        yield draft
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
