"""Steps of a preprocessor: small immutable values, each with a name.

Between steps, images are (..., height, width, channels). A step has

- `apply(x)`, for arrays of NumPy, PyTorch, JAX and TensorFlow;
- `output_size(size)`, from (height, width) to (height, width);
- `links(size)`, its geometry for labels: resizes, and crops or margins, for which `first_pixel(size)` is enough;
- `grad(dy, size)`, the gradient of its input of (height, width), given that of its output: a transpose, as everywhere
  in Sizewise. Rounding to integers counts as the identity.

A step that is `is_pointwise` maps each value of a channel by itself, so that a run of them over bytes is one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..api import make_plan, resize, resize_grad
from ..errors import ArgumentError, unknown_name
from ..label_masks import Window
from ..plan import Plan
from ..resize_spec import ResizeSpec
from . import array_ops, fields
from .array_ops import Margins
from .rounding import require_rounding, round_to
from .size_rules import Size, SizeRule

Color = tuple[float, ...]
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = ("uint8", *FLOATS)


class Step:
    """Base class of the steps; `name` is that of the JSON form and of reports.

    >>> from sizewise.preprocess import CenterCrop
    >>> step = CenterCrop(2, 2)
    >>> step.name, step.output_size((4, 6)), step.first_pixel((4, 6))
    ('center_crop', (2, 2), (1, 2))
    """

    name: ClassVar[str] = ""
    is_pointwise: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Raise ArgumentError for a field of another type."""
        fields.normalize(self)

    def apply(self, x: Any) -> Any:
        """Return images (..., height, width, channels) after this step."""
        return x

    def output_size(self, size: Size) -> Size:
        """Return (height, width) after this step."""
        return size

    def grad(self, dy: Any, size: Size) -> Any:
        """Return the gradient with respect to the input, which has that size."""
        return dy

    def first_pixel(self, size: Size) -> Size:
        """Return the row and column of the input, or outside it, that become row and column 0."""
        return 0, 0

    def links(self, size: Size) -> tuple[Plan | Window, ...]:
        """Return the resizes, crops and margins of an image of that size: the geometry of the step."""
        first, output_size = self.first_pixel(size), self.output_size(size)
        return () if (first, output_size) == ((0, 0), size) else (Window(size, output_size, first),)

    @property
    def canonical(self) -> Step | None:
        """The step with defaults filled in, or None if it has no effect: equal where two steps mean the same.

        One value stands for channels that are all alike, and "floor" for "int": no length is negative.
        """
        canonical: Step = canonical_fields(self)
        return canonical


def canonical_fields(value: Any) -> Any:
    """Return a step or rule with its roundings and colors in one spelling."""
    changes: dict[str, Any] = {}
    for name, given in vars(value).items():
        if name.endswith("rounding") and given == "int":
            changes[name] = "floor"
        elif isinstance(given, tuple) and len(set(given)) == 1:
            changes[name] = given[:1]
    return replace(value, **changes) if changes else value


