"""Fit: whether the result of a preprocessor is what an input of a model takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import ArgumentError, unknown_name
from ...preprocess import Preprocessor
from ...preprocess.decoding import CHANNELS
from ...preprocess.steps import FLOATS
from ..findings import Finding
from .inputs import Input, with_layout

Size = tuple[int, int]
SIZES = ((480, 640), (640, 480), (1080, 1920), (333, 500), (64, 64))  # height and width of usual images


@dataclass(frozen=True)
class Result:
    """The result of a preprocessor: (height, width) for each of `SIZES`, and the range of its values.

    A size is None where the preprocessor refuses the image; `refusals` say why.
    """

    layout: str
    channels: int
    dtype: str
    low: float
    high: float
    sizes: tuple[Size | None, ...]
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aspect:
    """One property of an input and of a result, as text; `fits` is None where the model does not tell."""

    name: str
    model: str
    result: str
    fits: bool | None


@dataclass(frozen=True)
class Fit:
    """An input of a model beside the result of a preprocessor; `source` is the name of its configuration."""

    source: str
    input: Input
    result: Result
    aspects: tuple[Aspect, ...]
    findings: tuple[Finding, ...]


def check_fit(inputs: Sequence[Input], recipe: Preprocessor, source: str = "", name: str | None = None) -> Fit:
    """Return whether a preprocessor gives what an input takes: the input of that name, or the one that takes images.

    >>> from sizewise.preprocess import Exact, Layout, Preprocessor, Rescale, Resize
    >>> recipe = Preprocessor([Resize(Exact(224, 224)), Rescale(1 / 255), Layout("CHW")])
    >>> fit = check_fit([Input("x", (1, 3, 224, 256), "float32", "NCHW")], recipe)
    >>> [one.message for one in fit.findings]
    ['the input takes images of 224x256; the recipe gives 224x224']
    """
    given, result = with_layout(choose(inputs, name)), describe_result(recipe)
    checks = (_size, _layout, _channels, _dtype, _range)
    found = {check: tuple(check(given, result)) for check in checks}
    aspects = tuple(
        replace(one, fits=False) if found[check] else one
        for one, check in zip(_aspects(given, result), checks, strict=True)
    )
    return Fit(source, given, result, aspects, tuple(one for each in found.values() for one in each))


def choose(inputs: Sequence[Input], name: str | None) -> Input:
    """Return the input of that name, or the only one that takes images; raise ArgumentError if that is not clear."""
    known = [one.name for one in inputs]
    if name is not None and name not in known:
        raise unknown_name("input of the model", name, known)
    if name is not None:
        return inputs[known.index(name)]
    if not inputs:
        raise ArgumentError("the model does not state its inputs, so that no preprocessor can be checked against them")
    images = [one for one in inputs if one.is_image]
    if len(images) == 1:
        return images[0]
    listed = ", ".join(f"{one.name!r} ({describe_shape(one)} {one.dtype})" for one in images or inputs)
    if images:
        raise ArgumentError(f"several inputs may take the image: {listed}; name one of them (input_name, --input)")
    raise ArgumentError(
        f"no input takes images of three or four axes: {listed}; name one of them (input_name, --input)"
    )


def describe_shape(given: Input) -> str:
    """Return the shape of an input as text, `?` for unknown lengths."""
    if given.shape is None:
        return "unknown shape"
    return "x".join("?" if n is None else str(n) for n in given.shape) or "scalar"


def describe_result(recipe: Preprocessor) -> Result:
    """Return the result of a preprocessor: sizes from its rules, dtype and range from a black and a white image."""
    sizes: list[Size | None] = []
    refusals = []
    for size in SIZES:
        try:
            sizes.append(recipe.output_size(size))
        except ArgumentError as error:
            sizes.append(None)
            refusals.append(str(error))
    usable = [size for size, after in zip(SIZES, sizes, strict=True) if after is not None]
    if not usable:
        raise ArgumentError(f"the preprocessor refuses images of usual sizes: {refusals[0]}")
    channels = CHANNELS[recipe.decode.mode]
    ends = [np.asarray(recipe(np.full((*usable[0], channels), value, np.uint8))) for value in (0, 255)]
    dtype, low, high = ends[0].dtype.name, min(map(np.min, ends)), max(map(np.max, ends))
    return Result(recipe.layout, channels, dtype, float(low), float(high), tuple(sizes), tuple(refusals))


def _aspects(given: Input, result: Result) -> Iterator[Aspect]:
    """Yield the properties of both, before any finding."""
    lengths = [given.length(axis) for axis in "HW"]
    after = dict.fromkeys(f"{size[0]}x{size[1]}" for size in result.sizes if size is not None)
    text = "x".join("?" if n is None else str(n) for n in lengths)
    sizes = ", ".join(list(after)[:3]) + (", ..." if len(after) > 3 else "")
    yield Aspect("size", text, sizes, _known(None not in lengths))
    yield Aspect("layout", given.layout or "?", result.layout, _known(bool(given.layout)))
    channels = given.length("C")
    yield Aspect(
        "channels", "?" if channels is None else str(channels), str(result.channels), _known(channels is not None)
    )
    yield Aspect("dtype", given.dtype or "?", result.dtype, _known(bool(given.dtype)))
    expected = _expected(given)
    model = "?" if expected is None else describe_range(*expected)
    yield Aspect("values", model, describe_range(result.low, result.high), _known(expected is not None))


def _known(is_known: bool) -> bool | None:
    return True if is_known else None


def describe_range(low: float, high: float) -> str:
    """Return a range of values as text."""
    return f"{low:.4g} to {high:.4g}"


def _expected(given: Input) -> tuple[float, float] | None:
    """Return the range of values that an input takes, from its scaling, or else from its quantization or dtype."""
    if (expected := given.scaling.expects) is not None:
        return expected
    if given.quantization is not None:
        return given.quantization.range
    return (0.0, 255.0) if given.dtype == "uint8" else None


def _size(given: Input, result: Result) -> Iterator[Finding]:
    """Find images whose result has another size than the input."""
    height, width = given.length("H"), given.length("W")
    if result.refusals:
        text = f"the recipe refuses some usual images: {result.refusals[0]}"
        yield Finding("low", text, given.name, "resize or pad them before the crop")
    takes = "x".join("?" if n is None else str(n) for n in (height, width))
    wrong = [
        (before, after)
        for before, after in zip(SIZES, result.sizes, strict=True)
        if after is not None and (height not in (None, after[0]) or width not in (None, after[1]))
    ]
    if not wrong:
        return
    distinct = {after for after in result.sizes if after is not None}
    if len(distinct) == 1:
        [size] = distinct
        swapped = "; height and width are swapped" if size == (width, height) else ""
        text = f"the input takes images of {takes}; the recipe gives {size[0]}x{size[1]}{swapped}"
        yield Finding(
            "high", text, given.name, f"resize or crop to {takes} in the recipe, or export the model for its size"
        )
    else:
        before, after = wrong[0]
        gives = f"{after[0]}x{after[1]} for an image of {before[0]}x{before[1]}"
        text = f"the input takes images of {takes}; the recipe's size depends on the image: {gives}"
        yield Finding("high", text, given.name, f"crop or pad to {takes} after the resize")


def _layout(given: Input, result: Result) -> Iterator[Finding]:
    """Find channels in another place."""
    order = given.layout.removeprefix("N")
    if order and order != result.layout:
        where = "first" if order == "CHW" else "last"
        text = f"the input has channels {where} ({given.layout}); the recipe gives {result.layout}"
        yield Finding("high", text, given.name, f'end the recipe with Layout("{order}")')


def _channels(given: Input, result: Result) -> Iterator[Finding]:
    """Find another number of channels."""
    channels = given.length("C")
    if channels is not None and channels != result.channels:
        mode = next((mode for mode, count in CHANNELS.items() if count == channels), None)
        fix = f'begin the recipe with Decode("{mode}")' if mode else "build the other channels before the model"
        text = f"the input has {channels} channel{'s'[: channels > 1]}; the recipe gives {result.channels}"
        yield Finding("high", text, given.name, fix)


def _dtype(given: Input, result: Result) -> Iterator[Finding]:
    """Find another dtype: runtimes refuse it, or convert integers that mean something else."""
    if given.dtype in ("", result.dtype):
        return
    text = f"the input takes {given.dtype}; the recipe gives {result.dtype}"
    if given.dtype in FLOATS:
        yield Finding("medium", text, given.name, f'give the recipe a Cast("{given.dtype}")')
    elif given.quantization is not None and result.dtype in FLOATS:
        stored = given.quantization
        rule = f"round(x / {stored.scale:.6g}) + {stored.zero_point}"
        yield Finding("high", text, given.name, f"quantize the result: {rule}, clipped to {stored.dtype}")
    elif given.dtype == "uint8":
        yield Finding("high", text, given.name, "remove rescale and normalize from the recipe: the model takes bytes")
    else:
        yield Finding("high", text, given.name, f"convert the result to {given.dtype}")


def _range(given: Input, result: Result) -> Iterator[Finding]:
    """Find values that the model does not take: normalized twice or never, or outside of the quantization."""
    expected = given.scaling.expects
    if expected is not None:
        yield from _scaled(given, result, expected)
    elif given.quantization is not None and result.dtype in FLOATS:
        yield from _clipped(given, result)
    elif given.layer and given.dtype in FLOATS and (result.low, result.high) == (0.0, 255.0):
        text = f"the recipe gives 0 to 255, and the model begins with {given.layer}, and rescales nothing"
        fix = "add Rescale(1 / 255) and the model's Normalize, unless it was trained on such values"
        yield Finding("low", text, given.name, fix)


def _scaled(given: Input, result: Result, expected: tuple[float, float]) -> Iterator[Finding]:
    """Find a range other than that of the model's own arithmetic."""
    span, wanted = result.high - result.low, expected[1] - expected[0]
    margin = 0.05 * wanted
    same_span = 0.5 * wanted < span < 2 * wanted
    if same_span and result.low > expected[0] - margin and result.high < expected[1] + margin:
        return
    nodes = ", ".join(given.scaling.nodes[:3]) + (", ..." if len(given.scaling.nodes) > 3 else "")
    own = f"the model itself normalizes values from {describe_range(*expected)} ({nodes})"
    gives = f"the recipe gives {describe_range(result.low, result.high)}"
    if span > 20 * wanted:
        yield Finding(
            "high", f"{own}, and {gives}: they are never rescaled", given.name, "add Rescale(1 / 255) to the recipe"
        )
    elif expected[0] == 0 and (span < 0.1 * wanted or result.low < -margin):
        steps = "rescale and normalize" if expected[1] == 255 else "normalize"
        fix = f"remove {steps} from the recipe, or export the model without its own"
        yield Finding("high", f"{own}, and {gives}: they are normalized twice", given.name, fix)
    else:
        yield Finding("high", f"{own}, and {gives}", given.name, f"give values from {describe_range(*expected)}")


def _clipped(given: Input, result: Result) -> Iterator[Finding]:
    """Find values outside of the quantization, or so few of its steps that most of it is unused."""
    assert given.quantization is not None
    low, high = given.quantization.range
    span, step = result.high - result.low, given.quantization.scale
    holds = f"the quantized input holds {describe_range(low, high)}; the recipe gives"
    gives = describe_range(result.low, result.high)
    outside = max(0.0, low - result.low) + max(0.0, result.high - high)
    if outside > step and span > 0:
        share = min(1.0, outside / span)
        severity = "high" if share > 0.1 else "medium" if share > 0.01 else "low"
        text = f"{holds} {gives}: {100 * share:.0f} % of that range is clipped"
        yield Finding(severity, text, given.name, "normalize as for training, or quantize the model for these values")
    elif span < 0.1 * (high - low):
        text = f"{holds} {gives}: {span / step:.0f} of its {(high - low) / step:.0f} steps are used"
        yield Finding("high", text, given.name, "normalize as for training: these values are rescaled once too often")
