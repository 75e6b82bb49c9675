"""Errors in batches, and arguments of a call that contradict each other."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from sizewise.errors import ArgumentError, ArgumentTypeError, FileError
from sizewise.preprocess import (
    CenterCrop,
    Exact,
    Layout,
    LongestEdge,
    Normalize,
    PadAtLeast,
    PadBatch,
    PadTo,
    Preprocessor,
    Rescale,
    Resize,
)

PRE = Preprocessor([Resize(Exact(8, 8)), Rescale(1 / 255), Layout("CHW")])
IMAGE = np.arange(16 * 20 * 3, dtype=np.uint8).reshape(16, 20, 3)
BROKEN: list[Any] = [None, 3, {}, [IMAGE], b"x", "missing.png", np.zeros((0, 4, 3), np.uint8), np.array([None])]


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_an_error_takes_the_place_of_its_image(broken: Any, position: int) -> None:
    images: list[Any] = [IMAGE, IMAGE[::-1]]
    images.insert(position, broken)
    results = PRE(images, on_error="return")
    assert [isinstance(one, Exception) for one in results] == [index == position for index in range(3)], results
    good = [one for one in results if not isinstance(one, Exception)]
    np.testing.assert_array_equal(good, PRE([IMAGE, IMAGE[::-1]]))
    with pytest.raises((ArgumentError, ArgumentTypeError, FileError)):
        PRE(images)


@pytest.mark.parametrize("pad", [PadTo(16, 20), PadAtLeast(40, 40, fill=(1, 2))], ids=["size", "color"])
def test_errors_of_single_steps_take_the_place_of_their_image(pad: Any) -> None:
    """Steps may fail when the memory of the result is allocated already."""
    pre, large = Preprocessor([pad]), np.zeros((40, 40, 3), np.uint8)
    good, bad = (IMAGE, large) if isinstance(pad, PadTo) else (large, IMAGE)
    results = pre([good, bad, good], on_error="return")
    assert [isinstance(one, Exception) for one in results] == [False, True, False]
    np.testing.assert_array_equal(results[2], good)
    with pytest.raises(ArgumentError):
        pre([good, bad])


LARGE = (PadTo(10**6, 10**6), Resize(Exact(10**6, 10**6)), PadBatch())


@pytest.mark.parametrize("step", LARGE, ids=lambda one: one.name)
def test_results_that_do_not_fit_in_memory(step: Any) -> None:
    images = [IMAGE, np.broadcast_to(np.uint8(1), (10**6, 4, 3)), np.broadcast_to(np.uint8(1), (4, 10**6, 3))]
    with pytest.raises(ArgumentError, match=r"shape \(.*1000000, 1000000, 3\) would take [0-9,]+ bytes"):
        Preprocessor([step])(images if isinstance(step, PadBatch) else IMAGE)


def test_results_of_several_shapes() -> None:
    pre = Preprocessor([Rescale(1 / 255)])
    images = [IMAGE, IMAGE[:8], IMAGE, IMAGE[:8], IMAGE[1:]]
    for image, result in zip(images, pre(images), strict=True):
        np.testing.assert_array_equal(result, np.float32(image) * np.float32(1 / 255))


def test_features_hold_errors_too() -> None:
    found = PRE([b"x", IMAGE], return_tensors="np", on_error="return")
    assert isinstance(found.pixel_values, list) and isinstance(found.pixel_values[0], FileError)
    np.testing.assert_array_equal(found.pixel_values[1], PRE(IMAGE))
    assert PRE([IMAGE], return_tensors="np", on_error="return").pixel_values.shape == (1, 3, 8, 8)
    with pytest.raises(FileError):
        PRE([b"x", IMAGE], return_tensors="np")


def test_the_good_images_of_a_batch_are_padded() -> None:
    pre = Preprocessor([Resize(LongestEdge(8)), Rescale(1 / 255), Layout("CHW"), PadBatch()])
    tall = IMAGE.transpose(1, 0, 2)
    results = pre([IMAGE, b"x", tall], on_error="return")
    np.testing.assert_array_equal([results[0], results[2]], pre([IMAGE, tall]))
    features = pre([IMAGE, b"x", tall], on_error="return", return_tensors="np")
    assert isinstance(features.pixel_values[1], FileError) and isinstance(features.pixel_mask[1], FileError)
    np.testing.assert_array_equal(features.pixel_mask[0], pre([IMAGE, tall], return_tensors="np").pixel_mask[0])
    assert isinstance(pre([b"x"], on_error="return")[0], FileError)


def test_library_and_return_tensors_contradict() -> None:
    with pytest.raises(ArgumentError, match="library='torch' contradicts return_tensors='np'"):
        PRE(IMAGE, library="torch", return_tensors="np")
    assert PRE(IMAGE, library="numpy", return_tensors="np").pixel_values.shape == (1, 3, 8, 8)


def test_truncated_pillow_image() -> None:
    Image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)).save(file, "JPEG")
    broken = Image.open(io.BytesIO(file.getvalue()[:-1500]))
    with pytest.raises(FileError, match="cannot decode a Pillow image of mode RGB and size"):
        PRE(broken)


def test_gradients_of_other_channels() -> None:
    pre = Preprocessor([CenterCrop(4, 4), Normalize((0.1, 0.2, 0.3), (1.0, 2.0, 3.0)), Layout("CHW")])
    with pytest.raises(ArgumentError, match="with 4 channels; the recipe normalizes 3"):
        pre.grad(np.ones((4, 4, 4), np.float32), (8, 8))


def test_steps_cannot_be_deleted() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        del PRE.steps
    with pytest.raises(ArgumentTypeError, match="path"):
        PRE.save(3)  # type: ignore[arg-type]


def test_first_batch_of_a_process() -> None:
    """Pillow is imported by the thread of the first image, while another looks at an array."""
    code = """
import numpy as np
from sizewise.preprocess import Exact, Preprocessor, Resize
image = np.zeros((16, 20, 3), np.uint8)
results = Preprocessor([Resize(Exact(8, 8))])([b"x", image, image], on_error="return", threads=3)
assert [isinstance(one, Exception) for one in results] == [True, False, False], results
"""
    subprocess.run([sys.executable, "-c", code], check=True)
