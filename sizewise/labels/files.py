"""Label files by their contents: which format, which images, and how they are written."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, FileError
from ..files import formats, reading, writing
from . import coco, cvat, labelme, yolo
from .document import LabelFile, LabelImage, Size

ENDINGS = (".json", ".txt", ".xml")
_NO_LABELS = ("classes.txt",)  # names of classes, which tools write beside YOLO files


@dataclass(frozen=True)
class Found:
    """A label file, and its name below the folder that was given."""

    path: Path
    relative: Path


@dataclass(frozen=True)
class ImageSizes:
    """Sizes of the images of YOLO files, which do not store them: `size`; or those of images, found by their names.

    Images are looked for in `folder`; else beside the text file, and in the folder "images" that stands beside its
    folder "labels".
    """

    size: Size | None = None
    folder: Path | None = None

    def __call__(self, found: Found) -> Size:
        """Return (height, width) of the image of a label file."""
        if self.size is not None:
            return self.size
        for folder in self._folders(found):
            for path in _images(folder, found.path.stem):
                height, width = reading.read_shapes(path)[""][:2]
                return height, width
        places = " or ".join(repr(os.fspath(folder)) for folder in self._folders(found))
        raise FileError(
            f"{os.fspath(found.path)!r} does not store the size of its image, and there is no image "
            f"{found.path.stem!r} in {places}; give --images FOLDER or --image-size HEIGHTxWIDTH"
        )

    def _folders(self, found: Found) -> list[Path]:
        if self.folder is not None:
            return list(dict.fromkeys((self.folder / found.relative.parent, self.folder)))
        parts = list(found.path.parent.parts)
        if "labels" not in parts:
            return [found.path.parent]
        parts[len(parts) - 1 - parts[::-1].index("labels")] = "images"
        return [found.path.parent, Path(*parts)]


def find(paths: Sequence[Path]) -> list[Found]:
    """Return label files, and those in folders, in the order of their names."""
    found = [one for path in paths for one in (_walk(path) if path.is_dir() else [Found(path, Path(path.name))])]
    if not found:
        names = ", ".join(repr(os.fspath(path)) for path in paths)
        raise ArgumentError(f"no label files in {names}; they end with {', '.join(ENDINGS)}")
    return found


def read(found: Found, sizes: Callable[[Found], Size], keypoints: yolo.Keypoints | None = None) -> LabelFile:
    """Return the labels of a file; raise FileError that names the file, the record and what is allowed."""
    name, data = os.fspath(found.path), reading.read_bytes(found.path)
    ending = found.path.suffix.lower()
    if ending == ".xml":
        return cvat.read(cvat.parse(data, name), name)
    if ending not in ENDINGS:
        raise FileError(f"{name!r} is not named as a label file; they end with {', '.join(ENDINGS)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"cannot read {name!r}: not UTF-8 text (byte {error.start:,})") from None
    if ending == ".txt":
        return yolo.read(text, name, sizes(found), keypoints)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"cannot read {name!r}: not JSON ({error})") from None
    if coco.matches(document):
        return coco.read(document, name)
    if labelme.matches(document):
        return labelme.read(document, name)
    known = "COCO JSON (an object with 'images' and 'annotations') nor LabelMe JSON (one with 'shapes')"
    hint = "; a list of results has no sizes of images" if isinstance(document, list) else ""
    raise FileError(f"{name!r} is neither {known}{hint}")


def encode(file: LabelFile, images: tuple[LabelImage, ...]) -> bytes:
    """Return the bytes of a label file with these images replaced."""
    if file.format == yolo.NAME:
        return yolo.write(file, images).encode()
    if file.format == cvat.NAME:
        document: Any = cvat.write(file, images)
        text: bytes = ElementTree.tostring(document.getroot(), encoding="utf-8", xml_declaration=True)
        return text + b"\n"
    is_coco = file.format == coco.NAME
    document = (coco if is_coco else labelme).write(file, images)
    return json.dumps(document, ensure_ascii=False, indent=None if is_coco else 2).encode() + b"\n"


def write(path: Path, file: LabelFile, images: tuple[LabelImage, ...]) -> None:
    """Write a label file atomically, and the folder that it is in."""
    data = encode(file, images)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create the folder {os.fspath(path.parent)!r}: {error.strerror}") from error
    with writing.atomic_write(path) as stream:
        stream.write(data)


def require_writable(
    targets: Sequence[Path], sources: Sequence[Path], results: Iterable[Path] = (), *, replaces: bool
) -> None:
    """Raise ArgumentError if two targets are one file, or one of `results`, or exist and may not be replaced."""
    taken = {os.path.abspath(path) for path in results}
    for target, source in zip(targets, sources, strict=True):
        name, path = repr(os.fspath(target)), os.path.abspath(target)
        if path in taken:
            raise ArgumentError(f"two files would become {name}; give the folder that both are in")
        taken.add(path)
        if target.exists() and target.samefile(source):
            raise ArgumentError(f"{name} is input and output; write to another folder")
        if target.exists() and not replaces:
            raise ArgumentError(f"{name} exists already; --overwrite replaces it")


def _walk(folder: Path) -> Iterator[Found]:
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(top, name)
            if path.suffix.lower() in ENDINGS and not name.startswith(".") and name not in _NO_LABELS:
                yield Found(path, path.relative_to(folder))


def _images(folder: Path, stem: str) -> list[Path]:
    known = [ending for ending in formats.READABLE if ending not in (".npy", ".npz")]
    names = [stem + variant for ending in known for variant in (ending, ending.upper())]
    return [path for name in names if (path := folder / name).is_file()]
