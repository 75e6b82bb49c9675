"""JAX: jax.image.resize compiled by jax.jit, and its transpose. It always uses every core."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "JAX", "jax"


def version() -> str:
    """JAX's version."""
    import jax

    return str(jax.__version__)


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """JAX in float32, on as many threads as there are cores; it cannot be told to use fewer."""
    import jax

    from ..machine import cores

    known = case.method in ("nearest", "bilinear", "bicubic", "lanczos3")
    if not known or case.dtype != "float32" or case.dialect != "standard":
        return []
    if threads != cores():
        raise NotImplementedError("it always uses every core, and cannot be told to use fewer")

    def forward(images: Any) -> Any:
        return jax.image.resize(images, case.arranged(*case.size), case.method, antialias=case.antialias)

    compiled = jax.jit(forward)
    device = jax.devices("cpu")[0]
    given = jax.device_put(source, device)
    if case.gradient:
        images = jax.ShapeDtypeStruct(case.result_shape, np.float32)
        compiled = jax.jit(lambda dy: jax.linear_transpose(forward, images)(dy)[0])
    return [of_call(NAME, lambda: compiled(given).block_until_ready())]