def require_known(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise UnknownNameError for a name that is not known."""
    if value not in known:
        raise unknown_name(name, value, known)


def size_of(x: Any) -> Size:
    """Return (height, width) of images (..., height, width, channels)."""
    return int(x.shape[-3]), int(x.shape[-2])


def crop(x: Any, top: int, left: int, size: Size) -> Any:
    """Return a part of images, of (height, width)."""
    return x[..., top : top + size[0], left : left + size[1], :]


@dataclass(frozen=True)
class Decode(Step):
    """Decode files and bytes with a library; convert images to `mode`.

    Args:
        mode: "RGB", "L" (gray) or "RGBA".
        orientation: of files and Pillow images: "exif" (rotate upright) or "ignore".
        decoder: of files: "pillow", "opencv" or "tensorflow".
        background: the color behind transparent pixels, as bytes; without it, alpha is dropped.

    Arrays are taken as decoded; a gray one becomes RGB.

    >>> from PIL import Image
    >>> from sizewise.preprocess import Decode, Preprocessor
    >>> image = Image.new("RGBA", (1, 1), (255, 0, 0, 0))  # a transparent pixel
    >>> Preprocessor([Decode()])(image).tolist(), Preprocessor([Decode(background=255)])(image).tolist()
    ([[[255, 0, 0]]], [[[255, 255, 255]]])
    """

    name: ClassVar[str] = "decode"
    mode: str = "RGB"
    orientation: str = "ignore"
    decoder: str = "pillow"
    background: Color = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.background and (self.decoder != "pillow" or self.mode != "RGB" or len(self.background) not in (1, 3)):
            raise ArgumentError(
                f"decode: background {self.background} with decoder {self.decoder!r} and mode {self.mode!r}; it is one "
                "or three values, with decoder 'pillow' and mode 'RGB'"
            )
        require_known("decoder", self.decoder, ("pillow", "opencv", "tensorflow"))
        require_known("orientation", self.orientation, ("exif", "ignore"))
        require_known("mode", self.mode, ("RGB", "L", "RGBA"))


DEFAULT_DECODE = Decode()  # of recipes without that step


@dataclass(frozen=True)
class Resize(Step):
    """Resize to the size of a rule, with the arguments of `sw.resize`.

    Args:
        rule: the size, as a size rule.
        method: of the dialect, such as "bilinear" or "bicubic".
        dialect: the library whose pixels to return.
        antialias: whether to antialias where images shrink; by default as the dialect does.
        options: other arguments of the dialect, such as {"align_corners": True}.
        compute: a floating dtype: integers are cast to it before the resize, and the result is rounded (half to even)
            and clipped, as in torchvision where PyTorch has no kernel for bytes. By default the dialect decides.

    >>> import numpy as np
    >>> from sizewise.preprocess import Preprocessor, Resize, ShortestEdge
    >>> pre = Preprocessor([Resize(ShortestEdge(2), "bicubic", "pillow")])
    >>> pre(np.zeros((4, 6, 3), np.uint8)).shape
    (2, 3, 3)
    """

    name: ClassVar[str] = "resize"
    rule: SizeRule
    method: str = "bilinear"
    dialect: str = "standard"
    antialias: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    compute: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rule, SizeRule):
            raise ArgumentError(f"rule of a resize is {self.rule!r}; give a size rule, such as ShortestEdge(224)")
        if self.compute is not None:
            require_known("compute", self.compute, FLOATS)
        ResizeSpec.of(self.dialect, self.method, self.antialias, self.options)

    def __hash__(self) -> int:
        return hash((self.rule, self.spec, self.compute))

    @property
    def spec(self) -> ResizeSpec:
        """The resize with all defaults filled in, for any size."""
        return ResizeSpec.of(self.dialect, self.method, self.antialias, self.options)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `sw.resize` apart from the size."""
        return {"method": self.method, "dialect": self.dialect, "antialias": self.antialias, **self.options}

    @property
    def canonical(self) -> Step:
        spec = self.spec
        options: dict[str, Any] = {"method": spec.method, "antialias": spec.antialias, "options": dict(spec.options)}
        return replace(self, rule=canonical_fields(self.rule), **options)

    def output_size(self, size: Size) -> Size:
        return self.rule.size(size)

    def apply(self, x: Any) -> Any:
        size = self.output_size(size_of(x))
        dtype = array_ops.dtype_name(x)
        if self.compute is None or dtype in FLOATS:
            return resize(x, size, axes=(-3, -2), **self.arguments)
        resized = resize(array_ops.cast(x, self.compute), size, axes=(-3, -2), **self.arguments)
        return array_ops.round_and_clip(resized, dtype)

    def links(self, size: Size) -> tuple[Plan | Window, ...]:
        return (make_plan(size, self.output_size(size), **self.arguments),)

    def grad(self, dy: Any, size: Size) -> Any:
        return resize_grad(dy, size, axes=(-3, -2), **self.arguments)


@dataclass(frozen=True)
class CenterCrop(Step):
    """Crop to the center; pad with `fill` where the image is smaller.

    Args:
        height: of the result.
        width: of the result.
        rounding: of the first row, (n - height) / 2, and likewise of the first column: "floor", "ceil", "int" (toward
            0), "round" (halves to even) or "half_up".
        pad_rounding: of half of what is missing, the margin before an image that is smaller.
        fill: the color of margins: one value, or one for each channel.

    >>> import numpy as np
    >>> from sizewise.preprocess import CenterCrop, Preprocessor
    >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4)
    >>> Preprocessor([CenterCrop(2, 2)])(image)[..., 0]
    array([[ 5,  6],
           [ 9, 10]], dtype=uint8)
    """

    name: ClassVar[str] = "center_crop"
    height: int
    width: int
    rounding: str = "floor"
    pad_rounding: str = "floor"
    fill: Color = (0.0,)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_rounding(self.rounding)
        require_rounding(self.pad_rounding)
        require_size(self.name, self.height, self.width)

    def output_size(self, size: Size) -> Size:
        return self.height, self.width

    def offsets(self, size: Size) -> Size:
        """Return the first row and column of the crop in an image of at least its size."""
        top, left = (round_to((n - m) / 2, self.rounding) for n, m in zip(size, (self.height, self.width), strict=True))
        return top, left

    def margins(self, size: Size) -> Margins:
        """Return the margins that make the image large enough."""
        missing = max(0, self.height - size[0]), max(0, self.width - size[1])
        top, left = (round_to(n / 2, self.pad_rounding) for n in missing)
        return top, missing[0] - top, left, missing[1] - left

    def first_pixel(self, size: Size) -> Size:
        top, bottom, left, right = self.margins(size)
        row, column = self.offsets((size[0] + top + bottom, size[1] + left + right))
        return row - top, column - left

    def apply(self, x: Any) -> Any:
        padded = array_ops.pad(x, self.margins(size_of(x)), self.fill)
        return crop(padded, *self.offsets(size_of(padded)), (self.height, self.width))

    def grad(self, dy: Any, size: Size) -> Any:
        top, bottom, left, right = self.margins(size)
        padded = size[0] + top + bottom, size[1] + left + right
        first_row, first_column = self.offsets(padded)
        behind = padded[0] - first_row - self.height, padded[1] - first_column - self.width
        whole = array_ops.pad(dy, (first_row, behind[0], first_column, behind[1]), (0.0,))
        return crop(whole, top, left, size)


class CropStep(Step):
    """Base class of crops: the part of `output_size` from `first_pixel` on."""

    def apply(self, x: Any) -> Any:
        size = size_of(x)
        return crop(x, *self.first_pixel(size), self.output_size(size))

    def grad(self, dy: Any, size: Size) -> Any:
        (top, left), (height, width) = self.first_pixel(size), self.output_size(size)
        return array_ops.pad(dy, (top, size[0] - height - top, left, size[1] - width - left), (0.0,))


class PadStep(Step):
    """Base class of padding with the color `fill`: `margins` of an image."""

    fill: Color

    def margins(self, size: Size) -> Margins:
        """Return the margins of an image of that size: top, bottom, left and right."""
        raise NotImplementedError

    def output_size(self, size: Size) -> Size:
        top, bottom, left, right = self.margins(size)
        return size[0] + top + bottom, size[1] + left + right

    def first_pixel(self, size: Size) -> Size:
        top, _, left, _ = self.margins(size)
        return -top, -left

    def apply(self, x: Any) -> Any:
        return array_ops.pad(x, self.margins(size_of(x)), self.fill)

    def grad(self, dy: Any, size: Size) -> Any:
        top, _, left, _ = self.margins(size)
        return crop(dy, top, left, size)


@dataclass(frozen=True)
class CropBox(CropStep):
    """Crop to a fixed box, which must be inside the image.

    Args:
        top: the first row.
        left: the first column.
        height: of the result.
        width: of the result.

    >>> import numpy as np
    >>> from sizewise.preprocess import CropBox, Preprocessor
    >>> image = np.arange(16, dtype=np.uint8).reshape(4, 4)
    >>> Preprocessor([CropBox(top=1, left=0, height=2, width=3)])(image)[..., 0]
    array([[ 4,  5,  6],
           [ 8,  9, 10]], dtype=uint8)
    """

    name: ClassVar[str] = "crop_box"
    top: int
    left: int
    height: int
    width: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size(self.name, self.height, self.width)

    def output_size(self, size: Size) -> Size:
        if self.top < 0 or self.left < 0 or self.top + self.height > size[0] or self.left + self.width > size[1]:
            raise ArgumentError(
                f"crop_box: rows {self.top} to {self.top + self.height} and columns {self.left} to "
                f"{self.left + self.width} are not inside an image of {size[0]}x{size[1]}"
            )
        return self.height, self.width

    def first_pixel(self, size: Size) -> Size:
        return self.top, self.left


@dataclass(frozen=True)
class ReverseChannels(Step):
    """Reverse the channels: RGB to BGR, or back.

    >>> import numpy as np
    >>> from sizewise.preprocess import Preprocessor, ReverseChannels
    >>> Preprocessor([ReverseChannels()])(np.uint8([[[1, 2, 3]]]))
    array([[[3, 2, 1]]], dtype=uint8)
    """

    name: ClassVar[str] = "reverse_channels"

    def apply(self, x: Any) -> Any:
        return array_ops.reverse_channels(x)

    def grad(self, dy: Any, size: Size) -> Any:
        return array_ops.reverse_channels(dy)


@dataclass(frozen=True)
class PadBatch(Step):
    """Pad the images of a batch at the bottom and right, to the largest height and the largest width of them.

    `fill` is the color of margins: one value, or one for each channel. With `return_tensors`, the result has the mask
    of pixels too: 1 for those of the image. It is the last step.

    >>> import numpy as np
    >>> from sizewise.preprocess import PadBatch, Preprocessor
    >>> images = [np.ones((1, 3, 3), np.uint8), np.ones((2, 2, 3), np.uint8)]
    >>> batch = Preprocessor([PadBatch()])(images, return_tensors="np")
    >>> batch["pixel_values"].shape, batch["pixel_mask"].tolist()
    ((2, 2, 3, 3), [[[1, 1, 1], [0, 0, 0]], [[1, 1, 0], [1, 1, 0]]])
    """

    name: ClassVar[str] = "pad_batch"
    fill: Color = (0.0,)


@dataclass(frozen=True)
class Layout(Step):
    """Order the axes of each image: `order` is "CHW" or "HWC". It is the last step, or the last before PadBatch.

    >>> import numpy as np
    >>> from sizewise.preprocess import Layout, Preprocessor
    >>> Preprocessor([Layout("CHW")])(np.zeros((2, 4, 3), np.uint8)).shape
    (3, 2, 4)
    """

    name: ClassVar[str] = "layout"
    order: str = "CHW"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known("order", self.order, ("CHW", "HWC"))

    @property
    def canonical(self) -> Step | None:
        return None if self.order == "HWC" else self

    def apply(self, x: Any) -> Any:
        return self._move(x, -1, -3) if self.order == "CHW" else x

    def grad(self, dy: Any, size: Size) -> Any:
        return self._move(dy, -3, -1) if self.order == "CHW" else dy

    def _move(self, x: Any, source: int, target: int) -> Any:
        axes = list(range(len(x.shape)))
        moved = axes.pop(source)
        axes.insert(len(x.shape) + target, moved)
        return array_ops.permute(x, tuple(axes))


def require_size(name: str, height: int, width: int) -> None:
    """Raise ArgumentError for a length below 1."""
    if min(height, width) < 1:
        raise ArgumentError(f"{name}: {height}x{width} is not a size; both lengths must be at least 1")


STEPS: dict[str, type[Step]] = {
    step.name: step for step in (Decode, Resize, CenterCrop, CropBox, ReverseChannels, Layout, PadBatch)
}
