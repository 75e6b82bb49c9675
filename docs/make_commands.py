"""Writer of docs/reference/commands.md: every command with its arguments and options, as the command line knows them.

Run as `python docs/make_commands.py`, with the packages of the extra `dev` and the folder benchmarks/ installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from sizewise.cli.app import app

PAGE = Path(__file__).resolve().parent / "reference" / "commands.md"
TOP = """# Commands

<!-- Written by `python docs/make_commands.py` from the command line: do not edit. -->

Every command with its arguments and options. `pip install "sizewise[cli]"` installs the command; `sizewise COMMAND
--help` prints the same.

Results are printed to stdout, progress and errors to stderr. The exit code is 0 if the command did what it was asked,
1 if the answer is no (a difference, a finding, nothing identified) or a file failed, and 2 if the arguments are wrong.
`--debug` before the command shows where an error comes from; `--version` prints the version.
"""


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with its full name, in the order of the help."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for key, one in inner.items():
        yield from commands(one, f"{name} {key}")


def names(parameter: Any) -> str:
    """Return a parameter as one types it: its spellings, and the word for its value."""
    if parameter.param_type_name == "argument":
        name = (parameter.metavar or parameter.name.upper()).strip("[]")
        name += "..." * (parameter.nargs == -1 and not name.endswith("..."))
        return name if parameter.required else f"[{name}]"
    spellings = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if parameter.is_flag:
        return spellings
    return f"{spellings} {parameter.metavar or parameter.name.upper()}"


def default(parameter: Any) -> str:
    """Return the default of a parameter if it says something, or "required"."""
    if parameter.required:
        return "required"
    value = parameter.default
    is_shown = getattr(parameter, "show_default", True) and not callable(value)
    if not is_shown or value in (None, False, "") or (isinstance(value, (list, tuple)) and not value):
        return ""
    return f"`{str(value).lower() if value is True else value}`"


def row(parameter: Any) -> str:
    """Return the line of a parameter in a table."""
    text = (parameter.help or "").replace("\n", " ").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    name = names(parameter)
    # In a table `|` ends a cell, even within backquotes.
    code = f"<code>{name.replace('|', '&#124;')}</code>" if "|" in name else f"`{name}`"
    return f"| {code} | {text} | {default(parameter)} |"


def section(name: str, command: Any) -> str:
    """Return the section of one command: its description, and a table of its arguments and options."""
    parameters = [one for one in command.params if one.name != "help" and not getattr(one, "hidden", False)]
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    options = [one for one in parameters if one.param_type_name != "argument"]
    usage = " ".join([name, *map(names, arguments), *(["[OPTIONS]"] if options else [])])
    parts = [f"## {name}", (command.help or "").strip(), f"```text\n{usage}\n```"]
    if parameters:
        head = "| | | default |\n|---|---|---|\n"
        parts.append(head + "\n".join(map(row, [*arguments, *options])))
    return "\n\n".join(parts) + "\n"


def page() -> str:
    """Return the page."""
    found = commands(get_command(app), "sizewise")
    return "\n".join([TOP, *(section(name, command) for name, command in found)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
