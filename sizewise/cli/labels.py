"""`sizewise labels`: check label files against a resize, and map them through it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError, MissingExtraError
from ..preprocess import Preprocessor
from ..report.text import printable
from ..resize_spec import parse_option, parse_size
from .output import print_report

if TYPE_CHECKING:
    from ..labels.document import LabelFile
    from ..labels.files import Found
    from ..labels.mapping import MapOf

app = typer.Typer(no_args_is_help=True, help="Check labels against a resize, and map them through it.")
Inputs = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="COCO, LabelMe (.json), CVAT (.xml), YOLO (.txt), or folders.")
]
Config = Annotated[
    Path | None, typer.Option("--preprocess", metavar="CONFIG", help="A recipe; or give --size, as for resize.")
]
SizeOption = Annotated[str | None, typer.Option("--size", metavar="HEIGHTxWIDTH", help="The size of results.")]
Scale = Annotated[float | None, typer.Option("--scale", metavar="NUMBER", help="Output over input, such as 0.5.")]
Fit = Annotated[
    str, typer.Option("--fit", metavar="RULE", help="Of --size: stretch to it, contain in it, cover it, or letterbox.")
]
Method = Annotated[str, typer.Option("--method", metavar="NAME", help="bilinear, nearest, bicubic, ...")]
DialectName = Annotated[str, typer.Option("--dialect", metavar="NAME", help="Whose pixels: pillow, opencv, torch, ...")]
Antialias = Annotated[bool | None, typer.Option("--antialias/--no-antialias", show_default=False)]
Options = Annotated[list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="Of the dialect.")]
Images = Annotated[Path | None, typer.Option("--images", metavar="FOLDER", help="The images of YOLO files, for sizes.")]
ImageSize = Annotated[
    str | None, typer.Option("--image-size", metavar="HEIGHTxWIDTH", help="The size of all images of YOLO files.")
]
KeypointsOption = Annotated[
    str | None, typer.Option("--keypoints", metavar="NxD", help="Of YOLO pose files, like 17x3 or 17x2.")
]


@app.command("check")
def check(
    inputs: Inputs,
    preprocess: Config = None,
    size: SizeOption = None,
    scale: Scale = None,
    fit: Fit = "stretch",
    method: Method = "bilinear",
    dialect: DialectName = "standard",
    antialias: Antialias = None,
    option: Options = None,
    images: Images = None,
    image_size: ImageSize = None,
    keypoints: KeypointsOption = None,
    tolerance: Annotated[
        float, typer.Option(min=0, metavar="PIXELS", help="Of the result: report labels that move by more.")
    ] = 0.1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> int:
    """Compare where a resize puts labels with the usual formulas, and find labels outside of their image.

    Exit code 1 if a formula moves a label by more than --tolerance, or a label is inverted, empty or outside.
    """
    _require_extra()
    from ..insight.label_check import check_labels
    from ..report.labels.json import as_json as check_as_json
    from ..report.labels.text import LabelCheckText

    resize = {"scale": scale, "fit": fit, "method": method, "dialect": dialect, "antialias": antialias}
    map_of = _map_of(preprocess, size, option, resize)
    files = [file for _, file in read_labels(inputs, images, image_size, keypoints)]
    facts = check_labels(files, map_of, tolerance)
    print_report(check_as_json(facts) if as_json else LabelCheckText(facts))
    return 0 if facts.is_fine else 1


@app.command("map")
def map_files(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="A folder; or a file, for a single FILE.")],
    preprocess: Config = None,
    size: SizeOption = None,
    scale: Scale = None,
    fit: Fit = "stretch",
    method: Method = "bilinear",
    dialect: DialectName = "standard",
    antialias: Antialias = None,
    option: Options = None,
    images: Images = None,
    image_size: ImageSize = None,
    keypoints: KeypointsOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
) -> int:
    """Write label files for the resized images: only coordinates, areas and sizes change.

    Nothing is clipped: labels that leave the result keep coordinates outside of it, which `labels check` reports.
    """
    _require_extra()
    from ..labels import files as label_files

    resize = {"scale": scale, "fit": fit, "method": method, "dialect": dialect, "antialias": antialias}
    map_of = _map_of(preprocess, size, option, resize)
    read = read_labels(inputs, images, image_size, keypoints)
    targets = label_targets([found for found, _ in read], out, overwrite)
    mapped = [tuple(map_of(image.size).apply(image) for image in file.images) for _, file in read]
    for (_, file), target, labels in zip(read, targets, mapped, strict=True):
        label_files.write(target, file, labels)
        typer.echo(str(target))
        for note in file.notes:
            typer.echo(f"note: {printable(file.path)}: {note}", err=True)
    return 0


def _require_extra() -> None:
    try:
        from ..files import reading  # noqa: F401
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        raise MissingExtraError("sizewise labels", "cli") from None


def read_labels(
    inputs: list[Path], images: Path | None = None, image_size: str | None = None, keypoints: str | None = None
) -> list[tuple[Found, LabelFile]]:
    """Return the label files of the command line."""
    from ..labels import files as label_files
    from ..labels import yolo

    if images is not None and not images.is_dir():
        raise ArgumentError(f"--images {os.fspath(images)!r} is no folder")
    lengths = None if image_size is None else parse_size(image_size, "--image-size")
    if lengths is not None and len(lengths) != 2:
        raise ArgumentError(f"--image-size is {image_size!r}; give a height and a width, like 480x640")
    sizes = label_files.ImageSizes(None if lengths is None else (lengths[0], lengths[1]), images)
    shape = None if keypoints is None else yolo.parse_keypoints(keypoints)
    return [(found, label_files.read(found, sizes, shape)) for found in label_files.find(inputs)]


def label_targets(found: list[Found], out: Path, overwrite: bool) -> list[Path]:
    """Return the file that each label file becomes; raise ArgumentError if two become one, or one exists."""
    from ..labels import files as label_files

    is_file = out.suffix.lower() in label_files.ENDINGS and not out.is_dir()
    if is_file and len(found) != 1:
        raise ArgumentError(f"-o {os.fspath(out)!r} is named as a file; several label files need a folder")
    if is_file and out.suffix.lower() != found[0].path.suffix.lower():
        raise ArgumentError(f"-o {os.fspath(out)!r}: {os.fspath(found[0].path)!r} becomes a file of the same kind")
    targets = [out] if is_file else [out / one.relative for one in found]
    label_files.require_writable(targets, [one.path for one in found], replaces=overwrite)
    return targets


def _map_of(preprocess: Path | None, size: str | None, option: list[str] | None, resize: dict[str, Any]) -> MapOf:
    """Return the function from the size of an image to where its labels go."""
    from ..files.resizing import Recipe
    from ..labels import mapping

    if preprocess is not None:
        unused = {"scale": None, "fit": "stretch", "method": "bilinear", "dialect": "standard", "antialias": None}
        if size is not None or option or resize != unused:
            raise ArgumentError("--preprocess has the whole recipe; leave out --size and the arguments of a resize")
        return mapping.of_preprocessor(Preprocessor.load(preprocess))
    if size is None and resize["scale"] is None:
        raise ArgumentError("say which resize: --preprocess CONFIG, or --size HEIGHTxWIDTH, or --scale")
    lengths = None if size is None else parse_size(size, "--size")
    options = dict(map(parse_option, option or ()))
    return mapping.of_recipe(Recipe(size=lengths, options=options, **resize))
