"""The reader of Hugging Face configurations against the image processors of transformers, for every class."""

from __future__ import annotations

import random
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parent))

from huggingface_runs import cases, class_of, features, image, modules, patches, pixels, processor, small  # noqa: E402
from samples import sample  # noqa: E402

from sizewise.errors import SizewiseError, UnsupportedError  # noqa: E402
from sizewise.preprocess import PadBatch, Preprocessor  # noqa: E402
from sizewise.preprocess.model_size_rules import (  # noqa: E402
    ClampedEdges,
    FitMultiple,
    FlooredEdges,
    FlooredShortestEdge,
    PatchLimit,
    Thumbnail,
)
from sizewise.preprocess.readers import huggingface  # noqa: E402
from sizewise.preprocess.readers._huggingface_classes import BASE, CLASSES, TORCHVISION_ONLY  # noqa: E402
from sizewise.preprocess.readers._huggingface_refused import REFUSED  # noqa: E402
from sizewise.preprocess.readers._huggingface_values import Values  # noqa: E402
from sizewise.preprocess.size_rules import (  # noqa: E402
    AreaLimits,
    ClosestScale,
    Fit,
    LongestEdge,
    ShortestEdge,
    ShortestEdgeWithin,
)

SHAPES = ((97, 131), (150, 61), (40, 300), (64, 64), (65, 48), (9, 7))  # landscape, portrait, wide, square, exact, tiny
BYTES = {"do_rescale": False, "do_normalize": False}
CHANGES: tuple[dict[str, Any], ...] = (
    BYTES,
    {},
    {"resample": 0},
    {"resample": 1},
    {"resample": 2},
    {"resample": 3},
    {"do_resize": False},
    {"do_rescale": False},
    {"do_normalize": False},
    {"rescale_factor": 1 / 127.5},
    {"do_normalize": True, "image_mean": [0.1, 0.2, 0.3], "image_std": [0.5, 0.6, 0.7]},
    {"do_center_crop": False},
    {"do_center_crop": True, "crop_size": {"height": 50, "width": 71}},
    {"do_pad": True, "pad_size": {"height": 330, "width": 350}},
    {"do_pad": False},
    {"do_convert_rgb": True},
    {"do_convert_rgb": False},
)
FLOATS = ("DINOv3ViT", "DepthPro", "RfDetr")  # which resize floats


def compared(real: Any, name: str, shape: tuple[int, int]) -> tuple[NDArray, NDArray] | None:
    """Return the pixels of transformers and of its configuration; None where transformers cannot process the image."""
    given = image(shape)
    try:
        expected = pixels(real, [given])
    except (RuntimeError, TypeError, ValueError):
        return None
    result = np.asarray(Preprocessor.load(real)([given]))
    if CLASSES[name][0] in ("qwen2_vl", "siglip2"):
        result = patches(real, result[0])
    return expected, result


def require_equal(name: str, expected: NDArray, result: NDArray, what: str) -> None:
    """Assert equality; 32 ULP of the largest value where transformers resizes floats (16 measured)."""
    assert result.shape == expected.shape, what
    if name in FLOATS:
        limit = 32 * float(np.spacing(np.float32(np.abs(expected).max())))
        np.testing.assert_allclose(result.astype(np.float64), expected, 0, limit, err_msg=what)
        return
    if CLASSES[name][0] in ("qwen2_vl", "idefics2"):  # which make floats of bytes as they cut or pad them
        result = result.astype(expected.dtype)
    assert result.dtype == expected.dtype, what
    np.testing.assert_array_equal(result, expected, what)


@pytest.mark.filterwarnings("ignore:the crop of:sizewise.errors.SizewiseWarning")
@pytest.mark.parametrize(("name", "backend"), cases())
def test_pixels_are_equal(name: str, backend: str) -> None:
    count = 0
    for changes in [BYTES, {}, *sample(CHANGES[2:], 3, f"{name} {backend}")]:
        arguments = {**small(name), **changes}
        if name == "BridgeTower" and "crop_size" in changes:
            arguments["crop_size"] = {"shortest_edge": 50}
        real = processor(name, backend, **arguments)
        for shape in sample(SHAPES, 2, f"{name} {changes}"):
            if (pair := compared(real, name, shape)) is not None:
                count += 1
                require_equal(name, *pair, f"{name} {backend} {shape} {changes}")
    assert count >= 4


