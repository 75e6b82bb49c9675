"""Findings of a resize: correct, ranked, and with remedies that work."""

from __future__ import annotations

import re

import numpy as np
import pytest
from variants import VARIANTS

import sizewise as sw
from sizewise.insight.axis import axis
from sizewise.insight.coverage import coverage
from sizewise.insight.findings import SEVERITIES, findings
from sizewise.plan import Plan
from sizewise.taps import Taps


def finding_texts(input_size, output_size, method="bilinear", **options):
    return [
        (one.severity, one.message)
        for one in sw.make_plan(input_size, output_size, method, **options).explain().findings
    ]


@pytest.mark.parametrize(
    ("size", "method", "antialias", "share"),
    [
        (1024, "bilinear", False, "19.1"),
        (1024, "bicubic", False, "76.6"),
        (1024, "bilinear", True, "100"),
        (4000, "bilinear", False, "1.08"),
        (4000, "bicubic", False, "4"),
        (4000, "bicubic", True, "100"),
    ],
)
def test_share_of_pixels_that_affect_the_output(size, method, antialias, share):
    facts = sw.make_plan((size, size), (224, 224), method, antialias=antialias, dialect="torch").explain()
    text = f"only {share} % of the pixels affect the output (open to image-scaling attacks)"
    assert f"{facts.percent:.3g}" == share
    assert (text in [one.message for one in facts.findings]) == (share != "100")


def test_these_pixels_alone_control_the_output():
    """Changing only the pixels that are read turns the result into any other image."""
    plan = sw.make_plan((96, 96), (21, 21), antialias=False)
    generator = np.random.default_rng(0)
    cover, wanted = generator.random((96, 96)), generator.random((21, 21))
    rows, columns = (one.dense() for one in plan.taps)
    change = np.linalg.pinv(rows) @ (wanted - plan(cover)) @ np.linalg.pinv(columns).T
    changed = np.abs(change) > 1e-12
    assert changed.mean() * 100 <= plan.explain().percent + 1e-9
    np.testing.assert_allclose(plan(cover + change), wanted, atol=1e-9)


def test_findings_of_16_to_4():
    assert finding_texts((16, 16), (4, 4), dialect="tensorflow1") == [
        ("high", "240 of 256 pixels get no gradient; dialect=standard, antialias=True reaches all"),
        ("high", "only 6.25 % of the pixels affect the output (open to image-scaling attacks)"),
        ("high", "wavelengths below 8 px alias (75 % of white-noise output power)"),
        ("medium", "the image shifts by 0.375 output pixel down and right relative to half-pixel centers"),
        ("medium", "boxes scaled by n_out / n_in are off by up to 0.375 output pixel; use plan.map_boxes"),
    ]
    assert finding_texts((16, 16), (4, 4)) == [("", "every pixel gets a gradient, from 0.03189 to 0.0791")]


