"""Reader of Ultralytics' LetterBox: a linear resize by OpenCV within a square, and gray margins.

The form is {"ultralytics": {"imgsz": 640, ...}} with the arguments of LetterBox. Files are read by OpenCV, upright.
Channels are RGB here; LetterBox treats all channels alike, so the later change from BGR to RGB has no other effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ... import validation
from ...errors import UnsupportedError
from ..margin_steps import PadTo, PadToMultiple
from ..pointwise_steps import Rescale
from ..size_rules import Exact, Fit
from ..steps import Decode, Layout, Resize, Step
from ._common import cannot_write, color, pair, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "Ultralytics"
KEY = "ultralytics"
DEFAULTS: dict[str, Any] = {
    "imgsz": 640,
    "auto": False,
    "stride": 32,
    "scaleup": True,
    "scale_fill": False,
    "center": True,
    "padding_value": 114,
}


def recognizes(config: Any) -> bool:
    """Return whether a dictionary has the key "ultralytics"."""
    return isinstance(config, Mapping) and KEY in config


def read(config: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of LetterBox and of the conversion to floats.

    >>> [step.name for step in read({"ultralytics": {"imgsz": 320}})]
    ['decode', 'resize', 'pad_to', 'rescale', 'layout']
    """
    require_keys("an Ultralytics configuration", config, (KEY,))
    require_keys("LetterBox", config[KEY], DEFAULTS)
    given = {**DEFAULTS, **config[KEY]}
    for key in ("auto", "scaleup", "scale_fill", "center"):
        validation.require_bool(given[key], key)
    height, width = pair("imgsz", given["imgsz"])
    is_stretched = given["scale_fill"] and not given["auto"]  # LetterBox looks at `auto` first
    rule = Exact(height, width) if is_stretched else Fit(height, width, "round", bool(given["scaleup"]))
    steps: list[Step] = [Decode("RGB", "exif", "opencv"), Resize(rule, "linear", "opencv")]
    if not is_stretched:
        steps.append(_pad(given, height, width))
    return (*steps, Rescale(255.0, divide=True), Layout("CHW"))


def _pad(given: Mapping[str, Any], height: int, width: int) -> Step:
    """Return the padding: round(n - 0.1) and round(n + 0.1) of half the margin n are its floor and ceiling."""
    position, fill = "center" if given["center"] else "start", color(given["padding_value"], "padding_value")
    if not given["auto"]:
        return PadTo(height, width, position, "floor", fill)
    stride = validation.require_int(given["stride"], "stride", 1)
    if height % stride or width % stride:
        raise UnsupportedError(f"imgsz {height}x{width} with auto is not a multiple of the stride {stride}")
    return PadToMultiple(stride, position, "floor", fill)


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return the LetterBox that says the same; raise UnsupportedError if none does."""
    found: dict[str, Any] = {}
    for step in preprocessor.steps:
        if isinstance(step, Resize) and isinstance(step.rule, (Exact, Fit)):
            found["imgsz"] = [step.rule.height, step.rule.width]
            found["scale_fill"] = isinstance(step.rule, Exact)
            found["scaleup"] = not isinstance(step.rule, Fit) or step.rule.enlarge
        elif isinstance(step, (PadTo, PadToMultiple)):
            found.update(center=step.position == "center", padding_value=step.fill[0])
            if isinstance(step, PadToMultiple):
                found.update(auto=True, stride=step.multiple)
        elif not isinstance(step, (Decode, Rescale, Layout)):
            raise cannot_write(NAME, step)
    config: dict[str, Any] = verified(NAME, preprocessor, {KEY: found}, read)
    return config
