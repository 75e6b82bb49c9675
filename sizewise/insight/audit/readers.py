"""Readers: the reader of a model file, chosen by its content, or else by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ...errors import FileError
from . import keras, onnx, saved_model, tfjs, tflite
from .node import Model

_FORMATS = ".onnx, .tflite, .keras, a TensorFlow SavedModel folder, or the model.json of TF.js"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_PICKLES = (".pt", ".pth", ".ckpt", ".pkl", ".bin")


def read(path: str | os.PathLike[str]) -> Model:
    """Return the resizes of a model file, or of the folder of a SavedModel; nothing in it is run.

    >>> read("no.onnx")
    Traceback (most recent call last):
    sizewise.errors.FileError: cannot read 'no.onnx': No such file or directory
    """
    file = Path(path)
    try:
        if file.is_dir():
            inside = [file / name for name in ("saved_model.pb", "model.json") if (file / name).is_file()]
            if not inside:
                here = f"{os.fspath(file)!r} is a folder without saved_model.pb or model.json"
                raise FileError(f"{here}; audit reads {_FORMATS}")
            file = inside[0]
        elif file.exists() and not file.is_file():
            raise FileError(f"cannot read {os.fspath(path)!r}: it is not a file")
        return _reader(file)(file)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from error


def _reader(file: Path) -> Callable[[Path], Model]:
    with open(file, "rb") as opened:
        head = opened.read(64)
    ending = file.suffix.lower()
    if head[4:8] == b"TFL3":
        return tflite.read
    if head[:4] == b"PK\x03\x04":
        return keras.read
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return tfjs.read
    by_name = {".onnx": onnx.read, ".pb": saved_model.read, ".tflite": tflite.read, ".json": tfjs.read}
    if ending in by_name:
        return by_name[ending]
    raise FileError(f"{os.fspath(file)!r} is not a model that audit reads: {_why(head, ending)}")


def _why(head: bytes, ending: str) -> str:
    if head.startswith(_HDF5):
        return "HDF5 is Keras's old format; save the model as .keras"
    if ending in _PICKLES:
        return "a pickle is code, which audit never runs; export it to .onnx, or use sizewise.watch"
    return f"it reads {_FORMATS}"
