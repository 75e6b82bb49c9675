"""A fuzzer of the public verbs: random shapes, strides, dtypes, dialects and options, against dense matrices.

    python tests/fuzz.py --calls 1000000 --seconds 3600

runs that number of calls or seconds, whichever ends first. Calls come in groups, each of one plan and with a seed of
its own: where a result is wrong, something unforeseen is raised, nothing happens for half an hour or the process dies,
the group is named, and `python tests/fuzz.py --group SEED` runs it again. With atheris (pip install atheris),
`python tests/fuzz.py --atheris` lets that choose instead, by the lines of Python that it sees reached.
"""

from __future__ import annotations

import argparse
import faulthandler
import mmap
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from math import prod
from pathlib import Path
from types import FunctionType
from typing import Any

import ml_dtypes
import naive
import numpy as np
from engine_limits import set_limits
from fuzz_arrays import OUTS, VIEWS, filled, given, surrounded
from tolerances import roundings
from variants import ALL, Variant, max_axes

import sizewise as sw
from sizewise import _core
from sizewise.errors import SizewiseError

FLOATS = ("float32", "float32", "float64", "float16", "bfloat16")
WHOLE = ("uint8", "uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64", "bool")
LENGTHS = (*range(1, 10), *range(1, 10), *range(1, 18), 24, 31, 33, 65)
MAX_STRIDED = 1 << 18  # elements of larger images lie side by side: with strides they would take gigabytes
LONG_LENGTHS = (97, 200, 333, 777, 1024)
CASES_OF_A_GROUP, CALLS_OF_A_CASE = 10, 4
WATCHED = [
    f"sizewise.{name}"
    for name in (
        *("api", "plan", "taps", "sampling"),
        *(f"engine.{name}" for name in ("kernel_call", "passes", "staging", "layout")),
    )
]
HANG = 1800  # seconds after which a group that has not returned never will
HAS_BYTE_SHUFFLE = _core.has_byte_shuffle()


def group(choose: random.Random, counts: Counter[str]) -> None:
    """Calls of one plan, forwards and backwards; raises AssertionError where one is wrong."""
    dialect = choose.choice(sw.dialects.names())
    variant = choose.choice([one for one in ALL if one.dialect == dialect])
    # Results must not depend on how much work is split, nor on the size of tiles and pieces.
    limits: dict[str, Any] = {
        "MIN_PARALLEL_WORK": choose.choice([1, 1000, *[800_000] * 6]),
        "TILE_ELEMENTS": choose.choice([64, *[1 << 18] * 9]),
        "MAX_BAND_WORK": choose.choice([1000, 100_000_000]),
        "NONTEMPORAL_FRACTION": choose.choice([0.0, 0.75]),
    }
    shuffles = HAS_BYTE_SHUFFLE and choose.random() < 0.7
    set_limits(**limits, has_byte_shuffle=lambda: shuffles)
    n_axes = min(choose.choice([1, 2, 2, 2, 3]), max_axes(variant))
    input_size, size = (tuple(choose.choice(LENGTHS) for _ in range(n_axes)) for _ in range(2))
    if choose.random() < 0.1:  # one axis is long, before or after
        long, other = (choose.choice(LONG_LENGTHS), *input_size[1:]), (choose.choice(LENGTHS), *size[1:])
        input_size, size = (long, other) if choose.random() < 0.7 else (other, long)
    scale = None
    if choose.random() < 0.1:
        size, scale = None, tuple(choose.choice([0.3, 0.5, 0.77, 1.0, 1.5, 2.0, 3.1]) for _ in range(n_axes))
    try:
        plan = variant.plan(input_size, size, scale=scale)
        for _ in range(CASES_OF_A_GROUP):
            Case(choose, variant, plan, scale).run(choose, counts)
    except SizewiseError as refused:
        counts["refused"] += 1
        counts[f"refused by {variant.dialect}: {type(refused).__name__}"] += 1


