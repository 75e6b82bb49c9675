"""Translations, run: every call and its translation give the same pixels in the real frameworks; and where
there is no translation, the nearest call gives other pixels.
"""

from __future__ import annotations

import math
import os
from itertools import product

import live_calls
import numpy as np
import pytest
from call_sources import DIALECTS, INPUTS, SCALED, SIZE, SOURCES, Source
from samples import ALL, sample

from sizewise.insight.translation import Translation, targets, translate
from sizewise.insight.translation.conditions import holds
from sizewise.insight.translation.equivalence import Case, try_plan
from sizewise.insight.translation.matching import scales_of
from sizewise.parity import reference
from sizewise.resize_spec import ResizeSpec

SOME = {"keras": 4, "onnx-reference": 4, "jax": 4}  # one in this many sources for and of these
OURS = 8.0  # units in the last place that our own dialects, which have no framework, may be off


@pytest.fixture(scope="module", autouse=True)
def _tfjs():
    """Skip without TF.js, or fail where CI must not skip."""
    reason = live_calls.missing()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def ulp(spec: ResizeSpec) -> float:
    """Return how far a dialect's float32 may be from its framework, with the rounding of its result."""
    return 1.0 + (reference.of(spec.dialect).ulp[spec.method] if spec.dialect in reference.known() else OURS)


def allowed(one: ResizeSpec, other: ResizeSpec, size: tuple[int, ...]) -> float:
    """Return how far apart results with the same weights may be, by rounding of weights and of sums."""
    pairs = zip(try_plan(one, size).taps, try_plan(other, size).taps, strict=True)
    off = [float(np.abs(a.dense() - b.dense()).sum(axis=1).max()) for a, b in pairs]
    assert max(off) < 2e-4, "these are not the same weights"
    return 3 * sum(off) + (ulp(one) + ulp(other)) * float(np.spacing(np.float32(1.5)))


def difference(source: Source, to: str, call: str, size: tuple[int, ...]) -> float:
    """Return the largest difference of the pixels of two calls, in the frameworks."""
    mine, theirs = live_calls.run(source.syntax, source.call, size), live_calls.run(to, call, size)
    assert mine.shape == theirs.shape, (source.call, call, size)
    return float(np.abs(mine.astype(np.float64) - theirs).max())


def inputs(*names: str) -> tuple[tuple[int, ...], ...]:
    return INPUTS[:3] if "jax" in names else INPUTS  # JAX compiles for each shape


def checked(source: Source, facts: Translation, sizes: tuple[tuple[int, ...], ...]) -> tuple[int, int]:
    """Return how many sizes were compared that the translation covers, and that it does not."""
    assert facts.result is not None and facts.target is not None
    same = other = 0
    for size in sizes:
        case = Case(size, try_plan(facts.spec, size).output_size)
        if math.prod(case.output_size) == 0:
            continue
        if not any(holds(name, case, scales_of(facts.spec)) for name in facts.conditions):
            other += 1
            continue
        off = difference(source, facts.to, facts.result, size)
        if facts.rounding is None:
            assert off <= allowed(facts.spec, facts.target, size), (source.call, facts.result, size, off)
        same += 1
    return same, other


@pytest.mark.parametrize(("dialect", "to"), sample(product(DIALECTS, targets()), 2))
def test_every_call_of_every_dialect(dialect, to):
    own = [one for one in SOURCES if one.dialect == dialect][:: max(SOME.get(to, 1), SOME.get(dialect, 1))]
    for source in sample(own, 10, (dialect, to)):
        size = INPUTS[1] if "aspect_ratio" in source.call else None
        facts = translate(source.call, to, size)
        if facts.result is not None:
            assert checked(source, facts, inputs(source.syntax, to) if size is None else (size,))[0] > 0
        elif facts.nearest is not None and facts.nearest.off is not None:
            sizes = inputs(source.syntax, to) if size is None else (size,)
            offs = [difference(source, to, facts.nearest.call, each) for each in sizes]
            assert max(offs) > 3e-4, (source.call, facts.nearest.call, offs)


@pytest.mark.parametrize("to", ["torch", "cv2", "pillow", "tf", "onnx", "tfjs"])
@pytest.mark.parametrize("size", [(29, 23), (24, 30)])
def test_at_a_known_size(size, to):
    found = 0
    for source in sample(SOURCES[::4], 3, (to, size)):
        facts = translate(source.call, to, size)
        if facts.result is not None:
            found += checked(source, facts, (size,))[0]
        elif facts.nearest is not None and facts.nearest.off is not None:
            assert difference(source, to, facts.nearest.call, size) > 1e-4, (source.call, facts.nearest.call)
    assert found > (5 if ALL else 0)


@pytest.mark.parametrize("to", ["torch", "cv2", "pillow", "tf", "tf1", "jax", "onnx", "tfjs", "skimage", "paddle"])
def test_scales(to):
    found = 0
    for source in SCALED:
        facts = translate(source.call, to)
        if facts.result is not None:
            found += checked(source, facts, ((8, 12),) if to == "jax" else ((8, 12), (9, 7), (10, 20)))[0]
    assert found > 2


def test_control_other_pixels_are_detected():
    source = Source("torch", "torch", "F.interpolate(x, size=(12, 10), mode='bilinear', align_corners=False)")
    right = translate(source.call, "cv2")
    size = INPUTS[1]
    near = "cv2.resize(x, (10, 12), interpolation=cv2.INTER_AREA)"
    assert difference(source, "cv2", right.result, size) <= allowed(right.spec, right.target, size)
    assert difference(source, "cv2", near, size) > 1e-2


WHOLE = ("torch", "cv2", "pillow")


@pytest.mark.parametrize("to", WHOLE)
@pytest.mark.parametrize("syntax", WHOLE)
def test_notes_on_uint8(syntax, to):
    for source in [one for one in SOURCES if one.syntax == syntax and "nearest" not in one.call.lower()]:
        facts = translate(source.call, to, INPUTS[0])
        notes = [note for note in facts.notes if note.startswith("uint8")]
        if (
            facts.result is None
            or source.syntax == to
            or not notes
            or "may differ," in notes[0]
            or "and may" in notes[0]
        ):
            continue
        x = np.random.default_rng(0).integers(0, 256, (*INPUTS[0], 3), np.uint8)
        mine, theirs = live_calls.RUNNERS[syntax](source.call, x), live_calls.RUNNERS[to](facts.result, x)
        off = np.abs(mine.astype(int) - theirs.astype(int)).max()
        assert off <= (0 if "bit for bit" in notes[0] else 1), (source.call, facts.result, notes, off)


def test_sizes_equal_those_of_the_sources():
    assert all(str(SIZE[0]) in source.call for source in SOURCES)
    assert len(SOURCES) > 200 and len(SCALED) > 15
