"""Variants to test, each a (dialect, method, antialias, options) that the dialects list, and the sizes to try."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sizewise as sw

# Lengths of one axis, input -> output: one pixel, primes, no change, integer and odd factors, a nearest tie in float32.
SIZES = (
    (1, 1), (1, 7), (7, 1), (5, 5), (2, 3), (3, 2), (13, 7), (7, 13), (16, 4), (4, 16), (9, 3), (26, 22), (14, 23),
    (97, 2), (2, 97), (101, 103),
)  # fmt: skip

# Too long for dense matrices: a ratio of almost 1, up and down, a large reduction and a large enlargement.
LONG_SIZES = ((10_000, 10_001), (10_001, 10_000), (4999, 3), (3, 4999))


@dataclass(frozen=True)
class Variant:
    """A resize with every argument given, except the sizes."""

    dialect: str
    method: str
    antialias: bool
    options: tuple[tuple[str, Any], ...]

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the public functions."""
        return {"dialect": self.dialect, "method": self.method, "antialias": self.antialias, **dict(self.options)}

    def plan(self, input_size: Any, output_size: Any, **more: Any) -> sw.Plan:
        return sw.make_plan(input_size, output_size, **{**self.arguments, **more})

    def resize(self, x: Any, size: Any = None, **more: Any) -> Any:
        return sw.resize(x, size, **self.arguments, **more)

    def grad(self, dy: Any, input_size: Any, **more: Any) -> Any:
        return sw.resize_grad(dy, input_size, **self.arguments, **more)

    def __str__(self) -> str:
        usual = sw.dialects.get(self.dialect).fill_options({})
        others = [(name, value) for name, value in self.options if (name, value) not in usual]
        flags = [name if value is True else f"{name}={value}" for name, value in others]
        return "-".join([self.dialect, self.method, *(["antialias"] if self.antialias else []), *flags])


def _all() -> Iterator[Variant]:
    """Yield every variant that returns the requested size; of several with the same taps, to rounding, the first."""
    for name in sw.dialects.names():
        dialect, known = sw.dialects.get(name), set()
        for method, antialias, options in dialect.variants():
            if dialect.fit((5, 6), (4, 9), options)[0] != (4, 9):
                continue
            variant = Variant(name, method, antialias, tuple(options.items()))
            matrices = [variant.plan((n_in,), (n_out,)).matrices()[0] for n_in, n_out in SIZES]
            taps = (method, antialias, *((matrix.round(5) + 0.0).tobytes() for matrix in matrices))
            if taps not in known:
                known.add(taps)
                yield variant


# General promises are tested with every method and option of these dialects; of the others, with the methods that all
# dialects share and the default options. Promises about taps are tested with every variant.
ALL_OPTIONS = {"standard", "tfjs", "torch", "pillow", "opencv"}
SHARED_METHODS = {"nearest", "linear", "bilinear", "cubic", "bicubic", "area"}


def is_general(variant: Variant) -> bool:
    """Return whether general promises are tested with this variant."""
    defaults = sw.dialects.get(variant.dialect).fill_options({})
    is_default = "@" not in variant.dialect and variant.method in SHARED_METHODS and variant.options == defaults
    return variant.dialect in ALL_OPTIONS or is_default


ALL = tuple(_all())
PLACING = {"translation"}  # options that shift the image inside the output


def gives(variant: Variant, names: set[str]) -> bool:
    """Return whether one of these options has a value other than zero or None."""
    return any(value for name, value in variant.options if name in names)


EVERY = tuple(variant for variant in ALL if not gives(variant, PLACING))
VARIANTS = tuple(filter(is_general, EVERY))
PLACED = tuple(variant for variant in ALL if gives(variant, PLACING))

# Every third variant: some methods of each dialect.
SOME = VARIANTS[::3]