class Case:
    """A call of `resize` or `resize_grad` with arrays of one shape, dtype and layout."""

    def __init__(self, choose: random.Random, variant: Variant, plan: sw.Plan, scale: tuple[float, ...] | None) -> None:
        self.backward = choose.random() < 0.4
        self.dtype = np.dtype(choose.choice(FLOATS if self.backward or choose.random() < 0.6 else WHOLE))
        seen = plan.for_dtype(self.dtype)
        self.plan = seen.T if self.backward else seen
        self.arithmetic = self.plan.arithmetic(self.dtype)
        rank = len(plan.taps) + choose.choice([0, 1, 1, 2])
        self.axes = tuple(sorted(choose.sample(range(rank), len(plan.taps))))
        shape = [choose.choice([1, 1, 1, 2, 3, 3, 4, 5, 8, 17]) for _ in range(rank)]
        result = list(shape)
        for axis, n_in, n_out in zip(self.axes, self.plan.input_size, self.plan.output_size, strict=True):
            shape[axis], result[axis] = n_in, n_out
        self.kind, self.out = choose.choice(VIEWS), choose.choice(OUTS)
        if max(prod(self.plan.input_size), prod(self.plan.output_size)) > MAX_STRIDED:
            shape, result = ([n if axis in self.axes else 1 for axis, n in enumerate(one)] for one in (shape, result))
            self.kind, self.out = "plain", "none"
        self.shape, self.result = tuple(shape), tuple(result)
        order = list(range(len(self.axes)))
        if not any(isinstance(value, tuple) for _, value in variant.options):  # per-axis options stay in order
            choose.shuffle(order)
        self.arguments = {**variant.arguments, "axes": tuple(self.axes[i] for i in order)}
        self.size = tuple((plan.input_size if self.backward else plan.output_size)[i] for i in order)
        if scale is not None:
            self.arguments["scale"] = tuple(scale[i] for i in order)
            self.size = self.size if self.backward else None

    @property
    def verb(self) -> Callable[..., np.ndarray]:
        return sw.resize_grad if self.backward else sw.resize

    def run(self, choose: random.Random, counts: Counter[str]) -> None:
        """Run the call several times, with new values each time."""
        for _ in range(CALLS_OF_A_CASE):
            self.once(choose, counts)
        counts[f"{self.verb.__name__} {self.dtype.name}"] += CALLS_OF_A_CASE

    def once(self, choose: random.Random, counts: Counter[str]) -> None:
        numbers = np.random.default_rng(choose.getrandbits(32))
        x = given(self.kind, filled(self.shape, self.dtype, numbers, choose.random()), numbers)
        before, threads = np.array(x, copy=True), choose.choice([None, None, None, 1, 2, 3])
        around = surrounded(self.out, self.result, self.arithmetic.result)
        out = self.verb(x, self.size, **self.arguments, out=None if around is None else around[1], threads=threads)
        counts["calls"] += 1
        assert same(x, before), f"the input has changed: {self}"
        assert out.shape == self.result, f"shape {out.shape}: {self}"
        assert out.dtype.newbyteorder("=") == self.arithmetic.result, f"dtype {out.dtype}: {self}"
        assert around is None or around[0](), f"something beside out was written: {self}"
        self.check(before, out.astype(self.arithmetic.result))
        if choose.random() < 0.1:
            again = self.verb(
                np.ascontiguousarray(x, self.dtype), self.size, **self.arguments, threads=choose.choice([1, 4])
            )
            counts["calls"] += 1
            assert same(again, out.astype(again.dtype)), f"other bits in other memory: {self}"

    def check(self, x: np.ndarray, out: np.ndarray) -> None:
        """Assert that a result is right: exact if it is of integers, else to rounding."""
        between = self.arithmetic.intermediate
        if not self.arithmetic.two_pass and (
            self.arithmetic.fixed_point or (between is not None and between.kind != "f")
        ):
            expected = naive.resize_in_passes(x.astype(self.dtype), self.plan, self.axes)
            assert (expected == out).all(), f"not the integers of its definition: {self}"
            return
        x = x.astype(np.float64)
        finite = np.isfinite(x)
        expected, reached = self.expected(x, finite)
        gain = dense(self.plan)[1]
        magnitude = gain * float(np.abs(x[finite]).max(initial=0.0))
        n_roundings = roundings(self.plan.parent.taps, self.dtype)
        if self.arithmetic.accumulate == np.float64 and self.dtype != np.float64:
            n_roundings = sum(one.width + 3 for one in self.plan.taps)
        allowed = rounding(self.arithmetic.accumulate, magnitude) * n_roundings
        if out.dtype.kind in "biu":
            low, high = (0, 1) if out.dtype.kind == "b" else (np.iinfo(out.dtype).min, np.iinfo(out.dtype).max)
            expected = np.clip(expected, low, high)
            bits = self.plan.fraction_bits(self.dtype)
            allowed += (1.5 if self.arithmetic.two_pass else 0.5) + (2.0 ** -(bits + 1) if bits else 0.0)
        else:
            out = out.astype(np.float64)
            allowed += rounding(self.arithmetic.result, magnitude) * len(self.axes)  # between passes, too
            allowed += rounding(self.arithmetic.result, 0.0) * amplified(self.plan)
            overflows = np.abs(expected) > float(ml_dtypes.finfo(self.arithmetic.result).max) - allowed
            infinite = ~np.isfinite(out)
            assert (reached <= infinite).all(), f"finite though it reads what is not: {self}"
            assert (infinite <= (reached | overflows)).all(), f"not finite elsewhere: {self}"
            reached |= infinite
            if finite.all() and np.unique(x).size == 1 and abs(x.flat[0]) in (1, 2, 3) and self.keeps_constants():
                assert (out == x.flat[0]).all(), f"a constant has changed: {self}"
        worst = np.abs(out - expected, where=~reached, out=np.zeros(out.shape)).max(initial=0.0)
        assert worst <= allowed, f"off by {worst:.3g}, allowed {allowed:.3g}: {self}"

    def keeps_constants(self) -> bool:
        """Whether every output is a mean: then a constant stays that constant, exactly."""
        is_mean = self.plan.request.method in ("area", "box") and not self.backward
        return is_mean and self.plan.request.dialect in ("standard", "torch", "paddle") and self.plan.fill is None

    def expected(self, x: np.ndarray, finite: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the result by dense matrices, and which of its elements read a NaN or an infinity."""
        whole = bool(finite.all())
        expected, reached = x if whole else np.where(finite, x, 0.0), (~finite).astype(np.float64)
        for axis, matrix in zip(self.axes, dense(self.plan)[0], strict=True):
            expected = applied(matrix, expected, axis)
            if not whole:
                reached = applied((matrix != 0).astype(np.float64), reached, axis)
        reached = np.zeros(expected.shape, bool) if whole else reached != 0
        if self.plan.fill is not None:
            value, along = self.plan.fill
            for axis, rows in zip(self.axes, along, strict=True):
                place = (slice(None),) * axis + (rows,)
                expected[place], reached[place] = value, not np.isfinite(value)
        return expected, reached

    def __str__(self) -> str:
        made = f"{self.verb.__name__} {self.arguments} of {self.shape} {self.dtype}, {self.kind}"
        return f"{made}, to {self.result}, {self.out}\n{self.plan}"


@lru_cache(maxsize=16)
def dense(plan: sw.Plan) -> tuple[tuple[np.ndarray, ...], float]:
    """The matrices of a plan, and the most that a result may be times its inputs."""
    gains = [float(np.abs(taps.weights).sum(axis=1).max(initial=0.0)) for taps in plan.taps]
    return plan.matrices(), prod(gains)


def amplified(plan: sw.Plan) -> float:
    """Return how many times larger a pass makes what the one before has rounded: subnormal numbers show that."""
    return prod(max(1.0, float(np.abs(taps.weights).sum(axis=1).max(initial=0.0))) for taps in plan.taps)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same bits; which NaN it is does not count."""
    if a.tobytes() == b.tobytes():
        return True
    a, b = (np.where(np.isnan(array), np.array(np.nan, array.dtype), array) for array in (a, b))
    return a.tobytes() == b.tobytes()


def applied(matrix: np.ndarray, x: np.ndarray, axis: int) -> np.ndarray:
    return np.moveaxis(np.tensordot(matrix, x, ([1], [axis])), 0, axis)


def rounding(dtype: np.dtype, magnitude: float) -> float:
    """How far a number of that magnitude may be rounded: below the smallest normal one, by the smallest there is."""
    if dtype.kind not in "fV":
        return 0.0
    limits = ml_dtypes.finfo(dtype)
    return float(limits.eps) * magnitude + float(limits.smallest_subnormal)


# --- running ---------------------------------------------------------------------------------------------------------


def run(calls: int, seconds: float, seed: int, note: mmap.mmap | None = None) -> Counter[str]:
    """Run groups of random calls until the count or the time is reached; return what was done."""
    counts: Counter[str] = Counter()
    begin = said = time.monotonic()
    while counts["calls"] < calls and time.monotonic() - begin < seconds:
        own = f"{seed}.{counts['groups']}"
        if note is not None:
            note[:64] = own.encode().ljust(64)
            faulthandler.dump_traceback_later(HANG, exit=True)
        counts["groups"] += 1
        try:
            group(random.Random(own), counts)
        except BaseException:
            sys.stderr.write(f"\nin the group with --group {own}\n")
            raise
        if note is not None and time.monotonic() - said > 60:
            said = time.monotonic()
            sys.stderr.write(f"{counts['calls']} calls in {said - begin:.0f} s\n")
    faulthandler.cancel_dump_traceback_later()
    return counts


def report(counts: Counter[str], seconds: float) -> str:
    """The outcome in one line, and how often each verb met each dtype."""
    kinds = [f"{count} {name}" for name, count in sorted(counts.items()) if name not in ("calls", "groups", "refused")]
    total = f"{counts['calls']} calls in {counts['groups']} groups and {seconds:.0f} s, no fault;"
    return f"{total} {counts['refused']} groups refused\n" + "\n".join(f"  {kind}" for kind in kinds) + "\n"


def watched(calls: int, seconds: float, seed: int, jobs: int) -> int:
    """Run the calls in `jobs` processes, with a seed each; if one dies, name the group that it was at."""
    with tempfile.TemporaryDirectory() as folder:
        notes = [Path(folder) / f"group{job}" for job in range(jobs)]
        children = []
        for job, note in enumerate(notes):
            note.write_bytes(b" " * 64)
            arguments = [
                f"--calls={-(-calls // jobs)}",
                f"--seconds={seconds}",
                f"--seed={seed + job}",
                f"--note={note}",
            ]
            children.append(subprocess.Popen([sys.executable, __file__, *arguments]))
        codes = [child.wait() for child in children]
        for code, note in zip(codes, notes, strict=True):
            if code:
                sys.stderr.write(f"exit {code} in the group with --group {note.read_text().strip()}\n")
    return max(map(abs, codes))


def by_atheris() -> None:
    """Lets atheris choose: every decision of a group is taken from its bytes."""
    import atheris

    class Chosen(random.Random):
        """Random numbers from the bytes of atheris; 0 when they are used up."""

        source: atheris.FuzzedDataProvider

        def random(self) -> float:
            return self.source.ConsumeIntInRange(0, 2**32 - 1) / 2**32

        def getrandbits(self, k: int) -> int:
            return self.source.ConsumeIntInRange(0, 2**k - 1)

    def one(data: bytes) -> None:
        chosen = Chosen()
        chosen.source = atheris.FuzzedDataProvider(data)
        group(chosen, Counter())

    for name, module in list(sys.modules.items()):
        if name in WATCHED:
            for function in vars(module).values():
                if isinstance(function, FunctionType) and function.__module__ == name:
                    atheris.instrument_func(function)
    atheris.Setup([sys.argv[0], *sys.argv[2:]], one)
    atheris.Fuzz()


def main() -> int:
    if "--atheris" in sys.argv[1:2]:
        return by_atheris()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes, with a seed each")
    parser.add_argument("--group", help="run this one group again")
    parser.add_argument("--record", action="store_true", help="keep the outcome in docs/measurements/runs.md")
    parser.add_argument("--note", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.group is not None:
        group(random.Random(arguments.group), Counter())
        return 0
    begin = time.monotonic()
    if arguments.note is None:
        failed = watched(arguments.calls, arguments.seconds, arguments.seed, arguments.jobs)
        if arguments.record and not failed:
            import runs  # of docs, which pytest does not look into

            outcome = f"{arguments.calls:,} calls, no crash, no hang, no mismatch"
            runs.record("fuzz", outcome, time.monotonic() - begin)
        return failed
    with open(arguments.note, "r+b") as file, mmap.mmap(file.fileno(), 64) as note:
        counts = run(arguments.calls, arguments.seconds, arguments.seed, note)
    sys.stdout.write(report(counts, time.monotonic() - begin))
    return 0


if __name__ == "__main__":
    sys.exit(main())
