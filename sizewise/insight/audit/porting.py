"""Porting: the resize of another runtime that is nearest to a node's, which is what a port of the model would call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ... import dialects
from ...dialects import OpenOption, Request
from ...errors import UnsupportedError, unknown_name
from . import advice
from .meaning import CROP, HALF, LEGACY, SYMMETRIC, TORCH_HALF, Meaning
from .node import Node, Words

# Runtime -> the dialect of its resizes. TensorFlow is tf.image.resize; its original ops, which models of version 1 and
# tf.compat.v1 have, are a target of their own: their other grids would hide that those of TensorFlow 2 are gone.
TARGETS = {
    "onnxruntime": "onnx",
    "onnx-reference": "onnx-reference",
    "tflite": "tflite",
    "tfjs": "tfjs",
    "torch": "torch",
    "opencv": "opencv",
    "tensorflow": "tensorflow",
    "tensorflow1": "tensorflow1",
    "jax": "jax",
    "paddle": "paddle",
    "pillow": "pillow",
}
_IMAGES_ONLY = ("tflite", "tfjs", "opencv", "tensorflow", "tensorflow1", "pillow")  # runtimes that resize two axes
_BY_SCALE = ("onnx", "onnx-reference", "torch", "paddle")  # dialects whose calls take the scale of a model that has one
_SAME = ("onnx", "onnx-reference")  # dialects that have the same words
_CHOSEN = {  # options that a port may choose
    *("coordinate_transformation_mode", "nearest_mode", "cubic_coeff_a", "exclude_outside"),
    *("align_corners", "half_pixel_centers", "align_mode"),
}
_GRIDS = {
    "half_pixel": "half-pixel centres",
    "pytorch_half_pixel": "half-pixel centres",
    "half_pixel_symmetric": "symmetric half-pixel centres",
    "align_corners": "aligned corners",
    "asymmetric": "an asymmetric grid",
    "tf_crop_and_resize": "a crop",
    "tf_half_pixel_for_nn": "centres half a pixel further on",
}
_PICKS = {
    "round_prefer_ceil": "the nearest pixel, ties up",
    "round_prefer_floor": "the nearest pixel, ties down",
    "floor": "the pixel below",
    "ceil": "the pixel above",
}


@dataclass(frozen=True)
class Port:
    """The nearest resize of a runtime: its words, whether it is called with the node's scale, and what is not the same.

    >>> port(Node("up", "Resize", (4, 4), (8, 8), words=Words("onnx", "linear")), "opencv")  # doctest: +ELLIPSIS
    Port(words=Words(dialect='opencv', method='linear', ...), by_scale=False, notes=(), fixes=())
    """

    words: Words
    by_scale: bool = False
    notes: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


def checked(target: str) -> str:
    """A target, if it is known.

    >>> checked("tflite")
    'tflite'
    """
    if target not in TARGETS:
        raise unknown_name("target", target, TARGETS)
    return target


def port(node: Node, target: str) -> Port:
    """The resize of a runtime that is nearest to a node's; UnsupportedError where it has none of the kind."""
    words, name = node.words, TARGETS[checked(target)]
    assert words is not None, "only plain resizes are ported"
    by_scale = node.scale is not None and name in _BY_SCALE
    if words.dialect == name:
        return Port(words, by_scale=node.scale is not None)
    if {words.dialect, name} <= set(_SAME):
        return Port(Words(name, words.method, words.antialias, words.options), by_scale)
    if len(node.input_size) != 2 and target in _IMAGES_ONLY:
        raise UnsupportedError(f"{target} resizes two axes; this node resizes {len(node.input_size)}")
    wanted = advice.means(words)
    if wanted.grid == CROP:
        raise UnsupportedError(f"{target} has no resize of a part of the image that goes beyond it")
    offers = [(cost, offer, means) for offer, means in _offers(name) if (cost := _cost(wanted, means)) is not None]
    if not offers:
        raise UnsupportedError(f"{target} has no {wanted.kind} resize")
    _, offer, means = min(offers, key=lambda one: one[0])
    changes = list(_differences(node, wanted, means, target))
    return Port(offer, by_scale, tuple(note for note, _ in changes), tuple(fix for _, fix in changes))


