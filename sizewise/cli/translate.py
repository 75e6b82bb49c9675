"""`sizewise translate CALL --to NAME`: the same resize in another framework, or why there is none."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ..insight import translation
from ..report.translation import TranslationText, as_json
from .words import parse_size

TARGETS = "cv2, jax, keras, onnx, onnx-reference, paddle, pillow, sizewise, skimage, tf, tf1, tfjs, torch"  # sorted


def translate(
    call: Annotated[str, typer.Argument(help="Code, which is read and never run: 'cv2.resize(x, (64, 64))'.")],
    to: Annotated[str, typer.Option(metavar="NAME", help=f"One of {TARGETS}.")],
    input_size: Annotated[
        str | None,
        typer.Option("--input", metavar="SIZE", help="The images' size, 480x640: more calls are the same at one size."),
    ] = None,
    machine: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> int:
    """Write a resize as the call of another framework, with the same weights.

    Exit code 1 if there is no such call; what comes nearest is told then, and how far it is off.
    """
    known = None if input_size is None else parse_size(input_size, "--input")
    facts = translation.translate(call, to, known)
    if machine:
        typer.echo(as_json(facts))
    else:
        Console(highlight=False).print(TranslationText(facts), crop=False)
    return 0 if facts.result is not None else 1
