"""Properties of filters: those that a filter claims hold, the others do not."""

from __future__ import annotations

import numpy as np
import pytest
from naive_filters import FILTERS

import sizewise as sw
from sizewise.errors import UnknownNameError
from sizewise.filters import Filter

EVERYWHERE = np.linspace(-6, 6, 12 * 64 + 1)


@pytest.fixture(params=sw.filters.names())
def kernel(request: pytest.FixtureRequest) -> Filter:
    return sw.filters.get(request.param)


def sums_of_shifts(kernel: Filter) -> np.ndarray:
    """The sum over all whole shifts, at places between two pixels."""
    return kernel(np.linspace(0, 1, 65)[:, None] + np.arange(-6, 7)).sum(axis=1)


def test_even(kernel: Filter) -> None:
    assert (kernel(EVERYWHERE) == kernel(-EVERYWHERE)).all()
    assert kernel(np.array(0.25)) != kernel(np.array(0.75))


def test_support_is_the_smallest_possible(kernel: Filter) -> None:
    assert (kernel(EVERYWHERE[np.abs(EVERYWHERE) > kernel.support]) == 0).all()
    assert kernel(np.array(kernel.support - 1e-3)) != 0


def test_interpolating(kernel: Filter) -> None:
    at_pixels = kernel(np.arange(-6.0, 7.0))
    assert bool((at_pixels == np.eye(13)[6]).all()) == kernel.interpolating


def test_partition_of_unity(kernel: Filter) -> None:
    holds = np.abs(sums_of_shifts(kernel) - 1).max() <= 16 * np.finfo(np.float64).eps
    assert bool(holds) == kernel.partition_of_unity


def test_nonnegative(kernel: Filter) -> None:
    assert bool((kernel(EVERYWHERE) >= 0).all()) == kernel.nonnegative


def test_nonnegative_filters_stay_in_range(kernel: Filter) -> None:
    step = np.repeat([0.0, 1.0], 8)
    result = sw.resize(step, 33, kernel.name)
    stays = result.min() >= 0 and result.max() <= 1 + 1e-12
    assert stays == kernel.nonnegative


def test_both_answers_occur() -> None:
    every = [sw.filters.get(name) for name in sw.filters.names()]
    for flag in ("interpolating", "partition_of_unity", "nonnegative"):
        assert {getattr(one, flag) for one in every} == {True, False}, flag


def test_names_and_aliases() -> None:
    assert set(sw.filters.names()) == set(FILTERS)
    assert sw.filters.aliases() == {
        "linear": "bilinear",
        "triangle": "bilinear",
        "cubic": "bicubic",
        "lanczos": "lanczos3",
    }
    for alias, name in sw.filters.aliases().items():
        assert sw.filters.get(alias) is sw.filters.get(name)
    with pytest.raises(UnknownNameError, match="did you mean 'lanczos3'"):
        sw.filters.get("lancsoz3")
