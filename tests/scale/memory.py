"""Memory of the processes of a run: samples by the images done, and the growth per image.

A process is sampled as "images bytes", a line in a file named by its id. Growth is the difference of the medians of the
second and the last quarter of the images, so that imports and the first buffers are not in it.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from photos import RESULT_BYTES

SAMPLE_IMAGES = 64
MIN_SAMPLES = 8
# A leak of each result grows by RESULT_BYTES per image, and one of each decoded image by 9,216.
MAX_GROWTH_BYTES = RESULT_BYTES / 8
DONE: Counter[str] = Counter()  # images of this process, by folder of samples


def private_bytes(process: psutil.Process) -> int:
    """Return the resident memory of a process without shared pages, which are files and an engine's object store."""
    found = process.memory_info()
    return int(found.rss - found.shared)


def sample(folder: str | os.PathLike[str], process: psutil.Process, images: int) -> None:
    """Append a sample of a process."""
    with open(f"{os.fspath(folder)}/{process.pid}", "a") as file:
        file.write(f"{images} {private_bytes(process)}\n")


def count_images(folder: str | os.PathLike[str], images: int) -> int:
    """Add images that this process did, and sample it after each SAMPLE_IMAGES of them; return their number."""
    name = os.fspath(folder)
    before, DONE[name] = DONE[name], DONE[name] + images
    if DONE[name] // SAMPLE_IMAGES > before // SAMPLE_IMAGES:
        sample(name, psutil.Process(), DONE[name])
    return DONE[name]


def one(item: Any) -> int:
    """Return the number of images in an item that is one."""
    return 1


class Watched:
    """A function whose process is sampled, and is killed once after some images if told to; picklable."""

    def __init__(
        self, function: Callable[[Any], Any], folder: Path, kill_after: int | None, images: Callable[[Any], int] = one
    ) -> None:
        self.function, self.folder, self.kill_after, self.images = function, str(folder), kill_after, images

    def __call__(self, item: Any) -> Any:
        result = self.function(item)
        done = count_images(self.folder, self.images(item))
        if self.kill_after is not None and done >= self.kill_after:
            kill_once(Path(self.folder) / "killed")
        return result


def kill_once(flag: Path) -> None:
    """Kill this process, unless another was killed for the same flag."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def report(folder: Path) -> dict[str, Any]:
    """Return the number of processes, the peaks of the first and last quarters, and the largest growth per image."""
    found = [np.loadtxt(path, np.int64, ndmin=2) for path in folder.iterdir() if path.name.isdigit()]
    found = [samples for samples in found if len(samples) >= MIN_SAMPLES]
    quarters = [np.array_split(samples, 4) for samples in found]
    peak = [max((int(one[k][:, 1].max()) for one in quarters), default=0) for k in (0, 3)]
    growth = max((growth_per_image(samples) for samples in found), default=0.0)
    return {"processes": len(found), "first_bytes": peak[0], "last_bytes": peak[1], "growth_bytes": round(growth, 1)}


def growth_per_image(samples: np.ndarray) -> float:
    """Return the growth of samples of (images, bytes) in bytes per image, from the second quarter to the last.

    >>> images = np.arange(0, 8000, 100)
    >>> growth_per_image(np.stack([images, 5_000_000 + 12 * images], 1))
    12.0
    """
    _, second, _, last = np.array_split(samples, 4)
    (before, low), (after, high) = np.median(second, 0), np.median(last, 0)
    return float((high - low) / (after - before))
