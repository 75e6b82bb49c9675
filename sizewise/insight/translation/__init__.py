"""Translation: the call of one framework as that of another, or why there is none.

A call is read, never run. Two calls are the same where their matrices are, at the sizes that are known or at many:
names say little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ... import validation
from ...errors import ArgumentError, SizewiseError
from ...resolve import require_lengths
from . import calls, matching, notes, reasons, syntax
from .calls import Factor
from .checking import Check, check
from .comparing import cases, planned, standing_in
from .matching import Match
from .reasons import Difference
from .syntax import Syntax
from .words import Size, Words

__all__ = ["Check", "Difference", "Nearest", "Translation", "Words", "read", "targets", "translate"]

_LONGEST = 1 << 16  # pixels of an axis that calls are compared at
_FITTING = ("preserve_aspect_ratio", "keep_aspect_ratio_policy", "reducing_gap", "box")  # depend on the image's size


@dataclass(frozen=True)
class Nearest:
    """The call that comes nearest where none is the same, its words, and what it has different; and by how much its
    pixels are off on noise from 0 to 1, at the sizes `at`.
    """

    call: str
    words: Words
    differences: tuple[Difference, ...]
    off: float | None
    at: str


@dataclass(frozen=True, repr=False)
class Translation:
    """A call, the words it was read as, and the same in another framework.

    `result` is that call, and `target` its words, or None. `conditions` say at which sizes it is the same, each of them
    ("" for all); `check` says up to which input length every one was compared, and how many differ; `rounding` is an
    output of the first of these that is another pixel. `reason` says why there is no such call, and `nearest` is what
    comes nearest to it.

    >>> translate("cv2.resize(x, (64, 32))", to="tfjs").result
    'tf.image.resizeBilinear(x, [32, 64], false, true)'
    """

    call: str
    source: str
    to: str
    words: Words
    input_size: Size | None
    result: str | None = None
    target: Words | None = None
    conditions: tuple[str, ...] = ()
    rounding: Difference | None = None
    check: Check | None = None
    notes: tuple[str, ...] = ()
    reason: str = ""
    nearest: Nearest | None = None

    @property
    def condition(self) -> str:
        """At which sizes the result is the same, in words; empty where it is at all of them."""
        return "" if "" in self.conditions else ", or ".join(self.conditions)

    def __repr__(self) -> str:
        if self.result is not None:
            only = [f"only where {self.condition}"] if self.condition else []
            return "\n".join([self.result, *(f"- {one}" for one in (*only, *self.notes))])
        nearest = [f"the nearest is {self.nearest.call}"] if self.nearest is not None else []
        return "\n".join([f"none: {self.reason}", *nearest])


def targets() -> tuple[str, ...]:
    """What can be translated to.

    >>> "torch" in targets()
    True
    """
    return tuple(one.name for one in syntax.every())


def read(call: str) -> Words:
    """The words of a call, in the dialect that it is of.

    >>> read("F.interpolate(x, size=4, mode='nearest')").size
    (4, 4)
    """
    parsed = calls.parse(call)
    return syntax.of(parsed).read(parsed)


def translate(call: str, to: str, input_size: Size | None = None) -> Translation:
    """Return the same resize as a call of another framework.

    Args:
        call: a line of code; it is read, and never run. Sizes and options must be numbers and names.
        to: the framework (`targets()`), or a dialect.
        input_size: the size of the images, where it is known: more calls are the same at one size than at all.

    >>> translate("F.interpolate(x, size=(224, 224), mode='bilinear', antialias=True)", to="tf").result
    "tf.image.resize(x, (224, 224), method='bilinear', antialias=True)"
    >>> translate("F.interpolate(x, scale_factor=2, mode='bicubic')", to="tfjs").result is None
    True
    >>> translate("cv2.resize(x, (64, 32))", to="tfjs")
    tf.image.resizeBilinear(x, [32, 64], false, true)
    - x is HWC in OpenCV, and NHWC in TF.js.
    - The flags are alignCorners and halfPixelCenters.
    - uint8 stays uint8 in opencv, and becomes float32 in tfjs.
    """
    parsed, target = calls.parse(validation.require_text(call, "call")), syntax.get(validation.require_text(to, "to"))
    origin = syntax.of(parsed)
    source = origin.read(parsed)
    known = _checked(source, input_size)
    if known is None and not target.any_dialect:
        _require_input(source)
    asked = source if known is not None else standing_in(source)
    tried = cases(asked, known)
    if not tried:
        raise ArgumentError(_refusal(source))
    base = Translation(call, origin.name, target.name, source, known)
    if source.count not in target.counts:
        some = " or ".join(map(str, target.counts))
        return replace(base, reason=f"{target.title} resizes {some} axes at once, and this call {source.count}.")
    found = list(matching.matches(asked, target, tried, exact=known is not None))
    while (match := matching.best(asked, found)) is not None:
        checked = _checked_at_all(base, match) if known is None and not target.any_dialect else None
        if checked is None or checked.mostly:
            return _found(base, origin, target, match, checked)
        found.remove(match)  # it was the same at the sizes that were tried, and is not at most others
    why = reasons.missing(asked, target, tried)
    if any(one.sometimes for one in found):
        why += " At some sizes there is one: give that of the image (--input)."
    near = matching.nearest(asked, found, tried[0])
    return replace(base, reason=why, nearest=_nearest(base, asked, target, near))


def _checked_at_all(base: Translation, match: Match) -> Check:
    """How a match compares at every input length up to a bound, for the size that was asked for."""
    return check(base.words, _real(base, match.words), match.conditions, matching.scales_of(base.words))


def _found(base: Translation, origin: Syntax, target: Syntax, match: Match, checked: Check | None) -> Translation:
    words, rounding = _real(base, match.words), None
    asked = base.words if base.input_size is not None else standing_in(base.words)
    if checked is not None and checked.first is not None:
        count = len(checked.first.input_size)
        rounding = reasons.between(_of_axes(base.words, count), _of_axes(words, count), checked.first)[-1]
    return replace(
        base,
        result=target.write(words),
        target=words,
        conditions=match.conditions,
        rounding=rounding,
        check=checked,
        notes=notes.of(asked, match.words, origin, target, match.covered[0]),
    )


def _nearest(base: Translation, asked: Words, target: Syntax, near: Match | None) -> Nearest | None:
    if near is None:
        return None
    at, words = near.worst, _real(base, near.words)
    one, other = planned(asked, at.input_size), planned(near.words, at.input_size)
    off = None
    if one is not None and other is not None and one.output_size == other.output_size:
        off = reasons.difference(one, other)
    return Nearest(target.write(words), words, reasons.between(asked, near.words, at), off, str(at))


def _of_axes(words: Words, count: int) -> Words:
    """A call of so many axes, the first of its own."""
    return replace(words, size=words.size and words.size[:count], scale=words.scale and words.scale[:count])


def _real(base: Translation, words: Words) -> Words:
    """The words with the size that was asked for, where another stood in for it."""
    if base.input_size is None and words.size is not None and base.words.size is not None:
        return replace(words, size=base.words.size)
    return words


def _checked(source: Words, input_size: Size | None) -> Size | None:
    if input_size is None:
        return None
    known = require_lengths(input_size, None, "input_size")
    if len(known) != source.count:
        raise ArgumentError(
            f"the input's size {known} has {len(known)} lengths, and the call resizes {source.count} axes"
        )
    asked = source.size or tuple(map(Factor, source.scale or ()))
    made = (one.by * n if isinstance(one, Factor) else one for one, n in zip(asked, known, strict=True))
    longest = max(*known, *made)
    if longest > _LONGEST:
        raise ArgumentError(f"the longest axis has {longest:,.0f} pixels; calls are compared up to {_LONGEST:,}")
    source.plan(known)
    return known


def _require_input(source: Words) -> None:
    fitting = [name for name in _FITTING if name in source.said]
    if fitting:
        raise ArgumentError(
            f"what {fitting[0]} makes of an image depends on its size; give it: --input 480x640, input_size=(480, 640)"
        )


def _refusal(source: Words) -> str:
    """Why a call cannot be made for any size."""
    try:
        source.plan((97,) * source.count)
    except SizewiseError as error:
        return str(error)
    return "the call leaves no pixel of a small image; give the size of the image: --input 480x640"
