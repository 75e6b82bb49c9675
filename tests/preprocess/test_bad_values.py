"""Wrong values in steps, size rules and configurations: each is refused by an error of Sizewise, or works."""

from __future__ import annotations

import copy
import dataclasses
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sizewise as sw
from sizewise.errors import ArgumentError, SizewiseError, UnknownNameError, UnsupportedError
from sizewise.preprocess import CenterCrop, Exact, Normalize, PadTo, Preprocessor, Rescale, Resize
from sizewise.preprocess.readers import open_clip, timm, torchvision, ultralytics
from sizewise.preprocess.readers._huggingface_classes import BASE, CLASSES
from sizewise.preprocess.size_rules import RULES
from sizewise.preprocess.steps import STEPS

BAD: list[Any] = [
    *(None, "x", "", -1, 0, 1.5, float("nan"), float("inf"), True, 10**30, [], [1], [1, 2], [1, 2, 3], ["a"], [[1]]),
    *({}, {"a": 1}, {"height": None, "width": 3}, {"height": "3", "width": 3}, {"shortest_edge": -3}, [None] * 3),
]
PYTHON: list[Any] = [*BAD, (), np.int64(3), np.float32(2.5), np.arange(3), b"x", object()]
GOOD: dict[str, Any] = {
    **dict.fromkeys(("height", "width", "edge", "patch"), 8),
    **dict.fromkeys(("multiple", "factor", "min_edge", "top", "left", "bottom", "right"), 4),
    "max_edge": 16,
    "min_pixels": 16,
    "max_pixels": 1600,
    "max_patches": 16,
    "rule": Exact(8, 8),
    "scale": 0.5,
    "mean": (0.5,),
    "std": (0.5,),
}
IMAGE = np.zeros((16, 20, 3), np.uint8)


def require_usable(pre: Preprocessor) -> None:
    """Use a recipe; errors must be those of Sizewise, and its JSON must say the same."""
    try:
        if max(height * width for height, width in pre.sizes(IMAGE.shape[:2])) < 10_000:
            pre(IMAGE)
    except SizewiseError:
        return
    assert repr(pre) and Preprocessor.load(json.loads(pre.to_json())) == pre
    assert hash(pre) == hash(copy.deepcopy(pre))


@pytest.mark.filterwarnings("ignore:the crop of:sizewise.errors.SizewiseWarning")
@pytest.mark.parametrize("cls", [*RULES.values(), *STEPS.values()])
def test_fields_of_wrong_types(cls: Any) -> None:
    fields = dataclasses.fields(cls)
    required = {field.name: GOOD[field.name] for field in fields if field.name in GOOD and _is_required(field)}
    cls(**required)
    refused = 0
    for field in fields:
        for bad in PYTHON:
            try:
                value = cls(**{**required, field.name: bad})
            except SizewiseError as error:
                refused += 1
                assert str(error)
                continue
            require_usable(Preprocessor([Resize(value) if cls.name in RULES and cls in RULES.values() else value]))
    assert refused or not fields


def _is_required(field: Any) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def test_numbers_of_numpy_become_those_of_python() -> None:
    pre = Preprocessor(
        [Resize(Exact(np.int64(8), 9)), Rescale(np.float32(0.5)), Normalize(np.array([0.5]), np.float64(0.25))]
    )
    assert pre == Preprocessor([Resize(Exact(8, 9)), Rescale(0.5), Normalize((0.5,), (0.25,))])
    assert Preprocessor.load(json.loads(pre.to_json())) == pre


def test_messages_name_the_field() -> None:
    with pytest.raises(ArgumentError, match=r"center_crop: height must be an integer .* not '8'"):
        CenterCrop("8", 8)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="rescale: scale must be a finite number, not nan"):
        Rescale(float("nan"))
    with pytest.raises(ArgumentError, match="normalize: std must be a finite number, or one for each channel"):
        Normalize((0.5,), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("fill", "message"), [((1.0, 2.0), "fill has 2 values"), ((300.0,), "from 0 to 255")])
