"""Every writer: what it writes reads back as the same recipe, or its error names a step that it cannot express."""

from __future__ import annotations

import contextlib
import json
import random
import warnings

import pytest

from sizewise.errors import ArgumentError, UnsupportedError
from sizewise.preprocess import (
    Cast,
    CenterCrop,
    CropBox,
    CropInside,
    CropOrResize,
    CropToAspect,
    Decode,
    Exact,
    Fill,
    Fit,
    KeepRatio,
    Layout,
    Normalize,
    PadAtLeast,
    PadBy,
    PadTo,
    PadToAspect,
    PadToSquare,
    Preprocessor,
    Rescale,
    Resize,
    ReverseChannels,
    ShortestEdge,
    ToUnitRange,
    readers,
)

# Configurations of each library, so that each writer has recipes that it can say.
CONFIGS = {
    "albumentations": {
        "__class_fullname__": "Compose",
        "transforms": [
            {"__class_fullname__": "SmallestMaxSize", "max_size": 64, "interpolation": 1},
            {"__class_fullname__": "CenterCrop", "height": 64, "width": 64},
            {"__class_fullname__": "Normalize", "mean": [0.5], "std": [0.5]},
            {"__class_fullname__": "ToTensorV2"},
        ],
    },
    "huggingface": {
        "image_processor_type": "CLIPImageProcessorPil",
        "size": {"shortest_edge": 224},
        "crop_size": {"height": 224, "width": 224},
        "resample": 3,
    },
    "keras": {"class_name": "Pipeline", "config": {"layers": [{"class_name": "Rescaling", "config": {"scale": 2.0}}]}},
    "keras_applications": {"keras_applications": "DenseNet121"},
    "open_clip": {"preprocess_cfg": {"size": [224, 320], "resize_mode": "longest"}},
    "tfhub": {"tfhub": {"input_size": [128, 160]}},
    "tfjs": {"tfjs": {}},
    "timm": {"input_size": (3, 224, 224), "interpolation": "bicubic"},
    "torchvision": {"torchvision": {"preset": "ImageClassification", "crop_size": 224}},
    "ultralytics": {"ultralytics": {"imgsz": 320, "auto": True}},
}
STEPS = (
    *(Decode(), Decode("L"), Decode("RGB", "exif"), Decode("RGB", "ignore", "opencv")),
    *(Resize(Exact(32, 24), method, "pillow") for method in ("bicubic", "nearest", "hamming")),
    *(
        Resize(Exact(32, 24), "bilinear", name)
        for name in ("torch", "tensorflow", "tfjs", "opencv", "standard", "onnx")
    ),
    *(Resize(rule, "bilinear", "pillow") for rule in (ShortestEdge(32), KeepRatio(32, 24), Fit(32, 32), Fill(32, 32))),
    Resize(Fit(32, 32, "round"), "linear", "opencv"),
    Resize(Exact(32, 24), "bilinear", "tensorflow", True, compute="float32"),
    *(CenterCrop(16, 12), CenterCrop(16, 16, "round"), CropInside(16, 12), CropBox(1, 2, 8, 9)),
    *(CropOrResize(16, 12), CropToAspect(32, 24), PadToAspect(32, 24, (3.0, 4.0, 5.0))),
    *(PadTo(64, 64), PadToSquare(), PadAtLeast(40, 40), PadBy(1, 2, 3, 4)),
    *(Rescale(1 / 255), Rescale(255.0, divide=True), Rescale(1 / 127.5, -1.0), ToUnitRange()),
    *(Normalize((0.5,), (0.25,)), Normalize((0.4, 0.5, 0.6), (0.2, 0.3, 0.4), reciprocal=True)),
    *(Cast("float32"), Cast("uint8"), ReverseChannels()),
)


def require_same_or_named(pre: Preprocessor, library: str) -> bool:
    """Return whether a library can say a recipe; fail if it says another one, or raises another error."""
    try:
        written = pre.write(library)
    except UnsupportedError as error:
        assert any(f"{type(step).__name__}(" in str(error) for step in (*pre.steps, pre.decode)), (pre, error)
        return False
    found = Preprocessor.load(json.loads(json.dumps(written)))
    assert [step.name for step in found.canonical] == [step.name for step in pre.canonical], (pre, found)
    assert found.sizes((97, 131)) == pre.sizes((97, 131)) or [*found.steps] != [*pre.steps]
    assert found.write(library) == written
    return True


@pytest.mark.parametrize("library", readers.names())
def test_every_library_writes_its_own_recipes(library) -> None:
    pre = Preprocessor.load(CONFIGS[library])
    assert require_same_or_named(pre, library)
    assert Preprocessor.load(pre.write(library)) == pre


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", readers.names())
def test_recipes_of_other_libraries_and_random_ones(library) -> None:
    candidates = [[step] for step in STEPS]
    draw = random.Random(7)
    others = [step for step in STEPS if not isinstance(step, Decode)]
    for _ in range(400):
        steps = draw.sample(others, draw.randint(0, 4))
        last = draw.choice(([], [Layout("CHW")]))
        candidates.append([*steps, *last])
    own = Preprocessor.load(CONFIGS[library]).steps
    steps = [x for x in own if not isinstance(x, Layout)]
    candidates += [[*steps, step, *own[len(steps) :]] for step in others]
    recipes = [Preprocessor.load(config) for config in CONFIGS.values()]
    for steps in candidates:
        with contextlib.suppress(ArgumentError):  # steps that contradict each other
            recipes.append(Preprocessor(steps))
    assert len(recipes) > len(candidates) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = sum(require_same_or_named(pre, library) for pre in recipes)
    assert 1 <= said < len(recipes)
