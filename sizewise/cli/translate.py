"""`sizewise translate CALL --to NAME`: the same resize in another framework, or why there is none."""

from __future__ import annotations

from typing import Annotated

import typer

from ..insight import translation
from ..report.translate.json import as_json
from ..report.translate.text import TranslationText
from ..resize_spec import parse_size
from .output import print_report

TARGETS = "cv2, jax, keras, onnx, onnx-reference, paddle, pillow, sizewise, skimage, tf, tf1, tfjs, torch"  # sorted


def translate(
    call: Annotated[str, typer.Argument(help="Code, parsed but never run: 'cv2.resize(x, (64, 64))'.")],
    to: Annotated[str, typer.Option(metavar="NAME", help=f"One of {TARGETS}.")],
    input_size: Annotated[
        str | None,
        typer.Option("--input", metavar="SIZE", help="The image size, 480x640: more calls agree at a known size."),
    ] = None,
    machine: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> int:
    """Write a resize as the call of another framework, with the same weights.

    Exit code 1 if there is no such call; the nearest one is shown with its error.
    """
    known = None if input_size is None else parse_size(input_size, "--input")
    facts = translation.translate(call, to, known)
    print_report(as_json(facts) if machine else TranslationText(facts), crop=False)
    return 0 if facts.result is not None else 1
