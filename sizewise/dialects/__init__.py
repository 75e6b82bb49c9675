"""Dialects: how each framework chooses its taps and its arithmetic, one file each.

A dialect is a value made of functions. Files in this folder are found by looking, so that adding one touches
one file. Dialects know nothing of kernels, plans or frameworks.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, SupportsFloat, TypeAlias

import numpy as np

from .. import validation
from ..errors import ArgumentError, UnsupportedError, short_repr, unknown_name
from ..fork_safety import import_module
from ..taps import Taps
from ._formula import Formula as Formula

if TYPE_CHECKING:
    from numpy.typing import NDArray

Options = Mapping[str, object]
OptionItems = tuple[tuple[str, object], ...]  # options as a request keeps them
Fill: TypeAlias = "tuple[float, tuple[NDArray[np.bool_], ...]]"  # a value, and per axis which outputs have it


@dataclass(frozen=True)
class Request:
    """One resize, every word known: what a dialect turns into taps.

    `scale` is the caller's own number per axis, or None where the size was given instead. `precision` is the dtype in
    which coordinates are computed, for dialects that let it follow the array's own.
    """

    dialect: str
    method: str
    antialias: bool
    input_size: tuple[int, ...]
    output_size: tuple[int, ...]
    scale: tuple[float, ...] | None = None
    options: OptionItems = ()
    precision: str = "float64"

    def option(self, name: str) -> object:
        """The value of one of the dialect's own options."""
        return dict(self.options)[name]


class FixedPoint(NamedTuple):
    """Sums of whole numbers: a pass gives (sum + 2**(bits - 1)) >> bits, clipped to the result's dtype.

    A weight w is w * 2**bits, rounded half away from zero, with at most `bits` bits: as many as keep every weight of
    the axis below `below`.

    >>> FixedPoint(bits=22, weight_limit=2**15).weights(np.array([0.25, 0.75]))
    (array([ 8192, 24576], dtype=int32), 15)
    """

    bits: int
    below: int = 2**31

    def weights(
        self, weights: NDArray[np.float64], whole: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.int32], int]:
        """The weights of one axis as whole numbers, and how many bits they have; `whole` are all, if these are some."""
        largest = float(np.abs(weights if whole is None else whole).max(initial=0.0))
        bits = next((bits for bits in range(self.bits, 0, -1) if int(0.5 + largest * 2**bits) < self.below), 1)
        scaled = weights * 2.0**bits
        return np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int32), bits


class IntegerTaps(NamedTuple):
    """Taps of one axis in whole numbers, kept apart: output o reads pixels first[o], first[o] + 1, ...

    Those outside the axis are its nearest end, and taps of their own: what is rounded twice is not rounded once.
    """

    n_in: int
    first: NDArray[np.int64]
    weights: NDArray[np.int32]


class TwoPassInteger(NamedTuple):
    """Two axes in whole numbers, by tables of their own: the last first, exactly, then the other.

    Sums along the last are cut off by `shift` bits, and kept as `between`. The others are formed as the dtype `sums`
    does: int32 exactly; int16 of the upper half of each product; float32, of weights that are 2**bits times smaller,
    from the last tap to the first, except that the last numbers of a row, too few for a vector of eight, are exact.
    What comes out is that, times `gain` if there is one, or else (whole sums + 2**(bits - 1)) >> bits. Where sums are
    of `blocks` of pixels, a block that reaches beyond the image is instead the mean of its pixels inside, in float32.
    """

    tables: Callable[[Request], tuple[IntegerTaps, IntegerTaps]]
    sums: np.dtype
    between: np.dtype
    shift: int = 0
    bits: int = 0
    gain: float = 0.0
    blocks: bool = False


class Reduction(NamedTuple):
    """Means of blocks of pixels that are taken first, and rounded; then the taps of what they leave, and its request.

    `blocks` are those of each axis: the means before they are rounded.
    """

    blocks: tuple[Taps, ...]
    request: Request
    taps: tuple[Taps, ...]