@pytest.mark.filterwarnings("ignore:the crop of:sizewise.errors.SizewiseWarning")
@pytest.mark.parametrize(("name", "backend"), sample(cases(), 3))
def test_pixels_with_defaults_are_equal(name: str, backend: str) -> None:
    pair = compared(processor(name, backend), name, (97, 131))
    assert pair is not None
    require_equal(name, *pair, f"{name} {backend}")


PADDED = [
    (name, backend)
    for name, backend in cases()
    if isinstance(huggingface.read({"image_processor_type": f"{name}ImageProcessor"}, backend)[-1], PadBatch)
]


@pytest.mark.parametrize(("name", "backend"), PADDED)
def test_padded_batches_are_equal(name: str, backend: str) -> None:
    arguments = {**small(name), **({"do_center_crop": False} if name == "BridgeTower" else {})}
    real = processor(name, backend, **arguments)
    images = [image(shape) for shape in ((97, 131), (150, 61), (64, 64))]
    if name == "Idefics2":
        given: list[Any] = [[one] for one in images]
        expected = features(real, given)
        expected = {key: values[:, 0] for key, values in expected.items()}
        expected["pixel_mask"] = expected.pop("pixel_attention_mask")
    else:
        expected = features(real, images)
    found = Preprocessor.load(real)(images, return_tensors="np")
    require_equal(name, expected["pixel_values"], found["pixel_values"], name)
    assert len({one.shape for one in images}) == 3
    if name != "Pixtral":  # which returns the sizes
        np.testing.assert_array_equal(found["pixel_mask"], expected["pixel_mask"])
        assert not found["pixel_mask"].all()


def test_every_class_of_transformers_is_read_or_refused() -> None:
    known = {name.removesuffix("Pil").removesuffix("ImageProcessor") for name in modules()}
    assert not set(CLASSES) & set(REFUSED)
    assert {*CLASSES, *REFUSED} == known


def test_every_class_of_the_auto_table_is_known() -> None:
    from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES

    names = {name for entry in IMAGE_PROCESSOR_MAPPING_NAMES.values() for name in entry.values() if name}
    assert len(names) > 100
    for name in names:
        short = name.removesuffix("Pil").removesuffix("ImageProcessor")
        assert short in CLASSES or short in REFUSED, name


def test_classes_without_a_backend_of_pillow() -> None:
    assert {name for name in CLASSES if class_of(name, "pil") is None} == set(TORCHVISION_ONLY)
    for name in TORCHVISION_ONLY:
        with pytest.raises(UnsupportedError, match="no backend of Pillow"):
            Preprocessor.load({"image_processor_type": f"{name}ImageProcessor"}, backend="pil")


@pytest.mark.parametrize("name", REFUSED)
def test_refused_classes_are_named(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"{name}ImageProcessor cannot be read: it"):
        Preprocessor.load({"image_processor_type": f"{name}ImageProcessor"})


@pytest.mark.parametrize(("name", "backend"), cases())
def test_defaults_are_those_of_the_classes(name: str, backend: str) -> None:
    kind, defaults = CLASSES[name]
    real = processor(name, backend)
    config = real.to_dict()
    for key, value in {**BASE, **defaults}.items():
        if (key == "do_pad" and kind == "maskformer") or (kind, key) in WITHOUT_KEY:
            continue
        found = config.get(key)
        if value is False or key == "rescale_factor":
            assert (found or False) == value, (name, key)
        else:
            assert (tuple(found) if isinstance(found, (list, tuple)) else found) == value, (name, key)
    assert Values(name, kind, backend, {}, defaults).is_square == type(real).default_to_square


# Operations that a class always does, or never, without a key.
WITHOUT_KEY = {("layoutlmv2", key) for key in ("do_rescale", "rescale_factor", "do_normalize")}


@pytest.mark.filterwarnings("ignore:the crop of:sizewise.errors.SizewiseWarning")
def test_keys_of_the_classes_are_known() -> None:
    for name, backend in cases():
        config = processor(name, backend).to_dict()
        assert huggingface.read({**config, "image_processor_type": f"{name}ImageProcessor"}, backend)


