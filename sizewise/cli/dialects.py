"""`sizewise dialects [NAME]`: whose resize there is, and how each is computed."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ..insight import description
from ..report.dialects import DialectsText, DialectText, as_json


def dialects(
    name: Annotated[str | None, typer.Argument(help="One to describe, with its formulas.", show_default=False)] = None,
    machine: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> None:
    """List the dialects, with their methods, options and what is promised of them; or describe one."""
    facts = description.everything() if name is None else description.describe(name)
    if machine:
        typer.echo(as_json(facts))
    else:
        shown = DialectText(facts) if isinstance(facts, description.Description) else DialectsText(facts)
        Console(highlight=False).print(shown)
