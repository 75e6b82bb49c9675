"""`sizewise explain IN OUT`: what a resize does, in several variants side by side."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..errors import ArgumentError
from ..files.writing import whole, write_text
from ..insight import explanation
from ..report import explain_json, text
from .words import parse_option, parse_size, parse_variant


def explain(
    input_size: Annotated[str, typer.Argument(metavar="IN", help="The input's size: 16x16, 480x640 or 1024.")],
    output_size: Annotated[str, typer.Argument(metavar="OUT", help="The output's size, one length per axis of IN.")],
    dialect: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Whose resize; repeat it for several.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="bilinear, nearest, bicubic, lanczos3, area, ...; repeat it for several."),
    ] = None,
    antialias: Annotated[bool | None, typer.Option(help="By default as the dialect does.", show_default=False)] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An option of the dialect, such as align_corners=true."),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(metavar="WORDS", help="One variant in full: 'torch bicubic antialias=true'; repeat it for more."),
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page too.", show_default=False)] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a figure too.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> None:
    """Show which input pixels a resize reads and how much each counts, what it moves, and what aliases.

    Several dialects and methods give every combination that exists. Without options: a bilinear resize in TensorFlow
    1, in TensorFlow 2 and PyTorch, and with antialiasing.
    """
    sizes = parse_size(input_size, "IN"), parse_size(output_size, "OUT")
    if len(sizes[0]) != len(sizes[1]):
        raise ArgumentError(f"IN is {input_size} and OUT is {output_size}; give both one length per axis")
    if html is not None and html == png:
        raise ArgumentError(f"--html and --png are both {str(html)!r}; give each a file of its own")
    facts = explanation.explain(
        *sizes,
        method,
        antialias=antialias,
        dialects=dialect or (),
        options=dict(map(parse_option, option or ())),
        wishes=[_wish(words) for words in variant or ()],
    )
    if html is not None:
        words = [input_size, output_size, *_given("dialect", dialect), *_given("method", method)]
        words += [] if antialias is None else ["--antialias" if antialias else "--no-antialias"]
        words += [*_given("option", option), *_given("variant", variant), "--html", str(html)]
        _write_page(html, facts, shlex.join(["sizewise", "explain", *words]))
    if png is not None:
        _write_figure(png, facts)
    if as_json:
        typer.echo(explain_json.explanation(facts))
    else:
        Console(highlight=False).print(text.ExplanationText(facts))


def _given(name: str, values: list[str] | None) -> list[str]:
    return [word for value in values or () for word in (f"--{name}", value)]


def _write_page(path: Path, facts: explanation.Explanation, command: str) -> None:
    from ..report.explain_page import explain_page  # here: most calls need neither pages nor figures

    write_text(path, explain_page(facts, command))
    typer.echo(f"Wrote {str(path)!r}", err=True)


def _write_figure(path: Path, facts: explanation.Explanation) -> None:
    from ..report import figure

    picture = figure.png(facts)
    with whole(path) as file:
        file.write(picture)
    typer.echo(f"Wrote {str(path)!r}", err=True)


def _wish(words: str) -> explanation.Wish:
    dialect, method, antialias, options = parse_variant(words)
    return explanation.Wish(dialect, method or "bilinear", antialias, options)
