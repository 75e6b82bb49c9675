"""Before and after: `warmup` compiles what a program will need, `clear_cache` gives back what it no longer does."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import api, checks, dialects, kernels
from . import plan as plans
from .errors import ArgumentError, DtypeError, SizewiseError, UnsupportedError, shown, unknown_name
from .kernels import memory
from .plan import Plan

DTYPES = (
    "float32", "float64", "float16", "uint8", "uint16", "int16",
    "int8", "uint32", "int32", "uint64", "int64", "bool",
)  # fmt: skip

# What leads to every kernel: (shape, size, axes), each contiguous and not. Sizes that grow, shrink, and do both,
# along both axes and one, of few, some and many channels; and three axes, which go in two passes, the second of few
# and of many.
CALLS: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = (
    *(
        ((12, 14, channels), size, (0, 1))
        for channels in (1, 3, 4, 20)
        for size in ((5, 6), (25, 27), (5, 27), (25, 6), (5, 14), (12, 6), (12, 27))
    ),
    ((600, 610, 1), (2, 2), (0, 1)),  # so many taps that sums of uint8 in float32 would be in doubt
    ((12, 10, 14), (7, 20, 9), (0, 1, 2)),
    ((2, 12, 3, 10), (25, 6, 20), (0, 1, 3)),
    ((12, 10, 14), (7, 9), (0, 2)),
    ((3, 12, 14), (7, 9), (1, 2)),
    ((14,), (5,), (0,)),
)

WIDE = 6  # taps from which on their number leads to no other kernel

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Warmth:
    """What a warm-up did: kernels compiled, those that were there, and those that could not be kept on disk.

    `folder` is where machine code is kept (None: nowhere), and `n_bytes` how much lies there now.
    """

    compiled: int
    loaded: int
    lost: int
    seconds: float
    folder: str | None
    n_bytes: int

    @property
    def kept(self) -> bool:
        """Whether the next process finds all of it compiled.

        >>> Warmth(compiled=3, loaded=0, lost=3, seconds=1.0, folder=None, n_bytes=0).kept
        False
        """
        return self.folder is not None and self.lost == 0


class _Variant(NamedTuple):
    dialect: str
    method: str
    antialias: bool

    def run(self, dtypes: list[np.dtype], done: set[Any]) -> None:
        """Resizes small arrays in every way of `CALLS`, unless a call that leads to the same kernels was done."""
        for shape, size, axes in CALLS:
            lengths = tuple(shape[axis] for axis in axes)
            try:
                plan = api.make_plan(lengths, size, self.method, antialias=self.antialias, dialect=self.dialect)
            except UnsupportedError:  # so many axes at once
                continue
            for dtype in dtypes:
                with contextlib.suppress(SizewiseError):  # what the dialect itself refuses
                    x = np.ones(shape, dtype)
                    self._apply(plan, x, axes, done)
                    if dtype.kind == "f":
                        self._apply(plan.T, plan(x, axes, threads=1), axes, done)

    def _apply(self, plan: Plan, x: Any, axes: tuple[int, ...], done: set[Any]) -> None:
        taps = tuple((one.picks, one.copies, min(one.width, WIDE)) for one in plan.taps)
        key = (plan.arithmetic(x.dtype), taps, x.dtype, x.shape, plan.output_size, axes, plan.transposed)
        if key not in done:
            plan(x, axes, threads=1)
            plan(x[::-1], axes, threads=1)
            done.add(key)


def warmup(
    dtypes: Iterable[Any] | None = None, only: Iterable[str] | None = None, progress: Progress | None = None
) -> Warmth:
    """Compiles the kernels of resizes and their gradients, so that no later call or process has to wait for it.

    Args:
        dtypes: of which arrays; by default all that can be resized.
        only: names of methods and of dialects; by default all. Of each kind that is named, only those.
        progress: called before each step with the number of steps done, their number, and the step in words.

    >>> import sizewise as sw
    >>> sw.warmup(["float32"], ["standard", "nearest"]).compiled >= 0
    True
    """
    if progress is not None and not callable(progress):
        raise DtypeError(f"progress must be a function of (done, of, step), or None, not {shown(progress)}")
    begin = time.perf_counter()
    variants, chosen = list(_variants(only)), _dtypes(dtypes)
    before = kernels.machine_code()
    done: set[Any] = set()
    for position, variant in enumerate(variants):
        if progress is not None:
            progress(position, len(variants), f"{variant.dialect} {variant.method}")
        with contextlib.suppress(SizewiseError):
            variant.run(chosen, done)
    now = kernels.machine_code()
    return Warmth(
        now.compiled - before.compiled,
        now.loaded - before.loaded,
        now.lost - before.lost,
        time.perf_counter() - begin,
        now.folder,
        now.n_bytes,
    )


def clear_cache() -> None:
    """Gives back the memory that is kept to make later calls quick: plans, what was prepared, and blocks of results.

    Nothing that a program still holds is touched, and machine code stays.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (2, 2))
    >>> sw.clear_cache()
    >>> sw.make_plan((4, 4), (2, 2)) is plan
    False
    """
    api.forget()
    plans.forget()
    memory.forget()


def _variants(only: Iterable[str] | None) -> Iterator[_Variant]:
    wanted = _names(only, ())
    methods = {method for name in dialects.names() for method in dialects.get(name).methods}
    for name in wanted:
        if not isinstance(name, str) or name not in {*methods, *dialects.names()}:
            raise unknown_name("method or dialect", name, {*methods, *dialects.names()})
    for name in [name for name in dialects.names() if name in wanted] or dialects.names():
        for method, flags in dialects.get(name).methods.items():
            if method in wanted or methods.isdisjoint(wanted):
                yield from (_Variant(name, method, antialias) for antialias in flags)


def _dtypes(given: Iterable[Any] | None) -> list[np.dtype]:
    return list(map(_dtype, _names(given, DTYPES)))


def _names(given: Any, usual: tuple[str, ...]) -> tuple[Any, ...]:
    """Several names, one by itself, or the usual ones."""
    entries = usual if given is None else checks.sequence(given)
    return (given,) if entries is None else entries or usual


def _dtype(given: Any) -> np.dtype:
    with contextlib.suppress(DtypeError):
        dtype = checks.numeric(given)
        if dtype.name in DTYPES:
            return dtype
    raise ArgumentError(f"dtype must be one of {', '.join(DTYPES)}, not {shown(given)}")
