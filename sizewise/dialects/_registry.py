"""Registry of dialects: the files of this folder, imported when they are first used."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ..errors import UnknownNameError, unknown_name
from ..fork_safety import import_module

if TYPE_CHECKING:
    from ._dialect import Dialect

# Names by which packages and frameworks are imported or known -> their dialect.
LIBRARIES = {
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


@cache
def names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted.

    >>> "tfjs" in names()
    True
    """
    pkgutil = import_module("pkgutil")
    files = (module.name for module in pkgutil.iter_modules([os.path.dirname(__file__)]))
    return tuple(sorted(name for file in files if not file.startswith("_") for name in load_file(file)))


@lru_cache(maxsize=64)
def find(name: str) -> Dialect:
    """Return the dialect of that exact name, importing only its file."""
    file, dialect = file_of(name), None
    if file.isidentifier() and not file.startswith("_"):  # files with an underscore hold shared code
        try:
            dialect = load_file(file).get(name)
        except ModuleNotFoundError as missing:
            if missing.name != f"{__package__}.{file}":
                raise
    if dialect is None:
        raise unknown(name)
    return dialect


def unknown(name: object) -> UnknownNameError:
    """Return the error for a name that no dialect has."""
    known = LIBRARIES.get(name.lower()) if isinstance(name, str) else None
    return unknown_name("dialect", name, names(), f"use {known!r} for {name}" if known else "")


@cache
def load_file(file: str) -> dict[str, Dialect]:
    """Return the dialects of one file by name: its DIALECT, and OLDER ones as `name@version`."""
    module = import_module(f"{__package__}.{file}")
    return {dialect.name: dialect for dialect in (module.DIALECT, *getattr(module, "OLDER", ()))}


def file_of(name: str) -> str:
    """Return the file of a dialect, without its ending.

    >>> file_of("opencv@4"), file_of("onnx-reference")
    ('opencv', 'onnx_reference')
    """
    return name.partition("@")[0].replace("-", "_")
