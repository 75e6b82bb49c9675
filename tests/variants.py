"""Everything there is to test: each (dialect, method, antialias, options) found by looking, and the sizes to try."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import sizewise as sw

# Lengths of one axis, input -> output: one pixel, primes, no change, whole and odd factors, a nearest tie in float32.
SIZES = (
    (1, 1), (1, 7), (7, 1), (5, 5), (2, 3), (3, 2), (13, 7), (7, 13), (16, 4), (4, 16), (9, 3), (26, 22), (14, 23),
    (97, 2), (2, 97), (101, 103),
)  # fmt: skip

# Too long for dense matrices: a ratio of almost 1, both ways, a great shrink and a great growth.
LONG_SIZES = ((10_000, 10_001), (10_001, 10_000), (4999, 3), (3, 4999))


@dataclass(frozen=True)
class Variant:
    """One way to resize, every word said."""

    dialect: str
    method: str
    antialias: bool
    options: tuple[tuple[str, Any], ...]

    @property
    def words(self) -> dict[str, Any]:
        """The words as keywords of the public functions."""
        return {"dialect": self.dialect, "method": self.method, "antialias": self.antialias, **dict(self.options)}

    def plan(self, input_size: Any, output_size: Any, **more: Any) -> sw.Plan:
        return sw.make_plan(input_size, output_size, **{**self.words, **more})

    def resize(self, x: Any, size: Any = None, **more: Any) -> Any:
        return sw.resize(x, size, **self.words, **more)

    def grad(self, dy: Any, input_size: Any, **more: Any) -> Any:
        return sw.resize_grad(dy, input_size, **self.words, **more)

    def __str__(self) -> str:
        usual = sw.dialects.get(self.dialect).fill_options({})
        others = [(name, value) for name, value in self.options if (name, value) not in usual]
        flags = [name if value is True else f"{name}={value}" for name, value in others]
        return "-".join([self.dialect, self.method, *(["antialias"] if self.antialias else []), *flags])


def _all() -> Iterator[Variant]:
    """Every variant that gives the size it is asked for; of several with the same taps, to rounding, the first."""
    for name in sw.dialects.names():
        dialect, known = sw.dialects.get(name), set()
        for method, antialias, options in dialect.variants():
            if dialect.fit((5, 6), (4, 9), options)[0] != (4, 9):
                continue
            variant = Variant(name, method, antialias, tuple(options.items()))
            matrices = [variant.plan((n_in,), (n_out,)).matrices()[0] for n_in, n_out in SIZES]
            made = (method, antialias, *((matrix.round(5) + 0.0).tobytes() for matrix in matrices))
            if made not in known:
                known.add(made)
                yield variant


# Dialects that the general promises are tried on with every method and option; of others, with the methods that all of
# them have and the options that are the default. What depends on the taps is tried on every variant of all.
THOROUGH = {"standard", "tfjs", "torch", "pillow", "opencv"}
USUAL = {"nearest", "linear", "bilinear", "cubic", "bicubic", "area"}


def usual(variant: Variant) -> bool:
    """Whether the general promises are tried on it."""
    defaults = sw.dialects.get(variant.dialect).fill_options({})
    default = "@" not in variant.dialect and variant.method in USUAL and variant.options == defaults
    return variant.dialect in THOROUGH or default


ALL = tuple(_all())
PLACING = {"translation"}  # options that, given, place the image elsewhere in the output


def gives(variant: Variant, names: set[str]) -> bool:
    """Whether one of these options has another value than none."""
    return any(value for name, value in variant.options if name in names)


EVERY = tuple(variant for variant in ALL if not gives(variant, PLACING))
VARIANTS = tuple(filter(usual, EVERY))
PLACED = tuple(variant for variant in ALL if gives(variant, PLACING))

# For promises about memory, dtypes and threads, which hold for all taps alike: of every dialect, each kind of method.
SOME = VARIANTS[::3]

# A resize to the same size is not a copy: filters that are not 0 at whole distances.
BLURRING = {("tensorflow", "gaussian"), ("tensorflow", "mitchellcubic")}
COPYING = tuple(variant for variant in VARIANTS if (variant.dialect, variant.method) not in BLURRING)

# Paddle rounds the coordinates of an axis otherwise beside another one than alone, and its area takes no scale.
SEPARATE = tuple(one for one in VARIANTS if (one.dialect, one.method, one.antialias) != ("paddle", "bilinear", False))
SCALED = tuple(one for one in VARIANTS if (one.dialect, one.method) != ("paddle", "area"))


def row_sums(variant: Variant, n_in: int, n_out: int) -> tuple[float, float]:
    """The least and the greatest that rows may sum to, but for the rounding of weights.

    OpenCV's `area` leaves out up to a thousandth of a pixel at each end; TensorFlow's divides by its step what lies
    between edges that are rounded to float32.
    """
    if (variant.dialect, variant.method) == ("opencv", "area") and n_in > n_out > 1000:
        return 1 - 2e-3, 1.0
    if variant.dialect.startswith("tensorflow") and variant.method == "area":
        off = 2 * float(np.finfo(np.float32).eps) * (n_out + 1)
        return 1 - off, 1 + off
    return 1.0, 1.0


def most_axes(variant: Variant) -> int:
    """How many axes may be resized at once: onnxruntime refuses more."""
    return {("onnx", "linear"): 3, ("onnx", "cubic"): 2}.get((variant.dialect, variant.method), 6)


def pair_id(pair: tuple[int, int]) -> str:
    return f"{pair[0]}to{pair[1]}"


def at_each(**argument: Sequence[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of many: it runs for every value of one argument, and a failure names the value.

    Stands closest to the function, below marks; several may be stacked.
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


def noise(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> np.ndarray:
    """Seeded numbers of any dtype: floats of about 1, integers over their whole range."""
    random, dtype = np.random.default_rng([seed, *shape]), np.dtype(dtype)
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
