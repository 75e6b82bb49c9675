"""The lines of code that resize in a given way: with Sizewise in NumPy and PyTorch, and in the framework itself.

In them `image` is an array with channels last, or Pillow's image, and `tensor` a batch of PyTorch's or Paddle's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..dialects import is_floating
from .ways import Size, Way

Call = Callable[[str, Way, Size], str]
_GIVE_FLOATS = {"tensorflow", "tensorflow1", "jax", "skimage", "tfjs"}  # of whole numbers, which they take


@dataclass(frozen=True)
class Library:
    """How a library says it: the call, what images are called, in floats, too, and how floats become whole numbers."""

    name: str
    call: Call
    image: str = "image"
    floats: str = "image.astype(np.float32)"
    rounded: str = "np.rint({}).clip({low}, {high}).astype(np.{dtype})"
    cut: str = "{}.clip({low}, {high}).astype(np.{dtype})"

    def line(self, way: Way, size: Size, dtype: np.dtype, wanted: np.dtype) -> str:
        """The line for pixels of one dtype that become pixels of the wanted one."""
        gives_floats = way.dialect in _GIVE_FLOATS and way.method != "nearest"
        early = (way.finish in ("rounded", "cut") and not gives_floats) or is_floating(wanted)
        code = self.call(self.floats if early and not is_floating(dtype) else self.image, way, size)
        if way.finish not in ("rounded", "cut"):
            return code
        limits = np.iinfo(wanted)
        finish = self.rounded if way.finish == "rounded" else self.cut
        return finish.format(code, low=limits.min, high=limits.max, dtype=wanted.name)


def lines(ways: Sequence[Way], size: Size, dtype: np.dtype, wanted: np.dtype) -> tuple[tuple[str, str], ...]:
    """The lines that give what ways give that coincide, of the first, each after the name of its library.

    >>> for name, code in lines([Way("opencv", "area", True)], (20, 30), np.dtype("uint8"), np.dtype("uint8")):
    ...     print(f"{name}: {code}")
    NumPy: sw.resize(image, (20, 30), "area", dialect="opencv")
    PyTorch: sw.resize(tensor, (20, 30), "area", dialect="opencv")
    OpenCV: cv2.resize(image, (30, 20), interpolation=cv2.INTER_AREA)
    """
    way = ways[0]
    made = [(_NUMPY.name, _NUMPY.line(way, size, dtype, wanted))]
    own = next((one for one in ways if one.dialect == "torch"), None)
    if own is not None:
        made.append(("PyTorch", LIBRARIES["torch"].line(own, size, dtype, wanted)))
    elif not _by_pillow(way):
        made.append(("PyTorch", _TORCH.line(way, size, dtype, wanted)))
    library = LIBRARIES.get(way.dialect.partition("@")[0])
    in_floats = library is LIBRARIES["pillow"] and way.finish in ("rounded", "cut")  # which Pillow's colours are not
    if library is not None and way.dialect != "torch" and not in_floats:
        made.append((library.name, library.line(way, size, dtype, wanted)))
    return tuple(made)


def _words(given: Mapping[str, object]) -> str:
    return "".join(f", {name}={_value(value)}" for name, value in given.items())


def _value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _by_pillow(way: Way) -> bool:
    """Whether only Pillow's images, or rules for modes of them, have it."""
    return way.finish in ("premultiplied", "mode")


def _ours(image: str, way: Way, size: Size) -> str:
    if _by_pillow(way):
        return f"sizewise.compat.pillow.{_pillow(image, way, size).partition('.')[2].replace('(', '(image, ', 1)}"
    target = f'{way.asked or size}, "{way.method}"'
    if way.scale is not None:
        target = f'method="{way.method}", scale={way.scale!r}'
    return f'sw.resize({image}, {target}, dialect="{way.dialect}"{_words(dict(way.unusual))})'


def _pillow(image: str, way: Way, size: Size) -> str:
    gap = dict(way.options)["reducing_gap"]
    more = f", reducing_gap={gap}" if gap is not None else ""
    return f"image.resize({size[::-1]}, Image.Resampling.{way.method.upper()}{more})"


def _opencv(image: str, way: Way, size: Size) -> str:
    target = f"{size[::-1]}" if way.scale is None else f"None, fx={way.scale!r}, fy={way.scale!r}"
    return f"cv2.resize({image}, {target}, interpolation=cv2.INTER_{way.method.upper()})"


def _interpolate(module: str) -> Call:
    def call(tensor: str, way: Way, size: Size) -> str:
        target = f"size={size}" if way.scale is None else f"scale_factor={way.scale!r}"
        words = {name: value for name, value in way.unusual if name != "antialias"}
        if way.antialias:
            words["antialias"] = True
        return f'{module}.interpolate({tensor}, {target}, mode="{way.method}"{_words(words)})'

    return call


def _tensorflow(image: str, way: Way, size: Size) -> str:
    unusual = dict(way.unusual)
    if "translation" not in unusual:
        return f'tf.image.resize({image}, {size}, "{way.method}"{_words(unusual)})'
    kernel = {"bilinear": "triangle", "bicubic": "keyscubic"}.get(way.method, way.method)
    moved = unusual["translation"]
    return (
        f"tf.raw_ops.ScaleAndTranslate(images={image}[None], size={size}, scale=np.divide({size}, {image}.shape[:2]), "
        f'translation=({moved}, {moved}), kernel_type="{kernel}", antialias={way.antialias})[0]'
    )


