"""Names that other libraries use for dialects and arguments, to suggest ours in errors."""

from __future__ import annotations

from . import _registry

# Names by which packages and frameworks are imported or known -> their dialect.
DIALECTS = {
    **dict.fromkeys(("cv2", "cv", "opencv-python"), "opencv"),
    **dict.fromkeys(("pil", "pil.image"), "pillow"),
    **dict.fromkeys(("pytorch", "torchvision", "f.interpolate"), "torch"),
    **dict.fromkeys(("tf", "tf2", "tensorflow2", "keras"), "tensorflow"),
    **dict.fromkeys(("tf1", "tf.compat.v1"), "tensorflow1"),
    **dict.fromkeys(("onnxruntime", "ort"), "onnx"),
    **dict.fromkeys(("tensorflow.js", "tf.js", "tensorflowjs"), "tfjs"),
    **dict.fromkeys(("litert", "tensorflow lite"), "tflite"),
    **dict.fromkeys(("scikit-image", "sklearn"), "skimage"),
    **dict.fromkeys(("paddlepaddle",), "paddle"),
    **dict.fromkeys(("imresize", "octave"), "matlab"),
    **dict.fromkeys(("sizewise", "default"), "standard"),
}
# Arguments of other libraries -> that of Sizewise.
ARGUMENTS = {
    **dict.fromkeys(("interpolation", "mode", "resample", "filter", "filt", "order", "kind"), "method"),
    **dict.fromkeys(("dsize", "output_shape", "output_size", "sizes", "shape", "new_shape", "target_size"), "size"),
    **dict.fromkeys(("scale_factor", "fx", "fy", "scales", "zoom"), "scale"),
    **dict.fromkeys(("data_format", "channel_axis", "channels_first"), "layout"),
    **dict.fromkeys(("anti_aliasing", "anti_alias", "aa"), "antialias"),
    **dict.fromkeys(("num_threads", "workers", "n_jobs"), "threads"),
}


def suggest_dialect(name: object) -> str:
    """Return a hint for the dialect that a package name means, or "".

    >>> suggest_dialect("cv2")
    "use 'opencv' for cv2"
    """
    dialect = DIALECTS.get(name.lower()) if isinstance(name, str) else None
    return f"use {dialect!r} for {name}" if dialect else ""


def suggest_argument(option: str, value: object) -> str:
    """Return a hint for an unknown option: the argument of Sizewise or the dialects that have it, or "".

    >>> suggest_argument("interpolation", "cubic"), suggest_argument("align_mode", 1)
    ("in Sizewise it is method='cubic'", 'dialects that have it: paddle')
    """
    argument = ARGUMENTS.get(option.lower())
    if argument:
        example = f"{argument}={value!r}" if argument == "method" and isinstance(value, str) else f"{argument}="
        return f"in Sizewise it is {example}"
    found = {name: _registry.find(name) for name in _registry.all_names()}
    matches = [name for name, dialect in found.items() if dialect is not None and option in dialect.options]
    return f"dialects that have it: {', '.join(matches)}" if matches else ""
