"""TensorFlow: its image-resizing calls and Keras's layer, with every gradient; swap the import, keep the code.

>>> import tensorflow as tf
>>> from sizewise.compat import tensorflow as image
>>> image.resize(tf.reshape(tf.range(4.0), (2, 2, 1)), (2, 4))[0, :, 0].numpy()
array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import MissingExtraError

try:
    from .ops import (
        resize,
        resize_area,
        resize_bicubic,
        resize_bilinear,
        resize_nearest_neighbor,
        scale_and_translate,
    )
except ModuleNotFoundError as missing:
    if missing.name != "tensorflow":
        raise
    raise MissingExtraError("sizewise.compat.tensorflow", "tensorflow") from missing

if TYPE_CHECKING:
    from .layer import Resizing

__all__ = [
    "Resizing",
    "resize",
    "resize_area",
    "resize_bicubic",
    "resize_bilinear",
    "resize_nearest_neighbor",
    "scale_and_translate",
]
__dir__ = __all__.copy


def __getattr__(name: str) -> Any:
    if name == "Resizing":  # which needs a Keras that all else here does not
        from .layer import Resizing

        return Resizing
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
