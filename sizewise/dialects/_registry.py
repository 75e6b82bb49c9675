"""Registry of dialects: the files of this folder, imported when they are first used."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ..fork_safety import import_module

if TYPE_CHECKING:
    from ._dialect import Dialect


@cache
def all_names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted."""
    pkgutil = import_module("pkgutil")
    files = (module.name for module in pkgutil.iter_modules([os.path.dirname(__file__)]))
    return tuple(sorted(name for file in files if not file.startswith("_") for name in load_file(file)))


@lru_cache(maxsize=64)
def find(name: str) -> Dialect | None:
    """Return the dialect of that name, importing only its file; None if there is none."""
    file = file_of(name)
    if not file.isidentifier() or file.startswith("_"):  # files with an underscore hold shared code
        return None
    try:
        return load_file(file).get(name)
    except ModuleNotFoundError as missing:
        if missing.name == f"{__package__}.{file}":
            return None
        raise


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
