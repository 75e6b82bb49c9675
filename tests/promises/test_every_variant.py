"""The gradient of every variant of every dialect is the exact transpose of its matrix."""

from __future__ import annotations

from samples import sample
from variants import EVERY, PLACED, Variant, by_dialect, max_axes

import sizewise as sw
from sizewise.testing import dot_test

MAX_LENGTH = 16
SIZES = [((7, 5), (13, 9)), ((17, 12), (5, 7)), ((6, 19), (11, 4)), ((1, 8), (3, 1)), ((9, 4), (9, 10))]


def axes_of(variant: Variant, n_in: int) -> list[sw.Taps]:
    """Return the taps from n_in pixels to every length, several axes to a plan."""
    lengths, n_axes = range(1, MAX_LENGTH + 1), max_axes(variant)
    groups = [lengths[first : first + n_axes] for first in range(0, MAX_LENGTH, n_axes)]
    return [taps for group in groups for taps in variant.plan((n_in,) * len(group), group).taps]


@by_dialect(variant=(*EVERY, *PLACED))
def test_the_gradient_is_the_transpose(variant: Variant) -> None:
    for n_in in sample(range(1, MAX_LENGTH + 1), 5, variant):
        for taps in axes_of(variant, n_in):
            assert (taps.T.dense() == taps.dense().T).all(), taps
    for sizes in SIZES:
        dot_test(variant.plan(*sizes), tolerance=1e-12)
