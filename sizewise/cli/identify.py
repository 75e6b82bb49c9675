"""`sizewise identify ORIGINAL RESIZED`: the library, version, method and options that made a resized image."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from ..errors import ArgumentError
from ..insight.identify import identify as identify_images
from ..report.identify.json import as_json
from ..report.identify.text import IdentificationText
from ..report.text import printable
from .output import print_report, require_not_input, write_file
from .progress import progress_bar


def identify(
    original: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The original image: a file that Pillow reads, or .npy.")
    ],
    resized: Annotated[
        str | None, typer.Argument(metavar="RESIZED", help="The resized image.", show_default=False)
    ] = None,
    jpeg: Annotated[bool, typer.Option("--jpeg", help="RESIZED was compressed as JPEG after it was resized.")] = False,
    dialects: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these dialects: pillow,opencv,...", show_default=False)
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a self-contained page.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> int:
    """Find out which library, version, method and options made a resized image.

    Tries every method and option of the dialects. Exit code 1 if nothing fits.
    """
    if resized is None:
        raise ArgumentError(
            "give ORIGINAL and RESIZED: a resized image alone does not show how it was made; "
            "identify resizes the original with every known method and compares the pixels"
        )
    require_not_input("--html", html, {"ORIGINAL": original, "RESIZED": resized})
    names = None if dialects is None else [name for name in dialects.split(",") if name]
    with progress_bar("Trying") as update:
        facts = identify_images(
            original, resized, jpeg=jpeg, dialects=names, progress=update or (lambda description: None)
        )
    if html is not None:
        from ..report.identify.html import identification_page  # imports Jinja, which most calls do not need

        arguments = [original, resized, *["--jpeg"] * jpeg, *(["--dialects", dialects] if dialects else [])]
        command = printable(shlex.join(["sizewise", "identify", *arguments, "--html", html]))
        write_file(html, identification_page(facts, original, resized, command))
    print_report(as_json(facts) if json else IdentificationText(facts))
    return 0 if facts.fits else 1
