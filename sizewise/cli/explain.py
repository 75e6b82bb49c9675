"""`sizewise explain IN OUT`: what a resize does, in several variants side by side."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError
from ..insight import explanation
from ..report.explain.json import as_json as explanation_json
from ..report.explain.text import ExplanationText
from ..resize_spec import parse_option, parse_size
from .output import print_report, require_different_files, write_file


def explain(
    input_size: Annotated[str, typer.Argument(metavar="IN", help="The input size: 16x16, 480x640 or 1024.")],
    output_size: Annotated[str, typer.Argument(metavar="OUT", help="The output size, one length per axis of IN.")],
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
        typer.Option(metavar="TEXT", help="One variant in full: 'torch bicubic antialias=true'; repeat it for more."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a self-contained page.", show_default=False)
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a figure.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show which input pixels a resize reads and with what weight, how far it shifts the image, and what aliases.

    Several dialects and methods give every combination that exists.
    Without options: a bilinear resize in TensorFlow 1, in TensorFlow 2 and PyTorch, and with antialiasing.
    """
    sizes = parse_size(input_size, "IN"), parse_size(output_size, "OUT")
    if len(sizes[0]) != len(sizes[1]):
        raise ArgumentError(f"IN is {input_size} and OUT is {output_size}; give both one length per axis")
    require_different_files(html, png)
    facts = explanation.explain(
        *sizes,
        method,
        antialias=antialias,
        dialects=dialect or (),
        options=dict(map(parse_option, option or ())),
        variants=variant or (),
    )
    if html is not None:
        from ..report.explain.html import explanation_page  # most calls need neither pages nor figures

        arguments = [input_size, output_size, *_repeated("dialect", dialect), *_repeated("method", method)]
        arguments += [] if antialias is None else ["--antialias" if antialias else "--no-antialias"]
        arguments += [*_repeated("option", option), *_repeated("variant", variant), "--html", str(html)]
        write_file(html, explanation_page(facts, shlex.join(["sizewise", "explain", *arguments])))
    if png is not None:
        from ..report.explain.figure import explanation_figure

        write_file(png, explanation_figure(facts))
    print_report(explanation_json(facts) if as_json else ExplanationText(facts))


def _repeated(name: str, values: list[str] | None) -> list[str]:
    return [text for value in values or () for text in (f"--{name}", value)]
