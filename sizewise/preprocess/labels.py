"""Labels of preprocessed images: methods that map them through resizes, crops and margins, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..autograph import do_not_convert
from ..label_maps import LABEL_METHODS
from ..label_masks import Chain
from .size_rules import Size

if TYPE_CHECKING:
    from ..geometry import Geometry
    from .steps import Step


class LabelSteps:
    """Methods that map labels of an image of (height, width) to labels of the result; those of a plan for all steps.

    Points are those of the decoded image: with `orientation="exif"` of the upright one, and `input_size` is its size.
    Padding of a batch, at the bottom and right, moves nothing; boxes normalized by the size refer to the result before
    that padding.
    """

    __slots__ = ()
    if TYPE_CHECKING:
        steps: tuple[Step, ...]

        def sizes(self, input_size: Size) -> list[Size]:
            """Return (height, width) of the input, and after each step."""

    def geometry(self, input_size: Size) -> Geometry:
        """Return where the pixels of an image of (height, width) are in the result: scale, shift and deviation.

        >>> from sizewise.preprocess import Fit, PadTo, Preprocessor, Resize
        >>> Preprocessor([Resize(Fit(640, 640), "linear", "opencv"), PadTo(640, 640)]).geometry((720, 1280))
        Geometry 720x1280 -> 640x640
        axis   scale   shift   deviation (out)   (in)
        0      0.5     140     0                 0
        1      0.5     0       0                 0
        """
        return self._chain(input_size).geometry

    def map_points(self, points: Any, input_size: Size, **options: Any) -> Any:
        """Return points of an image as points of the result; `options` are those of `Plan.map_points`.

        >>> from sizewise.preprocess import CenterCrop, Preprocessor
        >>> Preprocessor([CenterCrop(224, 224)]).map_points([[320, 240]], (480, 640))
        array([[112., 112.]])
        """
        return self._chain(input_size).map_points(points, **options)

    def unmap_points(self, points: Any, input_size: Size, **options: Any) -> Any:
        """Return points of the result as points of an image; `options` are those of `Plan.unmap_points`.

        >>> from sizewise.preprocess import CenterCrop, Preprocessor
        >>> Preprocessor([CenterCrop(224, 224)]).unmap_points([[112, 112]], (480, 640))
        array([[320., 240.]])
        """
        return self._chain(input_size).unmap_points(points, **options)

    def map_boxes(self, boxes: Any, input_size: Size, format: str = "xyxy", **options: Any) -> Any:
        """Return boxes of an image as boxes of the result; `options` are those of `Plan.map_boxes`.

        >>> from sizewise.preprocess import PadToSquare, Preprocessor
        >>> Preprocessor([PadToSquare()]).map_boxes([[0, 0, 100, 100]], (480, 640), "xywh")
        array([[  0.,  80., 100., 100.]])
        """
        return self._chain(input_size).map_boxes(boxes, format, **options)

    def unmap_boxes(self, boxes: Any, input_size: Size, format: str = "xyxy", **options: Any) -> Any:
        """Return boxes of the result, such as those a detector finds, as boxes of an image.

        >>> from sizewise.preprocess import PadToSquare, Preprocessor
        >>> Preprocessor([PadToSquare()]).unmap_boxes([[0, 0, 640, 640]], (480, 640), clip=True)
        array([[  0.,   0., 640., 480.]])
        """
        return self._chain(input_size).unmap_boxes(boxes, format, **options)

    def map_polygons(self, polygons: Any, input_size: Size, **options: Any) -> Any:
        """Return polygons of an image as polygons of the result, in their form; see `Plan.map_polygons`.

        >>> from sizewise.preprocess import PadBy, Preprocessor
        >>> Preprocessor([PadBy(1, 1, 2, 2)]).map_polygons([[0, 0, 4, 0, 4, 4]], (8, 8))
        [[2.0, 1.0, 6.0, 1.0, 6.0, 5.0]]
        """
        return self._chain(input_size).map_polygons(polygons, **options)

    def unmap_polygons(self, polygons: Any, input_size: Size, **options: Any) -> Any:
        """Return polygons of the result as polygons of an image, in their form; see `Plan.unmap_polygons`.

        >>> from sizewise.preprocess import PadBy, Preprocessor
        >>> Preprocessor([PadBy(1, 1, 2, 2)]).unmap_polygons([2, 1, 6, 1, 6, 5], (8, 8))
        [0.0, 0.0, 4.0, 0.0, 4.0, 4.0]
        """
        return self._chain(input_size).unmap_polygons(polygons, **options)

    def map_masks(
        self, masks: Any, input_size: Size, soft: bool = False, axes: int | Sequence[int] | None = None, **options: Any
    ) -> Any:
        """Return masks of an image as masks of the result, with `fill` in margins; see `Plan.map_masks`.

        >>> import numpy as np
        >>> from sizewise.preprocess import PadBy, Preprocessor
        >>> Preprocessor([PadBy(0, 0, 1, 1)]).map_masks(np.ones((1, 2), np.uint8), (1, 2), fill=255)
        array([[255,   1,   1, 255]], dtype=uint8)
        """
        return self._chain(input_size).map_masks(masks, soft, axes, **options)

    def unmap_masks(
        self, masks: Any, input_size: Size, soft: bool = False, axes: int | Sequence[int] | None = None, **options: Any
    ) -> Any:
        """Return masks of the result as masks of an image, with `fill` where it was cropped; see `Plan.unmap_masks`.

        >>> import numpy as np
        >>> from sizewise.preprocess import CenterCrop, Preprocessor
        >>> Preprocessor([CenterCrop(1, 2)]).unmap_masks(np.ones((1, 2), np.uint8), (1, 4))
        array([[0, 1, 1, 0]], dtype=uint8)
        """
        return self._chain(input_size).unmap_masks(masks, soft, axes, **options)

    def map_intrinsics(self, matrices: Any, input_size: Size, *, origin: str = "center") -> Any:
        """Return camera matrices (..., 3, 3) of an image as those of the result; see `Plan.map_intrinsics`.

        >>> import numpy as np
        >>> from sizewise.preprocess import CenterCrop, Preprocessor
        >>> K = np.array([[500.0, 0.0, 319.5], [0.0, 500.0, 239.5], [0.0, 0.0, 1.0]])
        >>> Preprocessor([CenterCrop(224, 224)]).map_intrinsics(K, (480, 640))[:2, 2]
        array([111.5, 111.5])
        """
        return self._chain(input_size).map_intrinsics(matrices, origin=origin)

    def unmap_intrinsics(self, matrices: Any, input_size: Size, *, origin: str = "center") -> Any:
        """Return camera matrices of the result as those of an image: the inverse of `map_intrinsics`.

        >>> import numpy as np
        >>> from sizewise.preprocess import CenterCrop, Preprocessor
        >>> Preprocessor([CenterCrop(224, 224)]).unmap_intrinsics(np.eye(3), (480, 640))[:2, 2]
        array([208., 128.])
        """
        return self._chain(input_size).unmap_intrinsics(matrices, origin=origin)

    def map_flow(
        self, flow: Any, input_size: Size, axes: int | Sequence[int] | None = None, *,
        layout: str | None = None, order: str = "xy",
    ) -> Any:  # fmt: skip
        """Return an optical flow (x, y) of an image as that of the result, 0 in margins; see `Plan.map_flow`.

        >>> import numpy as np
        >>> from sizewise.preprocess import Exact, Preprocessor, Resize
        >>> Preprocessor([Resize(Exact(2, 2))]).map_flow(np.ones((4, 4, 2)), (4, 4))[0, 0]
        array([0.5, 0.5])
        """
        return self._chain(input_size).map_flow(flow, axes, layout=layout, order=order)

    def unmap_flow(
        self, flow: Any, input_size: Size, axes: int | Sequence[int] | None = None, *,
        layout: str | None = None, order: str = "xy",
    ) -> Any:  # fmt: skip
        """Return an optical flow of the result as that of an image, 0 where it was cropped; see `Plan.unmap_flow`.

        >>> import numpy as np
        >>> from sizewise.preprocess import Exact, Preprocessor, Resize
        >>> Preprocessor([Resize(Exact(2, 2))]).unmap_flow(np.ones((2, 2, 2)), (4, 4))[0, 0]
        array([2., 2.])
        """
        return self._chain(input_size).unmap_flow(flow, axes, layout=layout, order=order)

    def _chain(self, input_size: Size) -> Chain:
        """Return the resizes, crops and margins of an image of that size."""
        sizes = self.sizes(input_size)
        links = [step.links(size) for step, size in zip(self.steps, sizes[:-1], strict=True)]
        return Chain(sizes[0], [link for each in links for link in each])


for _name in LABEL_METHODS:
    do_not_convert(vars(LabelSteps)[_name])
