"""JAX: jax.image.resize compiled by jax.jit, and its transpose. It always uses every core."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "JAX", "jax"


def version() -> str:
    """Return JAX's version."""
    import jax

    return str(jax.__version__)


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return JAX in float32, on all cores: it cannot be limited to fewer."""
    import jax

    from ..machine import cores

    is_known = case.method in ("nearest", "bilinear", "bicubic", "lanczos3")
    if not is_known or case.dtype != "float32" or case.dialect != "standard":
        return []
    if threads != cores():
        raise NotImplementedError("it always uses every core, and cannot be limited to fewer")

    def forward(images: Any) -> Any:
        return jax.image.resize(images, case.batch_shape(*case.size), case.method, antialias=case.antialias)

    compiled = jax.jit(forward)
    device = jax.devices("cpu")[0]
    array = jax.device_put(source, device)
    if case.gradient:
        images = jax.ShapeDtypeStruct(case.result_shape, np.float32)
        compiled = jax.jit(lambda dy: jax.linear_transpose(forward, images)(dy)[0])
    return [from_call(NAME, lambda: compiled(array).block_until_ready())]
