"""Lines of code that reproduce a candidate: with Sizewise on NumPy and PyTorch, and with the framework itself.

In them `image` is an array with channels last, or Pillow's image, and `tensor` a batch of PyTorch or Paddle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..dialects import is_floating
from .candidates import Candidate, Size
from .translation import syntax

_RETURN_FLOATS = {"tensorflow", "tensorflow1", "jax", "skimage", "tfjs"}  # for integer images


@dataclass(frozen=True)
class _Arrays:
    """The code around a call: the name of the image, its conversion to floats, and the conversion of the result."""

    image: str = "image"
    floats: str = "image.astype(np.float32)"
    rounded: str = "np.rint({}).clip({low}, {high}).astype(np.{dtype})"
    cut: str = "{}.clip({low}, {high}).astype(np.{dtype})"

    def line(self, candidate: Candidate, notation: str, dtype: np.dtype, wanted: np.dtype) -> str:
        """Return the line that turns pixels of `dtype` into those of `wanted`; `notation` names the syntax."""
        converted = candidate.finish in ("rounded", "cut")
        returns_floats = candidate.dialect in _RETURN_FLOATS and candidate.method != "nearest"
        early = (converted and not returns_floats) or is_floating(wanted)
        skips_integers = notation == "skimage" and candidate.method == "nearest" and candidate.antialias  # to blur
        image = self.floats if (early or skips_integers) and not is_floating(dtype) else self.image
        batched = notation == "tensorflow1" or (notation == "tensorflow" and candidate.unusual)  # ops that take no HWC
        code = syntax.get(notation).write(candidate, f"{image}[None]" if batched else image) + "[0]" * bool(batched)
        if not converted:
            return code
        limits = np.iinfo(wanted)
        finish = self.rounded if candidate.finish == "rounded" else self.cut
        return finish.format(code, low=limits.min, high=limits.max, dtype=wanted.name)


_TORCH = _Arrays(
    image="tensor",
    floats="tensor.float()",
    rounded="{}.round().clamp({low}, {high}).to(torch.{dtype})",
    cut="{}.clamp({low}, {high}).to(torch.{dtype})",
)
_TENSORFLOW = _Arrays(
    floats="tf.cast(image, tf.float32)",
    rounded="tf.saturate_cast(tf.round({}), tf.{dtype})",
    cut="tf.saturate_cast({}, tf.{dtype})",
)
_ARRAYS = {
    **dict.fromkeys(("tensorflow", "tensorflow1"), _TENSORFLOW),
    "jax": _Arrays(
        floats="image.astype(jnp.float32)",
        rounded="jnp.rint({}).clip({low}, {high}).astype(jnp.{dtype})",
        cut="{}.clip({low}, {high}).astype(jnp.{dtype})",
    ),
    "paddle": _Arrays(
        image="tensor",
        floats='tensor.astype("float32")',
        rounded='{}.round().clip({low}, {high}).astype("{dtype}")',
        cut='{}.clip({low}, {high}).astype("{dtype}")',
    ),
    # No array library to convert with: a text says what to do.
    **dict.fromkeys(
        ("onnx", "onnx-reference", "tflite", "tfjs", "matlab"),
        _Arrays(floats="image", rounded="{}, then rounded", cut="{}, then truncated"),
    ),
}


def lines(
    candidates: Sequence[Candidate], input_size: Size, output_size: Size, dtype: np.dtype, wanted: np.dtype
) -> tuple[tuple[str, str], ...]:
    """Return lines of code for candidates that coincide, of the first of them, each with the name of its library."""
    first, own = candidates[0], next((one for one in candidates if one.dialect == "torch"), None)
    notation = first.dialect.partition("@")[0]
    if first.finish in ("premultiplied", "mode"):  # Pillow's rules for images, which arrays do not have
        code = syntax.get("pillow").write(first, "image")
        ours = f"sizewise.compat.pillow.{code.partition('.')[2].replace('(', '(image, ', 1)}"
        return (("NumPy", ours), ("Pillow", code))
    found = [("NumPy", _Arrays().line(first, "sizewise", dtype, wanted))]
    call = (own, "torch") if own else (first, "sizewise")
    found.append(("PyTorch", _TORCH.line(*call, dtype, wanted)))
    in_floats = notation == "pillow" and first.finish in ("rounded", "cut")  # Pillow has no color images of floats
    if notation not in ("standard", "torch") and not in_floats:
        if "translation" in first.unusual:  # the frameworks' own calls need the scale beside it
            ratios = (n_out / n_in for n_in, n_out in zip(input_size, output_size, strict=True))
            first = replace(first, scale=tuple(ratios))
        found.append((first.title, _ARRAYS.get(notation, _Arrays()).line(first, notation, dtype, wanted)))
    return tuple(found)
