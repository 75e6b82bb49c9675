"""Gradients of preprocessors: `pre.grad` is the transpose of each step, and what PyTorch, JAX and TensorFlow return."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import sizewise as sw
from sizewise.preprocess import (
    CenterCrop,
    CropBox,
    Exact,
    Layout,
    LongestEdge,
    Normalize,
    PadTo,
    PadToMultiple,
    PadToSquare,
    Rescale,
    Resize,
    ReverseChannels,
    ShortestEdge,
    Step,
)

SIZE = (11, 14)
DOUBLE = "float64"
STEPS: dict[str, Step] = {
    "resize": Resize(Exact(7, 20), "bicubic", "standard"),
    "resize, antialias": Resize(ShortestEdge(5), "bilinear", "torch", antialias=True),
    "resize, nearest": Resize(LongestEdge(9), "nearest", "torch"),
    "center crop": CenterCrop(5, 6),
    "center crop, padded": CenterCrop(13, 9, fill=(3.0,)),
    "crop box": CropBox(1, 2, 6, 7),
    "pad to": PadTo(16, 15, fill=(7.0,)),
    "pad to multiple": PadToMultiple(8),
    "pad to square": PadToSquare(fill=(1.0, 2.0, 3.0)),
    "rescale": Rescale(1 / 255, -1.0, compute=DOUBLE, dtype=DOUBLE),
    "rescale, divide": Rescale(127.5, -1.0, divide=True, compute=DOUBLE, dtype=DOUBLE),
    "normalize": Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.4), compute=DOUBLE),
    "normalize, reciprocal": Normalize((0.5,), (0.2,), reciprocal=True, compute=DOUBLE),
    "reverse channels": ReverseChannels(),
    "layout": Layout("CHW"),
}
RECIPE = [
    Resize(ShortestEdge(9), "bicubic", "standard"),
    CenterCrop(8, 8),
    Rescale(1 / 255),
    Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.4)),
    Layout("CHW"),
]


def noise(shape: tuple[int, ...], seed: int = 0, dtype: str = DOUBLE) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def dot_error(pre: sw.Preprocessor, grad: sw.Preprocessor) -> float:
    """Return how far <linear part of pre(x), y> is from <x, grad(y)>, relative to their terms."""
    x = noise((*SIZE, 3))
    forward = pre(x) - pre(np.zeros_like(x))
    y = noise(forward.shape, 1)
    left, right = np.vdot(forward, y), np.vdot(x, grad.grad(y, SIZE))
    return float(abs(left - right) / (np.abs(forward) * np.abs(y)).sum())


@pytest.mark.parametrize("name", STEPS)
def test_dot_test_of_each_step(name: str) -> None:
    pre = sw.Preprocessor([STEPS[name]])
    assert dot_error(pre, pre) <= 1e-12


def test_control_a_wrong_transpose_is_seen() -> None:
    pre = sw.Preprocessor([STEPS["pad to"], STEPS["rescale"]])
    other = sw.Preprocessor([STEPS["pad to"], Rescale(1 / 254, -1.0, compute=DOUBLE, dtype=DOUBLE)])
    assert dot_error(pre, pre) <= 1e-12 and dot_error(pre, other) > 1e-4


@pytest.mark.parametrize("name", STEPS)
def test_gradcheck(name: str) -> None:
    pre = sw.Preprocessor([STEPS[name]])
    x = torch.from_numpy(noise((*SIZE, 3))).requires_grad_()
    assert torch.autograd.gradcheck(lambda image: pre(image, layout="HWC"), x, fast_mode=True)


def recipe_gradient() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an image, the gradient of the recipe's result, and that of the image by `pre.grad`."""
    x, dy = noise((*SIZE, 3), 0, "float32"), noise((3, 8, 8), 1, "float32")
    return x, dy, sw.Preprocessor(RECIPE).grad(dy, SIZE)


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    assert float(np.abs(found - expected).max()) <= 1e-6 * float(np.abs(expected).max())


def test_torch() -> None:
    x, dy, expected = recipe_gradient()
    leaf = torch.from_numpy(x).requires_grad_()
    sw.Preprocessor(RECIPE)(leaf, layout="HWC").backward(torch.from_numpy(dy))
    assert_close(leaf.grad.numpy(), expected)


def test_features_keep_the_graph() -> None:
    x, _, _ = recipe_gradient()
    leaf = torch.from_numpy(x).requires_grad_()
    sw.Preprocessor(RECIPE)([leaf], layout="HWC", return_tensors="pt").pixel_values.sum().backward()
    assert leaf.grad is not None and float(leaf.grad.abs().sum()) > 0


def test_jax() -> None:
    jax = pytest.importorskip("jax")
    x, dy, expected = recipe_gradient()
    found = jax.grad(lambda image: (sw.Preprocessor(RECIPE)(image, layout="HWC") * dy).sum())(jax.numpy.asarray(x))
    assert_close(np.asarray(found), expected)


def test_tensorflow() -> None:
    tf = pytest.importorskip("tensorflow")
    x, dy, expected = recipe_gradient()
    leaf = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(leaf)
        loss = tf.reduce_sum(sw.Preprocessor(RECIPE)(leaf, layout="HWC") * dy)
    assert_close(tape.gradient(loss, leaf).numpy(), expected)


def test_control_another_recipe_has_another_gradient() -> None:
    _, dy, expected = recipe_gradient()
    other = sw.Preprocessor([Resize(ShortestEdge(9), "bilinear", "standard"), *RECIPE[1:]])
    with pytest.raises(AssertionError):
        assert_close(other.grad(dy, SIZE), expected)


def test_one_graph_of_torch_compile() -> None:
    pre = sw.Preprocessor(
        [
            Resize(ShortestEdge(12), "bicubic", "torch", True),
            CenterCrop(10, 14),
            Rescale(0.5),
            Normalize((0.1, 0.2, 0.3), (0.5,)),
            Layout("CHW"),
        ]
    )
    x = torch.rand(3, 16, 20, requires_grad=True)
    compiled = torch.compile(lambda image: pre(image), backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), pre(x), rtol=0, atol=1e-6)
    (gradient,) = torch.autograd.grad(compiled(x).sum(), x)
    torch.testing.assert_close(gradient, torch.autograd.grad(pre(x).sum(), x)[0])


def test_bfloat16_of_torch_is_padded() -> None:
    pre = sw.Preprocessor([PadTo(20, 24, fill=(0.5, 1.5, 2.5))])
    result = pre(torch.zeros(3, 16, 20, dtype=torch.bfloat16))
    assert result.dtype is torch.bfloat16 and result[0, 0].tolist() == [0.5, 1.5, 2.5]


def test_autograph_leaves_recipes_unconverted(caplog: pytest.LogCaptureFixture) -> None:
    tensorflow = pytest.importorskip("tensorflow")
    pre = sw.Preprocessor([Resize(ShortestEdge(12)), Rescale(1 / 255)])
    images = tensorflow.data.Dataset.from_tensors(tensorflow.zeros((16, 20, 3))).map(lambda image: pre(image))
    assert next(iter(images)).shape == (12, 15, 3)
    assert "AutoGraph" not in caplog.text
