"""Conventions of TensorFlow Hub against TensorFlow, and of TensorFlow.js against the golden contract and node."""

from __future__ import annotations

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pytest
from compat import tfjs_node

import sizewise as sw
from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import CenterCrop, Exact, Preprocessor, Rescale, Resize
from sizewise.preprocess.readers import tfhub

tf = pytest.importorskip("tensorflow")
SIZES = [(97, 131), (33, 200), (5, 3), (32, 24)]
# Units in the last place of the largest value, of sums of float32 in another order.
ULP = 16


def image_of(size):
    return np.random.default_rng([*size]).integers(0, 256, (*size, 3), np.uint8)


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("method", tfhub.METHODS)
@pytest.mark.parametrize("size", SIZES)
def test_hub_is_convert_image_dtype_and_resize(size, method, antialias) -> None:
    image = image_of(size)
    pre = Preprocessor.load({"tfhub": {"input_size": [32, 24], "method": method, "antialias": antialias}})
    values = tf.image.convert_image_dtype(image, tf.float32)
    assert np.array_equal(next(x for step, x in pre.trace(image) if step.name == "rescale"), values.numpy())
    wanted = tf.image.resize(values, (32, 24), method=method, antialias=antialias).numpy()
    found = pre(image)
    assert found.dtype == np.float32
    assert np.abs(found - wanted).max() <= ULP * np.spacing(np.abs(wanted).max())
    if method == "nearest":
        assert np.array_equal(found, wanted)


def test_hub_range() -> None:
    image = image_of((16, 16))
    wanted = image.astype(np.float32) * np.float32(2 / 255) + np.float32(-1)
    assert np.array_equal(Preprocessor.load({"tfhub": {"input_size": 16, "range": [-1, 1]}})(image), wanted)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("low_high", [(0, 1), (-1, 1), (-2, 3)])
def test_js_is_mobilenet(align_corners, low_high) -> None:
    if reason := tfjs_node.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    low, high = low_high
    for size in SIZES:
        image = image_of(size)
        code = f"""const x = tf.tensor({image.tolist()}, {[*image.shape]}, 'int32');
            const y = tf.add(tf.mul(tf.cast(x, 'float32'), ({high} - {low}) / 255.0), {low});
            tf.image.resizeBilinear(y, [32, 24], {str(align_corners).lower()})"""
        wanted = tfjs_node.to_array(tfjs_node.run([{"call": "evaluate", "code": code}])[0])
        config = {"input_size": [32, 24], "range": [low, high], "align_corners": align_corners}
        found = Preprocessor.load({"tfjs": config})(image)
        assert np.abs(found - wanted).max() <= np.spacing(np.abs(wanted).max())
        other = Preprocessor.load({"tfjs": {**config, "align_corners": not align_corners}})(image)
        assert size == (32, 24) or not np.allclose(other, wanted)


def test_js_is_the_dialect_of_the_golden_files() -> None:
    image = image_of((97, 131))
    values = image.astype(np.float32) * np.float32(1 / 255)
    wanted = sw.resize(values, (224, 224), "bilinear", dialect="tfjs", align_corners=True)
    assert np.array_equal(Preprocessor.load({"tfjs": {}})(image), wanted)


@pytest.mark.parametrize(
    ("library", "given"),
    [
        ("tfhub", {"input_size": [299, 320]}),
        ("tfhub", {"input_size": 224, "range": [-1, 1], "method": "bicubic", "antialias": True}),
        ("tfhub", {"input_size": 224, "method": "nearest"}),
        ("tfhub", {"input_size": 224, "method": "area"}),
        ("tfjs", {}),
        ("tfjs", {"input_size": 96, "range": [-1, 1], "align_corners": False, "half_pixel_centers": True}),
        ("tfjs", {"method": "nearest", "align_corners": False}),
    ],
)
def test_round_trip(library, given) -> None:
    pre = Preprocessor.load({library: given})
    assert Preprocessor.load(pre.write(library)) == pre


@pytest.mark.parametrize("library", ["tfhub", "tfjs"])
def test_writer_names_the_step_that_it_cannot_say(library) -> None:
    pre = Preprocessor.load({library: {"input_size": 224}})
    with pytest.raises(UnsupportedError, match="the step CenterCrop"):
        Preprocessor([*pre.steps, CenterCrop(8, 8)]).write(library)
    with pytest.raises(UnsupportedError, match="the step Resize"):
        Preprocessor([pre.steps[0], Resize(Exact(8, 8), "bilinear", "pillow")]).write(library)
    with pytest.raises(UnsupportedError, match=r"the step Re(scale|size)"):
        Preprocessor([*reversed(pre.steps)]).write(library)
    with pytest.raises(UnsupportedError, match="the step Rescale"):
        Preprocessor([Rescale(255.0, divide=True), pre.steps[1]]).write(library)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"tfhub": {"input_sizes": 3}}, "did you mean 'input_size'"),
        ({"tfhub": {}}, "input_size is None"),
        ({"tfhub": {"input_size": 3, "method": "linear"}}, "did you mean 'bilinear'"),
        ({"tfhub": {"input_size": 3, "range": [1, 0]}}, "two increasing numbers"),
        ({"tfjs": {"range": 3}}, "two increasing numbers"),
        ({"tfjs": {"align_corner": True}}, "did you mean 'align_corners'"),
        ({"tfjs": {"method": "bicubic"}}, "unknown method"),
    ],
)
def test_refusals(config, words) -> None:
    with pytest.raises(ArgumentError, match=words):
        Preprocessor.load(config)
