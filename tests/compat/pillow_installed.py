"""Compares compat.pillow.resize with the Image.resize of the installed Pillow; run in the environment of an older one.

Prints as JSON the release, the number of comparisons, and those that differ.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from PIL import Image, __version__

from sizewise.compat import pillow as ours

MODES = {"L": 1, "LA": 2, "La": 2, "PA": 2, "RGB": 3, "LAB": 3, "RGBA": 4, "RGBa": 4, "CMYK": 4}
SIXTEEN = ("I;16", "I;16B", "I;16L", "I;16N")
# (height, width) and (width, height): usual ones, some that shrink one axis more, and more than 100 times as high.
SIZES = [((20, 30), (13, 40)), ((61, 47), (9, 11)), ((90, 33), (30, 7)), ((40, 90), (80, 10)), ((301, 2), (5, 40))]


def picture(mode: str, height: int, width: int) -> Image.Image:
    random = np.random.default_rng([height, width, len(mode)])
    if mode in SIXTEEN:
        pixels = random.integers(0, 2**16, (height, width)).astype(np.uint16)
    elif mode == "I":
        pixels = random.integers(-(2**20), 2**20, (height, width)).astype(np.int32)
    else:
        pixels = random.integers(0, 256, (height, width, MODES[mode])).astype(np.uint8)
    return Image.frombytes(mode, (width, height), pixels.tobytes())


def main() -> None:
    compared, differing = 0, []
    for mode in (*MODES, *SIXTEEN, "I"):
        for (height, width), size in SIZES:
            given = picture(mode, height, width)
            for resample in Image.Resampling:
                for gap in (None,) if mode in SIXTEEN else (None, 1.5):
                    options = {"resample": resample, "reducing_gap": gap}
                    same = ours.resize(given, size, **options).tobytes() == given.resize(size, **options).tobytes()
                    compared += 1
                    if not same:
                        differing.append(f"{mode} {given.size} -> {size}, {resample.name}, reducing_gap={gap}")
    json.dump({"release": __version__, "compared": compared, "differing": differing}, sys.stdout)


if __name__ == "__main__":
    main()
