"""Translation: the call of one framework as that of another, or why there is none.

A call is parsed, never run. Two calls are the same where their matrices are, at the known size or at many sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ... import validation
from ...errors import ArgumentError, SizewiseError, unknown_name
from ...resize_spec import Factor, ResizeSpec
from ...resolve import require_lengths
from . import matching, parse_call, syntax
from .checking import Check, check
from .differences import Difference, compare_formulas, explain_missing, noise_error, notes_on
from .equivalence import Size, cases, placeholder, try_plan
from .matching import Match
from .syntax import Syntax

__all__ = ["Check", "Difference", "Nearest", "Translation", "read", "targets", "translate"]

_MAX_LENGTH = 1 << 16  # pixels of an axis at which calls are compared
_SIZE_DEPENDENT = ("preserve_aspect_ratio", "keep_aspect_ratio_policy", "reducing_gap", "box")


@dataclass(frozen=True)
class Nearest:
    """The call that comes nearest where none is the same, its spec, and how it differs; `off` is the largest error of
    its pixels on noise from 0 to 1, at the sizes `at`.
    """

    call: str
    spec: ResizeSpec
    differences: tuple[Difference, ...]
    off: float | None
    at: str


@dataclass(frozen=True, repr=False)
class Translation:
    """A call, its spec, and the same resize in another framework.

    `result` is that call, and `target` its spec, or None. `conditions` list the sizes at which it is the same ("" for
    all); `check` says up to which input length every one was compared, and how many differ; `rounding` is an output of
    the first of these that is another pixel. `reason` says why there is no such call, and `nearest` is the call that
    comes nearest.
    """

    call: str
    source: str
    to: str
    spec: ResizeSpec
    image: str
    input_size: Size | None
    result: str | None = None
    target: ResizeSpec | None = None
    conditions: tuple[str, ...] = ()
    rounding: Difference | None = None
    check: Check | None = None
    notes: tuple[str, ...] = ()
    reason: str = ""
    nearest: Nearest | None = None

    @property
    def condition(self) -> str:
        """The sizes at which the result is the same; empty where it is at all of them."""
        return "" if "" in self.conditions else ", or ".join(self.conditions)

    def __repr__(self) -> str:
        if self.result is not None:
            only = [f"only where {self.condition}"] if self.condition else []
            return "\n".join([self.result, *(f"- {one}" for one in (*only, *self.notes))])
        nearest = [f"the nearest is {self.nearest.call}"] if self.nearest is not None else []
        return "\n".join([f"none: {self.reason}", *nearest])


def targets() -> tuple[str, ...]:
    """Return the names that `translate` takes as a target."""
    return tuple(one.name for one in syntax.every() if one.read)


def read(call: str) -> ResizeSpec:
    """Return the spec of a call, in the dialect of its framework."""
    return syntax.read(parse_call.parse(call))[0]


def translate(call: str, to: str, input_size: Size | None = None) -> Translation:
    """Return the same resize as a call of another framework.

    Args:
        call: a line of code; it is parsed, and never run. Sizes and options must be literals and constants.
        to: the framework (`targets()`), or a dialect.
        input_size: the size of the images, if known: more calls are the same at one size than at all.

    >>> translate("F.interpolate(x, size=(224, 224), mode='bilinear', antialias=True)", to="tf").result
    "tf.image.resize(x, (224, 224), method='bilinear', antialias=True)"
    >>> translate("F.interpolate(x, scale_factor=2, mode='bicubic')", to="tfjs").result is None
    True
    >>> translate("cv2.resize(x, (64, 32))", to="tfjs")
    tf.image.resizeBilinear(x, [32, 64], false, true)
    - x is HWC in OpenCV, and NHWC in TF.js.
    - The flags are alignCorners and halfPixelCenters.
    - uint8 stays uint8 in OpenCV, and becomes float32 in TF.js.
    """
    parsed, target = (
        parse_call.parse(validation.require_text(call, "call")),
        syntax.get(validation.require_text(to, "to")),
    )
    if target.read is None:
        raise unknown_name("target", to, targets())
    origin = syntax.of(parsed)
    source, image = syntax.read(parsed)
    known = _require_input_size(source, input_size)
    dependent = next((name for name in _SIZE_DEPENDENT if name in source.unusual), None)
    if dependent and known is None and not target.any_dialect:
        why = f"the result of {dependent} depends on the size of the image"
        raise ArgumentError(f"{why}; give it: --input 480x640, input_size=(480, 640)")
    asked = source if known is not None else placeholder(source)
    tried = cases(asked, known)
    if not tried:
        raise ArgumentError(_refusal(source))
    base = Translation(call, origin.name, target.name, source, image, known)
    if source.axes not in target.counts:
        counts = " or ".join(map(str, target.counts))
        return replace(base, reason=f"{target.title} resizes {counts} axes at once, and this call {source.axes}.")
    found = list(matching.matches(asked, target, tried, exact=known is not None))
    while (match := matching.best(asked, found)) is not None:
        checked = None
        if known is None and not target.any_dialect:
            checked = check(source, _restore_size(base, match.spec), match.conditions, matching.scales_of(source))
        if checked is None or checked.mostly:
            return _found(base, origin, target, match, checked)
        found.remove(match)  # it was the same at the sizes that were tried, but differs at most others
    why = explain_missing(asked, origin, target, tried)
    if any(one.sometimes for one in found):
        why += " At some sizes there is one: give the size of the image (--input)."
    near = matching.nearest(asked, found, tried[0])
    return replace(base, reason=why, nearest=_nearest(base, asked, target, near))


def _found(base: Translation, origin: Syntax, target: Syntax, match: Match, checked: Check | None) -> Translation:
    spec = _restore_size(base, match.spec)
    asked = base.spec if base.input_size is not None else placeholder(base.spec)
    return replace(
        base,
        result=target.write(spec, base.image),
        target=spec,
        conditions=match.conditions,
        rounding=None if checked is None else checked.difference,
        check=checked,
        notes=notes_on(asked, match.spec, base.image, origin, target, match.covered[0]),
    )


def _nearest(base: Translation, asked: ResizeSpec, target: Syntax, near: Match | None) -> Nearest | None:
    if near is None:
        return None
    at, spec = near.worst, _restore_size(base, near.spec)
    one, other = try_plan(asked, at.input_size), try_plan(near.spec, at.input_size)
    off = None
    if one is not None and other is not None and one.output_size == other.output_size:
        off = noise_error(one, other)
    return Nearest(target.write(spec, base.image), spec, compare_formulas(asked, near.spec, at), off, str(at))


def _restore_size(base: Translation, spec: ResizeSpec) -> ResizeSpec:
    """Return the spec with the requested size in place of the placeholder."""
    if base.input_size is None and spec.size is not None and base.spec.size is not None:
        return replace(spec, size=base.spec.size)
    return spec


def _require_input_size(source: ResizeSpec, input_size: Size | None) -> Size | None:
    if input_size is None:
        return None
    known = require_lengths(input_size, None, "input_size")
    if len(known) != source.axes:
        raise ArgumentError(f"the input size {known} has {len(known)} lengths, and the call resizes {source.axes} axes")
    wanted = source.size or tuple(map(Factor, source.scale or ()))
    outputs = (one.by * n if isinstance(one, Factor) else one for one, n in zip(wanted, known, strict=True))
    longest = max(*known, *outputs)
    if longest > _MAX_LENGTH:
        raise ArgumentError(f"the longest axis has {longest:,.0f} pixels; calls are compared up to {_MAX_LENGTH:,}")
    source.make_plan(known)
    return known


def _refusal(source: ResizeSpec) -> str:
    """Return why a call is refused at every size."""
    try:
        source.make_plan((97,) * source.axes)
    except SizewiseError as error:
        return str(error)
    return "the call leaves no pixel of a small image; give the size of the image: --input 480x640"
