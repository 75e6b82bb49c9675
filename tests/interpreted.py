"""The kernels as Python, line by line: prints the SHA-256 of a table of results, and the lines that were never reached.

Run as a script. What Numba compiles is run as it is written, over the words of interpreted_vectors.py: the results must
be the bits of the compiled kernels, and no line of theirs may be one that nothing leads to.
"""

from __future__ import annotations

import dis
import json
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import interpreted_vectors
import numpy as np
from hashes import digest, with_gaps
from variants import EVERY, SOME, Variant, noise

from sizewise import kernels
from sizewise.kernels.packing import CACHE_LINE

KERNELS = Path(kernels.__file__).parent
FILES = (
    "bricks", "carrying", "certain", "combining", "direct", "foresight", "loops", "picking", "places", "sixteens",
    "spreading", "stepped",
)  # fmt: skip
DTYPES = ("float32", "uint8", "float64", "float16", "uint8", "int16")
SHAPES = ((2, 13, 9, 3), (17, 10, 4), (9, 23, 1), (5, 7, 20), (1, 3, 18, 8), (19, 4, 2))
SIZES = ((7, 5), (20, 21), (6, 40), (11, 3), (30, 2))
CROP = (("coordinate_transformation_mode", "tf_crop_and_resize"), ("extrapolation_value", 7.0))
OUTSIDE = [  # some outputs read nothing, and nothing but such
    Variant("onnx", method, False, (*CROP, ("roi", roi)))
    for method in ("nearest", "linear")
    for roi in [(0.5, 0.0, 1.5, 1.0), (2.0, 2.0, 3.0, 3.0)]
]


# What leads to the rest: whole numbers in steps, of so many channels; narrow rows; rows that are not finite.
STEPS = [
    (variant, "uint8", (h, w, channels), size)
    for variant in EVERY
    if variant.dialect in ("opencv", "opencv@4") and variant.method in ("linear", "cubic", "lanczos4")
    for channels in (1, 2, 3, 4, 9)
    for (h, w), size in (((11, 12), (5, 6)), ((5, 6), (9, 20)), ((4, 9), (6, 3)))
]
NAMED = [
    (variant, "uint8", (h, w, channels), size)
    for variant in EVERY
    if (variant.dialect == "opencv" and variant.method in ("linear", "cubic", "lanczos4"))
    or (variant.dialect == "torch" and variant.antialias)
    for channels in (1, 2, 3, 4, 7)
    for (h, w), size in (((13, 31), (5, 17)), ((6, 21), (9, 40)), ((2, 150), (3, 20)))
]
LINEAR = [variant for variant in SOME if variant.method in ("linear", "bilinear") and not variant.antialias]
MORE = [
    *STEPS,
    *((variant, "float32", (h, 9, channels), (7, 5)) for variant in LINEAR for channels in (3, 4) for h in (13, 22)),
    *((variant, "uint8", (9, 30, 1), (4, 3)) for variant in SOME if variant.dialect in ("standard", "torch")),
    *(
        (variant, "uint8", (2, 11, 23, channels), (5, 12))
        for variant in SOME
        if variant.dialect == "torch"
        for channels in (3, 4)
    ),
    *((variant, "float32", (3, 1600, 1), (2, 1500)) for variant in SOME if str(variant) == "standard-bicubic"),
    *((variant, "float32", (12, 11, 3), (30, 20)) for variant in SOME if variant.dialect == "standard"),
    *((variant, "float32", (9, 20, 1), (4, 7)) for variant in SOME if variant.method == "nearest"),
    *((variant, "uint8", (12, 18, 3), (4, 6)) for variant in EVERY if str(variant) == "opencv-area-antialias"),
]


def cases() -> Iterator[tuple[str, np.ndarray]]:
    """Small resizes that lead to every kernel, forwards and backwards, with and without what is not finite."""
    with permuting(False):
        for position, variant in enumerate([*SOME, *OUTSIDE]):
            for turn in range(4):
                number = 4 * position + turn
                yield from case(variant, *(table[number % len(table)] for table in (DTYPES, SHAPES, SIZES)))
        for one in MORE:
            yield from case(*one)
    with permuting(True):
        for one in NAMED:
            yield from case(*one)
    nearest = Variant("standard", "nearest", False, ())
    with streaming():
        for variant in {*SOME, nearest}:
            if variant.dialect == "standard":
                yield from streamed(variant)
        dy, out = noise((2, 3, 4), np.float32), behind_a_line(4, (5, 2100, 4))
        yield "long rows of 0", nearest.grad(dy, (5, 2100), axes=(0, 1), out=out)


def streamed(variant: Variant) -> Iterator[tuple[str, np.ndarray]]:
    """Rows that fill cache lines, long ones that do not, and short ones; pixels that fill lines, and are not finite."""
    for shape, size in (
        ((12, 23, 4), (30, 88)),
        ((6, 80, 4), (11, 520)),
        ((6, 80, 4), (11, 517)),
        ((6, 80, 4), (11, 257)),
        ((6, 8, 32), (9, 11)),
    ):
        x, name = noise(shape, np.float32), f"{variant} {shape} {size} streamed"
        for n in (0, 4):
            out = behind_a_line(n, (*size, shape[2]))
            yield f"{name} {n} numbers behind a line", variant.resize(x, size, axes=(0, 1), out=out)
        yield f"{name} gradient", variant.grad(x, size, axes=(0, 1), out=behind_a_line(0, (*size, shape[2])))
        out = behind_a_line(0, (*size, shape[2]))
        yield f"{name} not finite", variant.resize(with_gaps(x), size, axes=(0, 1), out=out)


