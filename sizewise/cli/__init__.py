"""Command line: one file per command, which parses arguments, calls the library, and prints a report."""

from __future__ import annotations

import sys

from ..errors import MissingExtraError


def main() -> None:
    """Run the `sizewise` command on the arguments of this process, and exit with its code."""
    try:
        from .app import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        missing = MissingExtraError("the sizewise command", "cli")
        sys.stderr.write(f"sizewise: {missing}\n")
        raise SystemExit(missing.exit_code) from None
    raise SystemExit(run())
