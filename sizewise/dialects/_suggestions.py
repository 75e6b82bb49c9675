"""Names that other libraries use for dialects and arguments, to suggest ours in errors."""

from __future__ import annotations

from ._registry import find, names

# Arguments of other libraries -> that of Sizewise.
ARGUMENTS = {
    **dict.fromkeys(("interpolation", "mode", "resample", "filter", "filt", "order", "kind"), "method"),
    **dict.fromkeys(("dsize", "output_shape", "output_size", "sizes", "shape", "new_shape", "target_size"), "size"),
    **dict.fromkeys(("scale_factor", "fx", "fy", "scales", "zoom"), "scale"),
    **dict.fromkeys(("data_format", "channel_axis", "channels_first"), "layout"),
    **dict.fromkeys(("anti_aliasing", "anti_alias", "aa"), "antialias"),
    **dict.fromkeys(("num_threads", "workers", "n_jobs"), "threads"),
}

# The methods of OpenCV in the order of its constants, cv2.INTER_NEAREST = 0 to cv2.INTER_NEAREST_EXACT = 6.
_OPENCV_METHODS = ("nearest", "linear", "cubic", "area", "lanczos4", "linear_exact", "nearest_exact")


def suggest_method(given: object) -> str:
    """Return a hint for a constant of OpenCV, given by name or number as a method, or "".

    >>> suggest_method("cv2.INTER_AREA"), suggest_method(3)
    ("cv2.INTER_AREA is 'area' with dialect='opencv'", "a method is a name; cv2.INTER_AREA is 'area' with \
dialect='opencv'")
    """
    if type(given) is int and 0 <= given < len(_OPENCV_METHODS):
        return f"a method is a name; {suggest_method(f'INTER_{_OPENCV_METHODS[given]}')}"
    name = given.upper().removeprefix("CV2.") if isinstance(given, str) else ""
    method = name.removeprefix("INTER_").lower()
    is_constant = name.startswith("INTER_") and method in _OPENCV_METHODS
    return f"cv2.{name} is {method!r} with dialect='opencv'" if is_constant else ""


def suggest_argument(option: str, value: object) -> str:
    """Return a hint for an unknown option: the argument of Sizewise or the dialects that have it, or "".

    >>> suggest_argument("interpolation", "cubic"), suggest_argument("align_mode", 1)
    ("in Sizewise it is method='cubic'", 'dialects that have it: paddle')
    """
    argument = ARGUMENTS.get(option.lower())
    if argument:
        example = f"{argument}={value!r}" if argument == "method" and isinstance(value, str) else f"{argument}="
        return f"in Sizewise it is {example}"
    matches = [name for name in names() if option in find(name).options]
    return f"dialects that have it: {', '.join(matches)}" if matches else ""
