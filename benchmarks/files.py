"""Timing of `sizewise resize` and of loops over Pillow and libvips on a folder: `python -m benchmarks.files`.

500 photos of 1600x1200 become 256x192. Two groups are compared:

- full decode: `sizewise resize --dialect pillow --method bicubic` and Pillow's `resize` in a loop, which write the same
  pixels (the first files are compared);
- drafts, which JPEG decoders scale by powers of two: `sizewise resize --draft`, Pillow's `thumbnail` in a loop, and
  libvips' `thumbnail` in a loop, if pyvips is installed (`--pyvips PYTHON` names an interpreter that has it).

Each round runs each once, in a new process; wall time is that of the process, CPU time that of all its threads.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

DISTINCT = 50  # photos; the others are links to them
LOOP = """
import os, sys
from PIL import Image
source, target = sys.argv[1:]
os.makedirs(target)
for name in sorted(os.listdir(source)):
    with Image.open(f"{source}/{name}") as image:
        image.convert("RGB").resize((256, 192), Image.Resampling.BICUBIC).save(f"{target}/{name}", quality=90)
"""
THUMBNAILS = """
import os, sys
from PIL import Image
source, target = sys.argv[1:]
os.makedirs(target)
for name in sorted(os.listdir(source)):
    with Image.open(f"{source}/{name}") as image:
        image.thumbnail((256, 192))
        image.save(f"{target}/{name}", quality=90)
"""
VIPS = """
import os, sys
import pyvips
source, target = sys.argv[1:]
os.makedirs(target)
for name in sorted(os.listdir(source)):
    pyvips.Image.thumbnail(f"{source}/{name}", 256, height=192).write_to_file(f"{target}/{name}", Q=90)
"""
OURS = ("--size", "192x256", "--dialect", "pillow", "--method", "bicubic", "--quality", "90")
Times = dict[str, list[tuple[float, float]]]


def photos(folder: Path, count: int) -> None:
    """Write JPEG files with the spectrum of photographs: 1/f noise."""
    rng = np.random.default_rng(0)
    frequency = np.hypot(np.fft.fftfreq(1200)[:, None], np.fft.rfftfreq(1600)[None])
    frequency[0, 0] = 1.0
    noise = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((3, 1200, 1600))) / frequency)
    bands = 128 + 50 * (noise[:1] + 0.3 * noise) / noise.std()
    pixels = np.moveaxis(np.clip(bands, 0, 255), 0, -1).astype(np.uint8)
    for number in range(count):
        path = folder / f"{number:03}.jpg"
        if number < DISTINCT:
            Image.fromarray(np.roll(pixels, 9 * number, axis=1)).save(path, quality=88)
        else:
            os.link(folder / f"{number % DISTINCT:03}.jpg", path)


def seconds(line: list[str]) -> tuple[float, float]:
    """Return the wall and CPU time of a process."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(line, check=True, capture_output=True)
    wall, after = time.perf_counter() - start, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def runners(pyvips: str) -> dict[str, list[str]]:
    """Return the commands by name, to be followed by the two folders; without libvips if it is missing."""
    resize = [sys.executable, "-m", "sizewise", "resize", *OURS]
    found = {
        "Pillow's resize in a loop": [sys.executable, "-c", LOOP],
        "sizewise resize": resize,
        "Pillow's thumbnail in a loop": [sys.executable, "-c", THUMBNAILS],
        "libvips' thumbnail in a loop": [pyvips, "-c", VIPS],
        "sizewise resize --draft": [*resize, "--draft"],
    }
    if subprocess.run([pyvips, "-c", "import pyvips"], capture_output=True).returncode:
        del found["libvips' thumbnail in a loop"]
    return found


def require_same_pixels(folder: Path, commands: dict[str, list[str]], count: int = 5) -> None:
    """Raise SystemExit unless both full decodes write the same pixels for the first files."""
    sample = folder / "sample"
    sample.mkdir()
    for path in sorted((folder / "photos").iterdir())[:count]:
        os.link(path, sample / path.name)
    names = ("Pillow's resize in a loop", "sizewise resize")
    for number, name in enumerate(names):
        subprocess.run(_with_folders(commands[name], sample, folder / f"same{number}"), check=True, capture_output=True)
    for path in sample.iterdir():
        first, second = (np.asarray(Image.open(folder / f"same{number}" / path.name)) for number in (0, 1))
        if not np.array_equal(first, second):
            raise SystemExit(f"{path.name}: the pixels differ")


def measure(folder: Path, commands: dict[str, list[str]], rounds: int) -> Times:
    """Return wall and CPU times of each command."""
    times: Times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(seconds(_with_folders(command, folder / "photos", folder / "out")))
            shutil.rmtree(folder / "out")
    return times


def _with_folders(command: list[str], source: Path, target: Path) -> list[str]:
    """Return the command with the names of its two folders."""
    return [*command, str(source), *(["-o"] if "-m" in command else []), str(target)]


def main() -> None:
    """Time all, and print the best and the median of the rounds, and the ratios of the best."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--photos", type=int, default=500)
    parser.add_argument("--pyvips", default=sys.executable, metavar="PYTHON")
    options = parser.parse_args()
    commands = runners(options.pyvips)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "photos").mkdir()
        photos(folder / "photos", options.photos)
        require_same_pixels(folder, commands)
        load = os.getloadavg()[0]
        times = measure(folder, commands, options.rounds)
    print(f"{options.photos} photos, {len(os.sched_getaffinity(0))} cores, load {load:.1f} before")
    for name, each in times.items():
        wall, cpu = np.array(each).T
        print(f"{name}: best {wall.min():.2f} s, median {np.median(wall):.2f} s, CPU {np.median(cpu):.2f} s")
    best = {name: min(each)[0] for name, each in times.items()}
    for ours in ("sizewise resize", "sizewise resize --draft"):
        for name in best.keys() - {"sizewise resize", "sizewise resize --draft"}:
            if ("thumbnail" in name) == ("--draft" in ours):
                print(f"{ours} is {best[name] / best[ours]:.2f} times as fast as {name}")


if __name__ == "__main__":
    main()
