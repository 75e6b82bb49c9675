"""Explanation: the same resize in several variants, side by side, as facts.

Chooses the variants; `variant` finds the facts of each. Draws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import dialects as all_dialects
from .. import validation
from ..api import make_plan
from ..errors import ArgumentError, ArgumentTypeError, UnknownNameError, UnsupportedError, short_repr
from ..plan import Plan
from ..resolve import require_lengths
from .coverage import require_room
from .notebook import notebook_html
from .variant import Variant, in_words, variant

Size = tuple[int, ...]


@dataclass(frozen=True)
class Wish:
    """The words of one variant: whose resize, which method, and options of the dialect.

    >>> Wish("torch", "bicubic", antialias=True).dialect
    'torch'
    """

    dialect: str = "standard"
    method: str = "bilinear"
    antialias: bool | None = None
    options: Mapping[str, object] = field(default_factory=dict)

    def plan(self, input_size: Size, output_size: Size) -> Plan:
        """The plan of these words."""
        # First: an option named "method" must not reach make_plan as a keyword.
        all_dialects.get(self.dialect).fill_options(self.options)
        words: dict[str, Any] = dict(self.options)
        return make_plan(input_size, output_size, self.method, antialias=self.antialias, dialect=self.dialect, **words)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Variants of one resize, and notes on those that were left out.

    >>> [one.reached for one in explain((16, 16), (4, 4)).variants]
    [16, 64, 256]
    """

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
    wishes: Sequence[Wish] = (),
) -> Explanation:
    """Return what a resize does, in every dialect with every method that it has, then as each of `wishes` says.

    Without any of antialias, dialects, options and wishes it is the story of TensorFlow issue 12753: TensorFlow 1,
    half-pixel centres without antialiasing (the default of TensorFlow 2 and PyTorch), and with it.

    >>> [one.label for one in explain((16, 16), (4, 4), dialects=["tfjs"], options={"align_corners": True}).variants]
    ['tfjs, align_corners=True']
    >>> [one.label for one in explain((9,), (4,), ["nearest", "area"], dialects=["tfjs", "torch"]).variants]
    ['tfjs nearest', 'torch nearest', 'torch area']
    >>> explain((16, 16), (4, 4), "lanczos3").notes
    ('Left out: TensorFlow 1 (dialect tensorflow1 has no lanczos3)',)
    """
    input_size = require_lengths(input_size, None, "input_size")
    output_size = require_lengths(output_size, len(input_size), "output_size")
    require_room(input_size, output_size)
    methods = () if method is None else validation.require_texts(method, "method")
    dialects = validation.require_texts(dialects, "dialects")
    wishes = _read_wishes(options, wishes)
    asked = antialias is not None or dialects or options
    if not asked and not wishes and len(methods) <= 1:
        return _story(input_size, output_size, *(methods or ("bilinear",)))
    plans: list[Plan] = []
    notes: list[str] = []
    if asked or methods:
        names = [all_dialects.get(name).name for name in dialects or ["standard"]]
        for name in methods or ("bilinear",):
            wanted = [Wish(dialect, name, antialias, options or {}) for dialect in names]
            some, left_out = _existing(wanted, input_size, output_size)
            plans += some
            notes += left_out
    plans += [wish.plan(input_size, output_size) for wish in wishes]
    plans = list(dict.fromkeys(plans))
    several = len({plan.request.method for plan in plans}) > 1
    variants = tuple(variant(plan, _label(plan, several)) for plan in plans)
    return Explanation(input_size, output_size, variants, tuple(notes))


def _read_wishes(options: object, wishes: object) -> tuple[Wish, ...]:
    if options is not None and not (isinstance(options, Mapping) and all(isinstance(name, str) for name in options)):
        raise ArgumentTypeError(f"options must be a dict of the dialects' options, not {short_repr(options)}")
    given = validation.as_sequence(wishes)
    if given is None or not all(isinstance(one, Wish) for one in given):
        raise ArgumentTypeError(f"wishes must be a list of Wish, not {short_repr(wishes)}")
    return given


def _existing(wanted: list[Wish], input_size: Size, output_size: Size) -> tuple[list[Plan], list[str]]:
    """The plans of those that exist, and notes on the others; an error where none does."""
    plans, notes, refusals = [], [], []
    for wish in wanted:
        try:
            plans.append(wish.plan(input_size, output_size))
        except ArgumentError as error:
            refusals.append(error)
            notes.append(f"Left out: {wish.dialect} {wish.method} ({str(error).partition(';')[0]})")
    if not plans:
        raise refusals[0]
    return plans, notes


def _story(input_size: Size, output_size: Size, method: str) -> Explanation:
    """The three variants of issue 12753, without those that do not take the method."""
    variants: list[Variant] = []
    notes: list[str] = []
    for label, dialect, antialias in _cast(method):
        try:
            plan = make_plan(input_size, output_size, method, antialias=antialias, dialect=dialect)
        except (UnknownNameError, UnsupportedError) as error:
            refusal = error
            what = f"{method} with antialias={antialias}" if isinstance(error, UnsupportedError) else method
            notes.append(f"Left out: {label} (dialect {dialect} has no {what})")
        else:
            variants.append(variant(plan, label))
    if not variants:  # the last to refuse is the dialect that knows the most methods
        raise refusal
    return Explanation(input_size, output_size, tuple(variants), tuple(notes))


def _cast(method: str) -> tuple[tuple[str, str, bool | None], ...]:
    """Label, dialect and antialias of each variant of the story."""
    # For bilinear both frameworks are the standard dialect; PyTorch's bicubic (a = -0.75) and nearest (no half-pixel
    # centres) are not, and their names would be wrong there.
    shared = all_dialects.get("standard").aliases.get(method.lower(), method.lower()) == "bilinear"
    return (
        ("TensorFlow 1", "tensorflow1", None),
        ("TensorFlow 2, PyTorch" if shared else "half-pixel centres", "standard", False),
        ("with antialiasing", "standard", True),
    )


def _label(plan: Plan, several: bool) -> str:
    """The dialect, the method if there are several, and whatever in the request is not the dialect's default."""
    request = plan.request
    dialect = all_dialects.get(request.dialect)
    words = [f"{request.dialect} {request.method}" if several else request.dialect]
    if request.antialias != dialect.methods[request.method][0]:
        words.append(f"antialias={request.antialias}")
    usual = dict(dialect.fill_options({}))
    words += [f"{name}={in_words(value)}" for name, value in request.options if value != usual[name]]
    return ", ".join(words)
