"""Reader and writer of TensorFlow Hub's convention for images.

The form is {"tfhub": {"input_size": [224, 224], ...}}. What is written down, on tensorflow.org/hub in the common
signatures and SavedModel APIs for images: the input is float32, RGB, channels last, in the range [0, 1], as
`tf.image.convert_image_dtype` makes it of bytes; a module has one size, which `hub.get_expected_image_size` returns,
and consumers resize to it. How they resize is not written down, so the keys have the defaults of `tf.image.resize`:

- `range`: [0, 1]; models that differ say so in their documentation;
- `method`: of tf.image.resize, by default "bilinear"; `antialias`: by default False.

The size is not in the configuration of a model: take it from the module, or from its documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..pointwise_steps import Rescale
from ..size_rules import Exact
from ..steps import Resize, Step
from ._common import cannot_write, interval, look_up, pair, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "TensorFlow Hub"
KEY = "tfhub"
DEFAULTS: dict[str, Any] = {"input_size": None, "range": (0.0, 1.0), "method": "bilinear", "antialias": False}
METHODS = (
    *("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"),
    *("area", "gaussian", "mitchellcubic"),
)


def recognizes(config: Any) -> bool:
    """Return whether a dictionary has the key "tfhub"."""
    return isinstance(config, Mapping) and KEY in config


def read(config: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps from bytes to the input of a module.

    >>> [step.name for step in read({"tfhub": {"input_size": [224, 224]}})]
    ['rescale', 'resize']
    """
    require_keys("a TensorFlow Hub configuration", config, (KEY,))
    require_keys(KEY, config[KEY], DEFAULTS)
    given = {**DEFAULTS, **config[KEY]}
    method = look_up("method of tf.image.resize", given["method"], {name: name for name in METHODS})
    antialias = bool(given["antialias"]) and method not in ("nearest", "area")
    rule = Exact(*pair("input_size", given["input_size"]))
    return interval("range", given["range"]), Resize(rule, method, "tensorflow", antialias or None)


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return {"tfhub": ...} that says the same; raise UnsupportedError if none does."""
    found: dict[str, Any] = {}
    for step in preprocessor.steps:
        if isinstance(step, Resize) and isinstance(step.rule, Exact) and step.method in METHODS:
            size = [step.rule.height, step.rule.width]
            found |= {"input_size": size, "method": step.method, "antialias": bool(step.spec.antialias)}
        elif isinstance(step, Rescale) and not step.divide:
            found["range"] = [step.offset, step.scale * 255 + step.offset]
        elif step.name != "decode":
            raise cannot_write(NAME, step)
    if "input_size" not in found:
        raise cannot_write(NAME, next(iter(preprocessor.steps), preprocessor.decode))
    config: dict[str, Any] = verified(NAME, preprocessor, {KEY: found}, read)
    return config
