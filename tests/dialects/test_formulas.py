"""Formulas of all dialects: evaluated, they give the matrices of the taps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from formulas import matrix, stated

import sizewise as sw
from sizewise import dialects
from sizewise.dialects import _formula

SIZES = (
    (1, 1), (1, 4), (4, 1), (5, 5), (2, 3), (3, 2), (7, 13), (13, 7), (4, 16), (16, 4), (3, 9), (9, 3), (14, 23),
    (23, 14), (10, 11), (11, 10), (31, 6), (6, 31),
)  # fmt: skip
SCALES = ((7, 1.3), (10, 0.37), (9, 2.0), (9, 0.5), (13, 0.8))
VARIANTS = [
    (name, method, antialias, options)
    for name in dialects.names()
    for method, antialias, options in dialects.get(name).variants()
]


def named(value):
    return value if isinstance(value, str) else None


def compared(request, **names) -> tuple[float, int]:
    """Return the largest difference of rows without ambiguity, and the number of ambiguous rows."""
    plan = sw.plan.build(request)
    ours = plan.matrices()[0]
    theirs, certain = stated(request, **names)
    return float(np.abs(ours - theirs)[certain].max(initial=0.0)), int((~certain).sum())


def requests(name, method, antialias, options):
    chosen = dialects.get(name)
    arguments = tuple(options.items())
    known = {"translation": options["translation"]} if options.get("translation") is not None else {}
    if options.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        arguments, known = tuple({**options, "roi": (0.1, 0.8)}.items()), {"start": 0.1, "end": 0.8}
    for n_in, n_out in SIZES:
        yield dialects.Request(name, method, antialias, (n_in,), (n_out,), None, arguments), known
    for n_in, scale in SCALES:
        n_out = chosen.length(n_in, scale)
        if n_out > 0:
            yield dialects.Request(name, method, antialias, (n_in,), (n_out,), (chosen.scale(scale),), arguments), known


# Some dialects copy an axis that keeps its length although its scale is not 1, unlike their formula.
@pytest.mark.parametrize(("name", "method", "antialias", "options"), VARIANTS, ids=named)
def test_formula_gives_the_taps(name, method, antialias, options):
    rows = unsure = tried = 0
    for request, known in requests(name, method, antialias, options):
        try:
            worst, open_rows = compared(request, **known)
        except sw.errors.UnsupportedError:
            continue
        assert worst < 1e-3, (request, worst)
        tried += 1
        rows += request.output_size[0]
        unsure += open_rows
    assert tried >= len(SIZES)
    assert unsure < 0.5 * rows


@pytest.mark.parametrize("box", [(0.0, 1.5, 9.0, 8.0), (0.0, 2.0, 9.0, 11.0)])
@pytest.mark.parametrize("method", ["nearest", "bilinear", "lanczos"])
def test_a_box(method, box):
    request = sw.make_plan((11, 9), (6, 9), method, dialect="pillow", box=box).request
    worst, _ = compared(request, start=box[1], end=box[3])
    assert worst < 1e-6


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("step", "n_in / (n_out + 1)"),
        ("x", "(o + 0.4) * step - 0.5"),
        ("kernel", "linear"),
        ("stretch", "1"),
        ("edges", _formula.REPEATED),
    ],
)
def test_control_another_formula_differs(field, other):
    request = sw.make_plan((16,), (5,), "bicubic", antialias=True, dialect="torch").request
    true = dialects.get("torch").formula(request)
    ours = sw.plan.build(request).matrices()[0]
    assert np.abs(matrix(true, 16, 5)[0] - ours).max() < 1e-6
    assert np.abs(matrix(replace(true, **{field: other}), 16, 5)[0] - ours).max() > 1e-2


def test_control_another_pixel_differs():
    request = sw.make_plan((16,), (5,), "nearest", dialect="torch").request
    true = dialects.get("torch").formula(request)
    rows, certain = matrix(replace(true, x="floor((o + 0.5) * step)"), 16, 5)
    assert np.abs(rows - sw.plan.build(request).matrices()[0])[certain].max() == 1