@dataclass(frozen=True)
class Arithmetic:
    """How numbers are summed, and what comes out; an integer result is rounded half to even, unless `fixed`.

    `between` is what is stored between two passes (None: the sums themselves), and `order` the order of the passes, as
    positions among the resized axes (None: the fastest). `stepwise` is for two axes at once, in place of all that. So
    is `reduction`, after which the arithmetic is that of its own request. `in_order` says that sums are formed tap by
    tap, as the framework forms them, whatever they lose: then every bit is the framework's own.
    """

    accumulate: np.dtype
    result: np.dtype
    between: np.dtype | None = None
    order: tuple[int, ...] | None = None
    fixed: FixedPoint | None = None
    stepwise: TwoPassInteger | None = None
    reduction: Reduction | None = None
    in_order: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether sums are no more precise than results: then errors of a sum show, and it is formed with care.

        Wider sums are formed in the order of the taps, as frameworks form them.
        """
        is_as_wide = self.accumulate.itemsize <= max(4, self.result.itemsize)
        return is_as_wide and is_floating(self.result) and not self.in_order

    def weights(self, taps: Taps) -> tuple[NDArray, NDArray | None]:
        """Return the weights of an axis in the dtype of the sums, and what sums are divided by, if some are means."""
        weights, divisors = (taps.means if self.is_narrow else None) or (taps.weights, None)
        return weights.astype(self.accumulate), None if divisors is None else divisors.astype(self.accumulate)

    @property
    def is_of_whole_images(self) -> bool:
        """Whether kernels compute it, of all pixels at once: no tile of an image, and no framework's own ops."""
        return self.stepwise is not None or self.reduction is not None


class OpenOption:
    """An option that takes more values than can be listed: `read` makes a given one canonical (and hashable), or
    raises ArgumentError. `values` are examples of them, the default first.

    `per_axis` says how many numbers it has for each resized axis (0: it is not a matter of axes). They are a tuple,
    the first number of every axis before the second of any; or None where the dialect has a default for all axes.
    """

    __slots__ = ("per_axis", "read", "values")

    def __init__(self, values: tuple[object, ...], read: Callable[[object], object], per_axis: int = 0) -> None:
        self.values, self.read, self.per_axis = values, read, per_axis


def float_option(
    name: str, default: float, *examples: float, real: Callable[[float], SupportsFloat] = float
) -> OpenOption:
    """An option that takes any finite number, rounded to what the framework holds it in.

    >>> float_option("cubic_coeff_a", -0.75).parse(np.float32(-0.5))
    -0.5
    >>> float_option("cubic_coeff_a", -0.75, real=np.float32).parse(-0.6)
    -0.6000000238418579
    """
    return OpenOption((default, *examples), lambda given: _number(name, given, real))


def per_axis_option(
    name: str, per_axis: int, *examples: object, real: Callable[[float], SupportsFloat] = float
) -> OpenOption:
    """An option that takes None, its default, or so many finite numbers for each resized axis, as `OpenOption` orders them.

    Where it is one, a single number stands for all axes.

    >>> per_axis_option("roi", 2).parse([0, 0, 1, 0.5]), per_axis_option("translation", 1).parse(2)
    ((0.0, 0.0, 1.0, 0.5), 2.0)
    """

    def read(given: object) -> object:
        if given is None:
            return None
        entries = validation.as_sequence(given)
        if entries is not None:
            return tuple(_number(f"every entry of {name}", entry, real) for entry in entries)
        if per_axis > 1:
            raise ArgumentError(
                f"{name} must be None or numbers, {per_axis} for each resized axis, not {short_repr(given)}"
            )
        return _number(name, given, real)

    return OpenOption((None, *examples), read, per_axis)


def flag_option(name: str) -> OpenOption:
    """An option that is off by default, and takes 0 and 1 as well as False and True.

    >>> flag_option("exclude_outside").parse(1)
    True
    """

    def read(given: object) -> bool:
        if not isinstance(given, (bool, np.bool_)) and validation.as_int(given) not in (0, 1):
            raise ArgumentError(f"{name} must be 0, 1, False or True, not {short_repr(given)}")
        return bool(given)

    return OpenOption((False, True), read)


def _number(name: str, given: object, real: Callable[[float], SupportsFloat]) -> float:
    with np.errstate(over="ignore"):
        value = float(real(validation.require_float(given, name)))
    if not np.isfinite(value):
        raise ArgumentError(f"{name} must be a finite number, not {short_repr(given)}")
    return value


