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
from ..report.compare.json import as_json
from ..report.compare.text import ComparisonText
from .parse import parse_size

_DEFAULT = "pillow,opencv,torch,tensorflow"


def compare(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="Any image file, or .npy.")],
    size: Annotated[str, typer.Argument(metavar="SIZE", help="Height and width of the result: 224x224.")],
    dialects: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help=f"By default {_DEFAULT}; a method may follow: pillow:bicubic.", show_default=False
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="For dialects named without a method: bilinear, bicubic, area, ...")
    ] = "bilinear",
    variant: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help='Another variant with its options: "torch bilinear antialias=true".'),
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a self-contained page.", show_default=False)
    ] = None,
    png: Annotated[str | None, typer.Option(metavar="FILE", help="Write a figure.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Show how far the results of several dialects are from the first of them, on your own image."""
    names = _DEFAULT if dialects is None and not variant else dialects or ""
    variants = [*filter(None, names.split(",")), *(variant or ())]
    _require_other_files(image, html, png)
    facts = comparison.compare(image, parse_size(size, "SIZE"), variants, method)
    if html is not None:
        from ..report.compare.html import comparison_page

        write_text(html, comparison_page(facts, shlex.join(["sizewise", *sys.argv[1:]])))
        typer.echo(f"Wrote {html!r}", err=True)
    if png is not None:
        from ..report.compare.figure import comparison_figure

        picture = comparison_figure(facts)
        with whole(png) as file:
            file.write(picture)
        typer.echo(f"Wrote {png!r}", err=True)
    if json:
        typer.echo(as_json(facts))
    else:
        Console(highlight=False).print(ComparisonText(facts))


def _require_other_files(image: str, html: str | None, png: str | None) -> None:
    if html is not None and html == png:
        raise ArgumentError(f"--html and --png are both {html!r}; give them different files")
    for option, file in (("--html", html), ("--png", png)):
        if file is not None and os.path.exists(file) and os.path.exists(image) and os.path.samefile(file, image):
            raise ArgumentError(f"{option} {file!r} is IMAGE itself; give it another name")
