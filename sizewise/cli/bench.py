"""`sizewise bench`: the command of the package sizewise-bench, if it is installed."""

from __future__ import annotations

from importlib.util import find_spec

import typer

from ..errors import MissingExtraError


def add_to(app: typer.Typer) -> None:
    """Add the command; without the package, one that says how to install it."""
    if find_spec("sizewise_bench") is None:
        any_arguments = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command("bench", context_settings=any_arguments)(_missing)
    else:
        from sizewise_bench.command import bench

        app.command("bench")(bench)


def _missing() -> None:
    """Time the resizes of the installed libraries (needs the package sizewise-bench)."""
    raise MissingExtraError("sizewise bench", "bench")
