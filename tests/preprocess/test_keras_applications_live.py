"""keras.applications: every model's size and preprocess_input, and load_img of a file."""

from __future__ import annotations

import inspect
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pytest
from PIL import Image

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import Exact, Normalize, Preprocessor, Resize
from sizewise.preprocess.readers import keras_applications as reader

keras = pytest.importorskip("keras")
FUNCTIONS = {name: found for name, found in vars(keras.applications).items() if inspect.isfunction(found)}
SIZES = [(97, 131), (33, 500), (224, 224), (5, 3)]


class FoundSize(Exception):
    """Stops the construction of a model once its size is known."""


def default_size(name: str, monkeypatch) -> int | None:
    def obtain(input_shape, default_size, **_):
        raise FoundSize(default_size)

    monkeypatch.setattr(inspect.getmodule(FUNCTIONS[name]).imagenet_utils, "obtain_input_shape", obtain)
    with pytest.raises(FoundSize) as found:
        FUNCTIONS[name](weights=None)
    return found.value.args[0]


def test_every_model_is_known() -> None:
    assert set(reader.MODELS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", reader.MODELS)
def test_size_and_values_of_every_model(name, monkeypatch) -> None:
    mode, size = reader.MODELS[name]
    if not name.startswith("MobileNetV3"):  # which has no size, but weights of 224
        assert default_size(name, monkeypatch) == size
    image = np.random.default_rng(1).integers(0, 256, (size, size, 3), np.uint8)
    wanted = inspect.getmodule(FUNCTIONS[name]).preprocess_input(image.astype(np.float32))
    assert np.array_equal(Preprocessor.load({"keras_applications": name})(image), wanted)
    assert np.array_equal(Preprocessor.load({"keras_applications": {"mode": mode, "size": size}})(image), wanted)


@pytest.mark.parametrize("interpolation", [None, "bilinear", "bicubic", "hamming", "box", "lanczos"])
@pytest.mark.parametrize("mode", reader.MODES)
@pytest.mark.parametrize("size", SIZES)
def test_files(mode, size, interpolation, tmp_path) -> None:
    path = tmp_path / "image.png"
    Image.fromarray(np.random.default_rng(2).integers(0, 256, (*size, 3), np.uint8)).save(path)
    options = {} if interpolation is None else {"interpolation": interpolation}
    wanted = keras.utils.img_to_array(keras.utils.load_img(path, target_size=(64, 48), **options))
    if mode != "none":
        wanted = keras.applications.imagenet_utils.preprocess_input(wanted, mode=mode)
    config = {"keras_applications": {"mode": mode, "size": [64, 48], **options}}
    assert np.array_equal(Preprocessor.load(config)(path), wanted)
    if interpolation is None and size[0] > 64:
        other = {"keras_applications": {"mode": mode, "size": [64, 48], "interpolation": "bilinear"}}
        assert not np.array_equal(Preprocessor.load(other)(path), wanted)


def test_channels_first() -> None:
    image = np.random.default_rng(3).integers(0, 256, (32, 32, 3), np.uint8)
    config = {"keras_applications": {"mode": "caffe", "size": 32, "data_format": "channels_first"}}
    x = np.ascontiguousarray(image.astype(np.float32).transpose(2, 0, 1))
    wanted = keras.applications.imagenet_utils.preprocess_input(x, data_format="channels_first", mode="caffe")
    assert np.array_equal(Preprocessor.load(config)(image), wanted)


@pytest.mark.parametrize(
    "given",
    [
        *("ResNet50", "resnet50", "efficientnet_v2_b0", "DenseNet121", "NASNetLarge"),
        {"model": "VGG16", "size": [96, 64], "interpolation": "bilinear", "data_format": "channels_first"},
        *({"mode": mode, "size": 96} for mode in reader.MODES),
    ],
)
def test_round_trip(given) -> None:
    pre = Preprocessor.load({"keras_applications": given})
    assert Preprocessor.load(pre.write("keras_applications")) == pre


def test_writer_names_the_step_that_it_cannot_say() -> None:
    steps = Preprocessor.load({"keras_applications": "ResNet50"}).steps
    with pytest.raises(UnsupportedError, match="the step Normalize"):
        Preprocessor([*steps[:-1], Normalize((104.0, 117.0, 123.0), (1.0,))]).write("keras_applications")
    with pytest.raises(UnsupportedError, match="the step Resize"):
        Preprocessor([Resize(Exact(8, 8), "bilinear", "torch"), *steps[1:]]).write("keras_applications")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("ResNet5", ArgumentError, "did you mean 'ResNet50'"),
        ({"mode": "cafe", "size": 9}, ArgumentError, "did you mean 'caffe'"),
        ({"mode": "tf"}, ArgumentError, "both mode and size"),
        ({"model": "ResNet50", "mode": "tf"}, ArgumentError, "has the mode 'caffe'"),
        ({"model": "ResNet50", "interp": "box"}, ArgumentError, "did you mean 'interpolation'"),
        ({"model": "ResNet50", "interpolation": "area"}, ArgumentError, "interpolation of load_img"),
        ({"model": "ResNet50", "keep_aspect_ratio": True}, UnsupportedError, "keep_aspect_ratio"),
        (3, ArgumentError, "give a model"),
    ],
)
def test_refusals(given, error, words) -> None:
    with pytest.raises(error, match=words):
        Preprocessor.load({"keras_applications": given})
