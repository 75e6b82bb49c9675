"""Corrupts every field of the arguments of real kernel calls, one at a time: each is refused, or does no harm.

The native kernels trust tables that passed the checks of `_native.Call`. Here an unnoticed bad index ends the process,
since input and output border pages without access rights. Run as `python tests/corrupt_calls.py KERNEL`; it prints how
many corruptions were refused and how many had no effect outside the arrays, and the fields in which extreme values are
not refused.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from engine_limits import set_limits
from guard_pages import GuardedArray

import sizewise as sw
from sizewise import _core
from sizewise.engine import kernel_call, thread_pool
from sizewise.engine.kernel_call import KernelCall

EXTREMES = (-(2**63), -(2**40) - 1, 2**62, 2**63 - 1)
OFFSETS = (-9, -8, -2, -1, 1, 2, 8, 9)
LAYOUT = (
    "x_base", "x_image", "x_row", "out_base", "out_image", "out_row", "rows_per_image", "row_length", "vertical_first",
    "nontemporal",
)  # fmt: skip
AXIS = ("n_in", "n_out", "width", "channels", "n_blocks", "add", "shift", "divides", "sum_block")
FIXED_POINT = (
    "h_in", "n_taps", "row_step", "v_add", "v_shift", "h_add", "h_shift", "row_in", "channels", "h_taps", "h_out",
    "w_out",
)  # fmt: skip
REFUSALS = (ValueError, OverflowError)  # the second by Python, for integers beyond 64 bits

# Kernel -> (size, options, dtype, whether byte shuffles are used) of a resize of two images that runs it.
IMAGES, SHRUNK, GROWN = (2, 12, 40, 3), (7, 19), (25, 47)
FIXED = {"dialect": "opencv", "antialias": False}
RESIZES: dict[str, tuple[tuple[int, int], dict[str, Any], str, bool]] = {
    "vertical_only": ((7, 40), {"method": "bicubic"}, "float32", False),
    "horizontal_only": ((12, 19), {"method": "bicubic"}, "float32", False),
    "vertical_first": (SHRUNK, {"method": "bicubic"}, "float32", False),
    "horizontal_first": (GROWN, {"method": "bicubic"}, "float32", False),
    "fused_2x2": ((11, 39), {"antialias": False}, "float32", False),
    "nearest": (SHRUNK, {"method": "nearest"}, "float32", False),
    "vertical_first_verified": (SHRUNK, {"method": "bicubic"}, "uint8", False),
    "horizontal_first_verified": (GROWN, {"method": "bicubic"}, "uint8", False),
    "fixed_point": (SHRUNK, {"method": "cubic", **FIXED}, "uint8", False),
    "fixed_point_shuffled": (SHRUNK, {"method": "cubic", **FIXED}, "uint8", True),
    "fixed_point_2x2": (SHRUNK, {"method": "linear", **FIXED}, "uint8", False),
    "fixed_point_pairs": (SHRUNK, {"dialect": "torch", "antialias": True}, "uint8", False),
    "fixed_point_pairs_shuffled": (SHRUNK, {"dialect": "torch", "antialias": True}, "uint8", True),
}


class Arguments(NamedTuple):
    """The arguments of a native call, as `KernelCall` gives them."""

    kind: str
    types: tuple[str, str, str, str]
    layout: np.ndarray
    tables: tuple[np.ndarray, ...]
    parameter: float
    n_rows: int
    x_size: int
    out_size: int

    def make_call(self) -> Any:
        """Return the native call."""
        module = _core.native()
        assert module is not None
        return module.Call(kernel_call.kernel_name(self.kind, self.types), *self[2:])


def arguments_of(kind: str) -> tuple[Arguments, np.ndarray]:
    """Return the arguments of a real call of the kernel, and its input."""
    size, arguments, dtype, shuffles = RESIZES[kind]
    set_limits(has_byte_shuffle=lambda: shuffles)
    seen: list[Arguments] = []
    prepare = kernel_call.KernelCall.__init__

    def noted(call: KernelCall, kind: str, types: Any, tables: Any, parameter: float, place: Any, n_rows: int,
              sizes: tuple[int, int], *more: Any) -> None:  # fmt: skip
        seen.append(Arguments(kind, types, place, tables, parameter, n_rows, *sizes))
        prepare(call, kind, types, tables, parameter, place, n_rows, sizes, *more)

    kernel_call.KernelCall.__init__ = noted
    numbers = np.random.default_rng(0)
    x = numbers.integers(0, 256, IMAGES).astype(dtype)
    sw.resize(x, size, **arguments)
    kernel_call.KernelCall.__init__ = prepare
    [arguments] = seen
    assert arguments.kind == kind
    return arguments, x


def with_value(table: np.ndarray, position: int, value: int) -> np.ndarray:
    copy = table.copy()
    copy[position] = value
    return copy


def values_of(given: int) -> Iterator[int]:
    """Yield the values that a field gets instead of the one given."""
    near = {given + offset for offset in OFFSETS} | {2 * given, 0}
    yield from (*EXTREMES, *sorted(near - {given}))


def field_name(arguments: Arguments, number: int, position: int) -> str:
    """Return the name of an integer of a table; those behind the headers are named after their array."""
    table = arguments.tables[number]
    if arguments.kind.startswith("fixed_point"):
        if position < len(FIXED_POINT):
            return FIXED_POINT[position]
        h_out, w_out = table[10:12]
        after = position - len(FIXED_POINT)
        return "first" if after < h_out else "offset" if after < h_out + w_out else "window"
    if not arguments.kind.endswith("_only"):
        if position < 2:
            return "split"
        vertical = position < table[0]
        position -= 2 if vertical else int(table[0])
        table = table[2 : table[0]] if vertical else table[table[0] :]
    if position < len(AXIS):
        return AXIS[position]
    n, n_blocks = int(table[1]), int(table[4])
    lengths = {"start": n, "count": n, "joint": n, "block": n_blocks, "window": 8 * n_blocks, "depth": n_blocks}
    after = position - len(AXIS)
    for name, length in lengths.items():
        if after < length:
            return name
        after -= length
    return "weights_at"


def integer_corruptions(arguments: Arguments) -> Iterator[tuple[str, int, Arguments]]:
    """Yield (field, value, arguments) for every integer of tables, layout, rows and sizes."""
    for number, table in enumerate(arguments.tables):
        for position in range(len(table)) if table.dtype == np.int64 else ():
            for value in values_of(int(table[position])):
                if abs(value) < 2**63 or value == -(2**63):
                    tables = list(arguments.tables)
                    tables[number] = with_value(table, position, value)
                    yield field_name(arguments, number, position), value, arguments._replace(tables=tuple(tables))
    for position, name in enumerate(LAYOUT):
        for value in values_of(int(arguments.layout[position])):
            yield name, value, arguments._replace(layout=with_value(arguments.layout, position, value))
    for name in ("n_rows", "x_size", "out_size"):
        for value in values_of(getattr(arguments, name)):
            yield name, value, arguments._replace(**{name: value})


def shape_corruptions(arguments: Arguments) -> Iterator[tuple[str, Arguments]]:
    """Yield (corruption, arguments) that must be refused: other lengths, item sizes, types and counts of tables."""
    for number, table in enumerate(arguments.tables):
        others = {"empty": table[:0], "cut short": table[: len(table) // 2], "of bytes": table.view(np.uint8)}
        if len(table):
            others["of wider items"] = table.astype(np.complex128)
        for name, other in others.items():
            # The weights of nearest are not read, and the fourth table of fixed point may be empty.
            is_unread = arguments.kind == "nearest" and number == 1 and name.startswith("of ")
            is_tail = number == 3 and arguments.kind.startswith("fixed_point")
            if not is_unread and not (is_tail and (name == "empty" or not len(table))):
                tables = (*arguments.tables[:number], other, *arguments.tables[number + 1 :])
                yield f"table {number} {name}", arguments._replace(tables=tables)
    yield "no tables", arguments._replace(tables=())
    yield "one table", arguments._replace(tables=arguments.tables[:1])
    yield "five tables", arguments._replace(tables=(*arguments.tables, *arguments.tables)[:5] + arguments.tables[:1])
    yield "a layout of nine fields", arguments._replace(layout=arguments.layout[:9])
    yield "another kernel", arguments._replace(kind="sideways")
    for number, name in enumerate(arguments.types):
        for other in ("complex64", "int32" if name != "int32" else "float64"):
            types = tuple(other if position == number else one for position, one in enumerate(arguments.types))
            yield f"types {types}", arguments._replace(types=types)


class Arena:
    """Input and output of a call between guard pages; what is written beside the output is seen, too."""

    def __init__(self, x: np.ndarray, arguments: Arguments, at_end: bool) -> None:
        out_type = arguments.types[1].replace("bits32", "float32")
        self.guards = [GuardedArray(x.shape, x.dtype, at_end=at_end)]
        self.guards.append(GuardedArray((arguments.out_size,), np.dtype(out_type), at_end=at_end))
        self.x, self.out = (guard.array for guard in self.guards)
        self.x[...] = x

    def check(self) -> None:
        for guard in self.guards:
            assert (guard.bytes[guard.around] == 0xFF).all(), "something beside an array was written"


def outcome(call: Callable[[], Any], arenas: list[Arena]) -> str:
    """Return whether a call was refused, or had no effect outside the arrays."""
    try:
        call()
    except REFUSALS:
        return "refused"
    for arena in arenas:
        arena.check()
    return "harmless"


def corrupt(kind: str) -> dict[str, Any]:
    arguments, x = arguments_of(kind)
    arenas = [Arena(x, arguments, at_end) for at_end in (False, True)]
    counts: Counter[str] = Counter()
    accepted: set[str] = set()

    def fill(given: Arguments) -> None:
        call = given.make_call()
        for arena in arenas:
            call.fill(arena.x, arena.out)

    fill(arguments)  # uncorrupted, it runs
    expected = arenas[0].out.tobytes()
    assert expected == arenas[1].out.tobytes()
    for field, value, given in integer_corruptions(arguments):
        result = outcome(lambda given=given: fill(given), arenas)
        counts[result] += 1
        if result == "harmless" and value in EXTREMES:
            accepted.add(field)
    for name, given in shape_corruptions(arguments):
        assert outcome(lambda given=given: fill(given), arenas) == "refused", name
        counts["refused"] += 1
    run_accepted = corrupt_runs(arguments.make_call(), arguments, arenas, counts)
    fill(arguments)
    assert arenas[0].out.tobytes() == expected
    return {"counts": counts, "accepted": sorted(accepted), "accepted by run": sorted(run_accepted)}


def corrupt_runs(call: Any, arguments: Arguments, arenas: list[Arena], counts: Counter[str]) -> set[str]:
    """Corrupt the layout, the bands and the arrays that a call gets when it runs; return extremes that it accepts."""
    n_rows = arguments.n_rows
    bands = thread_pool.split_rows(n_rows, 2, 8, 1, n_rows, 0)
    edges, accepted = bands.edges, set()

    def run(layout: Any = None, edges: Any = edges, n_threads: int = 2, left: int = 0) -> None:
        for arena in arenas:
            call.run(arena.x, arena.out, layout, edges, n_threads, left, True)

    for position, name in enumerate(LAYOUT):
        for value in values_of(int(arguments.layout[position])):
            layout = with_value(arguments.layout, position, value)
            result = outcome(lambda layout=layout: run(layout), arenas)
            counts[result] += 1
            if result == "harmless" and value in EXTREMES:
                accepted.add(name)
    for position in range(edges.size):
        for value in (*EXTREMES, -1, n_rows + 1):
            wrong = edges.copy()
            wrong.reshape(-1)[position] = value
            assert outcome(lambda wrong=wrong: run(edges=wrong), arenas) == "refused", f"band {value}"
            counts["refused"] += 1
    for n_threads in (-(2**31), -1, 0, 1, 3, 2**31 - 1):
        for left in (-(2**63), -1, 0, 1, 100, 2**63 - 1):
            counts[outcome(lambda n_threads=n_threads, left=left: run(None, edges, n_threads, left), arenas)] += 1
    run(None, edges[:0])  # no bands: nothing to do
    for x, out in wrong_arrays(arenas[0]):
        for fill in (
            lambda x=x, out=out: call.fill(x, out),
            lambda x=x, out=out: call.run(x, out, None, edges, 2, 0, True),
        ):
            assert outcome(fill, arenas) == "refused", f"{x.shape} {x.dtype} -> {out.shape} {out.dtype}"
            counts["refused"] += 1
    return accepted


def wrong_arrays(arena: Arena) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield arrays that a call must refuse: too small, not contiguous, read-only."""
    x, out = arena.x.reshape(-1), arena.out
    read_only = out.view()
    read_only.flags.writeable = False
    yield from ((x[:-1], out), (x, out[:-1]), (x[:0], out), (x, out[:0]), (x, read_only))
    yield from ((x[::-1], out), (x, out[::-1]), (x[::2], out), (x, out[::2]))


if __name__ == "__main__":
    reports = {}
    for kernel in sys.argv[1:]:
        sys.stderr.write(f"{kernel}\n")  # the last one is the one that crashed
        reports[kernel] = corrupt(kernel)
    json.dump(reports, sys.stdout)
