"""Frequency responses: against resized waves, and against formulas."""

from __future__ import annotations

import numpy as np
import pytest

import sizewise as sw
from sizewise.insight.placement import placement
from sizewise.insight.response import response

OPTIONS = [
    {"dialect": "tensorflow1"},
    {"dialect": "torch", "align_corners": True},
    {"antialias": False},
    {},
    {"method": "lanczos3"},
    {"method": "bicubic", "dialect": "torch"},
    {"method": "nearest", "dialect": "torch"},
    {"method": "area"},
]


def of(n_in, n_out, **options):
    plan = sw.make_plan((n_in,), (n_out,), **options)
    return plan, response(plan.taps[0], placement(plan.taps[0]))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("sizes", [(16, 4), (37, 22), (22, 37), (640, 224), (300, 7)], ids=str)
def test_response_equals_that_of_resized_waves(sizes, options):
    """Waves of four phases are resized with the plan, at several frequencies."""
    plan, facts = of(*sizes, **options)
    place = placement(plan.taps[0])
    where = place.coordinates(np.arange(sizes[1]))
    for index in np.linspace(0, len(facts.frequency) - 1, 25).astype(int):
        frequency = facts.frequency[index]
        parts = [plan(np.cos(2 * np.pi * frequency * np.arange(sizes[0]) - phase)) for phase in (0, np.pi / 2)]
        out = parts[0] + 1j * parts[1]
        if frequency > facts.limit:
            expected = np.sqrt(np.mean(np.abs(out) ** 2))
        else:
            expected = np.abs(np.mean(out * np.exp(-2j * np.pi * frequency * where)))
        assert facts.strength[index] == pytest.approx(expected, abs=1e-9)


def test_formulas():
    _, pairs = of(4096, 1024, antialias=False)  # two pixels of four, alike: |cos(pi f)|
    np.testing.assert_allclose(pairs.strength, np.cos(np.pi * pairs.frequency), atol=1e-6)
    _, picked = of(64, 16, dialect="tensorflow1")
    np.testing.assert_allclose(picked.strength, 1, atol=1e-12)
    _, boxes = of(64, 16, method="area")  # four pixels, alike: |sin(4 pi f) / (4 sin(pi f))|
    frequency = boxes.frequency[1:]
    np.testing.assert_allclose(
        boxes.strength[1:], np.abs(np.sin(4 * np.pi * frequency) / (4 * np.sin(np.pi * frequency))), atol=1e-9
    )


@pytest.mark.parametrize(
    ("sizes", "options", "alias", "share"),
    [
        ((16, 4), {"dialect": "tensorflow1"}, 1, 0.75),  # all frequencies alike, and 3 of 4 lie above the limit
        ((256, 224), {"method": "nearest"}, 1, 0.125),
        ((16, 16), {}, 0, 0),
        ((16, 64), {"method": "bicubic"}, 0, 0),
    ],
)
def test_known_aliases(sizes, options, alias, share):
    _, facts = of(*sizes, **options)
    assert facts.alias == pytest.approx(alias, abs=1e-9)
    assert facts.alias_share == pytest.approx(share, abs=1e-9)


def test_the_alias_share_equals_that_of_noise():
    """Noise is resized with and without frequencies above the limit: their share is the added power."""
    plan, facts = of(4096, 1024, antialias=False)
    spectrum = np.fft.rfft(np.random.default_rng(0).standard_normal((4096, 400)), axis=0)
    above = np.arange(len(spectrum)) / 4096 > facts.limit
    parts = [plan(np.fft.irfft(spectrum * keep[:, None], 4096, axis=0), axes=0) for keep in (above, ~above)]
    powers = [float(np.mean(part**2)) for part in parts]
    assert facts.alias_share == pytest.approx(powers[0] / sum(powers), abs=0.01)


def test_antialiasing_reduces_the_alias_share():
    shares = [of(1024, 224, **options)[1].alias_share for options in ({"antialias": False}, {}, {"method": "lanczos3"})]
    assert shares[0] > 0.6 > 0.1 > shares[1] > shares[2]


@pytest.mark.parametrize(
    ("n_in", "n_out", "method"),
    [(10**6, 4, "lanczos3"), (4, 10**6, "bicubic"), (10**6, 500_000, "area"), (4000, 224, "lanczos3"), (1, 1, "area")],
)
def test_the_number_of_frequencies_is_bounded(n_in, n_out, method):
    _, facts = of(n_in, n_out, method=method)
    assert len(facts.frequency) == len(facts.strength) <= 390
    assert (np.diff(facts.frequency) > 0).all()
    assert facts.frequency[-1] == 0.5
    assert np.isfinite(facts.strength).all()
    assert facts.is_logarithmic == (n_in > 16 * n_out)
    if n_in > n_out:
        assert (facts.frequency <= facts.limit).any() and (facts.frequency > facts.limit).any()
        assert facts.alias_at > facts.limit