def test_colors_that_an_image_cannot_have(fill: tuple[float, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Preprocessor([PadTo(30, 30, fill=fill)])(IMAGE)


def configs() -> list[tuple[str, dict[str, Any]]]:
    """Return a small configuration of every kind, by name."""
    found: dict[str, dict[str, Any]] = {}
    for name, (kind, defaults) in CLASSES.items():
        sizes = {key: dict.fromkeys(value, 20) for key, value in defaults.items() if isinstance(value, dict)}
        values = {**BASE, **defaults, **sizes, "pad_size": None, "max_size": None}
        found.setdefault(kind, {"image_processor_type": f"{name}ImageProcessor", **values})
    presets = {
        f"torchvision {kind}": {"torchvision": {"preset": kind, **defaults}}
        for kind, defaults in torchvision.PRESETS.items()
    }
    transforms = {
        name: {"torchvision": {"transforms": [{"transform": name, **defaults}]}}
        for name, defaults in torchvision.TRANSFORMS.items()
    }
    others = {
        "timm": {"pretrained_cfg": dict(timm.DEFAULTS)},
        "open_clip": {"preprocess_cfg": dict(open_clip.DEFAULTS)},
        "ultralytics": {"ultralytics": dict(ultralytics.DEFAULTS)},
        "sizewise": Preprocessor([Rescale(0.5)]).to_dict(),
    }
    return [*found.items(), *presets.items(), *transforms.items(), *others.items()]


@pytest.mark.parametrize(("name", "config"), configs())
def test_configurations_with_wrong_values(name: str, config: dict[str, Any]) -> None:
    count = 0
    for path in list(_paths(config)):
        for bad in BAD:
            changed = copy.deepcopy(config)
            _set(changed, path, bad)
            count += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sw.errors.SizewiseWarning)
                try:
                    pre = Preprocessor.load(changed)
                except SizewiseError as error:
                    assert str(error)
                    continue
                require_usable(pre)
    assert count


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Yield the path of each value of a configuration."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in entries:
        yield (*path, key)
        yield from _paths(one, (*path, key))


def _set(config: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        config = config[key]
    config[path[-1]] = value


def test_albumentations_with_wrong_values() -> None:
    A = pytest.importorskip("albumentations")
    compose = A.Compose([A.Resize(8, 8), A.PadIfNeeded(8, 8), A.CenterCrop(8, 8), A.Normalize(), A.ToFloat()])
    test_configurations_with_wrong_values("albumentations", compose.to_dict())


@pytest.mark.parametrize(
    ("key", "bad", "message"),
    [
        ("do_resize", "no", "do_resize of ViTImageProcessor must be True or False, not 'no'"),
        ("resample", "bicubic", "resample of ViTImageProcessor must be a number of Pillow"),
        ("image_mean", ["a"], "image_mean of ViTImageProcessor is"),
        ("image_std", [0.5, 0.5, 0], r"image_std of ViTImageProcessor is \[0.5, 0.5, 0\]; no entry may be 0"),
        ("rescale_factor", "1/255", "rescale_factor of ViTImageProcessor must be a finite number"),
    ],
)
def test_messages_name_the_key(key: str, bad: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Preprocessor.load({"image_processor_type": "ViTImageProcessor", key: bad})


def test_arguments_that_a_reader_does_not_take() -> None:
    with pytest.raises(ArgumentError, match="unknown argument of the reader of timm: 'backend'"):
        Preprocessor.load({"pretrained_cfg": {}}, backend="pil")
    with pytest.raises(ArgumentError, match="unknown argument of the reader of Sizewise: 'backend'"):
        Preprocessor.load(Preprocessor([]).to_dict(), backend="pil")
    with pytest.raises(ArgumentError, match="an empty dictionary is not a recipe"):
        Preprocessor.load({})


@pytest.mark.parametrize(("name", "near"), [("Foo", None), ("Clp", "CLIP"), ("Qwen", "Qwen2VL"), ("MyModel", None)])
def test_only_classes_of_similar_names_are_suggested(name: str, near: str | None) -> None:
    with pytest.raises(UnknownNameError) as caught:
        Preprocessor.load({"image_processor_type": f"{name}ImageProcessor"})
    assert (f"did you mean '{near}ImageProcessor'?" if near else "; known: ") in str(caught.value)


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"size": 224, "do_resize": True}, ArgumentError, 'add it, such as "image_processor_type": "ViT'),
        ({"image_processor_type": "ViTImageProcessor", "resample": 99}, UnsupportedError, "resample 99"),
        ({"image_processor_type": "ViTImageProcessor", "sise": 9}, UnknownNameError, "unknown key of ViT"),
        ({"sizewise_preprocessor": 1, "steps": [{"step": "rescale", "scale": "x"}]}, ArgumentError, "scale of 'r"),
        ({"sizewise_preprocessor": 1, "steps": [*[{"step": "layout"}] * 2]}, ArgumentError, "step 2, layout, comes"),
    ],
)
def test_errors_of_a_file_begin_with_its_name(
    tmp_path: Path, config: dict[str, Any], error: type[Exception], message: str
) -> None:
    file = tmp_path / "preprocessor_config.json"
    file.write_text(json.dumps(config))
    for path in (file, str(file), tmp_path):
        with pytest.raises(error) as caught:
            Preprocessor.load(path)
        assert str(caught.value).startswith(f"{str(file)!r}: ") and message in str(caught.value)
        assert type(caught.value) is error
    with pytest.raises(error) as caught:
        Preprocessor.load(config)
    assert str(file) not in str(caught.value)


def test_an_image_of_other_channels_is_named_by_its_own_shape() -> None:
    for layout, order in (("HWC", "last"), ("CHW", "first")):
        shape = (4, 40, 60) if layout == "CHW" else (40, 60, 4)
        with pytest.raises(ArgumentError, match=re.escape(f"of shape {shape} (channels {order}) has 4 channels")):
            Preprocessor([])(np.zeros(shape, np.uint8), layout=layout)
