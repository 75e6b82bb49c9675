"""sw.Preprocessor: values, batches, files, errors and the JSON form."""

from __future__ import annotations

import io
import json
import pickle
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from PIL import Image

import sizewise as sw
from sizewise.errors import (
    ArgumentError,
    ArgumentTypeError,
    DtypeError,
    FileError,
    SizewiseError,
    SizewiseWarning,
    UnknownNameError,
)
from sizewise.preprocess import (
    Cast,
    CenterCrop,
    CropBox,
    CropInside,
    Decode,
    Exact,
    Fit,
    Layout,
    Normalize,
    PadAtLeast,
    PadBatch,
    PadTo,
    PadToMultiple,
    PadToSquare,
    Preprocessor,
    Rescale,
    Resize,
    ReverseChannels,
    ShortestEdge,
    size_rules,
)
from sizewise.preprocess.fused import prepare
from sizewise.preprocess.steps import STEPS

MEAN, STD = (0.48, 0.46, 0.41), (0.27, 0.26, 0.28)
CLIP = Preprocessor(
    [
        Decode(),
        Resize(ShortestEdge(56), "bicubic", "pillow"),
        CenterCrop(56, 56),
        Rescale(1 / 255, compute="float64"),
        Normalize(MEAN, STD),
        Layout("CHW"),
    ]
)
LETTERBOX = Preprocessor(
    [
        Resize(Fit(64, 64), "bilinear", "opencv"),
        PadTo(64, 64, fill=(114.0,)),
        ReverseChannels(),
        Rescale(255, divide=True),
    ]
)
DETECTION = Preprocessor([Resize(ShortestEdge(40, max_edge=60)), Rescale(1 / 255), Layout(), PadBatch()])
RECIPES = {
    "clip": CLIP,
    "letterbox": LETTERBOX,
    "detection": DETECTION,
    "float": Preprocessor([Rescale(1 / 255), Resize(Exact(32, 24), "bilinear", "torch", True), Cast("float16")]),
    "box": Preprocessor([Resize(Exact(40, 50), "bicubic", "pillow"), CropBox(3, 5, 20, 30), Normalize((1.0,), (2.0,))]),
    "small crop": Preprocessor([CenterCrop(70, 20, fill=(9.0,)), PadToSquare(fill=(1.0, 2.0, 3.0)), PadToMultiple(32)]),
    "rounded": Preprocessor([Resize(Exact(20, 20), "bilinear", "torch", True, compute="float32"), Rescale(1 / 255)]),
}