# For promises about memory layout and threads, which do not depend on the dialect: each kind of taps and of arithmetic.
# Selections, means, 2 and more taps, zero weights; integers rounded, in fixed point of each kind, or as floats.
_REPRESENTATIVE_NAMES = (
    *("standard-nearest", "standard-area-antialias", "standard-bilinear-antialias", "standard-lanczos3-antialias"),
    *("pillow-lanczos-antialias", "torch-bicubic-antialias", "opencv-linear", "opencv-area-antialias"),
    *("tensorflow-bilinear", "jax-cubic-antialias", "onnx-cubic", "skimage-linear-antialias"),
)
REPRESENTATIVES = tuple(variant for variant in VARIANTS if str(variant) in _REPRESENTATIVE_NAMES)

# A resize to the same size is not a copy: filters that are not 0 at integer distances.
BLURRING = {("tensorflow", "gaussian"), ("tensorflow", "mitchellcubic")}
COPYING = tuple(variant for variant in VARIANTS if (variant.dialect, variant.method) not in BLURRING)

# Paddle rounds the coordinates of one axis differently when two are resized, and its area accepts no scale.
SEPARATE = tuple(one for one in VARIANTS if (one.dialect, one.method, one.antialias) != ("paddle", "bilinear", False))
SCALED = tuple(one for one in VARIANTS if (one.dialect, one.method) != ("paddle", "area"))


def row_sums(variant: Variant, n_in: int, n_out: int) -> tuple[float, float]:
    """Return the lowest and the highest sum of a row, except for the rounding of weights.

    OpenCV's `area` leaves out up to a thousandth of a pixel at each end; TensorFlow's divides by its step the distance
    between edges that are rounded to float32.
    """
    if (variant.dialect, variant.method) == ("opencv", "area") and n_in > n_out > 1000:
        return 1 - 2e-3, 1.0
    if variant.dialect.startswith("tensorflow") and variant.method == "area":
        off = 2 * float(np.finfo(np.float32).eps) * (n_out + 1)
        return 1 - off, 1 + off
    return 1.0, 1.0


def max_axes(variant: Variant) -> int:
    """Return the number of axes that can be resized at once: onnxruntime rejects more."""
    return {("onnx", "linear"): 3, ("onnx", "cubic"): 2}.get((variant.dialect, variant.method), 6)


def pair_id(pair: tuple[int, int]) -> str:
    return f"{pair[0]}to{pair[1]}"


def at_each(**argument: Sequence[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that runs a test for every value of one argument; a failure names the value.

    Place it directly above the function, below marks; several can be stacked.
    """
    ((name, values),) = argument.items()
    if not values:
        raise ValueError(f"there are no values of {name}: the test would pass without trying anything")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        def run(*others: Any, **named: Any) -> None:
            for value in values:
                try:
                    test(*others, **named, **{name: value})
                except BaseException as failure:
                    failure.add_note(f"at {name} = {getattr(value, '__name__', value)}")
                    raise

        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        left = [one for one in signature.parameters.values() if one.name != name]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def by_dialect(**argument: Sequence[Variant]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that runs a test for every variant, as one test per dialect; a failure names the variant.

    Place it above `at_each` and below other marks.
    """
    ((name, given),) = argument.items()
    groups: dict[str, list[Variant]] = {}
    for variant in given:
        groups.setdefault(variant.dialect, []).append(variant)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        def run(dialect: str, **others: Any) -> None:
            at_each(**{name: groups[dialect]})(test)(**others)

        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        others = [one for one in signature.parameters.values() if one.name != name]
        dialect = inspect.Parameter("dialect", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = signature.replace(parameters=[dialect, *others])  # type: ignore[attr-defined]
        return pytest.mark.parametrize("dialect", groups)(run)

    return decorate


def noise(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> np.ndarray:
    """Return seeded noise of any dtype: floats of standard deviation 1, integers over their full range."""
    random, dtype = np.random.default_rng([seed, *shape]), np.dtype(dtype)
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