@pytest.mark.parametrize(
    ("arguments", "options", "finding"),
    [
        (((4, 4), (8, 8)), {"dialect": "tfjs"},
         ("high", "the image shifts by 0.5 output pixel up and left relative to half-pixel centers")),
        (((16, 8), (4, 8)), {"dialect": "tfjs"},
         ("medium", "the image shifts by 0.375 output pixel down relative to half-pixel centers")),
        (((16, 4), (4, 8)), {"dialect": "tfjs"},
         ("high", "the image shifts by 0.375 output pixel down and 0.5 output pixel left "
          "relative to half-pixel centers")),
        (((16,), (4,)), {"dialect": "tfjs"},
         ("medium", "the image shifts by 0.375 output pixel right relative to half-pixel centers")),
        (((16, 8, 8), (4, 8, 8)), {"dialect": "tfjs"},
         ("medium", "the image shifts by 0.375 output pixel forward along axis 0 relative to half-pixel centers")),
        (((64, 64), (64, 64)), {"dialect": "jax", "translation": 2.0},
         ("high", "the image shifts by 2 output pixels down and right relative to half-pixel centers")),
        (((64, 64), (64, 64)), {"dialect": "jax", "translation": 2.0},
         ("high", "boxes scaled by n_out / n_in are off by up to 2 output pixels; use plan.map_boxes")),
        (((16, 16), (4, 4)), {"dialect": "torch", "align_corners": True},
         ("medium", "objects appear 20 % smaller than the ratio of the sizes: the edges shift by 0.3 output pixel")),
        (((16, 16), (16, 4)), {"dialect": "torch"},
         ("high", "wavelengths below 8 px alias (axis 1) (52 % of white-noise output power)")),
        (((8, 8), (16, 16)), {"method": "bicubic", "dialect": "torch"},
         ("low", "values from 0 to 1 can become -0.32 to 1.32: negative weights overshoot")),
        (((8, 8), (8, 8)), {"dialect": "jax", "translation": 2.0},
         ("medium", "2 of 8 outputs read no pixel")),
    ],
)  # fmt: skip
def test_single_findings(arguments, options, finding):
    assert finding in finding_texts(*arguments, **options)


def test_weights_that_do_not_sum_to_1():
    made = sw.make_plan((4,), (2,))
    plan = Plan(made.request, (Taps(4, [0, 2], [[0.5, 0.4], [0.5, 0.6]]),))
    found = findings(coverage(plan), (axis(plan.taps[0]),))
    assert ("medium", "constants are not preserved: the weights of an output sum to 0.9 to 1.1") in [
        (one.severity, one.message) for one in found
    ]


@pytest.mark.parametrize("method", ["bicubic", "lanczos3", "mitchell"])
@pytest.mark.parametrize("sizes", [((7, 9), (12, 5)), ((16, 16), (4, 4))], ids=str)
def test_the_stated_range_is_exact(method, sizes):
    text = [text for severity, text in finding_texts(*sizes, method, antialias=False) if "can become" in text]
    low, high = map(float, re.findall(r"-?\d+\.?\d*", text[0].partition("become")[2])[:2])
    rows, columns = sw.make_plan(*sizes, method, antialias=False).matrices()
    weights = np.einsum("ai,bj->abij", rows, columns).reshape(len(rows) * len(columns), -1)
    assert np.minimum(weights, 0).sum(axis=1).min() == pytest.approx(low, abs=0.006)
    assert np.maximum(weights, 0).sum(axis=1).max() == pytest.approx(high, abs=0.006)


@pytest.mark.parametrize("sizes", [(23, 9), (9, 23), (1, 7), (7, 1), (2, 3)], ids=str)
def test_every_variant_of_every_dialect_has_facts(sizes):
    for variant in VARIANTS:
        facts = variant.plan(sizes[:1], sizes[1:]).explain()
        one = facts.axes[0]
        ranks = [SEVERITIES.index(found.severity) for found in facts.findings]
        assert ranks and ranks == sorted(ranks), variant
        numbers = [one.placement.shift, one.placement.stretch, one.response.alias, one.response.alias_share]
        assert np.isfinite([*numbers, *one.response.strength]).all(), variant
        assert not any("nan" in text or "inf" in text for text in repr(facts).split()), variant


def test_a_transposed_plan_has_one_finding():
    found = sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").T.explain().findings
    assert [one.message for one in found] == ["every pixel gets the same gradient, 1"]


@pytest.mark.parametrize("options", [{"dialect": "tensorflow1"}, {"antialias": False}, {"method": "nearest"}], ids=str)
def test_remedies_work(options):
    first = finding_texts((64, 48), (10, 10), **options)[0][1]
    change = dict(re.findall(r"(dialect|method|antialias)=(\w+)", first))
    change["antialias"] = change["antialias"] == "True"
    assert first.endswith("reaches all")
    assert sw.make_plan((64, 48), (10, 10), **{**options, **change}).explain().percent == 100