def keep_size(
    input_size: tuple[int, ...], size: tuple[int, ...], options: Options
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """The size as it was asked for, and no scale but the ratio of the sizes: the usual `fit` of a dialect."""
    return size, None


@dataclass(frozen=True, eq=False)
class Dialect:
    """How one framework resizes.

    `methods` maps each method to the values of `antialias` it takes, its default first; of those in
    `ignores_antialias` the framework takes the flag, and is not changed by it. `options` maps each option to its
    values, default first. `taps` makes one Taps per axis and raises UnsupportedError for what the framework
    itself refuses; `formula` says the same in words, for people. `outside` says which outputs lie outside the image
    along each axis and have a value of their own, or None where there are none; their taps are empty. `scale` rounds
    a caller's scale to what the framework holds it in, `length` turns it into an output length, and `fit` a size that
    was asked for into the size that comes out, with the scale of the coordinates where that is not the ratio of the
    sizes. `size_and_scale` says that both may be given: the scale is then that of the coordinates, and if the dialect
    `flips`, a negative one mirrors the image. `precision` is the request's own for arrays of a dtype, where the
    framework computes coordinates in a precision that depends on it.

    >>> get("tfjs").methods
    {'bilinear': (False,), 'nearest': (False,)}
    """

    name: str
    versions: str
    methods: Mapping[str, tuple[bool, ...]]
    taps: Callable[[Request], tuple[Taps, ...]]
    arithmetic: Callable[[np.dtype, Request], Arithmetic]
    formula: Callable[[Request], Formula]
    aliases: Mapping[str, str] = field(default_factory=dict)
    ignores_antialias: tuple[str, ...] = ()
    options: Mapping[str, tuple[object, ...] | OpenOption] = field(default_factory=dict)
    outside: Callable[[Request], Fill | None] = lambda request: None
    scale: Callable[[float], float] = float
    length: Callable[[int, float], int] = lambda n_in, scale: round(n_in * scale)
    fit: Callable[[tuple[int, ...], tuple[int, ...], Options], tuple[tuple[int, ...], tuple[float, ...] | None]] = (
        keep_size
    )
    size_and_scale: bool = False
    flips: bool = False
    precision: Callable[[np.dtype, Request], str] = lambda dtype, request: request.precision

    def method(self, given: object) -> str:
        """The dialect's own name of a method: aliases resolved, case ignored."""
        lower = given.lower() if isinstance(given, str) else ""
        name = self.aliases.get(lower, lower)
        if name not in self.methods:
            raise unknown_name(f"method of dialect {self.name!r}", given, {*self.methods, *self.aliases})
        return name

    def antialias(self, method: str, given: object) -> bool:
        """Whether the method antialiases: as given, or by default as the dialect does."""
        allowed = self.methods[method]
        if given is None:
            return allowed[0]
        if not isinstance(given, (bool, np.bool_)):
            raise ArgumentError(f"antialias must be True, False or None, not {short_repr(given)}")
        if method in self.ignores_antialias:
            return allowed[0]
        if bool(given) not in allowed:
            raise UnsupportedError(f"{self.name}: method {method!r} has no antialias={bool(given)}; leave it out")
        return bool(given)

    def complete(self, given: Options, axes: int = 0) -> OptionItems:
        """Every option with its value: as given, or the dialect's default; fit for so many axes, unless that is 0."""
        for name in given:
            if name not in self.options:
                kind, instead = f"option of dialect {self.name!r}", _elsewhere(name, given[name])
                raise unknown_name(kind, name, self.options, instead)
        words = tuple((name, self._value(name, given)) for name in self.options)
        for name, entries, count in self._per_axis(words):
            if axes and len(entries) != axes * count:
                raise ArgumentError(f"{name} has {len(entries)} numbers for {axes} resized axes; give {count} for each")
        return words

    def in_order(self, words: OptionItems, order: Sequence[int]) -> OptionItems:
        """The options for axes taken in that order: what an option has for each axis moves with it.

        >>> get("onnx").in_order((("roi", (0.0, 0.1, 0.8, 0.9)),), (1, 0))
        (('roi', (0.1, 0.0, 0.9, 0.8)),)
        """
        moved = dict(words)
        for name, entries, _ in self._per_axis(words):
            firsts = range(0, len(entries), len(order))
            moved[name] = tuple(entries[first + axis] for first in firsts for axis in order)
        return tuple(moved.items())

    def _per_axis(self, words: OptionItems) -> Iterator[tuple[str, tuple[object, ...], int]]:
        """The options that have numbers for each axis, where they are given, and how many for each."""
        for name, value in words:
            option = self.options[name]
            if isinstance(option, OpenOption) and option.per_axis and isinstance(value, tuple):
                yield name, value, option.per_axis

    def _value(self, name: str, given: Options) -> object:
        values = self.options[name]
        if isinstance(values, OpenOption):
            return values.read(given[name]) if name in given else values.values[0]
        value = given.get(name, values[0])
        value = bool(value) if isinstance(value, np.bool_) else value
        if not any(type(value) is type(known) and value == known for known in values):
            allowed = ", ".join(map(repr, values))
            raise ArgumentError(f"{name} of dialect {self.name!r} must be one of {allowed}, not {short_repr(value)}")
        return value

    def variants(self) -> Iterator[tuple[str, bool, dict[str, object]]]:
        """Every (method, antialias, options) that the dialect takes, one option at a time away from its default.

        >>> len(list(get("tfjs").variants()))  # two methods, three legal pairs of flags
        6
        """
        values = {name: one.values if isinstance(one, OpenOption) else one for name, one in self.options.items()}
        defaults = {name: known[0] for name, known in values.items()}
        others = [defaults | {name: value} for name, known in values.items() for value in known[1:]]
        for method, flags in self.methods.items():
            for antialias, options in itertools.product(flags, [defaults, *others]):
                try:
                    self.taps(Request(self.name, method, antialias, (2,), (3,), None, tuple(options.items())))
                except UnsupportedError:
                    continue
                yield method, antialias, options


def per_axis(taps: Callable[[int, int, Request], Taps]) -> Callable[[Request], tuple[Taps, ...]]:
    """A dialect's `taps` from a function of one axis, (n_in, n_out, request) -> Taps."""

    def all_axes(request: Request) -> tuple[Taps, ...]:
        pairs = tuple(zip(request.input_size, request.output_size, strict=True))
        made = {pair: taps(*pair, request) for pair in dict.fromkeys(pairs)}  # a square's two axes are one
        return tuple(made[pair] for pair in pairs)

    return all_axes


def scale_and_translation(request: Request) -> tuple[tuple[float, float], ...] | None:
    """(scale, translation) of each axis, for dialects whose `translation` places the image in the output.

    None for a plain resize, without translation: its scale is the ratio of the sizes.

    >>> scale_and_translation(Request("jax", "linear", True, (4, 4), (8, 2), options=(("translation", 1.0),)))
    ((2.0, 1.0), (0.5, 1.0))
    """
    given, axes = request.option("translation"), tuple(zip(request.input_size, request.output_size, strict=True))
    if given is not None:
        each = given if isinstance(given, tuple) else (given,) * len(axes)
        return tuple(zip(request.scale or (n_out / n_in for n_in, n_out in axes), each, strict=True))
    if request.scale and any(round(n * scale) != n_out for (n, n_out), scale in zip(axes, request.scale, strict=True)):
        raise UnsupportedError(
            f"{request.dialect}: a resize has the scale of its sizes; for another one give translation too (0 for none)"
        )
    return None


def is_floating(dtype: np.dtype) -> bool:
    """Whether numbers of the dtype are real: NumPy's floats, and bfloat16 where a package has brought it.

    >>> is_floating(np.dtype(np.float16)), is_floating(np.dtype(np.uint8))
    (True, False)
    """
    return dtype.kind == "f" or dtype.name == "bfloat16"


def float_arithmetic(dtype: np.dtype) -> Arithmetic | None:
    """The usual arithmetic of a floating dtype: its own, with sums of 16-bit floats formed in float32."""
    if not is_floating(dtype):
        return None
    return Arithmetic(np.dtype(np.float32) if dtype.itemsize == 2 else dtype, dtype)


@cache
def names() -> tuple[str, ...]:
    """The dialects there are.

    >>> "tfjs" in names()
    True
    """
    pkgutil = import_module("pkgutil")
    files = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(sorted(name for file in files for name in _of_file(file)))


@cache
def _of_file(file: str) -> dict[str, Dialect]:
    """The dialects that one file defines, by name: its own, and those of older versions as `name@version`."""
    module = import_module(f"{__name__}.{file}")
    return {dialect.name: dialect for dialect in (module.DIALECT, *getattr(module, "OLDER", ()))}


@lru_cache(maxsize=64)
def _load(name: str) -> Dialect | None:
    """Return the dialect of that name, importing its file alone; None if there is none."""
    file = name.partition("@")[0].replace("-", "_")
    if not file.isidentifier() or file.startswith("_"):  # files that begin with an underscore hold what several share
        return None
    try:
        return _of_file(file).get(name)
    except ModuleNotFoundError as missing:
        if missing.name == f"{__name__}.{file}":
            return None
        raise


def notes(name: object) -> str:
    """What the file of a dialect says of it: how close it is to its framework, and where it is not.

    >>> notes("tfjs").splitlines()[0]
    'TensorFlow.js, CPU backend: coordinates in float64, as JavaScript computes them.'
    """
    file = get(name).name.partition("@")[0].replace("-", "_")
    return inspect.getdoc(import_module(f"{__name__}.{file}")) or ""


# Packages and frameworks by the names that people import them by, or call them -> their dialect.
_DIALECTS_OF = {
    **dict.fromkeys(("cv2", "cv", "opencv-python"), "opencv"),
    **dict.fromkeys(("pil", "pil.image"), "pillow"),
    **dict.fromkeys(("pytorch", "torchvision", "f.interpolate"), "torch"),
    **dict.fromkeys(("tf", "tf2", "tensorflow2", "keras"), "tensorflow"),
    **dict.fromkeys(("tf1", "tf.compat.v1"), "tensorflow1"),
    **dict.fromkeys(("onnxruntime", "ort"), "onnx"),
    **dict.fromkeys(("tensorflow.js", "tf.js", "tensorflowjs"), "tfjs"),
    **dict.fromkeys(("litert", "tensorflow lite"), "tflite"),
    **dict.fromkeys(("scikit-image", "sklearn"), "skimage"),
    **dict.fromkeys(("paddlepaddle",), "paddle"),
    **dict.fromkeys(("imresize", "octave"), "matlab"),
    **dict.fromkeys(("sizewise", "default"), "standard"),
}
# Arguments of other libraries -> that of Sizewise.
_ARGUMENTS_OF = {
    **dict.fromkeys(("interpolation", "mode", "resample", "filter", "filt", "order", "kind"), "method"),
    **dict.fromkeys(("dsize", "output_shape", "output_size", "sizes", "shape", "new_shape", "target_size"), "size"),
    **dict.fromkeys(("scale_factor", "fx", "fy", "scales", "zoom"), "scale"),
    **dict.fromkeys(("data_format", "channel_axis", "channels_first"), "axes"),
    **dict.fromkeys(("anti_aliasing", "anti_alias", "aa"), "antialias"),
    **dict.fromkeys(("num_threads", "workers", "n_jobs"), "threads"),
}


def _elsewhere(option: str, value: object) -> str:
    """Say which argument of Sizewise an option of others is, or which dialects have it; empty for what none has."""
    argument = _ARGUMENTS_OF.get(option.lower())
    if argument:
        example = f"{argument}={value!r}" if argument == "method" and isinstance(value, str) else f"{argument}="
        return f"in Sizewise it is {example}"
    having = [name for name in names() if option in get(name).options]
    return f"dialects that have it: {', '.join(having)}" if having else ""


def get(name: object) -> Dialect:
    """The dialect of that name.

    >>> get("standard").methods["bilinear"]
    (True, False)
    """
    dialect = _load(name.lower()) if isinstance(name, str) else None
    if dialect is None:
        dialect_of = _DIALECTS_OF.get(name.lower()) if isinstance(name, str) else None
        raise unknown_name("dialect", name, names(), f"that of {name} is {dialect_of!r}" if dialect_of else "")
    return dialect
