"""`sizewise compare IMAGE SIZE`: the same image through several dialects."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated

import typer
from rich.console import Console

from ..errors import ArgumentError
from ..files.writing import whole, write_text
from ..insight import comparison
from ..report.comparison import ComparisonText, as_json
from .words import parse_size, parse_variant

_USUAL = "pillow,opencv,torch,tensorflow"


def compare(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="Any image file, or .npy.")],
    size: Annotated[str, typer.Argument(metavar="SIZE", help="Height and width of the result: 224x224.")],
    dialects: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help=f"By default {_USUAL}; a method may follow: pillow:bicubic.", show_default=False
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="For all without one of their own: bilinear, bicubic, area, ...")
    ] = "bilinear",
    variant: Annotated[
        list[str] | None,
        typer.Option(metavar="WORDS", help='One more, in words: "torch bilinear antialias=true".'),
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a page.", show_default=False)] = None,
    png: Annotated[str | None, typer.Option(metavar="FILE", help="Write a figure.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> None:
    """Show how far the results of several dialects are from the first of them, on your own image."""
    names = _USUAL if dialects is None and not variant else dialects or ""
    words = [*filter(None, names.split(",")), *(variant or ())]
    _require_other_files(image, html, png)
    facts = comparison.compare(image, parse_size(size, "SIZE"), [parse_variant(one) for one in words], method)
    if html is not None or png is not None:
        _write(facts, html, png)
    if json:
        typer.echo(as_json(facts))
    else:
        Console(highlight=False).print(ComparisonText(facts))


def _require_other_files(image: str, html: str | None, png: str | None) -> None:
    if html is not None and html == png:
        raise ArgumentError(f"--html and --png are both {html!r}; give each a file of its own")
    for option, file in (("--html", html), ("--png", png)):
        if file is not None and os.path.exists(file) and os.path.exists(image) and os.path.samefile(file, image):
            raise ArgumentError(f"{option} {file!r} is IMAGE itself; give it another name")


def _write(facts: comparison.Comparison, html: str | None, png: str | None) -> None:
    from ..report.comparison_page import comparison_figure, comparison_page

    if html is not None:
        write_text(html, comparison_page(facts, shlex.join(["sizewise", *sys.argv[1:]])))
    if png is not None:
        with whole(png) as file:
            comparison_figure(facts, file)
