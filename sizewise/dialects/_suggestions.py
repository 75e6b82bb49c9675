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
