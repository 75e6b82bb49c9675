"""compat.torch against torch itself: pixels, gradients, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import onnxruntime
import pytest
import torch
import torch.nn.functional as F

from sizewise.compat.torch import Resize, Upsample, interpolate

MODES = {
    3: ["nearest", "nearest-exact", "linear", "area"],
    4: ["nearest", "nearest-exact", "bilinear", "bicubic", "area"],
    5: ["nearest", "nearest-exact", "trilinear", "area"],
}
SHAPES = {3: (2, 3, 11), 4: (2, 3, 11, 8), 5: (1, 2, 6, 11, 8)}
SIZES = {3: (7,), 4: (7, 15), 5: (4, 7, 15)}


def noise(shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng([*shape]).standard_normal(shape)).to(dtype)


def calls() -> list[tuple[int, dict]]:
    """Every mode with sizes and scales, corners aligned or not, antialiased or not, where torch has it."""
    made = []
    for rank, modes in MODES.items():
        for mode in modes:
            given = [{"size": SIZES[rank]}, {"size": 5}, {"scale_factor": 1.7}, {"scale_factor": (0.6,) * (rank - 2)}]
            given += [{"scale_factor": 0.6, "recompute_scale_factor": True}]
            flags = (
                [{"align_corners": True}, {"align_corners": False}, {}] if mode.endswith(("linear", "cubic")) else [{}]
            )
            made += [(rank, {"mode": mode, **one, **flag}) for one, flag in itertools.product(given, flags)]
    for mode in ("bilinear", "bicubic", "lanczos"):
        made += [
            (4, {"mode": mode, "antialias": True, "size": (4, 15)}),
            (4, {"mode": mode, "antialias": True, "size": 3}),
        ]
    return made


@pytest.mark.parametrize(("rank", "options"), calls(), ids=str)
def test_pixels_and_gradients(rank: int, options: dict) -> None:
    x, y = (noise(SHAPES[rank]).requires_grad_() for _ in range(2))
    ours, theirs = interpolate(x, **options), F.interpolate(y, **options)
    assert ours.shape == theirs.shape and ours.dtype is theirs.dtype
    scale = float(x.detach().abs().max())
    exact = options["mode"].startswith("nearest")
    assert float((ours - theirs).detach().abs().max()) <= (0 if exact else 4e-6 * scale)
    dy = noise(tuple(ours.shape))
    ours.backward(dy)
    theirs.backward(dy)
    assert float((x.grad - y.grad).abs().max()) <= 4e-5 * float(dy.abs().max())


@pytest.mark.parametrize("mode", MODES[4])
def test_empty_results(mode: str) -> None:
    """Empty batches stay empty; `area` is the only mode that takes lengths of 0."""
    x = torch.zeros(0, 3, 8, 8)
    assert interpolate(x, (4, 5), mode=mode).shape == F.interpolate(x, (4, 5), mode=mode).shape
    for options in ({"size": (0, 5)}, {"size": 0}, {"scale_factor": (0.1, 2)}, {"scale_factor": 0.01}):
        x = torch.zeros(2, 3, 8, 8, requires_grad=True)
        if mode == "area":
            mine, theirs = (resize(x, mode=mode, **options) for resize in (interpolate, F.interpolate))
            assert (mine.shape, mine.dtype, mine.requires_grad) == (theirs.shape, theirs.dtype, theirs.requires_grad)
            mine.sum().backward()  # torch's own cannot
            assert not x.grad.any()
            continue
        with pytest.raises(RuntimeError):
            F.interpolate(x, mode=mode, **options)
        with pytest.raises(ValueError, match=r"1 or more|at least 1"):
            interpolate(x, mode=mode, **options)


@pytest.mark.parametrize(
    "size", [4, np.int64(4), np.array(4), torch.tensor(4), [4, 5], torch.Size([4, 5]), (np.int32(4), torch.tensor(5))]
)
def test_sizes_of_every_kind(size: object) -> None:
    x = noise((1, 2, 8, 9))
    for module in (Upsample(size), lambda x: interpolate(x, size)):
        assert torch.equal(module(x), F.interpolate(x, size))


def test_control_corners_are_seen() -> None:
    x = noise(SHAPES[4])
    ours, theirs = interpolate(x, 5, mode="bilinear"), F.interpolate(x, 5, mode="bilinear", align_corners=True)
    assert float((ours - theirs).abs().max()) > 0.01


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "nearest"])
def test_bytes(mode: str, layout: torch.memory_format) -> None:
    x = torch.randint(0, 256, (2, 3, 40, 31), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    x = x.contiguous(memory_format=layout)
    ours, theirs = interpolate(x, (17, 44), mode=mode), F.interpolate(x, (17, 44), mode=mode)
    assert (ours == theirs).all() and ours.is_contiguous(memory_format=layout)


WRONG = [
    (4, {}),
    (4, {"size": 3, "scale_factor": 2.0}),
    (4, {"size": (3, 4, 5)}),
    (4, {"scale_factor": (2.0,)}),
    (4, {"size": 3, "align_corners": True}),
    (4, {"size": 3, "mode": "area", "align_corners": False}),
    (4, {"size": 3, "recompute_scale_factor": True}),
    (4, {"size": 3, "mode": "nearest", "antialias": True}),
    (3, {"size": 3, "mode": "linear", "antialias": True}),
    (4, {"size": 3, "mode": "lanczos"}),
    (4, {"size": 3, "mode": "lanczos", "antialias": True, "align_corners": True}),
    (3, {"size": 3, "mode": "bilinear"}),
    (3, {"size": 3, "mode": "trilinear"}),
    (4, {"size": 3, "mode": "linear"}),
    (5, {"size": 3, "mode": "bicubic"}),
    (4, {"size": 3, "mode": "cubic"}),
    (4, {"size": 0}),
    (4, {"scale_factor": -1.0, "mode": "bilinear"}),
]


@pytest.mark.parametrize(("rank", "options"), WRONG, ids=str)
def test_what_torch_refuses_is_refused(rank: int, options: dict) -> None:
    x = noise(SHAPES[rank])
    with pytest.raises((ValueError, NotImplementedError, RuntimeError)) as theirs:
        F.interpolate(x, **options)
    with pytest.raises((ValueError, NotImplementedError)) as ours:
        interpolate(x, **options)
    if not isinstance(theirs.value, RuntimeError) or isinstance(theirs.value, NotImplementedError):
        assert isinstance(ours.value, type(theirs.value))


def test_modules() -> None:
    x = noise(SHAPES[4])
    ours, theirs = Upsample(scale_factor=2, mode="bilinear"), torch.nn.Upsample(scale_factor=2, mode="bilinear")
    assert torch.allclose(ours(x), theirs(x), atol=1e-6)
    assert str(ours) == "Upsample(scale_factor=2, mode='bilinear')"
    small = Resize((4, 4), "lanczos", dialect="pillow")
    assert small(x).shape == (2, 3, 4, 4) and "dialect='pillow'" in str(small)
    assert torch.nn.Sequential(small, ours)(x).shape == (2, 3, 8, 8)
    assert list(small.state_dict()) == []


@pytest.mark.parametrize(
    "options", [{"mode": "bilinear"}, {"mode": "bicubic", "antialias": True}, {"mode": "nearest"}], ids=str
)
def test_onnx_export(options: dict, tmp_path) -> None:
    """A model with our resize in it becomes one of ONNX's own ops, and onnxruntime gives the same pixels."""

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return interpolate(torch.relu(x), (4, 15), **options) * 2

    x, path = noise(SHAPES[4]), tmp_path / "model.onnx"
    torch.onnx.export(Model().eval(), (x,), path, dynamo=True, verbose=False)
    [theirs] = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x.numpy()})
    ours = Model()(x).numpy()
    assert np.abs(theirs - ours).max() <= 4 * np.spacing(np.abs(ours).max())


@pytest.mark.parametrize(
    ("shape", "expected"), [((480, 640), (224, 298)), ((641, 333), (431, 224)), ((9, 9), (224, 224))]
)
def test_one_integer_is_the_shorter_side(shape: tuple[int, int], expected: tuple[int, int]) -> None:
    """Return the size of torchvision.transforms.Resize: int(size * longer / shorter)."""
    x = torch.rand(1, 3, *shape)
    assert Resize(224)(x).shape[-2:] == expected
    assert torch.equal(Resize(np.int64(224))(x), Resize(expected)(x))
