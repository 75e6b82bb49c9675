"""Timing of `sizewise resize` and of Pillow in a loop on a folder: `python -m benchmarks.files [--rounds 5]`.

200 photos of 2000x1500 become 256x192, both with Pillow's bilinear filter, so both write the same pixels. Each round
runs each once, in a new process; wall time is that of the process, CPU time that of all its threads.
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

LOOP = """
import os, sys
from PIL import Image
source, target = sys.argv[1:]
os.makedirs(target)
for name in sorted(os.listdir(source)):
    with Image.open(f"{source}/{name}") as image:
        image.resize((256, 192), Image.Resampling.BILINEAR).save(f"{target}/{name}", quality=90)
"""
OURS = ("--size", "192x256", "--dialect", "pillow", "--quality", "90")


def photos(folder: Path, count: int) -> None:
    """Write JPEG files with the spectrum of photographs: 1/f noise."""
    rng = np.random.default_rng(0)
    frequency = np.hypot(np.fft.fftfreq(1500)[:, None], np.fft.rfftfreq(2000)[None])
    frequency[0, 0] = 1.0
    noise = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((3, 1500, 2000))) / frequency)
    bands = 128 + 50 * (noise[:1] + 0.3 * noise) / noise.std()
    pixels = np.moveaxis(np.clip(bands, 0, 255), 0, -1).astype(np.uint8)
    for number in range(count):
        Image.fromarray(np.roll(pixels, 9 * number, axis=1)).save(folder / f"{number:03}.jpg", quality=88)


def seconds(line: list[str]) -> tuple[float, float]:
    """Return the wall and CPU time of a process."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(line, check=True, capture_output=True)
    wall, after = time.perf_counter() - start, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Time both, and print the best and the median of the rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--photos", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "photos"), Path(folder, "out")
        source.mkdir()
        photos(source, options.photos)
        runners = {
            "Pillow in a loop": [sys.executable, "-c", LOOP, str(source), str(target)],
            "sizewise resize": [sys.executable, "-m", "sizewise", "resize", str(source), "-o", str(target), *OURS],
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runners}
        for _ in range(options.rounds):
            for name, line in runners.items():
                times[name].append(seconds(line))
                shutil.rmtree(target)
    print(f"{options.photos} photos, {len(os.sched_getaffinity(0))} cores, {os.getloadavg()[0]:.0f} processes at work")
    for name, each in times.items():
        wall, cpu = np.array(each).T
        print(f"{name}: best {wall.min():.1f} s, median {np.median(wall):.1f} s, CPU {np.median(cpu):.1f} s")
    best = {name: min(each)[0] for name, each in times.items()}
    print(f"ratio of the best: {best['Pillow in a loop'] / best['sizewise resize']:.2f}")


if __name__ == "__main__":
    main()