def photo(height: int = 60, width: int = 90, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def step_by_step(pre: Preprocessor, image: np.ndarray) -> Any:
    return list(pre.trace(image))[-1][1]


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("size", [(60, 90), (91, 47), (64, 64), (56, 56), (33, 200)])
def test_fused_steps_have_the_same_values(name: str, size: tuple[int, int]) -> None:
    pre, image = RECIPES[name], photo(*size)
    result, expected = pre(image), step_by_step(pre, image)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_control_bytes_are_fused_and_floats_are_not() -> None:
    assert prepare(CLIP.steps, (60, 90), 3) is not None
    assert prepare(RECIPES["float"].steps, (60, 90), 3) is None


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_batch_is_its_images(threads: int) -> None:
    images = [photo(seed=seed) for seed in range(7)]
    expected = np.stack([CLIP(image) for image in images])
    np.testing.assert_array_equal(CLIP(images, threads=threads), expected)
    np.testing.assert_array_equal(CLIP(np.stack(images), threads=threads), expected)


def test_results_of_different_shapes_are_a_list() -> None:
    pre = Preprocessor([Resize(ShortestEdge(20))])
    assert [one.shape for one in pre([photo(60, 90), photo(90, 60)])] == [(20, 30, 3), (30, 20, 3)]


def test_a_padded_batch_has_a_mask() -> None:
    features = DETECTION([photo(60, 90), photo(90, 60)], return_tensors="np")
    assert features["pixel_values"].shape == (2, 3, 60, 60)
    assert features["pixel_mask"].sum(axis=(1, 2)).tolist() == [40 * 60, 60 * 40]
    assert (features["pixel_values"][0][:, 40:] == 0).all()


def test_results_do_not_share_memory() -> None:
    first = CLIP([photo(seed=1), photo(seed=2)])
    kept = first.copy()
    CLIP([photo(seed=3), photo(seed=4)])
    np.testing.assert_array_equal(first, kept)


def encoded(image: np.ndarray, format: str = "PNG", **arguments: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, format, **arguments)
    return buffer.getvalue()


def test_files_bytes_and_images_are_their_pixels(tmp_path: Path) -> None:
    image = photo()
    path = tmp_path / "photo.png"
    path.write_bytes(encoded(image))
    expected = CLIP(image)
    for given in (path, str(path), path.read_bytes(), Image.fromarray(image)):
        np.testing.assert_array_equal(CLIP(given), expected)
    np.testing.assert_array_equal(CLIP([path, image]), np.stack([expected, expected]))


@pytest.mark.parametrize("decoder", ["pillow", "opencv"])
def test_orientation(decoder: str, tmp_path: Path) -> None:
    image = photo(40, 60)
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(image, "PNG", exif=exif)
    raw, upright = (
        Preprocessor([Decode(orientation=orientation, decoder=decoder)])(data) for orientation in ("ignore", "exif")
    )
    np.testing.assert_array_equal(raw, image)
    np.testing.assert_array_equal(upright, np.rot90(image, -1))


def test_decoders_agree_on_png() -> None:
    data = encoded(photo())
    for decoder in ("pillow", "opencv", "tensorflow"):
        np.testing.assert_array_equal(Preprocessor([Decode(decoder=decoder)])(data), photo())


def test_gray_images_become_rgb() -> None:
    gray = photo()[..., 0]
    for given in (gray, gray[..., None], Image.fromarray(gray)):
        np.testing.assert_array_equal(Preprocessor([])(given), np.dstack([gray] * 3))


@pytest.mark.parametrize("library", ["torch", "jax", "tensorflow"])
def test_results_in_the_library_asked_for(library: str) -> None:
    result = CLIP(photo(), library=library)
    assert type(result).__module__.partition(".")[0].startswith(library[:3])
    np.testing.assert_array_equal(np.asarray(result), CLIP(photo()))


def test_tensors_of_bytes() -> None:
    import torch

    images = np.stack([photo(seed=seed) for seed in range(3)])
    batch = torch.from_numpy(images).permute(0, 3, 1, 2)
    for result in (CLIP(batch), CLIP(list(batch)), CLIP(batch.contiguous()), CLIP(list(images), library="torch")):
        assert isinstance(result, torch.Tensor)
        np.testing.assert_array_equal(result.numpy(), CLIP(images))
    assert isinstance(CLIP(batch[0]), torch.Tensor)


def test_a_broken_image_does_not_lose_the_others(tmp_path: Path) -> None:
    good = photo()
    results = CLIP([good, b"no image", tmp_path / "missing.png", good], on_error="return")
    assert [isinstance(one, SizewiseError) for one in results] == [False, True, True, False]
    np.testing.assert_array_equal(results[3], CLIP(good))
    with pytest.raises(FileError, match="cannot decode the bytes given"):
        CLIP([good, b"no image"])
    with pytest.raises(FileError, match="cannot decode the bytes given"):
        CLIP(encoded(good, "JPEG")[:200])


@pytest.mark.parametrize(
    ("limit", "message"), [(1000, "exceeds limit of 2000"), (3000, "5,400 pixels are more than 3,000")]
)
def test_huge_images_are_refused(limit: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
    with warnings.catch_warnings(), pytest.raises(FileError, match=message):
        warnings.simplefilter("ignore")
        CLIP(encoded(photo()))


@pytest.mark.parametrize("name", RECIPES)
def test_json_round_trip(name: str, tmp_path: Path) -> None:
    pre = RECIPES[name]
    text = pre.to_json()
    jsonschema.validate(json.loads(text), Preprocessor.schema())
    again = sw.Preprocessor.load(json.loads(text))
    assert again == pre and again.to_json() == text and hash(again) == hash(pre)
    pre.save(tmp_path / "sizewise.json")
    assert sw.Preprocessor.load(tmp_path) == pre
    assert pickle.loads(pickle.dumps(pre)) == pre


def test_every_step_and_rule_is_in_the_schema() -> None:
    text = json.dumps(Preprocessor.schema())
    for name in (*STEPS, *size_rules.RULES):
        assert f'"const": "{name}"' in text


def test_control_the_schema_rejects() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"sizewise_preprocessor": 1, "steps": [{"step": "resise"}]}, Preprocessor.schema())


