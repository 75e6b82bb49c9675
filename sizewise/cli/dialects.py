"""`sizewise dialects [NAME]`: the dialects, and how each computes its pixels."""

from __future__ import annotations

from typing import Annotated

import typer

from ..insight import description
from ..report.dialects.json import as_json
from ..report.dialects.text import DialectsText, DialectText
from .output import print_report


def dialects(
    name: Annotated[str | None, typer.Argument(help="A dialect to describe in full.", show_default=False)] = None,
    machine: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """List the dialects with their methods, options and guarantees; or describe one, with its formulas."""
    facts = description.everything() if name is None else description.describe(name)
    text = DialectText(facts) if isinstance(facts, description.Description) else DialectsText(facts)
    print_report(as_json(facts) if machine else text)
