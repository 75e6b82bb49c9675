"""`sizewise explain IN OUT`: what a resize does to the gradient."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ..errors import ArgumentError
from ..insight import explanation
from ..report import json, text
from .words import parse_option, parse_size


def explain(
    input_size: Annotated[str, typer.Argument(metavar="IN", help="The input's size: 16x16, 480x640 or 1024.")],
    output_size: Annotated[str, typer.Argument(metavar="OUT", help="The output's size, one length per axis of IN.")],
    dialect: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Whose resize; repeat it for one variant each.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="bilinear, nearest, bicubic, lanczos3, area, ...")
    ] = None,
    antialias: Annotated[bool | None, typer.Option(help="By default as the dialect does.", show_default=False)] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of the dialect, such as align_corners=true."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> None:
    """Show which input pixels a resize reads, and how much gradient each gets.

    Without options: a bilinear resize in TensorFlow 1, in TensorFlow 2 and PyTorch, and with antialiasing.
    """
    sizes = parse_size(input_size, "IN"), parse_size(output_size, "OUT")
    if len(sizes[0]) != len(sizes[1]):
        raise ArgumentError(f"IN is {input_size} and OUT is {output_size}; give both one length per axis")
    facts = explanation.explain(
        *sizes,
        method,
        antialias=antialias,
        dialects=dialect or (),
        options=dict(map(parse_option, option or ())),
    )
    if as_json:
        typer.echo(json.explanation(facts))
    else:
        Console(highlight=False).print(text.ExplanationText(facts))
