"""`sizewise compare IMAGE SIZE`: the same image through several dialects."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from ..insight import comparison
from ..report.compare.json import as_json
from ..report.compare.text import ComparisonText
from ..report.text import printable
from ..resize_spec import parse_size
from .output import print_report, require_different_files, require_not_input, write_file

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
    require_different_files(html, png)
    for name, file in (("--html", html), ("--png", png)):
        require_not_input(name, file, {"IMAGE": image})
    facts = comparison.compare(image, parse_size(size, "SIZE"), variants, method)
    if html is not None:
        from ..report.compare.html import comparison_page

        arguments = [image, size, *(["--dialects", dialects] if dialects else []), "--method", method]
        arguments += [text for one in variant or () for text in ("--variant", one)]
        write_file(
            html, comparison_page(facts, printable(shlex.join(["sizewise", "compare", *arguments, "--html", html])))
        )
    if png is not None:
        from ..report.compare.figure import comparison_figure

        write_file(png, comparison_figure(facts))
    print_report(as_json(facts) if json else ComparisonText(facts))