def _tensorflow1(image: str, way: Way, size: Size) -> str:
    op = {"bilinear": "Bilinear", "nearest": "NearestNeighbor", "bicubic": "Bicubic", "area": "Area"}[way.method]
    return f"tf.raw_ops.Resize{op}(images={image}[None], size={size}{_words(dict(way.unusual))})[0]"


def _jax(image: str, way: Way, size: Size) -> str:
    unusual = dict(way.unusual)
    shape = f"({size[0]}, {size[1]}, *{image}.shape[2:])"
    moved = unusual.pop("translation", None)
    if moved is None:
        return f'jax.image.resize({image}, {shape}, "{way.method}"{_words(unusual)})'
    scale = f"jnp.divide(jnp.array({size}), jnp.array({image}.shape[:2]))"
    return (
        f"jax.image.scale_and_translate({image}, {shape}, (0, 1), {scale}, jnp.array(({moved}, {moved})), "
        f'"{way.method}", antialias={way.antialias})'
    )


def _skimage(image: str, way: Way, size: Size) -> str:
    order = {"nearest": 0, "linear": 1}[way.method]
    if way.method == "nearest" and way.antialias:
        image = "image.astype(np.float32)"  # whole numbers are not blurred
    return (
        f'skimage.transform.resize({image}, {size}, order={order}, mode="reflect", '
        f"anti_aliasing={way.antialias}, preserve_range=True)"
    )


def _onnx(image: str, way: Way, size: Size) -> str:
    words = {name: int(value) if isinstance(value, bool) else value for name, value in way.unusual}
    inputs = '"x", "", "", "sizes"' if way.scale is None else '"x", "", "scales"'
    return f'onnx.helper.make_node("Resize", [{inputs}], ["y"], mode="{way.method}"{_words(words)})'


def _lite(image: str, way: Way, size: Size) -> str:
    op = {"bilinear": "RESIZE_BILINEAR", "nearest": "RESIZE_NEAREST_NEIGHBOR"}[way.method]
    return f"{op}{_words(dict(way.unusual)).replace(', ', ' ')}"


def _tfjs(image: str, way: Way, size: Size) -> str:
    op = {"bilinear": "resizeBilinear", "nearest": "resizeNearestNeighbor"}[way.method]
    flags = [str(dict(way.options)[name]).lower() for name in ("align_corners", "half_pixel_centers")]
    return f"tf.image.{op}({image}, [{size[0]}, {size[1]}], {', '.join(flags)})"


def _matlab(image: str, way: Way, size: Size) -> str:
    target = f"[{size[0]} {size[1]}]" if way.scale is None else repr(way.scale)
    return f'imresize({image}, {target}, "{way.method}", Antialiasing={str(way.antialias).lower()})'


_NUMPY = Library("NumPy", _ours)
_TENSORS = {
    "image": "tensor",
    "floats": "tensor.float()",
    "rounded": "{}.round().clamp({low}, {high}).to(torch.{dtype})",
    "cut": "{}.clamp({low}, {high}).to(torch.{dtype})",
}
_TORCH = Library("PyTorch", _ours, **_TENSORS)
_OF_TENSORFLOW = {
    "floats": "tf.cast(image, tf.float32)",
    "rounded": "tf.saturate_cast(tf.round({}), tf.{dtype})",
    "cut": "tf.saturate_cast({}, tf.{dtype})",
}
_OF_JAX = {
    "floats": "image.astype(jnp.float32)",
    "rounded": "jnp.rint({}).clip({low}, {high}).astype(jnp.{dtype})",
    "cut": "{}.clip({low}, {high}).astype(jnp.{dtype})",
}
_OF_PADDLE = {
    "image": "tensor",
    "floats": 'tensor.astype("float32")',
    "rounded": '{}.round().clip({low}, {high}).astype("{dtype}")',
    "cut": '{}.clip({low}, {high}).astype("{dtype}")',
}
_ELSEWHERE = {"floats": "image", "rounded": "{}, then rounded", "cut": "{}, then cut off"}
LIBRARIES = {
    "pillow": Library("Pillow", _pillow),
    "opencv": Library("OpenCV", _opencv),
    "torch": Library("PyTorch", _interpolate("F"), **_TENSORS),
    "tensorflow": Library("TensorFlow", _tensorflow, **_OF_TENSORFLOW),
    "tensorflow1": Library("TensorFlow", _tensorflow1, **_OF_TENSORFLOW),
    "jax": Library("JAX", _jax, **_OF_JAX),
    "skimage": Library("scikit-image", _skimage),
    "paddle": Library("Paddle", _interpolate("paddle.nn.functional"), **_OF_PADDLE),
    "onnx": Library("ONNX", _onnx, **_ELSEWHERE),
    "onnx-reference": Library("ONNX", _onnx, **_ELSEWHERE),
    "tflite": Library("LiteRT", _lite, **_ELSEWHERE),
    "tfjs": Library("TensorFlow.js", _tfjs, **_ELSEWHERE),
    "matlab": Library("MATLAB", _matlab, **_ELSEWHERE),
}
