"""Timing of CLIP's preprocessing with Sizewise and with transformers: `python -m benchmarks.preprocess`.

A batch of uint8 images (480x640) becomes CLIP's input: shortest edge 224, bicubic, center crop, rescale, normalize,
(3, 224, 224) in float32. Calls are timed in turns, in one process; times are the minimum and the median over all
rounds. The values of Sizewise must be those of the processor that it is loaded from, or nothing is timed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sizewise as sw
from sizewise_bench import machine
from sizewise_bench.peers.torchvision import declare_ops

SIZE, IMAGES, ROUNDS = (480, 640), 64, 15
TARGETS = {"transformers, torchvision": 4.0, "transformers, PIL": 8.0}  # times as fast as


def contenders() -> dict[str, Callable[[list[Any]], Any]]:
    """Return the calls by name; the first is Sizewise."""
    declare_ops()
    from transformers.models.clip.image_processing_clip import CLIPImageProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    fast, pil = CLIPImageProcessor(), CLIPImageProcessorPil()
    pre = sw.Preprocessor.load(pil.to_dict(), backend="pil")
    return {
        "Sizewise": pre,
        "transformers, torchvision": lambda images: fast(images, return_tensors="np")["pixel_values"],
        "transformers, PIL": lambda images: pil(images, return_tensors="np")["pixel_values"],
    }


def measure(rounds: int, count: int) -> dict[str, list[float]]:
    """Return the seconds of each round by contender."""
    generator = np.random.default_rng(0)
    images = [generator.integers(0, 256, (*SIZE, 3), np.uint8) for _ in range(count)]
    calls = contenders()
    results = {name: call(images) for name, call in calls.items()}
    different = int((results["Sizewise"] != results["transformers, PIL"]).sum())
    if different:
        raise SystemExit(f"{different} values of Sizewise differ from those of transformers' PIL processor")
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call(images)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def main() -> None:
    """Time the calls, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    seconds = measure(arguments.rounds, arguments.images)
    if arguments.json:
        print(json.dumps(seconds))
        return
    print(f"{arguments.images} images of {SIZE[0]}x{SIZE[1]}, {machine.processor()}, {machine.cores()} cores")
    ours = seconds["Sizewise"]
    for name, times in seconds.items():
        least, median = min(times), statistics.median(times)
        ratios = f"{least / min(ours):.1f} {median / statistics.median(ours):.1f}"
        target = f", target {TARGETS[name]:g}" if name in TARGETS else ""
        print(f"{name:26} {1e3 * least:7.1f} ms, median {1e3 * median:7.1f} ms; times Sizewise's: {ratios}{target}")


if __name__ == "__main__":
    main()
