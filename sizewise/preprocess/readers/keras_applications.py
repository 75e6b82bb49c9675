"""Reader and writer of keras.applications: `keras.utils.load_img`, then the `preprocess_input` of a model.

The form is {"keras_applications": "ResNet50"}, or {"keras_applications": {"model": "ResNet50", ...}} with these keys:

- `model`: a function of keras.applications; its size and mode are the defaults. Or `mode`:
  - "caffe": reverse the channels, subtract a mean per channel from values of 0 to 255;
  - "tf": divide by 127.5, subtract 1;
  - "torch": divide by 255, normalize by the mean and standard deviation of ImageNet;
  - "none": floats of 0 to 255. Models of this mode rescale inside; their `preprocess_input` returns its argument.
- `size`: `target_size`, one integer or (height, width).
- `interpolation`: of load_img, by Pillow; the default is "nearest", as in load_img.
- `data_format`: "channels_last" or "channels_first".
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, UnsupportedError, short_repr
from ..pointwise_steps import Cast, Normalize, Rescale
from ..size_rules import Exact
from ..steps import Layout, Resize, ReverseChannels, Step
from ._common import cannot_write, look_up, pair, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "keras.applications"
KEY = "keras_applications"
DEFAULTS: dict[str, Any] = {
    "model": None,
    "mode": None,
    "size": None,
    "interpolation": "nearest",
    "keep_aspect_ratio": False,
    "data_format": "channels_last",
}
METHODS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
MODES: dict[str, tuple[Step, ...]] = {
    "caffe": (Cast("float32"), ReverseChannels(), Normalize((103.939, 116.779, 123.68), (1.0,))),
    "tf": (Rescale(127.5, -1.0, divide=True),),
    "torch": (Rescale(255.0, divide=True), Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))),
    "none": (Cast("float32"),),
}
_EFFICIENT = (224, 240, 260, 300, 380, 456, 528, 600)
# The mode and the default size of each model.
MODELS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("ResNet50", "ResNet101", "ResNet152", "VGG16", "VGG19"), ("caffe", 224)),
    **dict.fromkeys(("ResNet50V2", "ResNet101V2", "ResNet152V2"), ("tf", 224)),
    **dict.fromkeys(("MobileNet", "MobileNetV2", "NASNetMobile"), ("tf", 224)),
    **dict.fromkeys(("InceptionV3", "InceptionResNetV2", "Xception"), ("tf", 299)),
    "NASNetLarge": ("tf", 331),
    **dict.fromkeys(("DenseNet121", "DenseNet169", "DenseNet201"), ("torch", 224)),
    **{f"ConvNeXt{size}": ("none", 224) for size in ("Tiny", "Small", "Base", "Large", "XLarge")},
    **{f"EfficientNetB{index}": ("none", size) for index, size in enumerate(_EFFICIENT)},
    **{f"EfficientNetV2B{index}": ("none", size) for index, size in enumerate(_EFFICIENT[:4])},
    "EfficientNetV2S": ("none", 384),
    "EfficientNetV2M": ("none", 480),
    "EfficientNetV2L": ("none", 480),
    **dict.fromkeys(("MobileNetV3Small", "MobileNetV3Large"), ("none", 224)),
}


def recognizes(config: Any) -> bool:
    """Return whether a dictionary has the key "keras_applications"."""
    return isinstance(config, Mapping) and KEY in config


def read(config: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps from a file to the input of a model.

    >>> [step.name for step in read({"keras_applications": "ResNet50"})]
    ['resize', 'cast', 'reverse_channels', 'normalize']
    """
    require_keys("a keras.applications configuration", config, (KEY,))
    own = config[KEY]
    own = {"model": own} if isinstance(own, str) else own
    if not isinstance(own, Mapping):
        raise ArgumentError(f'{KEY} is {short_repr(own)}; give a model, or {{"mode": "tf", "size": 224}}')
    require_keys(KEY, own, DEFAULTS)
    given = {**DEFAULTS, **own}
    mode, size = given["mode"], given["size"]
    if given["model"] is not None:
        mode, default = look_up("model", _model(given["model"]), MODELS)
        if given["mode"] not in (None, mode):
            raise ArgumentError(f"{given['model']} has the mode {mode!r}, not {given['mode']!r}; leave out one")
        size = default if size is None else size
    if mode is None or size is None:
        raise ArgumentError('give a model of keras.applications, or both mode and size: {"mode": "tf", "size": 224}')
    steps = look_up("mode", mode, MODES)
    if given["keep_aspect_ratio"]:
        raise UnsupportedError("keep_aspect_ratio of load_img cannot be read: Pillow resizes a box of the image there")
    method = look_up("interpolation of load_img", given["interpolation"], {name: name for name in METHODS})
    order = look_up("data_format", given["data_format"], {"channels_last": (), "channels_first": (Layout("CHW"),)})
    return (Resize(Exact(*pair("size", size)), method, "pillow"), *steps, *order)


def _model(given: Any) -> Any:
    """Return the name of a model in its own capitals, given it in any."""
    plain = str(given).lower().replace("_", "").replace("-", "")
    return next((name for name in MODELS if name.lower() == plain), given)


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return {"keras_applications": ...} that says the same; raise UnsupportedError if none does."""
    steps = [step for step in preprocessor.canonical if step.name != "decode"]
    found: dict[str, Any] = {}
    if steps and isinstance(steps[-1], Layout):
        found["data_format"] = "channels_first"
        steps.pop()
    resize = steps[0] if steps else None
    if not isinstance(resize, Resize) or not isinstance(resize.rule, Exact):
        raise cannot_write(NAME, resize or preprocessor.decode)
    found |= {"size": [resize.rule.height, resize.rule.width], "interpolation": resize.method}
    if resize.method not in METHODS:
        raise cannot_write(NAME, resize)
    found["mode"] = max(MODES, key=lambda mode: _agreement(MODES[mode], steps[1:]))
    config: dict[str, Any] = verified(NAME, preprocessor, {KEY: found}, read)
    return config


def _agreement(mode: tuple[Step, ...], steps: list[Step]) -> tuple[int, int]:
    """Return how many of the first steps are those of a mode, and how few of the mode are not."""
    pairs = zip(mode, steps, strict=False)
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0].canonical == pair[1], pairs))
    return same, same - len(mode)
