"""Layers of Keras on each of its backends, each in a process that has KERAS_BACKEND set."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import (
    Cast,
    CenterCrop,
    CropOrResize,
    CropToAspect,
    Exact,
    Layout,
    Normalize,
    PadToAspect,
    Preprocessor,
    Rescale,
    Resize,
    ShortestEdge,
)

WORKER = Path(__file__).with_name("keras_recipes.py")
# Units in the last place of the largest value. Keras resizes bytes in float32, then rounds: sums within their last
# bits of a half may round the other way.
FORWARD_ULP = 16
BYTE_FRACTION = 1e-3
RESIZING = {"name": "resizing", "height": 8, "width": 9, "interpolation": "bilinear"}


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_pixels_sizes_and_written_layers(backend: str, record_property) -> None:
    if importlib.util.find_spec(backend) is None or importlib.util.find_spec("keras") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"keras or {backend} is not installed")
    variables = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": str(WORKER.parents[2])}
    command = [sys.executable, str(WORKER)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, env=variables)
    assert done.returncode == 0, done.stderr[-3000:]
    figures = json.loads(done.stdout.splitlines()[-1])
    record_property("figures", json.dumps(figures))
    assert figures["backend"] == backend and figures["resizing"]["calls"] >= 60
    for part in (figures["resizing"], figures["compositions"]):
        assert part["ulp"] <= FORWARD_ULP and part["byte_step"] <= 1
        assert part["bytes"] <= BYTE_FRACTION * part["of"]
    assert figures["channels_first"] <= 1e-4 and figures["dialects"] == 0 and figures["sizes"] == 0


RECIPES = [
    [Rescale(1 / 255)],
    [CropToAspect(32, 24), Resize(Exact(32, 24), "bicubic", "tensorflow", True, compute="float32")],
    [PadToAspect(32, 24, (7.0,)), Resize(Exact(32, 24), "bilinear", "tensorflow", compute="float32")],
    [Resize(Exact(32, 24), "nearest", "tensorflow"), Rescale(1 / 127.5, -1.0), Layout("CHW")],
    [Resize(Exact(32, 24), "bicubic", "pillow"), Rescale(1 / 255), Normalize((0.5, 0.4, 0.3), (0.2, 0.25, 0.5))],
    [Cast("float32"), CropOrResize(20, 30), Normalize((0.485,), (0.229,))],
    [Cast("float32"), Resize(Exact(32, 24), "lanczos3", "tensorflow", True)],
    [Normalize((0.0,), (0.5, 0.25, 0.125), reciprocal=True)],
]


@pytest.mark.parametrize("steps", RECIPES)
def test_round_trip(steps) -> None:
    pre = Preprocessor(steps)
    written = json.loads(json.dumps(pre.write("keras")))
    assert Preprocessor.load(written).write("keras") == written
    assert [step.name for step in Preprocessor.load(written).steps] == [step.name for step in steps]


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (CenterCrop(8, 8), "CenterCrop"),
        (Resize(ShortestEdge(8), "bilinear", "tensorflow"), "Resize"),
        (Rescale(255.0, divide=True), "Rescale"),
        (Normalize((0.5,), (0.3,), reciprocal=True), "Normalize"),
        (CropToAspect(8, 8), "CropToAspect"),
        (PadToAspect(8, 8, (1.0, 2.0, 3.0)), "PadToAspect"),
        (CropOrResize(8, 8), "CropOrResize|Cast"),
        (
            Resize(Exact(8, 8), "bilinear", "onnx", options={"coordinate_transformation_mode": "align_corners"}),
            "Resize",
        ),
    ],
)
def test_writer_names_the_step_that_it_cannot_say(step, name) -> None:
    with pytest.raises(UnsupportedError, match=f"Keras has no configuration for the step ({name})"):
        Preprocessor([step]).write("keras")


def test_control_a_layer_of_another_backend_differs() -> None:
    steps = [Preprocessor.load(RESIZING, backend=name) for name in ("tensorflow", "torch", "jax")]
    assert len(set(steps)) == 3


@pytest.mark.parametrize(
    ("config", "error", "words"),
    [
        ({**RESIZING, "interpolaton": 1}, ArgumentError, "did you mean 'interpolation'"),
        ({**RESIZING, "interpolation": "bicubci"}, ArgumentError, "did you mean 'bicubic'"),
        ({**RESIZING, "dtype": "mixed_float16"}, UnsupportedError, "mixed_float16"),
        ({**RESIZING, "crop_to_aspect_ratio": True, "pad_to_aspect_ratio": True}, ArgumentError, "give one"),
        ({**RESIZING, "pad_to_aspect_ratio": True, "fill_value": 0.5}, UnsupportedError, "pads bytes"),
        ({"class_name": "RandomFlip", "config": {}}, UnsupportedError, "RandomFlip.*random"),
        ({"class_name": "MixUp", "config": {}}, UnsupportedError, "MixUp.*random"),
        ({"class_name": "AutoContrast", "config": {}}, UnsupportedError, "AutoContrast.*content"),
        ({"class_name": "Functional", "config": {}}, UnsupportedError, "graph"),
        ({"class_name": "Resizin", "config": {}}, ArgumentError, "did you mean 'Resizing'"),
        (
            {"class_name": "Resizing", "registered_name": "mine>Resizing", "config": RESIZING},
            UnsupportedError,
            "custom",
        ),
        ({"class_name": "Normalization", "config": {"axis": [-1]}}, UnsupportedError, "adapt"),
        (
            {"class_name": "Normalization", "config": {"mean": 0, "variance": 1, "invert": True}},
            UnsupportedError,
            "invert",
        ),
        ({"class_name": "Sequential", "config": {"name": "s", "layers": 3}}, ArgumentError, "list"),
    ],
)
def test_refusals(config, error, words) -> None:
    with pytest.raises(error, match=words):
        Preprocessor.load(config)