@cache
def _offers(name: str) -> tuple[tuple[Words, Meaning], ...]:
    """Every resize of a dialect, the usual ones first, with what it means."""
    return tuple((words, advice.means(words)) for words in _all(name))


def _all(name: str) -> Iterator[Words]:
    dialect = dialects.get(name)
    usual = dict(dialect.fill_options({}))
    choices = [
        [(option, value) for value in (known.values if isinstance(known, OpenOption) else known)]
        for option, known in dialect.options.items()
        if option in _CHOSEN
    ]
    for method, flags in dialect.methods.items():
        for antialias, options in itertools.product(flags, itertools.product(*choices)):
            words = dialect.fill_options(dict(options) | ({"roi": (0.0, 1.0)} if "roi" in usual else {}))
            try:
                dialect.taps(Request(name, method, antialias, (2,), (3,), None, words))
            except UnsupportedError:
                continue
            yield Words(name, method, antialias, tuple((key, value) for key, value in options if value != usual[key]))


def _cost(wanted: Meaning, offered: Meaning) -> float | None:
    """How far an offer is from what is wanted; None where it is another kind of resize."""
    if wanted.kind != offered.kind:
        return None
    return (
        8 * _apart(wanted.grid, offered.grid)
        + 4 * (wanted.antialias != offered.antialias)
        + 2 * (wanted.pick != offered.pick)
        + abs(wanted.slope - offered.slope)
        + 0.1 * (wanted.cut != offered.cut)
    )


def _apart(grid: str, other: str) -> float:
    """0 for the same grid; half-pixel grids differ less among themselves, and are what to take for want of another."""
    halves = {HALF: 0.0, TORCH_HALF: 0.001, SYMMETRIC: 0.002}
    if grid == other:
        return 0.0
    if grid in halves and other in halves:
        return 0.01 + halves[other]
    return 1.0 + halves.get(other, 0.5) if grid != LEGACY or other in halves else 2.0


def _differences(node: Node, wanted: Meaning, found: Meaning, target: str) -> Iterator[tuple[str, str]]:
    """What a port changes, in sentences, each with what mends it."""
    if _GRIDS[wanted.grid] != _GRIDS[found.grid]:
        yield (
            f"{target} has no {wanted.kind} resize with {_GRIDS[wanted.grid]}: {_GRIDS[found.grid]} instead",
            advice.train_on_grid(node, _GRIDS[found.grid], target),
        )
    if wanted.antialias and not found.antialias and _may_shrink(node):
        smooth = "use its area resize" if target == "opencv" else "pool first"
        yield f"{target} does not antialias {found.kind}", f"{smooth}, or train without antialiasing"
    elif found.antialias and not wanted.antialias and _may_shrink(node):
        yield f"{target} always antialiases {found.kind} that shrinks", advice.train_antialiased(node)
    if wanted.pick != found.pick:
        yield (
            f"{target} takes {_PICKS[found.pick]}, not {_PICKS[wanted.pick]}",
            "resize by whole factors, where runtimes agree more",
        )
    if wanted.slope != found.slope:
        yield (
            f"{target}'s cubic has the slope {found.slope:g}, not {wanted.slope:g}",
            advice.train_with_slope(node, found.slope),
        )


def _may_shrink(node: Node) -> bool:
    """Return whether an axis of a node shrinks, or may."""
    if node.scale is not None:
        return min(node.scale, default=1.0) < 1
    pairs = zip(node.input_size, node.output_size, strict=True)
    return any(n_in is None or n_out is None or n_out < n_in for n_in, n_out in pairs)
