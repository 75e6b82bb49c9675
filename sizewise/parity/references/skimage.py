"""scikit-image: skimage.transform.resize with mode="reflect" and preserve_range=True."""

from __future__ import annotations

from ...dialects import Request
from ..reference import Array, Reference

_ORDERS = {"nearest": 0, "linear": 1}


def _resize(x: Array, request: Request) -> Array:
    from skimage.transform import resize

    resized: Array = resize(
        x,
        request.output_size,
        order=_ORDERS[request.method],
        mode="reflect",
        preserve_range=True,
        anti_aliasing=request.antialias,
    )
    return resized


REFERENCES = (Reference("skimage", "skimage", _resize),)
