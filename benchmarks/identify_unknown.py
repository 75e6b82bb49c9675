"""Accuracy of `sizewise identify` on images of libraries without a dialect.

    pip install scikit-image==0.26.0 "pyvips[binary]==3.2.0" kornia_rs==0.2.0 skia-python==144.1 SimpleITK==2.5.7
    python -m benchmarks.identify_unknown --write tests/insight/unknown_libraries.npz

prints, by percentage of identical pixels, how often the best method is that of the image; the threshold in
sizewise/insight/identification.py is derived from it. A library with exact results has the formula of a dialect.
--write stores a few of the images for the tests, which have none of these packages except scikit-image.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from identify_cache import shared_work
from synthetic_photos import picture

from sizewise.insight.identify import identify

Image = np.ndarray[Any, np.dtype[np.uint8]]
Resize = Callable[[Image, tuple[int, int]], Image]
SEEDS, SIZES = (0, 1, 2, 4), ((23, 31), (40, 55), (70, 90), (61, 40), (120, 140))
STORED_SEED, STORED_SIZE = 4, (23, 31)
PERCENTAGES = (0, 40, 60, 80, 90, 95, 99, 100)
LINEAR, CUBIC, LANCZOS = ("bilinear", "linear"), ("bicubic", "cubic"), ("lanczos", "lanczos3")


def to_uint8(pixels: np.ndarray[Any, Any]) -> Image:
    """Return floats as uint8 pixels."""
    return np.rint(np.clip(pixels, 0, 255)).astype(np.uint8)


def all_variants() -> Iterator[tuple[str, tuple[str, ...], Resize]]:
    """Yield (name, the same methods of dialects, function) of each library and method."""
    yield from _scientific()
    yield from _libvips()
    yield from _others()


def _scientific() -> Iterator[tuple[str, tuple[str, ...], Resize]]:
    import SimpleITK as sitk
    from scipy import ndimage
    from skimage import transform

    def skimage(x: Image, size: tuple[int, int], order: int, smooth: bool) -> Image:
        return to_uint8(transform.resize(x, size, order=order, anti_aliasing=smooth, preserve_range=True))

    def scipy(x: Image, size: tuple[int, int], order: int) -> Image:
        zoom = (size[0] / x.shape[0], size[1] / x.shape[1], 1)
        return np.asarray(ndimage.zoom(x, zoom, order=order, grid_mode=True, mode="nearest"))

    def itk(x: Image, size: tuple[int, int], kind: int) -> Image:
        steps = x.shape[1] / size[1], x.shape[0] / size[0]
        message = size[::-1], sitk.Transform(), kind, tuple((step - 1) / 2 for step in steps), steps
        planes = [sitk.GetImageFromArray(x[..., channel].astype(float)) for channel in range(3)]
        return to_uint8(np.stack([sitk.GetArrayFromImage(sitk.Resample(one, *message)) for one in planes], -1))

    for order in (2, 3, 4, 5):
        for smooth in (False, True):
            yield f"skimage order {order}, {smooth}", (), partial(skimage, order=order, smooth=smooth)
    for order in (1, 2, 3):
        yield f"scipy zoom {order}", LINEAR if order == 1 else (), partial(scipy, order=order)
    kinds = {"linear": (sitk.sitkLinear, LINEAR), "bspline": (sitk.sitkBSpline, ())}
    kinds["lanczos"] = sitk.sitkLanczosWindowedSinc, ()
    for name, (kind, same) in kinds.items():
        yield f"SimpleITK {name}", same, partial(itk, kind=kind)


def _libvips() -> Iterator[tuple[str, tuple[str, ...], Resize]]:
    import pyvips

    def resize(x: Image, size: tuple[int, int], kernel: str) -> Image:
        scales = size[1] / x.shape[1], size[0] / x.shape[0]
        return np.asarray(pyvips.Image.new_from_array(x).resize(scales[0], vscale=scales[1], kernel=kernel).numpy())

    def thumbnail(x: Image, size: tuple[int, int]) -> Image:
        resized = pyvips.Image.new_from_array(x).thumbnail_image(size[1], height=size[0], size="force")
        return np.asarray(resized.numpy())

    mitchell = ("mitchell", "mitchellcubic")
    same = {"linear": LINEAR, "cubic": CUBIC, "mitchell": mitchell, "lanczos2": ("lanczos2",), "lanczos3": LANCZOS}
    for kernel, methods in same.items():
        yield f"libvips {kernel}", methods, partial(resize, kernel=kernel)
    yield "libvips thumbnail", LANCZOS, thumbnail


def _others() -> Iterator[tuple[str, tuple[str, ...], Resize]]:
    import kornia_rs
    import skia

    def kornia(x: Image, size: tuple[int, int]) -> Image:
        return np.asarray(kornia_rs.imgproc.resize(np.ascontiguousarray(x), size, "bilinear"))

    def google(x: Image, size: tuple[int, int], options: Any) -> Image:
        opaque = np.ascontiguousarray(np.dstack([x, np.full(x.shape[:2], 255, np.uint8)]))
        kind = skia.ColorType.kRGBA_8888_ColorType
        resized = skia.Image.fromarray(opaque, colorType=kind).resize(size[1], size[0], options)
        return np.asarray(resized.toarray(colorType=kind))[..., :3]

    linear = skia.FilterMode.kLinear
    yield "kornia-rs bilinear", LINEAR, kornia
    yield "skia linear", LINEAR, partial(google, options=skia.SamplingOptions(linear))
    yield "skia mipmap", (), partial(google, options=skia.SamplingOptions(linear, skia.MipmapMode.kLinear))
    mitchell = skia.SamplingOptions(skia.CubicResampler.Mitchell())
    yield "skia mitchell", ("mitchell", "mitchellcubic"), partial(google, options=mitchell)


def main() -> None:
    """Print the table, and store some images."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    results: list[tuple[str, float, bool]] = []
    stored: dict[str, Image] = {}
    for seed in SEEDS:
        x = picture(seed)
        with shared_work():
            for name, methods, resize_image in all_variants():
                for size in SIZES:
                    pixels = resize_image(x, size)
                    found = identify(x, pixels)
                    best = found.groups[0]
                    results.append((found.status, best.percent, best.specs[0].method in methods))
                    if seed == STORED_SEED and size == STORED_SIZE and not name.startswith("skimage"):
                        stored[f"{name} {size[0]}x{size[1]}"] = pixels
    _print_table(results)
    if given.write:
        np.savez_compressed(given.write, **stored)  # type: ignore[arg-type]


def _print_table(results: list[tuple[str, float, bool]]) -> None:
    for status in ("exact", "within 1", "near", "nothing fits"):
        for low, high in zip(PERCENTAGES, (*PERCENTAGES[1:], 101), strict=True):
            right = [is_right for kind, percent, is_right in results if kind == status and low <= percent < high]
            if right:
                line = (
                    f"{status:12}  {low:3} % identical or more: {len(right):3} images, {sum(right):3} of that method\n"
                )
                sys.stdout.write(line)


if __name__ == "__main__":
    main()
