"""Albumentations transforms on Sizewise: `Resize` with any method and dialect, `Preprocess` for a Preprocessor.

>>> import albumentations as A, numpy as np
>>> from sizewise.compat.albumentations import Resize
>>> pipeline = A.Compose([Resize(32, 48, "bicubic", "pillow"), A.HorizontalFlip()])
>>> pipeline(image=np.zeros((60, 80, 3), np.uint8), mask=np.zeros((60, 80), np.uint8))["mask"].shape
(32, 48)

By default, images get the pixels of albumentations.Resize, which are those of OpenCV: uint8 bit for bit; float32 within
4 units in the last place, or 64 where OpenCV uses Intel's IPP.
"""

from __future__ import annotations

from typing import Any

from .. import api, validation
from ..errors import ArgumentTypeError, MissingExtraError, UnsupportedError

try:
    import albumentations
except ModuleNotFoundError as missing:
    if missing.name != "albumentations":
        raise
    raise MissingExtraError("sizewise.compat.albumentations", "albumentations") from missing

from albumentations.augmentations.geometric.functional import keypoints_scale
from albumentations.core.type_definitions import ALL_TARGETS

__all__ = ["Preprocess", "Resize"]
__dir__ = __all__.copy


class Resize(albumentations.DualTransform):  # type: ignore[misc,unused-ignore]
    """Resizes images and masks, with their boxes and key points, as albumentations.Resize does.

    Args:
        height: of the result.
        width: of the result.
        method: of `sw.resize`, for images.
        dialect: of `sw.resize`, for images and masks.
        antialias: of `sw.resize`, for images; by default that of the dialect.
        mask_method: the method for masks.
        p: the probability of applying the transform.

    >>> import numpy as np
    >>> Resize(2, 3)(image=np.zeros((4, 6, 3), np.uint8))["image"].shape
    (2, 3, 3)
    """

    _targets = ALL_TARGETS

    def __init__(
        self,
        height: int,
        width: int,
        method: str = "bilinear",
        dialect: str = "opencv",
        antialias: bool | None = None,
        mask_method: str = "nearest",
        p: float = 1,
    ) -> None:
        super().__init__(p=p)
        self.height, self.width = (
            validation.require_int(length, name, 1) for name, length in (("height", height), ("width", width))
        )
        self.method, self.dialect, self.antialias, self.mask_method = method, dialect, antialias, mask_method
        for name, given in ((method, antialias), (mask_method, None)):  # refuse bad names here, not at the first image
            api.make_plan((2, 2), (1, 1), name, dialect=dialect, antialias=given)

    def apply(self, img: Any, **params: Any) -> Any:
        """Return an image (height, width) or (height, width, channels), resized."""
        return self._resize(img, self.method, self.antialias)

    def apply_to_mask(self, mask: Any, **params: Any) -> Any:
        """Return a mask resized by `mask_method`."""
        return self._resize(mask, self.mask_method, None)

    def apply_to_bboxes(self, bboxes: Any, **params: Any) -> Any:
        """Return the boxes: they are fractions of the image here."""
        return bboxes

    def apply_to_keypoints(self, keypoints: Any, **params: Any) -> Any:
        """Return key points, scaled as the image is."""
        height, width = params["shape"][:2]
        return keypoints_scale(keypoints, self.width / width, self.height / height)

    def _resize(self, image: Any, method: str, antialias: bool | None) -> Any:
        size = self.height, self.width
        if image.shape[:2] == size:
            return image
        return api.resize(image, size, method, dialect=self.dialect, antialias=antialias, axes=(0, 1))


class Preprocess(albumentations.DualTransform):  # type: ignore[misc,unused-ignore]
    """Applies a Preprocessor to images, as the last step of a pipeline.

    Masks, boxes and key points are refused: a recipe says nothing about them. Pipelines with it cannot be serialized by
    albumentations; save the preprocessor itself.

    >>> import numpy as np, sizewise as sw
    >>> from sizewise.preprocess import Exact, Layout, Rescale, Resize
    >>> pre = sw.Preprocessor([Resize(Exact(8, 8)), Rescale(1 / 255), Layout("CHW")])
    >>> Preprocess(pre)(image=np.zeros((16, 20, 3), np.uint8))["image"].shape
    (3, 8, 8)
    """

    _targets = ALL_TARGETS

    def __init__(self, pre: Any, p: float = 1) -> None:
        super().__init__(p=p)
        if not callable(pre) or not hasattr(pre, "steps"):
            raise ArgumentTypeError(f"pre must be a sizewise.Preprocessor, not {type(pre).__name__}")
        self.pre = pre

    @classmethod
    def is_serializable(cls) -> bool:
        """Return False."""
        return False

    def apply(self, img: Any, **params: Any) -> Any:
        """Return the preprocessed image."""
        return self.pre(img, layout="HWC")

    def _refuse(self, *_: Any, **params: Any) -> Any:
        """Raise UnsupportedError."""
        raise UnsupportedError("a Preprocessor is for images; transform masks, boxes and key points before it")

    apply_to_mask = apply_to_bboxes = apply_to_keypoints = _refuse
