"""compat.pillow.resize beside the real Image.resize: every mode, filter, box and gap, bit for bit."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from frameworks import assert_within, image, older
from PIL import Image

import sizewise as sw
from sizewise.compat import pillow as ours
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnknownNameError, UnsupportedError
from sizewise.parity import reference, subprocess_worker
from sizewise.testing import assert_same_pixels

FILTERS = tuple(Image.Resampling)
MIXING = tuple(one for one in FILTERS if one != Image.Resampling.NEAREST)
BANDS = {"L": 1, "LA": 2, "La": 2, "RGB": 3, "YCbCr": 3, "HSV": 3, "LAB": 3, "RGBA": 4, "RGBa": 4, "RGBX": 4, "CMYK": 4}
SIXTEEN = {"I;16": "<u2", "I;16L": "<u2", "I;16B": ">u2", "I;16N": "=u2"}
MODES = ("1", "P", "PA", "I", *SIXTEEN, "F", *BANDS)
LIMIT = 2**28  # Pillow sums four of these in int32


def picture(mode: str, height: int, width: int, seed: int) -> Image.Image:
    """Return a seeded image of any mode, with some info."""
    random = np.random.default_rng([seed, height, width])
    size = (height, width)
    if mode == "1":
        result = Image.fromarray(random.integers(0, 2, size).astype(bool))
    elif mode == "I":
        result = Image.fromarray(
            random.integers(*((-300, 300) if seed % 2 else (-LIMIT, LIMIT)), size).astype(np.int32)
        )
    elif mode in SIXTEEN:
        pixels = random.integers(0, 2**16, size).astype(SIXTEEN[mode])
        result = Image.frombytes(mode, (width, height), pixels.tobytes())
    elif mode == "F":
        result = Image.fromarray(random.standard_normal(size).astype(np.float32))
    elif mode == "PA":
        result = Image.frombytes(mode, (width, height), image(size, 2, seed).tobytes())
        result.putpalette(random.integers(0, 256, 768).tolist())
    elif mode == "P":
        result = Image.fromarray(random.integers(0, 256, size, np.uint8)).convert("P")
        colors = ("RGB", 768) if seed % 2 else ("RGBA", 1024)
        result.putpalette(random.integers(0, 256, colors[1]).tolist(), colors[0])
    else:
        pixels = image(size, BANDS[mode], seed)
        bands = [Image.fromarray(np.ascontiguousarray(pixels[:, :, band])) for band in range(BANDS[mode])]
        result = bands[0] if mode == "L" else Image.merge(mode, bands)
    result.info |= {"dpi": (72, 72), "list": [1, 2]}
    return result


def assert_same_picture(mine: Image.Image, theirs: Image.Image, what: object = "") -> None:
    assert (mine.mode, mine.size, mine.info, type(mine)) == (theirs.mode, theirs.size, theirs.info, type(theirs)), what
    assert mine.tobytes() == theirs.tobytes(), what
    if mine.mode == "PA":  # filters of Pillow lose the palette of the pixels, and only that of Image is left
        assert mine.palette.palette == theirs.palette.palette
    if mine.mode == "P":
        assert mine.getpalette("RGBA") == theirs.getpalette("RGBA")
        assert mine.palette.mode == theirs.palette.mode
        assert mine.convert("RGBA").tobytes() == theirs.convert("RGBA").tobytes()


def assert_close_picture(mine: Image.Image, theirs: Image.Image, given: Image.Image) -> None:
    """Within the last bit; of integers, in one pixel at most."""
    result, expected = np.asarray(mine), np.asarray(theirs)
    if mine.mode == "F":
        assert_within(result, expected, np.asarray(given), 1)
    else:
        difference = np.abs(result.astype(np.int64) - expected)
        assert difference.max() <= 1 and difference.sum() <= 1


def calls(count: int, seed: int = 0) -> list[tuple[tuple[int, int], tuple[int, int], Any]]:
    """Seeded (height, width), size and box: none, any, whole pixels, and whole pixels of the size itself."""
    random, result = np.random.default_rng(seed), []
    for n in range(count):
        height, width, *size = random.integers(1, 60, 4).tolist()
        left, upper = random.uniform(0, width / 2), random.uniform(0, height / 2)
        box: Any = (left, upper, random.uniform(left + 0.3, width), random.uniform(upper + 0.3, height))
        if n % 4 == 1:
            box = (int(left), int(upper), width, height)
        if n % 8 == 5:
            size[0] = width - int(left)
        result.append(((height, width), tuple(size), box if n % 2 else None))
    return result


@pytest.mark.parametrize("resample", [None, *FILTERS], ids=lambda one: one.name if one is not None else "default")
@pytest.mark.parametrize("mode", MODES)
def test_pictures(mode: str, resample: Any) -> None:
    for seed, ((height, width), size, box) in enumerate(calls(12, seed=len(mode))):
        given = picture(mode, height, width, seed)
        mine, theirs = (resize(given, size, resample, box) for resize in (ours.resize, Image.Image.resize))
        if mode in ("F", "I", *SIXTEEN) and (resample == Image.Resampling.MKS2021 or (mode == "F" and box)):
            assert_close_picture(mine, theirs, given)
        else:
            assert_same_picture(mine, theirs, (given, size, box))


@pytest.mark.parametrize("resample", MIXING, ids=lambda one: one.name)
@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in SIXTEEN])
def test_reducing_gap(mode: str, resample: Any) -> None:
    seen = 0
    for seed, ((height, width), size, box) in enumerate(calls(12, seed=len(mode) + 9)):
        given, gap = picture(mode, height, width, seed), (1, 1.3, 2.0, 3)[seed // 2 % 4]
        size = (size[0] // 8 + 1, size[1] // 8 + 1)
        mine, theirs = (resize(given, size, resample, box, gap) for resize in (ours.resize, Image.Image.resize))
        if mode == "F":
            assert_close_picture(mine, theirs, given)
        else:
            assert_same_picture(mine, theirs, (given, size, box, gap))
        seen += mine.tobytes() != ours.resize(given, size, resample, box).tobytes()
    assert seen or mode in ("1", "P")  # control: the gap is seen


def test_large_factors_of_reducing_gap() -> None:
    """Every way in which Pillow adds up blocks: 1 to 9 pixels high and wide."""
    x = image((181, 173), 3)
    for height in range(1, 10):
        for width in range(1, 10):
            size = (173 // width, 181 // height)
            options = {"resample": Image.Resampling.BOX, "reducing_gap": 1.0}
            for given in (Image.fromarray(x), Image.fromarray(x[:, :, 0].astype(np.int32) * 1000 - 90000)):
                assert_same_picture(ours.resize(given, size, **options), given.resize(size, **options), size)


def test_blocks_whose_sums_do_not_fit_float32() -> None:
    for level in (0, 1, 2):
        given = Image.fromarray((255 - image((601, 640), 3, level) // 8).astype(np.uint8))
        options = {"resample": Image.Resampling.BILINEAR, "reducing_gap": 1.0}
        assert_same_picture(ours.resize(given, (2, 2), **options), given.resize((2, 2), **options))


@pytest.mark.parametrize("mode", SIXTEEN)
def test_reducing_gap_of_16_bits_is_refused_where_pillow_does(mode: str) -> None:
    given = picture(mode, 40, 40, 0)
    for resize, error in ((Image.Image.resize, ValueError), (ours.resize, UnsupportedError)):
        assert resize(given, (30, 30), reducing_gap=2.0).size == (30, 30)  # nothing to reduce
        with pytest.raises(error):
            resize(given, (5, 5), reducing_gap=2.0)


@pytest.mark.parametrize("mode", MODES)
def test_empty_images(mode: str) -> None:
    """They become images of zeros, or copies; what is empty afterwards is refused."""
    for given in (Image.new(mode, (0, 5)), Image.new(mode, (5, 0))):
        for resample in (Image.Resampling.NEAREST, Image.Resampling.LANCZOS):
            for size in ((4, 3), given.size):
                assert_same_picture(ours.resize(given, size, resample), given.resize(size, resample))
        for resize, error in ((Image.Image.resize, ValueError), (ours.resize, ArgumentError)):
            with pytest.raises(error):
                resize(given, (0, 4))


def test_the_installed_pillow_is_followed() -> None:
    """Pillow 12 goes over the axes in another order, and forgets reducing_gap where it premultiplies."""
    script = Path(__file__).with_name("pillow_installed.py")
    path = {**os.environ, "PYTHONPATH": str(Path(sw.__file__).parents[1])}
    told = json.loads(subprocess.run([older("pillow-12"), script], env=path, check=True, capture_output=True).stdout)
    assert told["release"].startswith("12.") and told["compared"] > 500
    assert told["differing"] == []


def test_another_pillow_may_be_named() -> None:
    framework = subprocess_worker.run_in_subprocess(reference.of("pillow@12"), older("pillow-12"))
    options = {"reducing_gap": 1.5}
    for mode in ("RGB", "RGBA"):
        given, size = picture(mode, 90, 33, 0), (7, 30)
        mine = ours.resize(given, size, dialect="pillow@12", **options)
        assert mine.tobytes() != ours.resize(given, size, **options).tobytes()  # control
        assert (
            ours.resize(given, size, dialect="pillow", **options).tobytes() == given.resize(size, **options).tobytes()
        )
    x = image((90, 33), 3)
    plan = sw.make_plan((90, 33), (30, 7), "bicubic", dialect="pillow@12", **options)
    assert_same_pixels(ours.resize(x, (7, 30), dialect="pillow@12", **options), framework.resize(x, plan.request))
    with pytest.raises(UnknownNameError, match="pillow@12"):
        ours.resize(x, (7, 30), dialect="pillow@11")


def test_the_same_size_is_a_copy() -> None:
    for mode in MODES:
        given = picture(mode, 8, 10, 1)
        for box in (None, (0, 0, 10, 8), [0, 0, 10, 8]):
            result = ours.resize(given, (10, 8), box=box)
            assert_same_picture(result, given.resize((10, 8), box=box))
            result.putpixel((0, 0), result.getpixel((9, 7)))
            assert given.tobytes() == picture(mode, 8, 10, 1).tobytes()


def test_files_and_their_information() -> None:
    """Images that are still in a file, with a transparent color."""
    given, file = picture("P", 12, 10, 1), io.BytesIO()
    given.save(file, "png", transparency=7)
    result = [resize(Image.open(file), (5, 20)) for resize in (ours.resize, Image.Image.resize)]
    assert result[0].info == result[1].info and result[0].info["transparency"] == 7
    assert_same_picture(*result)
    assert result[0].format is None


def test_alpha_is_premultiplied() -> None:
    """Control: without, the color of transparent pixels shows."""
    x = np.zeros((4, 4, 4), np.uint8)
    x[:, :2] = (255, 0, 0, 255)
    given = Image.fromarray(x)
    result = np.asarray(ours.resize(given, (3, 4)))
    assert result[0, 1, 0] == 255 and 100 < result[0, 1, 3] < 155
    assert ours.resize(x, (3, 4))[0, 1, 0] < 155  # an array has bands only
    assert_same_picture(ours.resize(given, (3, 4), ours.Resampling.NEAREST), given.resize((3, 4), Image.NEAREST))


MODE_OF = {"uint8": "L", "int32": "I", "uint16": "I;16", "float32": "F", "bool": "1"}


@pytest.mark.parametrize("dtype", MODE_OF)
def test_arrays_are_bands(dtype: str) -> None:
    for seed, (shape, size, box) in enumerate(calls(24, seed=3)):
        given, options = picture(MODE_OF[dtype], *shape, seed), {"resample": FILTERS[seed % 8], "box": box}
        pixels = np.asarray(given)
        assert pixels.dtype == dtype
        assert_same_pixels(ours.resize(pixels, size, **options), np.asarray(given.resize(size, **options)))
        stacked = np.stack([pixels, pixels[::-1]], axis=-1)
        assert_same_pixels(ours.resize(stacked, size, **options)[:, :, 0], np.asarray(given.resize(size, **options)))


def test_arrays_of_colors() -> None:
    x = image((40, 30), 3)
    for options in ({}, {"reducing_gap": 1.5}, {"box": (1.5, 2, 29, 33)}, {"resample": ours.Resampling.LANCZOS}):
        assert_same_pixels(ours.resize(x, (7, 9), **options), np.asarray(Image.fromarray(x).resize((7, 9), **options)))


@pytest.mark.parametrize("resample", MIXING, ids=lambda one: one.name)
def test_gradient_is_that_of_pillows_pixels(resample: Any) -> None:
    """Mode F is linear: what Pillow makes of each unit image is a row of the Jacobian."""
    dy, box = np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32), (0.5, 0, 5, 3.5)
    units = np.eye(20, dtype=np.float32).reshape(20, 4, 5)
    expected = [np.sum(np.asarray(Image.fromarray(unit).resize((3, 7), resample, box)) * dy) for unit in units]
    x = torch.zeros(4, 5, requires_grad=True)
    (ours.resize(x, (3, 7), resample, box) * torch.from_numpy(dy)).sum().backward()
    assert np.abs(x.grad.numpy().ravel() - expected).max() <= 1e-6


def test_exact_gradients_of_tensors() -> None:
    x = torch.randn(12, 9, 2, dtype=torch.float64, requires_grad=True)
    for options in ({}, {"box": (0.5, 1, 8, 11.5)}, {"reducing_gap": 1.5}, {"resample": ours.Resampling.MKS2021}):
        assert torch.autograd.gradcheck(lambda x: ours.resize(x, (3, 4), **options), (x,))
    dy = torch.randn(4, 3, 2, dtype=torch.float64)
    (dx,) = torch.autograd.grad(ours.resize(x, (3, 4)), x, dy)
    assert torch.equal(dx, sw.resize_grad(dy, (12, 9), "bicubic", dialect="pillow", axes=(0, 1)))


def test_tensors() -> None:
    x = torch.from_numpy(image((20, 30), 3))
    options = {"resample": Image.Resampling.LANCZOS, "reducing_gap": 1.0}
    theirs = np.asarray(Image.fromarray(x.numpy()).resize((3, 4), **options))
    assert_same_pixels(ours.resize(x, (3, 4), **options).numpy(), theirs)
    assert_same_pixels(ours.resize(x, (7, 9)).numpy(), np.asarray(Image.fromarray(x.numpy()).resize((7, 9))))
    compiled = torch.compile(lambda x: ours.resize(x, (7, 9)), fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x), ours.resize(x, (7, 9)))
    with pytest.raises(UnsupportedError, match="int32 is for NumPy arrays"):
        ours.resize(x.int(), (7, 9))


GIVEN = picture("RGB", 8, 10, 0)
BAD: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((GIVEN, (0, 5)), {}, "1 or more"),
    ((GIVEN, (5, -1)), {}, "1 or more"),
    ((GIVEN, (5.0, 4)), {}, "two integers"),
    ((GIVEN, (5, 4, 3)), {}, "two integers"),
    ((GIVEN, 5), {}, "two integers"),
    ((GIVEN, (5, 4), 9), {}, r"MKS2021 \(7\)"),
    ((GIVEN, (5, 4), -1), {}, "unknown resampling filter -1"),
    ((GIVEN, (5, 4), "lanczos"), {}, "LANCZOS"),
    ((GIVEN, (5, 4)), {"box": (-1, 0, 5, 5)}, "box must be"),
    ((GIVEN, (5, 4)), {"box": (0, 0, 11, 8)}, "10 wide and 8 high"),
    ((GIVEN, (5, 4)), {"box": (5, 0, 4, 5)}, "box must be"),
    ((GIVEN, (5, 4)), {"box": (0, 0, 5)}, "box must be"),
    ((GIVEN, (5, 4)), {"box": 5}, "box must be"),
    ((GIVEN, (5, 4)), {"reducing_gap": 0.5}, "at least 1"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "options", "says"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_what_pillow_refuses(args: tuple[Any, ...], options: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        Image.Image.resize(*args, **options)
    with pytest.raises(ArgumentError, match=says):
        ours.resize(*args, **options)
    with pytest.raises(ArgumentError, match=says):
        ours.resize(np.asarray(GIVEN), *args[1:], **options)


def test_what_is_no_image() -> None:
    with pytest.raises(ArgumentTypeError, match="Pillow image or an array, not list"):
        ours.resize([[1, 2], [3, 4]], (5, 4))
    with pytest.raises(ArgumentError, match="it must be"):
        ours.resize(np.zeros((2, 8, 10, 3), np.uint8), (5, 4))
    with pytest.raises(DtypeError, match="int64; convert to uint8"):
        ours.resize(np.zeros((8, 10), np.int64), (5, 4))
    unheard_of = GIVEN.copy()
    unheard_of._mode = "RGB;99"
    with pytest.raises(UnsupportedError, match="mode RGB;99 cannot be resized"):
        ours.resize(unheard_of, (5, 4))


@pytest.mark.parametrize("resample", MIXING, ids=lambda one: one.name)
def test_control_another_filter_is_seen(resample: Any) -> None:
    for mode in ("RGBA", "I", "I;16", "F"):
        given = picture(mode, 30, 20, 0)
        for other in FILTERS:
            if other != resample:
                assert ours.resize(given, (13, 41), other).tobytes() != given.resize((13, 41), resample).tobytes()