def sizes(seed: int, count: int = 10_000) -> list[tuple[int, int]]:
    draw = random.Random(seed)
    return [(draw.randint(20, 3000), draw.randint(20, 3000)) for _ in range(count)]


def test_size_rules_are_those_of_transformers() -> None:
    from transformers import image_transforms, image_utils
    from transformers.image_utils import SizeDict
    from transformers.models.dpt import image_processing_dpt
    from transformers.models.qwen2_vl.image_processing_qwen2_vl import smart_resize

    sam = processor("Sam", "torchvision")
    siglip2, pixtral, idefics2, vilt, yolos = (import_module(modules()[f"{name}ImageProcessor"]) for name in FAMILIES)
    for size in sample(sizes(1), 4):
        blank = np.broadcast_to(np.uint8(0), (3, *size))
        shortest = image_transforms.get_resize_output_image_size(
            blank, 224, default_to_square=False, input_data_format="channels_first"
        )
        dpt = image_processing_dpt.get_resize_output_image_size(blank, (384, 384), True, 14)
        assert ShortestEdge(224).size(size) == shortest
        assert ShortestEdgeWithin(800, 1333).size(size) == image_transforms.get_size_with_aspect_ratio(size, 800, 1333)
        assert Fit(640, 512, "int").size(size) == image_utils.get_image_size_for_max_height_width(size, 640, 512)
        assert LongestEdge(1024).size(size) == sam._get_preprocess_shape(size, 1024)
        if min(dpt.height, dpt.width) > 0:  # a length of 0, which transformers cannot resize to, is one multiple here
            assert ClosestScale(384, 384, multiple=14).size(size) == (dpt.height, dpt.width)
        assert PatchLimit(16, 256).size(size) == siglip2.get_image_size_for_max_num_patches(*size, 16, 256)
        assert FitMultiple(1024, 900, 14).size(size) == pixtral.get_resize_output_image_size(
            blank, (1024, 900), 14, "channels_first"
        )
        limits = SizeDict(shortest_edge=378, longest_edge=980)
        assert ClampedEdges(378, 980).size(size) == idefics2.get_resize_output_image_size(blank, limits)
        if min(expected := vilt.get_resize_output_image_size(blank, 384, 639, 8)) > 0:
            assert FlooredEdges(384, 639, 8).size(size) == expected
        if min(expected := yolos.get_size_with_aspect_ratio_yolos(size, 800, 1333)) > 0:
            assert FlooredShortestEdge(800, 1333, 16).size(size) == expected
        assert AreaLimits(28, 3136, 1003520).size(size) == smart_resize(*size, 28, 3136, 1003520)


FAMILIES = ("Siglip2", "Pixtral", "Idefics2", "BridgeTower", "Yolos")


def test_thumbnails_are_those_of_donut(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.image_utils import SizeDict

    donut = processor("Donut", "torchvision")
    monkeypatch.setattr(type(donut).__mro__[1], "resize", lambda self, image, size, **_: (size.height, size.width))
    for size in sample(sizes(2), 4):
        expected = donut.thumbnail(torch.empty((3, *size), device="meta"), SizeDict(height=1280, width=960))
        expected = tuple(expected.shape[-2:]) if hasattr(expected, "shape") else expected
        if min(expected) > 0:
            assert Thumbnail(1280, 960).size(size) == expected


def test_control_a_changed_parameter_differs() -> None:
    real = processor("CLIP", "pil", **small("CLIP"))
    pair = compared(real, "CLIP", SHAPES[0])
    assert pair is not None
    expected, result = pair
    np.testing.assert_array_equal(result, expected)
    for config, backend in (({**real.to_dict(), "resample": 2}, "pil"), (real.to_dict(), "torchvision")):
        assert not np.array_equal(Preprocessor.load(config, backend=backend)([image(SHAPES[0])]), expected)


def test_control_images_that_are_too_narrow_are_named() -> None:
    real = processor("Vilt", "pil", size={"shortest_edge": 75})
    with pytest.raises(ValueError, match="Size must contain"):
        pixels(real, [image((40, 300))])
    with pytest.raises(SizewiseError, match="too narrow"):
        Preprocessor.load(real)(image((40, 300)))
