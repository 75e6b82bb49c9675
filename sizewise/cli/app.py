"""The Typer application: its commands, and how it ends."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer

from ..errors import ArgumentError, SizewiseError, SizewiseWarning
from ..report.text import printable
from . import audit, bench, compare, dialects, explain, golden, identify, labels, parity, preprocess, resize, translate
from .version import version_text

# The base of all errors of Typer's parser: click's UsageError, or a copy of it, by version of Typer.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(name="sizewise", pretty_exceptions_enable=False)
app.command("explain")(explain.explain)
app.command("compare")(compare.compare)
app.command("identify")(identify.identify)
app.command("audit")(audit.audit)
app.command("resize")(resize.resize)
app.add_typer(preprocess.app, name="preprocess")
app.add_typer(labels.app, name="labels")
app.command("dialects")(dialects.dialects)
app.command("translate")(translate.translate)
app.command("parity")(parity.parity)
app.command("golden")(golden.golden)
bench.add_to(app)


@app.callback(invoke_without_command=True)
def _sizewise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="With --version: also the kernels, the system and installed packages.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --version: print JSON.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """See what a resize does to pixels and gradients."""
    if version:
        typer.echo(version_text(verbose=verbose, as_json=as_json))
        raise typer.Exit
    if verbose or as_json:
        option = "--verbose" if verbose else "--json"
        raise ArgumentError(f"{option} before a command belongs to --version: sizewise --version {option}")
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; an error is one line on stderr, never a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--debug" in given:
        return _call([argument for argument in given if argument != "--debug"])
    with warnings.catch_warnings():
        warnings.simplefilter("default", SizewiseWarning)
        warnings.showwarning = _show_warning
        return _run(given)


def _run(given: list[str]) -> int:
    try:
        return _call(given)
    except SizewiseError as error:
        return _fail(str(error), error.exit_code)
    except _UsageError as error:
        message = error.format_message()  # type: ignore[attr-defined]
        context = getattr(error, "ctx", None)
        command = "sizewise" if context is None else context.command_path
        if not message:  # a group without a command, whose help is printed
            return 2
        return _fail(f"{message.rstrip('.')} (see {command} --help)", 2)
    except typer.Abort:  # Ctrl-C, in versions of Typer that do not turn it into an exit code
        return 130
    except OSError as error:
        if error.filename is None:  # it is stdout
            _discard_stdout()
        return 1 if isinstance(error, BrokenPipeError) else _fail(_describe(error), 1)
    except Exception as error:
        return _fail(f"unexpected {type(error).__name__}: {error} (--debug shows where)", 1)


def _call(arguments: list[str]) -> int:
    code = app(arguments, prog_name="sizewise", standalone_mode=False)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _describe(error: OSError) -> str:
    """Return the message of an error of the system."""
    if error.filename is None:
        return f"cannot write the result: {error.strerror}"
    name = printable(repr(str(error.filename)))
    is_file = isinstance(error, FileExistsError | NotADirectoryError) and os.path.isfile(error.filename)
    return f"{name} is a file; name a folder" if is_file else f"cannot write {name}: {error.strerror}"


def _discard_stdout() -> None:
    """Discard pending output: Python flushes stdout again at exit, and would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning on stderr; those of Sizewise in one line, without the line of code."""
    if issubclass(category, SizewiseWarning):
        text = f"warning: {printable(str(message))}"
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line).rstrip()
    print(text, file=sys.stderr if file is None else file)


def _fail(message: str, code: int) -> int:
    typer.echo(f"sizewise: {message}", err=True)
    return code
