"""Explanation: the same resize in several variants, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Never

from .. import dialects as all_dialects
from .. import validation
from ..errors import ArgumentError, ArgumentTypeError, short_repr
from ..plan import Plan
from ..resize_spec import ResizeSpec, parse_variant
from ..resolve import require_lengths
from .coverage import require_coverage_memory
from .grids import MIN_DISTANCE, distance
from .notebook import HasPage, notebook_html
from .variant import Variant, variant

Size = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Explanation(HasPage):
    """Variants of one resize, and notes on those left out."""

    page_function = ("explain.html", "explanation_page")
    input_size: Size
    output_size: Size
    variants: tuple[Variant, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n\n".join([*(f"{one.label}: {one!r}" for one in self.variants), *self.notes])

    def _repr_html_(self) -> str | None:
        return notebook_html(self.variants)


def explain(
    input_size: int | Sequence[int],
    output_size: int | Sequence[int],
    method: str | Sequence[str] | None = None,
    *,
    antialias: bool | None = None,
    dialects: str | Sequence[str] = (),
    options: Mapping[str, object] | None = None,
    variants: str | Sequence[str] = (),
    **unknown: Never,
) -> Explanation:
    """Explain a resize with every dialect and method that exists, then with each of `variants`.

    A variant is a text such as "torch bicubic antialias=true". Without antialias, dialects, options
    and variants, the three resizes of TensorFlow issue 12753 are explained: TensorFlow 1, half-pixel centers without
    antialiasing (the default of TensorFlow 2 and PyTorch), and with it.

    >>> [one.label for one in explain((16, 16), (4, 4), dialects=["tfjs"], options={"align_corners": True}).variants]
    ['tfjs, align_corners=True']
    >>> [one.label for one in explain((9,), (4,), ["nearest", "area"], dialects=["tfjs", "torch"]).variants]
    ['tfjs nearest', 'torch nearest', 'torch area']
    >>> explain((16, 16), (4, 4), "lanczos3").notes
    ("Left out: TensorFlow 1 (unknown method of dialect 'tensorflow1': 'lanczos3')",)
    """
    if unknown:
        name = next(iter(unknown))
        raise ArgumentTypeError(f"explain has no argument {name!r}; write dialects='torch', options={{'name': value}}")
    input_size = require_lengths(input_size, None, "input_size")
    output_size = require_lengths(output_size, len(input_size), "output_size")
    require_coverage_memory(input_size, output_size)
    methods = () if method is None else validation.require_texts(method, "method")
    dialects = validation.require_texts(dialects, "dialects")
    variants = validation.require_texts(variants, "variants")
    _require_options(options)
    has_arguments = antialias is not None or dialects or options
    if not has_arguments and not variants and len(methods) <= 1:
        return _default(input_size, output_size, *(methods or ("bilinear",)))
    specs = [ResizeSpec.of(**parse_variant(one)) for one in variants]
    plans: list[Plan] = []
    notes: list[str] = []
    if has_arguments or methods:
        names = [all_dialects.get(name).name for name in dialects or ["standard"]]
        for name in methods or ("bilinear",):
            wanted = {f"{dialect} {name}": (dialect, name, antialias, options) for dialect in names}
            plans += _existing(wanted, input_size, output_size, notes).values()
    plans += [replace(spec, size=output_size).make_plan(input_size) for spec in specs]
    plans = list(dict.fromkeys(plans))
    with_method = len({plan.request.method for plan in plans}) > 1
    specs = [ResizeSpec.of_plan(plan) for plan in plans]
    labels = [spec.label if with_method else ", ".join([spec.dialect, *spec.changes]) for spec in specs]
    explained = tuple(map(variant, plans, labels))
    notes += _grids(plans, labels)
    return Explanation(input_size, output_size, explained, tuple(notes))


def _grids(plans: Sequence[Plan], labels: Sequence[str]) -> list[str]:
    """Return a note on the two variants whose grids are farthest apart; none where all have the same."""
    apart = [
        (distance(a.geometry, b.geometry) or 0.0, one, other)
        for (a, one), (b, other) in combinations(zip(plans, labels, strict=True), 2)
    ]
    largest, one, other = max(apart, default=(0.0, "", ""))
    if largest < MIN_DISTANCE:
        return []
    pixels = f"{largest:.3g} output pixel{'' if largest <= 1 else 's'}"
    text = f"the grids of {one} and {other} are up to {pixels} apart"
    return [f"Labels: {text}; a mask resized with one does not fit an image resized with the other"]


def _require_options(options: object) -> None:
    if options is not None and not (isinstance(options, Mapping) and all(isinstance(name, str) for name in options)):
        raise ArgumentTypeError(f"options must be a dict of the dialects' options, not {short_repr(options)}")


def _existing(
    wanted: Mapping[str, tuple[Any, ...]], input_size: Size, output_size: Size, notes: list[str]
) -> dict[str, Plan]:
    """Return the plans of resizes that exist, by label, and note the others; raise the last error where none does."""
    plans: dict[str, Plan] = {}
    for label, arguments in wanted.items():
        try:
            plans[label] = replace(ResizeSpec.of(*arguments), size=output_size).make_plan(input_size)
        except ArgumentError as error:
            refusal = error
            notes.append(f"Left out: {label} ({str(error).partition(';')[0]})")
    if not plans:  # by default, the last to refuse is the dialect with the most methods
        raise refusal
    return plans


def _default(input_size: Size, output_size: Size, method: str) -> Explanation:
    """Return the three variants of issue 12753, without those that do not have the method."""
    # For bilinear both frameworks are the standard dialect; PyTorch's bicubic (a = -0.75) and nearest (no half-pixel
    # centers) are not, and their names would be wrong there.
    shared = all_dialects.get("standard").aliases.get(method.lower(), method.lower()) == "bilinear"
    wanted = {
        "TensorFlow 1": ("tensorflow1", method),
        "TensorFlow 2, PyTorch" if shared else "half-pixel centers": ("standard", method, False),
        "with antialiasing": ("standard", method, True),
    }
    notes: list[str] = []
    plans = _existing(wanted, input_size, output_size, notes)
    return Explanation(
        input_size, output_size, tuple(variant(plan, label) for label, plan in plans.items()), tuple(notes)
    )
