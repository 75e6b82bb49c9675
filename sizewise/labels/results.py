"""Labels beside resized files: which file each image of a label file is, and label files for the results."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np

from ..errors import FileError
from ..files import reading
from ..files.jobs import Job
from . import files, yolo
from .document import LabelFile, LabelImage, Shape, Size
from .files import Found
from .mapping import ImageMap

Read = tuple[Found, LabelFile]
MIN_OUTSIDE = 1e-6  # pixels


@dataclass(frozen=True)
class Written:
    """A label file that was written: the number of its images, and those left out, each with the reason.

    `outside` counts labels that reach out of the resized image; they are not clipped. `target` is None where no image
    is left, and nothing was written.
    """

    source: Path
    target: Path | None
    images: int
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    outside: int = 0


class JobIndex:
    """Jobs by the names that label files have for their images.

    >>> index = JobIndex([Job(Path("photos/a/b.jpg"), Path("small/a/b.png"), Path("small"))])
    >>> index.find("a/b.jpg") == index.find("b.jpg") == index.find("b", with_ending=False)
    True
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._by_name: dict[str, list[Job]] = {}
        for job in jobs:
            folder = PurePosixPath(job.target.parent.relative_to(job.root).as_posix())
            name = job.source.name
            for key in {str(folder / name), name, str(folder / job.source.stem), job.source.stem}:
                self._by_name.setdefault(key, []).append(job)

    def find(self, name: str, with_ending: bool = True) -> Job | None:
        """Return the job of an image: by its path below the folder that was given, else by its file name.

        None where there is none, or several have that name.
        """
        path = PurePosixPath(name.replace("\\", "/"))
        for key in (str(path), path.name):
            found = [job for job in self._by_name.get(key, ()) if not with_ending or job.source.name == path.name]
            exact = [job for job in found if str(self._relative(job, with_ending)) == str(path)]
            if len(exact or found) == 1:
                return (exact or found)[0]
        return None

    def _relative(self, job: Job, with_ending: bool) -> PurePosixPath:
        name = job.source.name if with_ending else job.source.stem
        return PurePosixPath(job.target.parent.relative_to(job.root).as_posix()) / name


def image_size(path: Path, is_upright: bool = True) -> Size:
    """Return (height, width) of an image file, or of an array; raise FileError for a file of several arrays."""
    shape = reading.read_shapes(path, is_upright).get("", ())
    if len(shape) < 2:
        raise FileError(f"{os.fspath(path)!r} is no image that labels can be of")
    return shape[0], shape[1]


def read_for_jobs(paths: Sequence[Path], index: JobIndex, size_of: Callable[[Path], Size]) -> list[Read]:
    """Return label files; images of YOLO files have the size of the file that is resized."""

    def size(found: Found) -> Size:
        job = index.find(found.relative.with_suffix("").as_posix(), with_ending=False)
        return (1, 1) if job is None else size_of(job.source)  # without a job, it is left out

    read = []
    for found in files.find(paths):
        file = files.read(found, size)
        if file.format == yolo.NAME:
            named = [replace(image, name=found.relative.with_suffix("").as_posix()) for image in file.images]
            file = replace(file, images=tuple(named))
        read.append((found, file))
    return read


def require_matches(read: Sequence[Read], index: JobIndex, jobs: Sequence[Job]) -> None:
    """Raise FileError where labels of images are given, and none are of an image of the jobs."""
    named = [(one.path, image.name, file.format != yolo.NAME) for one, file in read for image in file.images]
    if not named or not jobs or any(index.find(name, with_ending) for _, name, with_ending in named):
        return
    path, name, _ = named[0]
    images = "image is" if len(jobs) == 1 else "first image is"
    raise FileError(
        f"no labels match an image: {os.fspath(path)!r} has labels of {name!r}; the {images} {jobs[0].source.name!r}"
    )


def targets(read: Sequence[Read], root: Path, jobs: Sequence[Job], *, replaces: bool) -> list[Path]:
    """Return the file that each label file becomes below `root`; raise ArgumentError if one may not be written."""
    found = [root / one.relative for one, _ in read]
    files.require_writable(found, [one.path for one, _ in read], (job.target for job in jobs), replaces=replaces)
    return found


def write(
    read: Sequence[Read], targets: Sequence[Path], index: JobIndex, maps: Mapping[Path, ImageMap | str]
) -> list[Written]:
    """Write the labels of the images that were resized, by their source; a text in `maps` is why one was not."""
    written = []
    for (found, file), target in zip(read, targets, strict=True):
        kept, left_out = [], []
        for image in file.images:
            mapped = _map_image(image, file, index, maps)
            if isinstance(mapped, str):
                left_out.append((image.name, mapped))
            else:
                kept.append(mapped)
        if kept or not file.images:
            files.write(target, file, tuple(kept))
        done = target if kept or not file.images else None
        outside = sum(_is_outside(shape, image.size) for image in kept for shape in image.shapes)
        notes = file.notes if kept else ()
        written.append(Written(found.path, done, len(kept), tuple(left_out), notes, outside))
    return written


def _is_outside(shape: Shape, size: Size) -> bool:
    """Return whether a label reaches out of its image by more than rounding."""
    points = shape.points
    return bool((points < -MIN_OUTSIDE).any() or (points > np.array(size[::-1]) + MIN_OUTSIDE).any())


def _map_image(
    image: LabelImage, file: LabelFile, index: JobIndex, maps: Mapping[Path, ImageMap | str]
) -> LabelImage | str:
    """Return the labels of an image in its result, or why there are none."""
    job = index.find(image.name, with_ending=file.format != yolo.NAME)
    if job is None:
        return "it was not resized"
    found = maps.get(job.source, "it was not resized")
    if isinstance(found, str):
        return found
    if found.input_size != image.size:
        sizes = ["x".join(map(str, size)) for size in (image.size, found.input_size)]
        return f"its labels are for {sizes[0]}, and the image is {sizes[1]}"
    name = PurePosixPath(image.name)
    is_renamed = file.format != yolo.NAME and name.suffix.lower() != job.target.suffix.lower()
    try:
        return replace(found.apply(image), name=str(name.with_suffix(job.target.suffix)) if is_renamed else image.name)
    except FileError as error:
        return str(error)