def test_equal_when_it_means_the_same() -> None:
    named = Preprocessor([Decode(), Resize(Exact(4, 4), "linear", "torch", False), Layout("HWC")])
    assert named == Preprocessor([Resize(Exact(4, 4), "bilinear", "torch", options={"align_corners": False})])
    assert named != Preprocessor([Resize(Exact(4, 4), "bilinear", "torch", True)])
    scalar = Preprocessor([Resize(ShortestEdge(4)), CenterCrop(3, 3), Normalize((0.5,), (2.0,))])
    vector = Preprocessor(
        [Resize(ShortestEdge(4, rounding="floor")), CenterCrop(3, 3, "int"), Normalize([0.5] * 3, [2.0] * 3)]
    )
    assert scalar == vector and hash(scalar) == hash(vector)
    assert scalar != Preprocessor([Resize(ShortestEdge(4)), CenterCrop(3, 3, "round"), Normalize((0.5,), (2.0,))])


def test_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        CLIP.steps = ()
    with pytest.raises(AttributeError):
        CLIP.steps[1].rule = Exact(1, 1)


def test_table() -> None:
    assert repr(CLIP).splitlines()[:3] == [
        "Preprocessor of 6 steps",
        "  1  decode       pillow, RGB, orientation=ignore",
        "  2  resize       shortest_edge edge=56, pillow bicubic",
    ]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"sizewise_preprocessor": 2, "steps": []}, "this release reads version 1"),
        ({"sizewise_preprocessor": np.ones(2), "steps": []}, "this release reads version 1"),
        ({"sizewise_preprocessor": 1}, "give a list of steps"),
        ({"sizewise_preprocessor": 1, "steps": [], "extra": 1}, "unknown key of a preprocessor: 'extra'"),
        ({"sizewise_preprocessor": 1, "steps": [{"step": "resise"}]}, "did you mean 'resize'"),
        ({"sizewise_preprocessor": 1, "steps": [{"step": "rescale", "scal": 2}]}, "did you mean 'scale'"),
        ({"sizewise_preprocessor": 1, "steps": [{"step": "rescale"}]}, "needs scale"),
        ({"sizewise_preprocessor": 1, "steps": [{"step": "rescale", "scale": "2"}]}, "it must be a number"),
        (
            {"sizewise_preprocessor": 1, "steps": [{"step": "resize", "rule": {"rule": "exakt"}}]},
            "did you mean 'exact'",
        ),
        ({"sizewise_preprocessor": 1, "steps": ["resize"]}, "write it like"),
        ({"unknown": 1}, "is not a recipe that can be read"),
    ],
)
def test_bad_configurations(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        sw.Preprocessor.load(config)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="has no recipe"):
        sw.Preprocessor.load(tmp_path)
    with pytest.raises(FileError, match=r"No such file or directory$"):
        sw.Preprocessor.load(tmp_path / "missing.json")
    for name in ("google/vit-base-patch16-224", "timm/vit_base_patch16_224.augreg2_in21k"):
        with pytest.raises(FileError, match=f"cannot read '{name}': .*; Sizewise downloads nothing: give a file, a"):
            sw.Preprocessor.load(name)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(FileError, match="is not JSON"):
        sw.Preprocessor.load(tmp_path / "broken.json")


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Preprocessor(["resize"]), ArgumentTypeError, "give steps of sizewise.preprocess"),
        (lambda: Preprocessor([Rescale(1.0), Decode()]), ArgumentError, "can only be the first"),
        (lambda: Preprocessor([Layout(), Rescale(1.0)]), ArgumentError, "comes after layout"),
        (lambda: Resize(Exact(0, 4)), ArgumentError, "must be positive"),
        (lambda: Resize(Exact(4, 4), "bilinaer"), UnknownNameError, "did you mean 'bilinear'"),
        (lambda: Resize((4, 4)), ArgumentError, "give a size rule"),
        (lambda: ShortestEdge(4, rounding="up"), UnknownNameError, "unknown rounding"),
        (lambda: Normalize((0.5,), (0.0,)), ArgumentError, "no entry may be 0"),
        (lambda: Rescale(0.0), ArgumentError, "scale is 0"),
        (lambda: Cast("int3"), UnknownNameError, "unknown dtype"),
        (lambda: CLIP(photo(), on_error="skip"), ArgumentError, "on_error is 'skip'"),
        (lambda: CLIP(object()), ArgumentTypeError, "cannot preprocess"),
        (lambda: CLIP(np.zeros((3, 60, 90), np.uint8)), ArgumentError, "has 90 channels"),
        (lambda: Preprocessor([CropBox(0, 0, 100, 10)])(photo()), ArgumentError, "are not inside an image of 60x90"),
        (lambda: Preprocessor([PadTo(10, 10)])(photo()), ArgumentError, "is larger than 10x10"),
        (lambda: Preprocessor([PadTo(10, 10)]).output_size((9, 11)), ArgumentError, "is larger than 10x10"),
        (lambda: CLIP.grad(np.ones((3, 56, 56), int), (60, 90)), DtypeError, "floating dtypes only"),
        (lambda: CLIP.grad(np.ones((3, 5, 5)), (60, 90)), ArgumentError, "has height 56 and width 56"),
    ],
)
def test_bad_arguments(build: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build()


@pytest.mark.parametrize("rule", [ShortestEdge(200), Exact(224, 200)])
def test_a_crop_larger_than_the_resize_is_said(rule: Any) -> None:
    with pytest.warns(SizewiseWarning, match="crop of 224x224 is larger than the resize before it"):
        Preprocessor([Resize(rule), CenterCrop(224, 224)])


@pytest.mark.parametrize("between", [[], [Rescale(1.0), ReverseChannels()]])
@pytest.mark.parametrize(
    ("resize", "step", "message"),
    [
        (Exact(200, 210), CropInside(224, 200), "never take the 200x210 .* smaller than the crop of 224x200"),
        (Exact(200, 210), CropBox(10, 0, 191, 200), "never take the 200x210 .* rows 10 to 201"),
        (Exact(200, 210), PadTo(220, 200), "never take the 200x210 .* larger than 220x200"),
        (ShortestEdge(200), CropInside(224, 224), "shorter edge is 200 at most: crop_inside needs 224x224"),
        (ShortestEdge(200), CropBox(30, 30, 180, 180), "shorter edge is 200 at most: crop_box needs 210x210"),
    ],
)
def test_steps_that_never_fit_are_refused(between: list[Any], resize: Any, step: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Preprocessor([Resize(resize), *between, step])


def test_control_steps_that_fit_some_images_are_taken() -> None:
    for rule, step in [
        (Exact(224, 224), CropInside(224, 224)),
        (Exact(200, 210), PadTo(200, 210)),
        (ShortestEdge(200), CropInside(300, 200)),
        (ShortestEdge(200), PadTo(200, 200)),
        (ShortestEdge(200, multiple=32), CropInside(224, 224)),
        (Fit(300, 300), CropInside(300, 300)),
    ]:
        Preprocessor([Resize(rule), step])
    Preprocessor([Resize(Exact(200, 200)), PadToMultiple(64), CropInside(256, 256)])


def test_the_rounding_of_padding_at_the_start_has_no_effect() -> None:
    for make in (partial(PadTo, 9, 9), partial(PadToMultiple, 4), PadToSquare, partial(PadAtLeast, 9, 9)):
        start, other = (Preprocessor([make(position="start", rounding=name)]) for name in ("floor", "ceil"))
        assert start == other and hash(start) == hash(other)
        center, other = (Preprocessor([make(position="center", rounding=name)]) for name in ("floor", "ceil"))
        assert center != other and center != start


@pytest.mark.parametrize("name", RECIPES)
def test_grad_is_the_transpose(name: str) -> None:
    pre, size = RECIPES[name], (60, 90)
    steps = [step for step in pre.steps if step.name != "cast"]
    pre = Preprocessor([_in_float64(step) for step in steps])
    generator = np.random.default_rng(1)
    x, zero = generator.standard_normal((*size, 3)), np.zeros((*size, 3))
    forward = pre(x) - pre(zero)  # the linear part
    dy = generator.standard_normal(forward.shape)
    dx = pre.grad(dy, size)
    assert np.isclose((forward * dy).sum(), (x * dx).sum(), rtol=1e-10)


def _in_float64(step: Any) -> Any:
    from dataclasses import replace

    if isinstance(step, Rescale):
        return replace(step, compute="float64", dtype="float64")
    return replace(step, compute="float64") if isinstance(step, Normalize) else step
