"""`sizewise explain IN OUT`: what a resize does to the gradient."""

from __future__ import annotations

import re
from typing import Annotated

import typer
from rich.console import Console

from ..errors import ArgumentError
from ..insight import explanation
from ..report import json, text


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


def parse_size(given: str, name: str) -> tuple[int, ...]:
    """A size in words as lengths.

    >>> parse_size("480x640", "IN"), parse_size("1024", "OUT")
    ((480, 640), (1024,))
    """
    if not re.fullmatch(r"[0-9]{1,20}([xX][0-9]{1,20})*", given):
        raise ArgumentError(f"{name} is {given!r}; write lengths like 16x16, 480x640 or 1024")
    return tuple(map(int, re.split("[xX]", given)))


def parse_option(given: str) -> tuple[str, object]:
    """A dialect's option in words as its name and its value.

    >>> parse_option("align_corners=true"), parse_option("a=-0.75"), parse_option("mode=half_pixel")
    (('align_corners', True), ('a', -0.75), ('mode', 'half_pixel'))
    """
    name, equals, word = given.partition("=")
    if not (name and equals and word):
        raise ArgumentError(f"--option is {given!r}; write it like align_corners=true")
    if word.lower() in ("true", "false"):
        return name, word.lower() == "true"
    for number in (int, float):
        try:
            return name, number(word)
        except ValueError:
            continue
    return name, word
