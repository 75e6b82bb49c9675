"""Checks of a list of steps: where each may be, and whether one contradicts those before it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..errors import ArgumentError, SizewiseWarning
from .aspect_steps import CropOrResize
from .margin_steps import CropInside, PadTo
from .size_rules import Exact, ShortestEdge, Size
from .steps import CenterCrop, CropBox, Decode, Layout, PadBatch, Resize, Step

_FIXED = (CenterCrop, CropBox, CropInside, CropOrResize, PadTo)  # whose result has one size


def require_order(steps: Sequence[Step]) -> None:
    """Raise ArgumentError if a step is where it cannot be, or can never take the sizes of those before it.

    >>> from sizewise.preprocess import CropInside, Exact, Resize
    >>> require_order([Resize(Exact(200, 200)), CropInside(224, 224)])
    Traceback (most recent call last):
        ...
    sizewise.errors.ArgumentError: step 2 can never take the 200x200 of the steps before it: crop_inside: an image of \
200x200 is smaller than the crop of 224x224; resize or pad it first
    """
    size: Size | None = None  # where every image has it
    resize: Resize | None = None  # the last step that changes sizes, if it is a resize
    for index, step in enumerate(steps):
        before = steps[index - 1] if index else None
        if isinstance(step, Decode) and index:
            raise ArgumentError(f"step {index + 1} is decode; it can only be the first")
        if isinstance(before, PadBatch) or (isinstance(before, Layout) and not isinstance(step, PadBatch)):
            raise ArgumentError(f"step {index + 1}, {step.name}, comes after {before.name}, which must be the last")
        if resize is not None and isinstance(resize.rule, ShortestEdge):
            _require_inside(index, resize.rule, step)
        if resize is not None and isinstance(step, CenterCrop):
            _warn_of_padding(resize, step)
        size = _next_size(index, step, size)
        if isinstance(step, (Resize, PadBatch)) or type(step).output_size is not Step.output_size:
            resize = step if isinstance(step, Resize) else None


def _next_size(index: int, step: Step, size: Size | None) -> Size | None:
    """Return the size after a step if it is the same for every image; raise ArgumentError if it never fits."""
    if size is None:
        if isinstance(step, _FIXED):
            return step.height, step.width
        rule = step.rule if isinstance(step, Resize) else None
        return (rule.height, rule.width) if isinstance(rule, Exact) else None
    try:
        return step.output_size(size)
    except ArgumentError as error:
        given = f"the {size[0]}x{size[1]} of the steps before it"
        raise ArgumentError(f"step {index + 1} can never take {given}: {error}") from None


def _require_inside(index: int, rule: ShortestEdge, step: Step) -> None:
    """Raise ArgumentError if the shorter edge is never as long as a crop that does not pad."""
    if not isinstance(step, (CropBox, CropInside)) or rule.multiple != 1:
        return
    top, left = (step.top, step.left) if isinstance(step, CropBox) else (0, 0)
    bottom, right = top + step.height, left + step.width
    if min(bottom, right) > rule.edge:
        raise ArgumentError(
            f"step {index + 1} can never take the results of the steps before it, whose shorter edge is {rule.edge} "
            f"at most: {step.name} needs {bottom}x{right}"
        )


def _warn_of_padding(resize: Resize, crop: CenterCrop) -> None:
    """Warn if a crop is larger than every result of the resize before it, so that it pads.

    Not an error: the defaults of MobileViT in transformers are like that.
    """
    rule = resize.rule
    if isinstance(rule, Exact):
        contradicts = crop.height > rule.height or crop.width > rule.width
        given = f"{rule.height}x{rule.width}" if rule.height != rule.width else f"{rule.height}"
    elif isinstance(rule, ShortestEdge) and rule.multiple == 1:
        contradicts, given = min(crop.height, crop.width) > rule.edge, f"{rule.edge}"
    else:
        return
    if contradicts:
        warnings.warn(
            f"the crop of {crop.height}x{crop.width} is larger than the resize before it "
            f"({rule.name} {given}); the result is padded",
            SizewiseWarning,
            stacklevel=4,
        )
