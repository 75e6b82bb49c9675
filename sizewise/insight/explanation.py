"""Explanation: the same resize in several variants, side by side, as facts.

Chooses the variants; `coverage` finds the facts of each. Draws nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import dialects as all_dialects
from ..api import make_plan
from ..errors import UnknownNameError, UnsupportedError
from ..plan import Plan
from .coverage import Coverage, coverage, require_room

Size = tuple[int, ...]


@dataclass(frozen=True)
class Explanation:
    """Variants of one resize, and notes on those that were left out.

    >>> [one.reached for one in explain((16, 16), (4, 4)).variants]
    [16, 64, 256]
    """

    input_size: Size
    output_size: Size
    variants: tuple[Coverage, ...]
    notes: tuple[str, ...] = ()


def explain(
    input_size: Size,
    output_size: Size,
    method: str | None = None,
    *,
    antialias: bool | None = None,
    dialects: Sequence[str] = (),
    options: Mapping[str, object] | None = None,
) -> Explanation:
    """What a resize does to the gradient, for one variant per dialect.

    Without any of antialias, dialects and options it is the story of TensorFlow issue 12753: TensorFlow 1, half-pixel
    centres without antialiasing (the default of TensorFlow 2 and PyTorch), and with it.

    >>> [one.label for one in explain((16, 16), (4, 4), dialects=["tfjs"], options={"align_corners": True}).variants]
    ['tfjs, align_corners=True']
    >>> explain((16, 16), (4, 4), "lanczos3").notes
    ('Left out: TensorFlow 1 (dialect tensorflow1 has no lanczos3)',)
    """
    require_room(input_size, output_size)
    if antialias is None and not dialects and not options:
        return _story(input_size, output_size, method or "bilinear")
    plans = [
        _plan(input_size, output_size, method or "bilinear", antialias, dialect, options or {})
        for dialect in dict.fromkeys(dialects or ["standard"])
    ]
    return Explanation(input_size, output_size, tuple(coverage(plan, _label(plan)) for plan in plans))


def _story(input_size: Size, output_size: Size, method: str) -> Explanation:
    """The three variants of issue 12753, without those that do not take the method."""
    variants: list[Coverage] = []
    notes: list[str] = []
    for label, dialect, antialias in _cast(method):
        try:
            plan = make_plan(input_size, output_size, method, antialias=antialias, dialect=dialect)
        except (UnknownNameError, UnsupportedError) as error:
            refusal = error
            what = f"{method} with antialias={antialias}" if isinstance(error, UnsupportedError) else method
            notes.append(f"Left out: {label} (dialect {dialect} has no {what})")
        else:
            variants.append(coverage(plan, label))
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


def _plan(
    input_size: Size,
    output_size: Size,
    method: str,
    antialias: bool | None,
    dialect: str,
    options: Mapping[str, object],
) -> Plan:
    all_dialects.get(dialect).complete(options)  # first: an option named "method" must not reach make_plan as a keyword
    return make_plan(input_size, output_size, method, antialias=antialias, dialect=dialect, **dict(options))


def _label(plan: Plan) -> str:
    """The dialect and whatever in the request is not its default."""
    request = plan.request
    dialect = all_dialects.get(request.dialect)
    words = [request.dialect]
    if request.antialias != dialect.methods[request.method][0]:
        words.append(f"antialias={request.antialias}")
    usual = dict(dialect.complete({}))
    words += [f"{name}={value}" for name, value in request.options if value != usual[name]]
    return ", ".join(words)
