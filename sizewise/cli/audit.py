"""`sizewise audit MODEL`: every resize of a model, and how other runtimes compute it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError, unknown_name
from ..insight import audit as insight
from ..report.audit.json import as_json as audit_json
from ..report.audit.text import AuditText
from ..report.text import printable
from ..resize_spec import parse_size
from .output import print_report, require_not_input, write_file
from .progress import progress_bar

_ALL = "all"


def audit(
    model: Annotated[
        Path, typer.Argument(help=".onnx, .tflite, .keras, the folder of a SavedModel, or the model.json of TF.js.")
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"A runtime to compare with: {', '.join(insight.TARGETS)}, or all; repeat it."
        ),
    ] = None,
    size: Annotated[str, typer.Option(metavar="HxW", help="Used for inputs of unknown size.")] = "224x224",
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An image to try besides noise.", show_default=False)
    ] = None,
    preprocess: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="A recipe to check against the model's input.", show_default=False),
    ] = None,
    input_name: Annotated[
        str | None,
        typer.Option("--input", metavar="NAME", help="The input that takes its result.", show_default=False),
    ] = None,
    fail_on: Annotated[
        str, typer.Option(metavar="SEVERITY", help="Exit with 1 for a finding this severe or worse: high, medium, low.")
    ] = "none",
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a self-contained page.", show_default=False)
    ] = None,
) -> int:
    """Find every resize of a model: which pixels it reads, how far it shifts the image, and how other runtimes differ.

    With --preprocess, also find whether a config gives what the model takes: size, layout, channels, dtype, values.
    The model is read, not run. Exit code 1 if a finding is as severe as --fail-on.
    """
    if fail_on not in (*insight.SEVERITIES, "none"):
        raise unknown_name("severity of --fail-on", fail_on, (*insight.SEVERITIES, "none"))
    if input_name is not None and preprocess is None:
        raise ArgumentError(f"--input is {input_name!r}, but there is no --preprocess to check against it")
    require_not_input("--html", html, {"MODEL": model, "--image": image, "--preprocess": preprocess})
    example = parse_size(size, "--size")
    if len(example) != 2 or min(example) < 1:
        raise ArgumentError(f"--size is {size}; give a height and a width of 1 or more, like 224x224")
    with progress_bar("Reading") as update:
        facts = insight.audit(
            model,
            _targets(target or []),
            example=(example[0], example[1]),
            image=image,
            image_name="" if image is None else image.name,
            preprocess=preprocess,
            input_name=input_name,
            done=update and (lambda done, total, name: update(printable(name)[:60], completed=done, total=total)),
        )
    if html is not None:
        from ..report.audit.html import audit_page  # imports Pillow and Jinja, which most calls do not need

        write_file(html, audit_page(facts, _command(model, facts, size, image, preprocess, input_name)))
    print_report(audit_json(facts) if as_json else AuditText(facts))
    return 1 if facts.reaches(fail_on) else 0


def _targets(given: list[str]) -> tuple[str, ...]:
    """Return the requested targets; one argument may list several, separated by commas."""
    names = [name for argument in given for name in argument.split(",") if name]
    return tuple(insight.TARGETS) if _ALL in names else tuple(names)


def _command(
    model: Path, facts: insight.Audit, size: str, image: Path | None, preprocess: Path | None, input_name: str | None
) -> str:
    """Return the command line that writes the page again."""
    arguments = ["sizewise", "audit", str(model), *(f"--target={name}" for name in facts.targets)]
    arguments += [f"--size={size}"] if facts.example != insight.EXAMPLE else []
    given = {"image": image, "preprocess": preprocess, "input": input_name}
    arguments += [f"--{name}={value}" for name, value in given.items() if value is not None]
    return printable(shlex.join([*arguments, "--html=..."]))
