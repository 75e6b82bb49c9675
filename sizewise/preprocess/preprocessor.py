"""Preprocessor: a model's input recipe as an immutable list of steps."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..autograph import do_not_convert
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, short_repr
from ..resolve import require_lengths
from ..thread_count import require_threads
from . import array_ops, batches, decoding, serialize, text
from .features import Features
from .labels import LabelSteps
from .pointwise_steps import Normalize
from .size_rules import Size
from .step_order import require_order
from .steps import DEFAULT_DECODE, FLOATS, Decode, Layout, Step

if TYPE_CHECKING:
    from .comparison import RecipeComparison

_TENSORS = {"pt": "torch", "np": "numpy", "tf": "tensorflow", "jax": "jax"}


@do_not_convert
class Preprocessor(LabelSteps):
    """The input recipe of a model: steps from a file or an array to the array that the model takes.

    `pre(image)` returns one result, `pre([image, ...])` or `pre(batch)` a batch. Images are paths, bytes, Pillow
    images, or arrays of NumPy, PyTorch, JAX or TensorFlow.

    >>> import numpy as np, sizewise as sw
    >>> from sizewise.preprocess import CenterCrop, Layout, Normalize, Rescale, Resize, ShortestEdge
    >>> resize = Resize(ShortestEdge(224), "bicubic", "pillow")
    >>> floats = [Rescale(1 / 255), Normalize((0.5,), (0.5,))]
    >>> pre = sw.Preprocessor([resize, CenterCrop(224, 224), *floats, Layout("CHW")])
    >>> pre(np.zeros((480, 640, 3), np.uint8)).shape
    (3, 224, 224)
    >>> sw.Preprocessor.load(pre.to_dict()) == pre
    True
    """

    __slots__ = ("steps",)
    steps: tuple[Step, ...]

    def __init__(self, steps: Sequence[Step]) -> None:
        if not isinstance(steps, (list, tuple)):
            raise ArgumentTypeError(f"steps are {short_repr(steps)}; give a list of steps of sizewise.preprocess")
        object.__setattr__(self, "steps", tuple(steps))
        for step in self.steps:
            if not isinstance(step, Step):
                raise ArgumentTypeError(f"a step is {short_repr(step)}; give steps of sizewise.preprocess")
        require_order(self.steps)

    @classmethod
    def load(cls, config: Any, **arguments: Any) -> Preprocessor:
        """Return the preprocessor of a configuration: a file, a folder with one, a dictionary, or a library's object.

        Its own JSON form and those of the readers in `sizewise.preprocess.readers` are recognized by their keys.
        `arguments` go to the reader: `backend="pil"` for Hugging Face, for example.

        >>> import sizewise as sw
        >>> sw.Preprocessor.load({"sizewise_preprocessor": 1, "steps": [{"step": "layout"}]}).steps
        (Layout(order='CHW'),)
        """
        from . import readers

        with readers.opened(config) as contents:
            return cls(readers.read(contents, **arguments))

    def __call__(
        self,
        images: Any,
        *,
        layout: str | None = None,
        library: str | None = None,
        return_tensors: str | None = None,
        on_error: str = "raise",
        threads: int | None = None,
    ) -> Any:
        """Return the preprocessed image or batch.

        Args:
            images: one image, a list of images of any sizes, or an array with a batch axis.
            layout: "HWC" or "CHW" of arrays; by default channels first in PyTorch, else channels last.
            library: of the result: numpy, torch, jax or tensorflow; by default that of the input.
            return_tensors: "np", "pt", "tf" or "jax", as in transformers: return `Features`, {"pixel_values": batch}.
            on_error: "raise", or "return" to put the error of an image in its place in a list of results.
            threads: images at a time; by default the cores of this process.

        Results of one shape are a batch array; otherwise they are a list.
        """
        for name, given, known in (
            ("on_error", on_error, ("raise", "return")),
            ("library", library, (None, *array_ops.LIBRARIES)),
            ("return_tensors", return_tensors, (None, *_TENSORS)),
            ("layout", layout, (None, "HWC", "CHW", "NHWC", "NCHW")),
        ):
            if not isinstance(given, str | None) or given not in known:
                raise ArgumentError(f"{name} is {short_repr(given)}; use one of {', '.join(map(repr, known))}")
        threads = None if threads is None else require_threads(threads)
        if return_tensors is not None:
            wanted = _TENSORS[return_tensors]
            if library not in (None, wanted):
                raise ArgumentError(
                    f"library={library!r} contradicts return_tensors={return_tensors!r}; give one of them"
                )
            return self._features(images, layout, wanted, on_error, threads)
        return batches.run(self.steps, images, layout, library, on_error, threads)

    def _features(self, images: Any, layout: str | None, library: str, on_error: str, threads: int | None) -> Features:
        """Return {"pixel_values": batch}, with "pixel_mask" if the batch is padded."""
        images = batches.as_list(images)
        results = batches.run_each(self.steps, images, layout, on_error, threads)
        batch, mask = batches.collate(self.steps, results)
        features = {"pixel_values": batch} if mask is None else {"pixel_values": batch, "pixel_mask": mask}
        if isinstance(batch, list):
            lists = {name: [batches.convert(x, library) for x in each] for name, each in features.items()}
            return Features(lists)
        return Features({name: array_ops.convert(values, library) for name, values in features.items()})

    @property
    def decode(self) -> Decode:
        """How files are decoded: the first step, or RGB by Pillow."""
        first = self.steps[0] if self.steps else None
        return first if isinstance(first, Decode) else DEFAULT_DECODE

    @property
    def layout(self) -> str:
        """The order of the axes of a result."""
        return next((step.order for step in reversed(self.steps) if isinstance(step, Layout)), "HWC")

    def output_size(self, input_size: Size) -> Size:
        """Return (height, width) of the result for an image of (height, width).

        >>> from sizewise.preprocess import Preprocessor, Resize, ShortestEdge
        >>> Preprocessor([Resize(ShortestEdge(224))]).output_size((480, 640))
        (224, 298)
        """
        return self.sizes(input_size)[-1]

    def sizes(self, input_size: Size) -> list[Size]:
        """Return (height, width) of the input, and after each step."""
        height, width = require_lengths(input_size, 2, "input_size")
        sizes = [(height, width)]
        for step in self.steps:
            sizes.append(step.output_size(sizes[-1]))
        return sizes

    def trace(self, image: Any, *, layout: str | None = None) -> Iterator[tuple[Step, Any]]:
        """Yield each step with the image after it, one step at a time, without fusing them.

        >>> import numpy as np
        >>> from sizewise.preprocess import CenterCrop, Preprocessor, Rescale
        >>> pre = Preprocessor([CenterCrop(1, 2), Rescale(0.5)])
        >>> [(step.name, x.shape, str(x.dtype)) for step, x in pre.trace(np.zeros((4, 4, 3), np.uint8))]
        [('center_crop', (1, 2, 3), 'uint8'), ('rescale', (1, 2, 3), 'float32')]
        """
        x = decoding.to_pixels(image, self.decode, layout)
        for step in self.steps:
            x = step.apply(x)
            yield step, x

    def grad(self, dy: Any, input_size: Size) -> Any:
        """Return the gradient of a loss with respect to the image, given `dy`, that of the result.

        It is the transpose of the steps, in channels last order: (..., height, width, channels). Rounding to integers
        counts as the identity.

        >>> import numpy as np
        >>> from sizewise.preprocess import CenterCrop, Preprocessor, Rescale
        >>> pre = Preprocessor([CenterCrop(1, 2), Rescale(0.5)])
        >>> pre.grad(np.ones((1, 2, 1)), (2, 4))[..., 0]
        array([[0. , 0.5, 0.5, 0. ],
               [0. , 0. , 0. , 0. ]])
        """
        array_ops.library_of(dy)
        if array_ops.dtype_name(dy) not in FLOATS:
            raise DtypeError(f"gradients exist for floating dtypes only, not {array_ops.dtype_name(dy)}; use float32")
        sizes = self.sizes(input_size)
        channels = max((len(one.std) for one in self.steps if isinstance(one, Normalize)), default=1)
        _require_shape(dy, sizes[-1], self.layout, channels)
        for step, size in zip(reversed(self.steps), reversed(sizes[:-1]), strict=True):
            dy = step.grad(dy, size)
        return dy

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, which `load` reads.

        >>> from sizewise.preprocess import CenterCrop, Preprocessor
        >>> Preprocessor([CenterCrop(224, 224)]).to_dict()
        {'sizewise_preprocessor': 1, 'steps': [{'step': 'center_crop', 'height': 224, 'width': 224}]}
        """
        return serialize.to_dict(self.steps)

    def to_json(self, indent: int | None = 2) -> str:
        """Return the JSON form as text."""
        return json.dumps(self.to_dict(), indent=indent)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON form to a file, atomically."""
        from ..files.writing import write_text

        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentTypeError(f"path must be a str or a path, not {short_repr(path)}")
        write_text(path, self.to_json() + "\n")

    def write(self, library: str) -> Any:
        """Return the configuration of another library that says the same; raise UnsupportedError if it cannot.

        `library` is one of albumentations, huggingface, keras, keras_applications, open_clip, tfhub, tfjs, timm,
        torchvision and ultralytics.

        >>> from sizewise.preprocess import Exact, Preprocessor, Rescale, Resize
        >>> Preprocessor([Rescale(1 / 255), Resize(Exact(8, 8), dialect="tensorflow")]).write("tfhub")
        {'tfhub': {'range': [0.0, 1.0], 'input_size': [8, 8], 'method': 'bilinear', 'antialias': False}}
        """
        from . import readers

        return readers.write(self, library)

    def compare(self, other: Preprocessor, image: Any = None) -> RecipeComparison:
        """Return where two recipes first differ, and by how much after each step."""
        from .comparison import compare

        return compare(self, other, image)

    @staticmethod
    def schema() -> dict[str, Any]:
        """Return the JSON Schema of the JSON form."""
        return serialize.schema()

    @property
    def canonical(self) -> tuple[Step, ...]:
        """The steps that have an effect, with defaults filled in."""
        steps = [self.decode, *(step for step in self.steps if not isinstance(step, Decode))]
        return tuple(one for step in steps if (one := step.canonical) is not None)

    def __eq__(self, other: object) -> bool:
        return self.canonical == other.canonical if isinstance(other, Preprocessor) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.canonical)

    def __repr__(self) -> str:
        return text.table(self.steps)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Preprocessor is immutable; build another one: Preprocessor(steps) ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Preprocessor is immutable ({name})")

    def __reduce__(self) -> tuple[Any, ...]:
        return Preprocessor, (self.steps,)


def _require_shape(dy: Any, size: Size, layout: str, channels: int) -> None:
    """Raise ArgumentError if dy is not a gradient of a result; a recipe for one channel per value takes any number."""
    shape = tuple(int(n) for n in dy.shape)
    found, last = (shape[-3:-1], shape[-1:]) if layout == "HWC" else (shape[-2:], shape[-3:-2])
    if len(shape) < 3 or found != size:
        raise ArgumentError(f"dy has shape {shape}; the result of this input has height {size[0]} and width {size[1]}")
    if channels > 1 and last != (channels,):
        raise ArgumentError(f"dy has shape {shape}, with {last[0]} channels; the recipe normalizes {channels}")
