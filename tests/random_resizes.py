"""A broad set of resizes: every variant, with seeded ranks, sizes, channels, strides, byte orders and threads."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from variants import VARIANTS, Variant, max_axes, noise

CHANNELS = (1, 2, 3, 4, 5, 15, 16, 20, 64)


def run_random_resizes(dtypes: Iterable[str], rounds: int = 2, variants: Iterable[Variant] = VARIANTS) -> None:
    """Resize and differentiate with every variant, with new values for each dtype and round."""
    random = np.random.default_rng(0)
    for variant in variants:
        for dtype in dtypes:
            for _ in range(rounds):
                shape = (*random.integers(1, 3, random.integers(0, 2)), *random.integers(1, 40, 2))
                if random.random() < 0.8:
                    shape = (*shape, random.choice(CHANNELS))
                rank = len(shape)
                n_axes = int(random.integers(1, min(rank, 3, max_axes(variant)) + 1))
                axes = tuple(map(int, random.permutation(rank)[:n_axes]))
                size = tuple(int(n) for n in random.integers(1, 60, n_axes))
                x = noise(shape, dtype)
                if random.random() < 0.2:
                    x = x[..., ::-1]
                if random.random() < 0.1:
                    x = x.astype(x.dtype.newbyteorder(">"))
                y = variant.resize(x, size, axes=axes, threads=int(random.integers(1, 3)))
                if y.dtype.kind == "f":
                    variant.grad(y, tuple(shape[axis] for axis in axes), axes=axes)
