"""Reader and writer of the convention for images of TensorFlow.js models.

The form is {"tfjs": {"input_size": [224, 224], ...}}. TensorFlow.js itself has no convention; the one written down is
that of the npm package @tensorflow-models/mobilenet 2.1, and its keys have these defaults:

- `range`: [0, 1], that of the models it names; for a `modelUrl` its default is [-1, 1]. Bytes are multiplied by
  (max - min) / 255, then min is added, in float32, before the resize;
- `align_corners`: True, with `tf.image.resizeBilinear`; `half_pixel_centers`: False;
- `method`: "bilinear"; "nearest" is `tf.image.resizeNearestNeighbor`.
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

NAME = "TensorFlow.js"
KEY = "tfjs"
OPTIONS = {"align_corners": True, "half_pixel_centers": False}
DEFAULTS: dict[str, Any] = {"input_size": (224, 224), "range": (0.0, 1.0), "method": "bilinear", **OPTIONS}


def recognizes(config: Any) -> bool:
    """Return whether a dictionary has the key "tfjs"."""
    return isinstance(config, Mapping) and KEY in config


def read(config: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps from bytes to the input of a model.

    >>> [step.name for step in read({"tfjs": {"range": [-1, 1]}})]
    ['rescale', 'resize']
    """
    require_keys("a TensorFlow.js configuration", config, (KEY,))
    require_keys(KEY, config[KEY], DEFAULTS)
    given = {**DEFAULTS, **config[KEY]}
    method = look_up("method", given["method"], {name: name for name in ("bilinear", "nearest")})
    rule = Exact(*pair("input_size", given["input_size"]))
    options = {name: bool(given[name]) for name in OPTIONS}
    return interval("range", given["range"]), Resize(rule, method, "tfjs", options=options)


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return {"tfjs": ...} that says the same; raise UnsupportedError if none does."""
    found: dict[str, Any] = {}
    for step in preprocessor.steps:
        if isinstance(step, Resize) and isinstance(step.rule, Exact) and step.dialect == "tfjs":
            options = dict(step.spec.options)
            found |= {"input_size": [step.rule.height, step.rule.width], "method": step.method}
            found |= {name: bool(options.get(name)) for name in OPTIONS}
        elif isinstance(step, Rescale) and not step.divide:
            found["range"] = [step.offset, step.scale * 255 + step.offset]
        else:
            raise cannot_write(NAME, step)
    config: dict[str, Any] = verified(NAME, preprocessor, {KEY: found}, read)
    return config
