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
        options = sys.argv[1:]
        if options[:1] == ["--version"]:  # a bug report needs no extra
            from .version import version_text

            text = version_text(verbose="--verbose" in options, as_json="--json" in options)
            sys.stdout.write(f"{text}\n")
            raise SystemExit(0) from None
        missing = MissingExtraError("the sizewise command", "cli")
        sys.stderr.write(f"sizewise: {missing}\n")
        raise SystemExit(missing.exit_code) from None
    raise SystemExit(run())
