"""Every variant of every dialect, each option among them: its gradient is the transpose of its own matrix, exactly."""

from __future__ import annotations

import pytest
from samples import sample
from variants import EVERY, PLACED, Variant, most_axes

import sizewise as sw
from sizewise.testing import dot_test

LONGEST = 16
SIZES = [((7, 5), (13, 9)), ((17, 12), (5, 7)), ((6, 19), (11, 4)), ((1, 8), (3, 1)), ((9, 4), (9, 10))]


def axes_of(variant: Variant, n_in: int) -> list[sw.Taps]:
    """The taps from n_in pixels to every length; as many axes at once as the variant takes."""
    lengths, most = range(1, LONGEST + 1), most_axes(variant)
    groups = [lengths[first : first + most] for first in range(0, LONGEST, most)]
    return [taps for group in groups for taps in variant.plan((n_in,) * len(group), group).taps]


@pytest.mark.parametrize("variant", (*EVERY, *PLACED), ids=str)
def test_the_gradient_is_the_transpose(variant: Variant) -> None:
    for n_in in sample(range(1, LONGEST + 1), 3, variant):
        for taps in axes_of(variant, n_in):
            assert (taps.T.dense() == taps.dense().T).all(), taps
    for sizes in SIZES:
        dot_test(variant.plan(*sizes), tolerance=1e-12)
