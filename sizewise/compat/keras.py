"""Keras's layer Resizing on Sizewise, for each backend of Keras 3: TensorFlow, PyTorch and JAX.

By default, images get the pixels of the backend that Keras runs on, which differ: PyTorch's bicubic filter is not
TensorFlow's. `dialect` gives a model the same pixels on every backend.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import api, validation
from ..errors import ArgumentError, MissingExtraError, UnsupportedError

try:
    import keras
except ModuleNotFoundError as missing:
    if missing.name != "keras":
        raise
    raise MissingExtraError("sizewise.compat.keras", "keras") from missing

if not hasattr(keras.layers.Resizing, "transform_images"):
    raise ArgumentError(f"Resizing needs a newer Keras 3 than {keras.__version__}: pip install -U keras")

__all__ = ["Resizing"]
__dir__ = __all__.copy

_BACKENDS = ("tensorflow", "torch", "jax")  # each is the name of its dialect, too


@keras.saving.register_keras_serializable(package="sizewise.keras")  # type: ignore[untyped-decorator,unused-ignore]
class Resizing(keras.layers.Resizing):  # type: ignore[misc,unused-ignore]
    """The layer keras.layers.Resizing, with its arguments, configuration, masks and boxes, and `dialect`.

    Models with this layer are saved and loaded as usual, once this module is imported.

    Args:
        height: of the result.
        width: of the result.
        interpolation: a method of Keras; with `dialect`, any method that it has.
        crop_to_aspect_ratio: crop images to the aspect ratio of the result first.
        pad_to_aspect_ratio: pad images to the aspect ratio of the result first.
        fill_mode: "constant".
        fill_value: of the padding.
        antialias: whether to antialias where images shrink.
        data_format: "channels_last" or "channels_first"; by default that of Keras.
        dialect: the library whose pixels to return; by default that of the backend.

    >>> import numpy as np
    >>> Resizing(4, 4, antialias=True)(np.ones((2, 16, 16, 3), "float32")).shape == (2, 4, 4, 3)
    True
    """

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        fill_mode: str = "constant",
        fill_value: float = 0.0,
        antialias: bool = False,
        data_format: str | None = None,
        *,
        dialect: str | None = None,
        **kwargs: Any,
    ) -> None:
        for name, length in (("height", height), ("width", width)):  # here, not at the first image
            validation.require_int(length, name, 1)
        validation.require_bool(antialias, "antialias")
        validation.require_float(fill_value, "fill_value")
        fit = {"crop_to_aspect_ratio": crop_to_aspect_ratio, "pad_to_aspect_ratio": pad_to_aspect_ratio}
        fill = {"fill_mode": fill_mode, "fill_value": fill_value}
        options = {"interpolation": interpolation, "antialias": antialias, "data_format": data_format}
        super().__init__(height, width, **options, **fit, **fill, **kwargs)
        if crop_to_aspect_ratio and pad_to_aspect_ratio:
            raise ArgumentError("crop_to_aspect_ratio and pad_to_aspect_ratio are both True; give one")
        if fill_mode != "constant":
            raise ArgumentError(f"fill_mode must be 'constant', not {fill_mode!r}")
        self.dialect = dialect
        api.make_plan((2, 2), (1, 1), interpolation, dialect=dialect or "tensorflow")  # which has every method

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the layer."""
        return {**super().get_config(), "dialect": self.dialect}

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        """Return the images resized."""
        return self._resize(images, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        """Return masks resized by "nearest", which keeps their values."""
        return self._resize(segmentation_masks, "nearest")

    def _resize(self, images: Any, method: str) -> Any:
        images = self.backend.convert_to_tensor(images)
        options: dict[str, Any] = {"antialias": self.antialias and method != "nearest"}
        dtype = keras.backend.standardize_dtype(images.dtype)
        x = self._fit_aspect_ratio(images, dtype)
        if self.dialect is not None:
            options["dialect"] = self.dialect
        else:
            x, method, options = self._as_backend(x, method, options)
        axes = (-3, -2) if self.data_format == "channels_last" else (-2, -1)
        return self._cast_back(api.resize(x, (self.height, self.width), method, axes=axes, **options), dtype)

    def _as_backend(self, x: Any, method: str, options: dict[str, Any]) -> tuple[Any, str, dict[str, Any]]:
        """Return the images, the method and the options that give the pixels of the backend."""
        name = self.backend.name
        if name not in _BACKENDS:
            raise UnsupportedError(f"Resizing has no pixels of Keras on {name}; give dialect, such as 'tensorflow'")
        options = {**options, "dialect": name}
        dtype = keras.backend.standardize_dtype(x.dtype)
        if name == "torch":
            if method not in ("nearest", "bilinear", "bicubic"):
                raise UnsupportedError(f"Keras on PyTorch has no {method!r}; give dialect, such as 'tensorflow'")
            if dtype not in ("float32", "float64"):
                x = self.backend.cast(x, "float32")
            return (x, "nearest-exact", {"dialect": name}) if method == "nearest" else (x, method, options)
        if name == "tensorflow" and method != "nearest" and keras.backend.is_float_dtype(dtype):
            x = self.backend.cast(x, "float32")  # as in tf.image.resize
        return x, method, options

    def _cast_back(self, y: Any, dtype: str) -> Any:
        """Return the result in the dtype of the images: rounded half to even, and clipped."""
        if keras.backend.standardize_dtype(y.dtype) == dtype:
            return y
        if not keras.backend.is_int_dtype(dtype):
            return self.backend.cast(y, dtype)
        limits = np.iinfo(dtype)
        high = np.float32(limits.max)
        if int(high) > limits.max:  # the largest integers of 32 bits are no float32
            high = np.nextafter(high, np.float32(0))
        return self.backend.cast(self.backend.numpy.clip(self.backend.numpy.round(y), limits.min, high), dtype)

    def _fit_aspect_ratio(self, images: Any, dtype: str) -> Any:
        """Return the images cropped or padded to the aspect ratio of the output, if the layer has that option."""
        if not (self.crop_to_aspect_ratio or self.pad_to_aspect_ratio):
            return images
        rank = len(images.shape)
        first = rank + self.height_axis
        height, width = images.shape[first : first + 2]
        if height is None or width is None:
            raise ArgumentError(f"the height and width of images must be known; they have shape {images.shape}")
        fitted = self._divide(width * self.height, self.width), self._divide(height * self.width, self.height)
        if self.crop_to_aspect_ratio:
            window: list[slice] = []
            for n, fit in zip((height, width), fitted, strict=True):
                length = max(min(n, fit), 1)
                start = self._divide(n - length, 2)
                window.append(slice(start, start + length))
            return images[(*[slice(None)] * first, *window)]
        margins = [self._divide(max(n, fit) - n, 2) for n, fit in zip((height, width), fitted, strict=True)]
        if self.backend.name != "tensorflow" and keras.backend.is_int_dtype(dtype):
            images = self.backend.cast(images, "float32")  # TensorFlow alone casts the fill value instead
        return self._pad(images, first, margins)

    def _pad(self, images: Any, first: int, margins: list[int]) -> Any:
        widths = [(0, 0)] * first + [(n, n) for n in margins]
        widths += [(0, 0)] * (len(images.shape) - len(widths))
        dtype = keras.backend.standardize_dtype(images.dtype)
        fill = int(self.fill_value) if keras.backend.is_int_dtype(dtype) else self.fill_value
        return self.backend.numpy.pad(images, widths, mode="constant", constant_values=fill)

    def _divide(self, count: int, by: int) -> int:
        """Return count / by rounded down; in float32 on TensorFlow, as in Keras."""
        return int(np.float32(count) / np.float32(by)) if self.backend.name == "tensorflow" else int(count / by)
