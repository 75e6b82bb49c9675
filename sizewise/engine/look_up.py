"""Look-up tables for the bytes of images: what pointwise arithmetic on uint8 amounts to."""

from __future__ import annotations

from .. import _core
from .layout import is_c_contiguous
from .packing import Array

NATIVE_ITEMSIZES = (2, 4)


def look_up(x: Array, tables: Array, out: Array, *, channels_first: bool) -> None:
    """Fill `out` with the entries of `tables`, (channels, 256), for each byte of x, (height, width, channels).

    >>> import numpy as np
    >>> out = np.empty((2, 1, 1), np.float32)
    >>> look_up(np.uint8([[[3, 4]]]), np.arange(512, dtype=np.float32).reshape(2, 256), out, channels_first=True)
    >>> out.ravel()
    array([  3., 260.], dtype=float32)
    """
    module = _core.native()
    if module is not None and out.itemsize in NATIVE_ITEMSIZES and is_c_contiguous(x, tables, out) and x.size:
        # A view of integers: no buffer holds bfloat16.
        module.look_up(x, tables.view(f"u{out.itemsize}"), out.view(f"u{out.itemsize}"), x.shape[-1], channels_first)
        return
    for channel, table in enumerate(tables):
        pixels = x[..., channel]
        if channels_first:
            table.take(pixels, out=out[channel], mode="clip")  # any byte is in range
        else:
            out[..., channel] = table.take(pixels, mode="clip")
