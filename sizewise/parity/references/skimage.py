"""scikit-image: skimage.transform.resize with mode="reflect" and preserve_range=True."""

from __future__ import annotations

from typing import Any

from ...dialects import Request
from ..reference import Array, Reference

_ORDERS = {"nearest": 0, "linear": 1}


def _resize(x: Array, request: Request) -> Array:
    from skimage.transform import resize

    arguments: dict[str, Any] = {"order": _ORDERS[request.method], "anti_aliasing": request.antialias}
    resized: Array = resize(x, request.output_size, mode="reflect", preserve_range=True, **arguments)
    return resized


REFERENCES = (Reference("skimage", "skimage", _resize),)