def case(
    variant: Variant, dtype: str, shape: tuple[int, ...], size: tuple[int, int]
) -> Iterator[tuple[str, np.ndarray]]:
    """One resize, its gradient, each axis alone, and the same of an image with gaps."""
    x, name = noise(shape, dtype), f"{variant} {dtype} {shape} {size}"
    y = variant.resize(x, size, axes=(-3, -2))
    yield name, y
    if y.dtype.kind == "f":
        yield f"{name} gradient", variant.grad(y, shape[-3:-1], axes=(-3, -2))
    if x.dtype.kind == "f" and x.ndim == 3 and min(shape[:2]) > 8:
        yield f"{name} not finite", variant.resize(with_gaps(x), size, axes=(-3, -2))
    if variant not in OUTSIDE:
        yield f"{name} rows", variant.resize(x, size[0], axes=-3)
        yield f"{name} columns", variant.resize(x[..., ::-1, :, :], size[1], axes=-2)


def behind_a_line(n_behind: int, shape: tuple[int, ...]) -> np.ndarray:
    """Room for a result that begins so many numbers behind the beginning of a cache line."""
    n, in_line = int(np.prod(shape)), CACHE_LINE // 4
    room = np.zeros(n + 2 * in_line, np.float32)
    first = -room.ctypes.data % CACHE_LINE // 4 + n_behind
    return room[first : first + n].reshape(shape)


@contextmanager
def permuting(given: bool) -> Iterator[None]:
    """The processor has, or has not, it seems, an instruction that picks bytes by their names."""
    loops = kernels.load()
    usual, loops.permutes_bytes = loops.permutes_bytes, lambda: given
    try:
        yield
    finally:
        loops.permutes_bytes = usual


@contextmanager
def streaming() -> Iterator[None]:
    """Results are so large, it seems, that they are better written past the caches."""
    from sizewise.kernels import passes

    usual, passes.STREAMED = passes.STREAMED, 0.0
    try:
        yield
    finally:
        passes.STREAMED = usual


def interpret() -> None:
    """From now on, kernels are Python."""
    as_it_is = types.ModuleType("sizewise.kernels.compiling")
    as_it_is.kernel = as_it_is.inlined = lambda function: function
    as_it_is.code = lambda function, *_: None  # there is no machine code
    sys.modules["sizewise.kernels.compiling"] = as_it_is
    arrays = types.ModuleType("sizewise.kernels.spans")  # an array is its own span
    arrays.span, arrays.hold, arrays.nought = (
        lambda array: array,
        lambda arrays: None,
        lambda array: array.dtype.type(0),
    )
    sys.modules["sizewise.kernels.spans"] = arrays
    sys.modules["sizewise.kernels.vectors"] = interpreted_vectors
    from sizewise.kernels import loops, passes, steps

    kernels.load = passes.load = steps.load = lambda: loops


def traced(call: Callable[[], dict[str, str]]) -> tuple[dict[str, str], dict[str, set[int]]]:
    """What a call returns, and the lines of kernel files that it went through."""
    files = {str(KERNELS / f"{name}.py"): name for name in FILES}
    reached: dict[str, set[int]] = defaultdict(set)

    def trace(frame: types.FrameType, event: str, argument: object) -> object:
        name = files.get(frame.f_code.co_filename)
        if name is None:
            return None
        reached[name].add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        return call(), reached
    finally:
        sys.settrace(None)


def lines_of(path: Path) -> dict[int, str]:
    """The lines inside the functions of a file that do something."""
    text = path.read_text(encoding="utf-8")
    found: dict[int, str] = {}

    def look(code: types.CodeType) -> None:
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                first = inner.co_firstlineno
                lines = {line for _, line in dis.findlinestarts(inner) if line is not None and line > first}
                found.update({line: text.splitlines()[line - 1].strip() for line in lines})
                look(inner)

    look(compile(text, str(path), "exec"))
    return {line: words for line, words in found.items() if not words.startswith(('"""', "def ", "@"))}


def hashes() -> dict[str, str]:
    """The SHA-256 of every result, by kernels that are Python."""
    interpret()
    from sizewise.kernels import threads

    threads.available = lambda: 1
    np.seterr(all="ignore")
    return {name: digest(result) for name, result in cases()}


def main() -> None:
    made, reached = traced(hashes)
    missed = []
    for name in FILES:
        every = lines_of(KERNELS / f"{name}.py")
        missed += [f"{name}.py:{line}: {words}" for line, words in every.items() if line not in reached[name]]
    json.dump({"hashes": made, "missed": missed}, sys.stdout)


if __name__ == "__main__":
    main()
