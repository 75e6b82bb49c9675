"""The real frameworks, called with the arguments of `sw.resize`, and the images to compare them on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import sample

import sizewise as sw
from sizewise.parity import reference

# Nearest is compared for axes of every length up to this. `make test-indices` asks for 1024.
INDEX_LIMIT = int(os.environ.get("SIZEWISE_INDEX_LIMIT", "256"))
INDEX_LENGTHS = range(1, INDEX_LIMIT + 1)  # of results
INPUT_LENGTHS = sample(INDEX_LENGTHS, 8)


def resize_with(
    dialect: str, x: np.ndarray, size: Any = None, method: str = "bilinear", **arguments: Any
) -> np.ndarray:
    """The pixels of the framework behind a dialect, of an image with channels last."""
    request = sw.make_plan(x.shape[:-1], size, method, dialect=dialect, **arguments).request
    return reference.of(dialect).resize(x, request)


def older(environment: str) -> str:
    """The Python of an environment with an older release in it; without it: a skip, or a failure in CI.

    Environments are in the folder that SIZEWISE_OLDER names, or in .venv/older, where `make .venv/.older` makes them.
    """
    folder = Path(os.environ.get("SIZEWISE_OLDER") or Path(__file__).parents[1] / ".venv" / "older")
    python = folder / environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        reason = f"{folder / environment} is missing; `make .venv/.older` makes it"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return str(python)


def gradient_with(
    dialect: str, x: np.ndarray, dy: np.ndarray, method: str = "bilinear", **arguments: Any
) -> np.ndarray:
    """The gradient that the framework itself reports, at x for dy."""
    size = None if "scale" in arguments else dy.shape[:-1]
    request = sw.make_plan(x.shape[:-1], size, method, dialect=dialect, **arguments).request
    return reference.of(dialect).gradient(x, dy, request)


def pairs(longest: int, seed: object = "") -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return (n_in, n_out) up to that length, once along each axis, as (height, width) and the size to make of it.

    An eighth of them, which depends on the seed; in `make test-all` every one.
    """
    every = product(range(1, longest + 1), repeat=2)
    return sample([((n_in, n_out), (n_out, n_in)) for n_in, n_out in every], 8, seed)


# Long axes: whole and odd factors, almost 1, great shrinks and growths, one axis that stays.
LARGE = [
    ((480, 640), (224, 224)),
    ((100, 37), (37, 100)),
    ((1, 300), (5, 77)),
    ((301, 299), (300, 300)),
    ((64, 48), (64, 200)),
    ((500, 7), (3, 350)),
]


def large(seed: object) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return half of LARGE, which depends on the seed; in `make test-all` all of them."""
    return sample(LARGE, 2, seed)


def sizes(count: int, longest: int, seed: int = 0) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Seeded sizes of images and results; a few keep one length, so that passes are left out."""
    random = np.random.default_rng(seed)
    drawn = random.integers(1, longest, (count, 4)).tolist()
    return [((h, w), (h if n % 7 == 0 else a, w if n % 11 == 0 else b)) for n, (h, w, a, b) in enumerate(drawn)]


def image(size: tuple[int, int], channels: int, seed: int = 0) -> np.ndarray:
    """Seeded uint8: by turns noise, black and white pixels, and black and white stripes, which overshoot most."""
    random = np.random.default_rng([seed, *size, channels])
    if seed % 3 == 0:
        return random.integers(0, 256, (*size, channels), np.uint8)
    if seed % 3 == 1:
        return (random.integers(0, 2, (*size, channels), np.uint8) * 255).astype(np.uint8)
    stripes = (np.add.outer(np.arange(size[0]), np.arange(size[1])) // 3 % 2 * 255).astype(np.uint8)
    return np.repeat(stripes[:, :, None], channels, axis=2)


def assert_within(actual: np.ndarray, expected: np.ndarray, x: np.ndarray, ulp: float) -> None:
    """Asserts a difference of at most `ulp` units in the last place of the largest number among inputs and results."""
    assert actual.shape == expected.shape and actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    largest = max(float(np.abs(x).max()), float(np.abs(expected).max()))
    worst = float(np.abs(actual.astype(np.float64) - expected).max() / np.spacing(np.asarray(largest, actual.dtype)))
    assert worst <= ulp, f"pixels differ by {worst:.3g} units in the last place, allowed {ulp}"


def picks_exactly(
    dialect: str,
    method: str,
    n_in: int,
    lengths: Sequence[int],
    *,
    centered: bool,
    rank: int = 2,
    dtype: Any = np.float32,
    **options: Any,
) -> bool:
    """Asserts that the dialect picks the framework's pixels, for an axis of n_in made as long as each of the lengths.

    Returns whether exact arithmetic picks them, too: the pixel under each output's center, or under its first edge.
    """
    plan = sw.make_plan((n_in,) * len(lengths), lengths, method, dialect=dialect, **options)
    before = (1,) * (rank - 1)
    row = np.arange(n_in).astype(dtype).reshape(*before, n_in, 1)
    exact = True
    for taps in plan.taps:
        request = replace(plan.request, input_size=(*before, n_in), output_size=(*before, taps.n_out))
        theirs = reference.of(dialect).resize(row, request).ravel()
        assert (taps.start == theirs).all(), (n_in, taps.n_out)
        exact &= bool(((2 * np.arange(taps.n_out) + centered) * n_in // (2 * taps.n_out) == theirs).all())
    return exact


def some_lengths(shortest: int, longest: int, count: int) -> Iterator[tuple[int, list[int]]]:
    """Seeded: `count` lengths of an axis, five lengths to make of each."""
    random = np.random.default_rng(0)
    for n_in in random.integers(shortest, longest + 1, count).tolist():
        yield n_in, random.integers(1, longest + 1, 5).tolist()
