"""torchvision's presets and transforms, the real package."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PIL import Image

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import Fit, Layout, LongestEdgeExact, Preprocessor, Resize, ReverseChannels, ShortestEdge
from sizewise.preprocess.readers import torchvision as reader

torch = pytest.importorskip("torch")
T = pytest.importorskip("torchvision.transforms")
from torchvision.models import ResNet50_Weights  # noqa: E402
from torchvision.transforms import _presets as presets  # noqa: E402
from torchvision.transforms import functional as F  # noqa: E402
from torchvision.transforms import v2  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:the crop of")  # larger than the resize, on purpose
Mode = T.InterpolationMode
SIZES = [(97, 131), (150, 61), (30, 200), (64, 64), (5, 3)]
MEAN, STD = (0.5, 0.4, 0.3), (0.2, 0.3, 0.25)
PRESETS = [
    lambda: presets.ImageClassification(crop_size=32, resize_size=40),
    lambda: presets.ImageClassification(crop_size=33, resize_size=41, interpolation=Mode.BICUBIC, mean=MEAN, std=STD),
    lambda: presets.ImageClassification(crop_size=70, resize_size=40),  # the crop pads
    lambda: presets.SemanticSegmentation(resize_size=52),
    lambda: presets.SemanticSegmentation(resize_size=None),
    lambda: presets.ObjectDetection(),
]
FLOATS = [T.ToTensor(), T.Normalize(MEAN, STD)]
SCALE = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
PIL = [
    lambda: T.Compose([T.Resize(40), T.CenterCrop(32), *FLOATS]),
    lambda: T.Compose([T.Resize((37, 53), Mode.LANCZOS), T.PILToTensor()]),
    lambda: T.Compose([T.Resize(40, Mode.NEAREST_EXACT, max_size=70)]),
    lambda: T.Compose([T.Pad((1, 2, 3, 4), fill=(7, 8, 9)), T.CenterCrop((60, 71)), *FLOATS]),
    lambda: T.Compose([T.Grayscale(), T.Resize(40, Mode.BOX), T.ToTensor(), T.Normalize((0.5,), (0.25,))]),
    lambda: v2.Compose([v2.RGB(), v2.Resize(40, Mode.BICUBIC), *SCALE, v2.Normalize(MEAN, STD)]),
    lambda: v2.Compose([v2.ToImage(), v2.Resize(40, antialias=True), v2.CenterCrop(39), *SCALE]),
    lambda: v2.Compose([v2.ToImage(), v2.Resize(40, Mode.BICUBIC, antialias=False), v2.Pad(3, fill=5)]),
    lambda: v2.Compose([v2.ToImage(), v2.Resize(None, Mode.LANCZOS, max_size=51), v2.ToDtype(torch.float64)]),
    lambda: v2.Compose([*SCALE[:1], v2.ToDtype(torch.float64, scale=True), v2.Normalize(MEAN, STD)]),
    lambda: v2.Compose([v2.PILToTensor(), v2.ConvertImageDtype(), v2.ToPureTensor(), v2.Identity()]),
    lambda: torch.nn.Sequential(v2.PILToTensor(), T.ConvertImageDtype(torch.float64)),
    lambda: T.Compose([T.Compose([T.Resize(40), torch.nn.Sequential(T.CenterCrop(32))]), *FLOATS]),
]


def pixels(size, seed=2):
    return np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)


def tensor(size):
    return torch.from_numpy(pixels(size)).permute(2, 0, 1)


def as_array(result):
    array = np.asarray(result)
    return array if array.ndim == 3 else array[..., None]


def ulps(result, wanted):
    """Return the largest difference in units of the last place of the largest value."""
    assert result.dtype == wanted.dtype and result.shape == wanted.shape
    return np.abs(result.astype(np.float64) - wanted).max() / np.spacing(np.abs(wanted).max())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("make", [*PRESETS, *PIL])
def test_pil_images_are_equal(make, size) -> None:
    real, image = make(), Image.fromarray(pixels(size))
    pre, wanted = Preprocessor.load(real), as_array(real(image))
    result = as_array(pre(image))
    assert result.dtype == wanted.dtype
    np.testing.assert_array_equal(result, wanted)
    config = pre.write("torchvision")
    assert Preprocessor.load(config) == pre
    np.testing.assert_array_equal(as_array(reader.build(config)(image)), wanted)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "lanczos"])
@pytest.mark.parametrize("antialias", [True, False])
def test_tensors(mode, antialias) -> None:
    for size in SIZES:
        for target in (40, (37, 53)):
            bytes_, floats = tensor(size), tensor(size).float() / 255
            new, old = (one.Resize(target, Mode(mode), antialias=antialias) for one in (v2, T))
            if mode == "lanczos":
                for real in [old] + [new] * (not antialias):
                    with pytest.raises(UnsupportedError, match="lanczos"):
                        Preprocessor.load(real, backend="tensor")
                    with pytest.raises((ValueError, NotImplementedError)):
                        real(bytes_)
                if not antialias:
                    continue
            pre = Preprocessor.load(new, backend="tensor")
            np.testing.assert_array_equal(pre(bytes_), new(bytes_))
            assert ulps(pre(floats).numpy(), new(floats).numpy()) <= 20
            assert Preprocessor.load(pre.write("torchvision")) == pre
            if mode != "lanczos":  # floats, rounded: one level at the few ties that sums of another order break
                distance = Preprocessor.load(old, backend="tensor")(bytes_).int() - old(bytes_).int()
                assert distance.abs().max() <= 1 and (distance != 0).float().mean() < 1e-3


@pytest.mark.parametrize("make", PRESETS)
def test_presets_of_tensors(make) -> None:
    real = make()
    pre = Preprocessor.load(real, backend="tensor")
    assert Preprocessor.load(pre.write("torchvision")) == pre
    for size in SIZES[:3]:
        level = 1 / 255 / min(getattr(real, "std", [1.0]))
        assert (pre(tensor(size)) - real(tensor(size))).abs().max() <= level * 1.0001
        floats = tensor(size).float() / 255
        assert ulps(pre(floats).numpy(), real(floats).numpy()) <= 20
        built = reader.build(pre.write("torchvision"))
        np.testing.assert_array_equal(built(tensor(size)), real(tensor(size)))


def test_scaling_of_each_version() -> None:
    levels = torch.arange(256, dtype=torch.uint8).reshape(1, 16, 16).repeat(3, 1, 1)
    divided, multiplied = T.ConvertImageDtype(torch.float32), v2.ToDtype(torch.float32, scale=True)
    assert not torch.equal(divided(levels), multiplied(levels))
    for real in (divided, multiplied, v2.ConvertImageDtype(torch.float64), v2.ToDtype(torch.float32)):
        for given in (levels, levels.float()):
            result = Preprocessor.load(real, backend="tensor")(given)
            assert torch.equal(result, real(given)) and result.dtype == real(given).dtype


def test_weights_and_dictionaries() -> None:
    pre = Preprocessor.load(ResNet50_Weights.IMAGENET1K_V2.transforms())
    config = {"torchvision": {"preset": "ImageClassification", "crop_size": 224, "resize_size": 232}}
    assert Preprocessor.load(ResNet50_Weights.IMAGENET1K_V2) == pre == Preprocessor.load(config)
    assert Preprocessor.load(pre.write("timm")) == pre
    assert Preprocessor.load({"torchvision": {"crop_size": [224], "resize_size": [232]}}) == pre


def test_sizes_of_ten_thousand_images() -> None:
    draw = random.Random(3)
    for _ in range(10_000):
        size, edge = (draw.randint(1, 5000), draw.randint(1, 5000)), draw.randint(1, 2000)
        limit = draw.choice([None, edge + draw.randint(1, 2000)])
        wanted = F._compute_resized_output_size(size, [edge], limit)
        assert ShortestEdge(edge, limit).size(size) == tuple(wanted)
        wanted = F._compute_resized_output_size(size, None, edge, allow_size_none=True)
        if min(wanted) > 0:  # torchvision cannot resize to 0 pixels either
            assert LongestEdgeExact(edge).size(size) == tuple(wanted)


def test_every_offset_of_a_crop() -> None:
    for n in range(1, 12):
        for m in range(1, 12):
            image, real = Image.fromarray(pixels((n, 13 - n))), T.CenterCrop((m, 12 - m))
            np.testing.assert_array_equal(Preprocessor.load(real)(image), np.asarray(real(image)))


def test_control_the_other_backend_differs() -> None:
    real, size = T.Resize(40, antialias=False), (97, 131)
    wanted = real(tensor(size)).permute(1, 2, 0)
    assert not np.array_equal(Preprocessor.load(real)(Image.fromarray(pixels(size))), wanted)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: T.Compose([T.Resize(4), T.RandomHorizontalFlip()]), "RandomHorizontalFlip.*random"),
        (lambda: v2.Compose([v2.ColorJitter()]), "ColorJitter.*random"),
        (lambda: T.Compose([T.Lambda(lambda x: x)]), "Lambda.*function"),
        (lambda: T.Compose([T.FiveCrop(4)]), "FiveCrop.*several"),
        (lambda: T.Compose([lambda x: x]), "lambda"),
        (lambda: T.Compose([T.GaussianBlur(3)]), "GaussianBlur"),
        (lambda: T.Compose([T.Resize(4), T.Grayscale()]), "Grayscale.*first"),
        (lambda: T.Pad(3, padding_mode="reflect"), "reflect"),
        (lambda: T.Normalize(MEAN, STD), "PIL image"),
        (lambda: T.Compose([T.PILToTensor(), T.Normalize(MEAN, STD)]), "bytes"),
        (lambda: T.Compose([T.ToTensor(), T.PILToTensor()]), "gets a tensor"),
        (lambda: T.Compose([T.PILToTensor(), T.ConvertImageDtype(torch.float16)]), "float16"),
        (lambda: presets.VideoClassification(crop_size=(4, 4), resize_size=(5,)), "videos"),
        (lambda: presets.OpticalFlow(), "two images"),
        (lambda: {"torchvision": {"crop": 4}}, "did you mean 'crop_size'"),
        (lambda: {"torchvision": {"preset": "Classification"}}, "ImageClassification"),
        (lambda: {"torchvision": {"transforms": [{"transform": "Resise", "size": 4}]}}, "did you mean 'Resize'"),
        (lambda: {"torchvision": {"transforms": [{"transform": "Resize", "size": 4, "max_size": 3}]}}, "greater"),
        (lambda: {"torchvision": {"crop_size": 4, "interpolation": "cubic"}}, "did you mean"),
        (lambda: {"torchvision": {"crop_size": None}}, "size"),
    ],
)
def test_refusals(make, words) -> None:
    with pytest.raises((ArgumentError, UnsupportedError), match=words):
        Preprocessor.load(make())


def test_refusals_of_the_writer() -> None:
    for steps, words in (([ReverseChannels(), Layout()], "ReverseChannels"), ([Resize(Fit(4, 4))], "Fit")):
        with pytest.raises(UnsupportedError, match=words):
            Preprocessor(steps).write("torchvision")
    with pytest.raises(ArgumentError, match="did you mean 'tensor'"):
        Preprocessor.load(T.Resize(4), backend="tensors")
