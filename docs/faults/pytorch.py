"""PyTorch's torch.nn.functional.interpolate, CPU: gradients that contradict the forward pass, and forward faults."""

from __future__ import annotations

import numpy as np

from . import Fault, right

_LOAD = "import torch\nfrom torch.nn.functional import interpolate\n\n"
_ROW = """
x = torch.arange({start}, requires_grad=True)
y = interpolate(x[None, None], {words})
y.sum().backward()
{answer}
"""
_IMAGE = """
x = torch.ones(1, 1, 1, 4, dtype=torch.float64, requires_grad=True)
interpolate(x, {words}).sum().backward()
x.grad
"""
_ROW_AND_IMAGE = """
x = torch.arange({start})[None, None]
row = interpolate(x, {words})[0]
image = interpolate(x[:, :, None], {image_words})[0, 0]
{answer}
"""
_OUR_DIFFERENCE = """
plan = sw.make_plan({n_in}, {n_out}, "{method}", dialect="torch")
x = np.arange({n_in}.0)
plan(x).sum() - x @ plan.T(np.ones({n_out}))
"""
_FOUR = "torch.eye(4, dtype=torch.float64).reshape(4, 1, 1, 4)"
_SERIAL = "images of at most 128 rows plus columns"


def _code(template: str, **words: str) -> str:
    return _LOAD + template.format(**words).strip()


def _transposed(images: str, words: str, shape: tuple[int, ...]) -> right.Right:
    return right.adjoint("torch", f"{_LOAD}interpolate({images}, {words})", shape)


def _zero() -> np.ndarray:
    """Return <W x, 1> - <x, W^T 1>, which is 0 for every W."""
    return np.zeros(())


def _in_float64(method: str, n_in: int, n_out: int, output: int, read: int) -> Fault:
    return Fault(
        framework="torch",
        kind="gradient",
        title=f"float64 gradients of {method} are those of float32",
        why="The forward rounds coordinates to float64, the gradient to float32: "
        f"output {output} reads pixel {read}, and pixel {read - 1} gets its gradient. "
        "`y.sum()` equals `x @ x.grad` if the gradient belongs to the forward. "
        f"Forwards of {_SERIAL} are also in float32, as all are in Sizewise.",
        call=_code(
            _ROW,
            start=f"{n_in}.0, dtype=torch.float64",
            words=f'size={n_out}, mode="{method}"',
            answer="(y.sum() - x @ x.grad).item()",
        ),
        right=_zero,
        ours=_OUR_DIFFERENCE.format(n_in=n_in, n_out=n_out, method=method).strip(),
    )


FAULTS = (
    Fault(
        framework="torch",
        kind="gradient",
        title="nearest gradients ignore a scale_factor that keeps or doubles the size",
        why="If floor(n * s) is n or 2n, the gradient uses 1 or 2 for s. The forward reads pixels 0 0 0 1 1 2.",
        call=_code(_ROW, start="3.0", words="scale_factor=2.1", answer="x.grad"),
        right=_transposed("torch.eye(3)[:, None]", "scale_factor=2.1", (3,)),
        ours='sw.resize_grad(np.ones(6), 3, "nearest", scale=2.1, dialect="torch")',
    ),
    Fault(
        framework="torch",
        kind="forward",
        title="nearest with a scale_factor reads different pixels in an image and a row",
        why=f"Output o is pixel floor(o / 2.1). In {_SERIAL} the forward ignores the scale, as does the gradient.",
        call=_code(
            _ROW_AND_IMAGE,
            start="3.0",
            words="scale_factor=2.1",
            image_words="scale_factor=(1, 2.1)",
            answer="torch.cat([row, image])",
        ),
        right=lambda: np.array([o * 10 // 21 for o in range(6)]),
        ours='sw.resize(np.arange(3.0), scale=2.1, method="nearest", dialect="torch")',
    ),
    Fault(
        framework="torch",
        kind="gradient",
        title="bicubic gradients are copies if a scale_factor keeps the size",
        why="The forward resamples.",
        call=_code(_IMAGE, words='scale_factor=1.2, mode="bicubic"'),
        right=_transposed(_FOUR, 'scale_factor=1.2, mode="bicubic"', (4,)),
        ours='sw.resize_grad(np.ones((1, 4)), (1, 4), "bicubic", scale=1.2, dialect="torch")',
    ),
    Fault(
        framework="torch",
        kind="gradient",
        title="antialiased gradients resample an axis that a scale_factor keeps",
        why="The forward copies it.",
        call=_code(_IMAGE, words='scale_factor=1.2, mode="bilinear", antialias=True'),
        right=_transposed(_FOUR, 'scale_factor=1.2, mode="bilinear", antialias=True', (4,)),
        ours='sw.resize_grad(np.ones((1, 4)), (1, 4), scale=1.2, antialias=True, dialect="torch")',
    ),
    _in_float64("nearest", 26, 22, output=11, read=13),
    _in_float64("nearest-exact", 14, 23, output=11, read=7),
    Fault(
        framework="torch",
        kind="gradient",
        title="nearest-exact gradients round differently from the forward",
        why="On CPUs with AVX2 the forward fuses a product with a subtraction, and the gradient does not.",
        call=_code(_ROW, start="2.0", words='size=41, mode="nearest-exact"', answer="x.grad"),
        right=_transposed("torch.eye(2)[:, None]", 'size=41, mode="nearest-exact"', (2,)),
        ours='sw.resize_grad(np.ones(41), 2, "nearest-exact", dialect="torch")',
    ),
    Fault(
        framework="torch",
        kind="forward",
        title="nearest-exact reads different pixels in an image and a row",
        why=f"On CPUs with AVX2: {_SERIAL} are not fused, either. "
        "Output 20 lies at the edge of pixel 1, and belongs to it.",
        call=_code(
            _ROW_AND_IMAGE,
            start="2.0",
            words='size=41, mode="nearest-exact"',
            image_words='size=(1, 41), mode="nearest-exact"',
            answer="torch.cat([row, image])[:, 20]",
        ),
        right=lambda: np.array((2 * 20 + 1) * 2 // (2 * 41)),
        ours='sw.resize(np.arange(2.0), 41, "nearest-exact", dialect="torch")[20]',
    ),
    Fault(
        framework="torch",
        kind="forward",
        title="antialiasing to a width of 1 repeats the first row",
        why="In contiguous NCHW; channels_last, and any other width, are right.",
        call=_LOAD + "x = torch.tensor([0.0, 1.0]).reshape(1, 1, 2, 1)\n"
        'interpolate(x, size=(4, 1), mode="bilinear", antialias=True)',
        right=lambda: right.tent([0, 1], right.centers(2, 4)),
        ours='sw.resize(np.array([[0.0], [1.0]]), (4, 1), antialias=True, dialect="torch")',
    ),
    Fault(
        framework="torch",
        kind="forward",
        title="uint8 of more than 4 channels to a width of 1 repeats the first row",
        why="The same without antialiasing. The first channel is shown.",
        call=_LOAD + "x = torch.tensor([0, 255], dtype=torch.uint8).reshape(1, 1, 2, 1).repeat(1, 5, 1, 1)\n"
        'interpolate(x, size=(4, 1), mode="bilinear")[0, 0]',
        right=lambda: right.rounded(right.tent([0, 255], right.centers(2, 4))),
        ours='sw.resize(np.uint8([[0], [255]]), (4, 1), dialect="torch")',
    ),
)
