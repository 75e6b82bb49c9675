"""compat.torchvision against torchvision itself: pixels, gradients, boxes, nested samples, and refusals."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as original

from sizewise.compat.torchvision import CenterCrop, RandomResizedCrop, Resize, functional
from sizewise.errors import ArgumentError, ArgumentTypeError, SizewiseError, UnknownNameError
from sizewise.testing import assert_same_pixels

MODES = ["nearest", "nearest-exact", "bilinear", "bicubic", "lanczos"]
SHAPES = [(3, 37, 53), (1, 37, 53), (5, 31, 20), (2, 3, 37, 53), (2, 2, 3, 20, 31)]
SIZES = [(17, 80), (100, 20), 16, [24]]
CALLS = [
    {"size": size, "interpolation": mode, "antialias": antialias}
    for size, mode, antialias in itertools.product(SIZES, MODES, (True, False))
    if antialias or mode != "lanczos"
]
# Units in the last place of the largest value. Both sum in float32, in different orders.
FORWARD_ULP = 16


def pixels(shape: tuple[int, ...], seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng([seed, *shape]).integers(0, 256, shape, np.uint8))


def picture(mode: str, size: tuple[int, int] = (53, 37)) -> Image.Image:
    bands = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 4), np.uint8)
    return Image.fromarray(bands, "RGBA").convert(mode)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_bytes_are_those_of_torchvision(call: dict) -> None:
    for shape in SHAPES:
        x = pixels(shape)
        packed = torch.moveaxis(torch.moveaxis(x, -3, -1).contiguous(), -1, -3)
        videos = [tv_tensors.Video(x)] if x.ndim > 3 else []
        for image in (x, packed, tv_tensors.Image(x), *videos):
            ours, theirs = functional.resize(image, **call), original.resize(image, **call)
            assert type(ours) is type(theirs) and ours.dtype is torch.uint8
            assert torch.equal(ours, theirs), f"{shape}: {int((ours != theirs).sum())} bytes differ"


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_floats_and_gradients(call: dict) -> None:
    for shape, dtype in itertools.product(SHAPES[:4], (torch.float32, torch.float64)):
        x, y = ((pixels(shape) / 255).to(dtype).requires_grad_() for _ in range(2))
        ours, theirs = functional.resize(x, **call), original.resize(y, **call)
        exact = call["interpolation"].startswith("nearest")
        assert_same_pixels(ours.detach().numpy(), theirs.detach().numpy(), ulp=0 if exact else FORWARD_ULP)
        dy = torch.rand(ours.shape, dtype=dtype, generator=torch.Generator().manual_seed(0))
        ours.backward(dy)
        theirs.backward(dy)
        assert float((x.grad - y.grad).abs().max()) <= 4e-5 * float(y.grad.abs().max())


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.float16, torch.bfloat16])
def test_other_dtypes_are_cast(dtype: torch.dtype) -> None:
    """Values between two of a dtype, to the last bit of float32, may be rounded to either."""
    x = pixels((3, 37, 53)).to(dtype)
    for call in CALLS:
        ours, theirs = functional.resize(x, **call), original.resize(x, **call)
        assert ours.dtype is dtype
        assert float((ours != theirs).float().mean()) <= 0.002
        # the largest step between neighbors: integers, and floats below 512
        step = {torch.float16: 0.25, torch.bfloat16: 2.0}.get(dtype, 1.0)
        assert float((ours.double() - theirs.double()).abs().max()) <= step


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "LA", "1", "P", "I", "F"])
def test_images_of_pillow(mode: str) -> None:
    image = picture(mode)
    for size, interpolation in itertools.product(SIZES, [*MODES, "box", "hamming"]):
        ours, theirs = (f.resize(image, size, interpolation) for f in (functional, original))
        assert (ours.mode, ours.size) == (theirs.mode, theirs.size)
        assert ours.tobytes() == theirs.tobytes(), f"{mode}, {size}, {interpolation}"


@pytest.mark.parametrize("size", [(1, 9), (48, 64), (64, 48), (33, 7), (50, 50)])
def test_sizes(size: tuple[int, int]) -> None:
    x = torch.zeros(1, *size)
    for given, max_size in itertools.product([8, [8], (8, 20), None, 40], [None, 9, 30, 64]):
        try:
            theirs = original.resize(x, given, "nearest", max_size).shape
        except ValueError:
            with pytest.raises(ArgumentError):
                functional.resize(x, given, "nearest", max_size)
        except RuntimeError:  # a length of 0
            with pytest.raises(SizewiseError):
                functional.resize(x, given, "nearest", max_size)
        else:
            assert functional.resize(x, given, "nearest", max_size).shape == theirs


def sample(seed: int = 0) -> dict:
    """Return a nested sample of all that torchvision transforms."""
    canvas = {"canvas_size": (37, 53)}
    boxes = torch.tensor([[1.0, 2.0, 30.0, 20.0], [5.0, 5.0, 50.0, 36.0]])
    parts: dict = {
        "image": tv_tensors.Image(pixels((3, 37, 53), seed)),
        "pair": (picture("RGB"), [tv_tensors.Mask(pixels((2, 37, 53), seed)), tv_tensors.Mask(pixels((37, 53), seed))]),
        "boxes": {f: tv_tensors.BoundingBoxes(boxes, format=f, **canvas) for f in ("XYXY", "XYWH", "CXCYWH")},
        "label": torch.tensor([1.0, 2.0]),
        "name": "a file",
    }
    if hasattr(tv_tensors, "KeyPoints"):
        parts["points"] = tv_tensors.KeyPoints(torch.tensor([[3.0, 4.0], [50.0, 30.0]]), **canvas)
    return parts


def leaves(tree: object) -> list:
    return torch.utils._pytree.tree_flatten(tree)[0]


def assert_same(ours: object, theirs: object) -> None:
    assert torch.utils._pytree.tree_flatten(ours)[1] == torch.utils._pytree.tree_flatten(theirs)[1]
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        assert type(a) is type(b)
        if isinstance(a, torch.Tensor):
            assert torch.equal(a, b)
            assert getattr(a, "canvas_size", None) == getattr(b, "canvas_size", None)
        elif isinstance(a, Image.Image):
            assert a.tobytes() == b.tobytes()
        else:
            assert a == b


PAIRS = [
    (Resize((20, 30)), v2.Resize((20, 30))),
    (Resize(20, "nearest-exact", max_size=25), v2.Resize(20, "nearest-exact", max_size=25)),
    (Resize(size=None, max_size=64), v2.Resize(size=None, max_size=64)),
    (CenterCrop((30, 60)), v2.CenterCrop((30, 60))),
    (RandomResizedCrop(16), v2.RandomResizedCrop(16)),
    (RandomResizedCrop((24, 70), (0.5, 1.0), interpolation="bicubic"),
     v2.RandomResizedCrop((24, 70), (0.5, 1.0), interpolation="bicubic")),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda one: repr(one).partition("\n")[0][:40])
def test_nested_samples(ours: v2.Transform, theirs: v2.Transform) -> None:
    assert isinstance(ours, v2.Transform)
    for seed in range(5):
        results = []
        for transform in (ours, theirs):
            torch.manual_seed(seed)
            results.append(v2.Compose([transform, v2.RandomHorizontalFlip()])(sample(seed)))
        assert_same(*results)


def test_a_given_box() -> None:
    for part in leaves(sample()):
        if functional.has_pixels(part) or isinstance(part, tv_tensors.TVTensor):
            if isinstance(part, torch.Tensor) and part.ndim < 2:
                continue
            box = {"top": 3, "left": 5, "height": 20, "width": 30, "size": [16, 11]}
            assert_same(functional.resized_crop(part, **box), original.resized_crop(part, **box))


def test_rotated_boxes_are_those_of_torchvision() -> None:
    if not hasattr(tv_tensors.BoundingBoxFormat, "CXCYWHR"):
        pytest.skip("this torchvision has no rotated boxes")
    boxes = tv_tensors.BoundingBoxes(
        torch.tensor([[20.0, 15.0, 8.0, 4.0, 30.0]]), format="CXCYWHR", canvas_size=(37, 53)
    )
    assert_same(Resize((20, 30))(boxes), v2.Resize((20, 30))(boxes))


def test_one_size_is_the_same_object() -> None:
    x, image = pixels((3, 8, 8)), picture("RGB", (8, 8))
    assert functional.resize(x, 8) is x and functional.resize(image, 8) is image
    assert functional.resize(torch.zeros(0, 3, 8, 8), (4, 4)).shape == (0, 3, 4, 4)


def test_gradcheck() -> None:
    x = torch.rand(1, 1, 5, 6, dtype=torch.float64, requires_grad=True)
    for transform in (Resize((3, 4)), Resize(9, "bicubic"), v2.Compose([Resize(8), CenterCrop(4)])):
        assert torch.autograd.gradcheck(transform, x)


def test_refusals() -> None:
    x = pixels((3, 8, 8))
    for arguments in ({"size": (1, 2, 3)}, {"size": 0}, {"size": None}, {"size": 8, "max_size": 8}, {"size": "8"}):
        with pytest.raises(ArgumentError):
            functional.resize(x, **arguments)
    for interpolation in ("bilinaer", None, 77, [2], np.zeros(1, [("a", "u1")])):
        with pytest.raises(UnknownNameError):
            functional.resize(x, 4, interpolation)
    for image in (None, "image", np.zeros((4, 4, 3), np.uint8)):
        with pytest.raises(ArgumentTypeError):
            functional.resize(image, 4)
        with pytest.raises(ArgumentTypeError):
            functional.resized_crop(image, 0, 0, 2, 2, 4)
    with pytest.raises(SizewiseError):
        functional.resized_crop(x, 0, 0, 2**31 - 1, 2**20, 4)  # more than fits in memory
    with pytest.raises(SizewiseError):
        functional.resize(x, 4, "box")  # of Pillow's images only
    with pytest.warns(UserWarning, match="Pillow"):
        functional.resize(picture("RGB"), 4, antialias=False)


def test_torchvision_is_needed() -> None:
    code = (
        "import sys; sys.modules['torchvision'] = None\nfrom sizewise import errors\n"
        "try:\n    import sizewise.compat.torchvision\nexcept errors.MissingExtraError as e:\n"
        "    assert 'sizewise[torchvision]' in str(e)\nelse:\n    raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_control_other_pixels_are_seen() -> None:
    """The comparisons can fail: another mode, another box and another size differ."""
    x = pixels((3, 37, 53))
    assert not torch.equal(functional.resize(x, 16, "bicubic"), original.resize(x, 16, "bilinear"))
    assert not torch.equal(functional.resize(x, 16, antialias=False), original.resize(x, 16))
    with pytest.raises(AssertionError):
        assert_same(Resize((20, 30))(sample()), v2.Resize((20, 31))(sample()))
    with pytest.raises(AssertionError):
        assert_same(Resize((20, 30))(sample(0)), v2.Resize((20, 30))(sample(1)))
