"""JAX's jax.image.resize, CPU."""

from __future__ import annotations

import numpy as np

from . import Fault, right

_LOAD = "import jax\nimport jax.numpy as jnp\n\n"
_NEAREST = """
compiled = jax.image.resize(jnp.arange(10), (25,), "nearest")
with jax.disable_jit():
    stepwise = jax.image.resize(jnp.arange(10), (25,), "nearest")
jnp.stack([compiled, stepwise])[:, :8]
"""

FAULTS = (
    Fault(
        framework="jax",
        kind="forward",
        title="nearest reads different pixels compiled and uncompiled",
        why="The compiler multiplies by a reciprocal: output 2 lies at 1 and reads pixel 0. Sizewise's default is "
        'exact; its dialect "jax" always gives the compiled pixels.',
        call=_LOAD + _NEAREST.strip(),
        right=lambda: np.array([(2 * o + 1) * 10 // 50 for o in range(8)]),
        ours='sw.resize(np.arange(10), 25, "nearest")[:8]',
    ),
    Fault(
        framework="jax",
        kind="forward",
        title="area that grows 8400 times or more is 0",
        why="Sums of weights below 0.00012 are treated as 0, and here a sum is the step. The mean of ones is 1. "
        "The first outputs are shown.",
        call=_LOAD + 'jax.image.resize(jnp.ones(1), (10000,), "area")[:4]',
        right=lambda: right.tent([1], right.centers(1, 4)),
        ours='sw.resize(np.ones(1), 10000, "area", dialect="jax")[:4]',
    ),
)
