"""Readers of other libraries' configurations, one file each.

A reader is a module of this folder that defines:

- `NAME`: how people call the library;
- `recognizes(config)`: return whether a dictionary or object is for it, without importing the library;
- `read(config, **arguments)`: return its steps; raise UnknownNameError for keys and classes that it does not know;
- `write(preprocessor)`: return a configuration that says the same; raise UnsupportedError if there is none.
"""

from __future__ import annotations

import inspect
import json
import os
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...errors import (
    CONVERSION_ERRORS,
    ArgumentError,
    ArgumentTypeError,
    FileError,
    SizewiseError,
    short_repr,
    unknown_name,
)
from .. import serialize
from ..steps import Step

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

# Files that hold a recipe in a model's folder, in the order in which they are looked for.
FILES = ("sizewise.json", "processor_config.json", "preprocessor_config.json", "open_clip_config.json", "config.json")

_NO_DOWNLOADS = "Sizewise downloads nothing: give a file, a folder, or AutoImageProcessor.from_pretrained(name)"


@cache
def names() -> tuple[str, ...]:
    """Return the libraries whose configurations can be read.

    >>> isinstance(names(), tuple)
    True
    """
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")))


def label(name: str) -> str:
    """Return how people call a library.

    >>> label("ultralytics")
    'Ultralytics'
    """
    return str(_reader(name).NAME)


def _reader(name: str) -> ModuleType:
    return import_module(f".{name}", __name__)


@contextmanager
def opened(config: Any) -> Iterator[Any]:
    """Yield a configuration, that of a file if it is a path; errors inside begin with the name of the file."""
    if not isinstance(config, (str, os.PathLike)):
        yield config
        return
    path, contents = _load(Path(config))
    try:
        yield contents
    except (ArgumentError, ArgumentTypeError) as error:
        error.args = (f"{short_repr(os.fspath(path))}: {error}",)
        raise


def read(config: Any, **arguments: Any) -> tuple[Step, ...]:
    """Return the steps of a configuration: a dictionary or an object of a library."""
    if isinstance(config, Mapping) and serialize.KEY in config:
        _require_arguments("Sizewise", arguments, ())
        return serialize.from_dict(config)
    for name in names():
        reader = _reader(name)
        if reader.recognizes(config):
            return _read_by(reader, config, arguments)
    known = ", ".join(_reader(name).NAME for name in names())
    is_processor = isinstance(config, Mapping) and "processor_class" in config
    hint = "; the image processor of a model is in its preprocessor_config.json" if is_processor else ""
    raise ArgumentError(f"{_describe(config)} is not a recipe that can be read; known are those of {known}{hint}")


def _read_by(reader: ModuleType, config: Any, arguments: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps that a reader finds; raise ArgumentError for arguments and values that it does not take."""
    _require_arguments(reader.NAME, arguments, tuple(inspect.signature(reader.read).parameters)[1:])
    try:
        return tuple(reader.read(config, **arguments))
    except SizewiseError:
        raise
    except CONVERSION_ERRORS as error:
        raise ArgumentError(f"the configuration of {reader.NAME} has a value of a wrong type: {error!r}") from error


def _require_arguments(name: str, given: Iterable[str], known: Iterable[str]) -> None:
    for argument in given:
        if argument not in known:
            raise unknown_name(f"argument of the reader of {name}", argument, known)


def write(preprocessor: Preprocessor, library: str) -> Any:
    """Return the configuration of a library that says the same."""
    if not isinstance(library, str) or library not in names():
        raise unknown_name("library", library, names())
    return _reader(library).write(preprocessor)


def _load(path: Path) -> tuple[Path, Mapping[str, Any]]:
    """Return a JSON file and its contents: the given file, or that of the recipe in a folder."""
    if os.path.isdir(path):
        found = [path / name for name in FILES if (path / name).is_file()]
        if not found:
            raise FileError(f"{os.fspath(path)!r} has no recipe; looked for {', '.join(FILES)}")
        config = _read_json(found[0])
        # In transformers, processor_config.json goes before preprocessor_config.json if it holds an image processor.
        if found[0].name == "processor_config.json" and "image_processor" not in config and len(found) > 1:
            found, config = found[1:], _read_json(found[1])
        is_unnamed = found[0].name == "preprocessor_config.json" and not any(key.endswith("_type") for key in config)
        if is_unnamed and found[-1].name == "config.json":  # by whose kind of model transformers finds the class
            config = {**config, "model_type": _read_json(found[-1]).get("model_type")}
        return found[0], config
    return path, _read_json(path)


def _read_json(path: Path) -> Mapping[str, Any]:
    """Return the object in a JSON file; raise FileError for what is not one."""
    name = short_repr(os.fspath(path))
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        is_model_name = isinstance(error, FileNotFoundError) and path.suffix != ".json"
        remedy = f"; {_NO_DOWNLOADS}" if is_model_name else ""
        raise FileError(f"cannot read {name}: {error.strerror}{remedy}") from error
    except (ValueError, RecursionError) as error:
        is_pointer = getattr(error, "doc", "").startswith("version https://git-lfs")
        reason = "a pointer of Git LFS: get the file with git lfs pull" if is_pointer else f"not JSON: {error}"
        raise FileError(f"{name} is {reason}") from error
    if not isinstance(config, Mapping):
        raise FileError(f"{name} holds {short_repr(config)}, not an object with keys")
    return config


def _describe(config: Any) -> str:
    if isinstance(config, Mapping):
        return (
            f"a dictionary with the keys {', '.join(map(repr, list(config)[:8]))}" if config else "an empty dictionary"
        )
    return f"a {type(config).__module__}.{type(config).__name__}"
