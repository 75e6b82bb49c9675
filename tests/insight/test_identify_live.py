"""`sw.identify` on results of the real frameworks: the library is named, and the lines of code reproduce the pixels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from frameworks import resize_with
from identify_cache import shared_work
from samples import fewer, sample
from synthetic_photos import picture

import sizewise as sw
from sizewise.insight.candidates import all_candidates
from sizewise.insight.pixels import Source, finished, results
from sizewise.insight.reproduce import lines

X = picture(4, 73, 97)
SIZE = (40, 55)
LIVE = {
    "pillow": ["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos", "mks2013", "mks2021"],
    "opencv": ["nearest", "linear", "linear_exact", "cubic", "area", "lanczos4"],
    "torch": ["nearest", "bilinear", "bicubic", "area", "lanczos"],
    "tensorflow": ["nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"],
    "jax": ["nearest", "linear", "cubic", "lanczos3"],
    "onnx": ["nearest", "linear", "cubic"],
    "skimage": ["linear", "nearest"],
}


@pytest.fixture(scope="module")
def quick():
    """`sw.identify`, faster for images of one original."""
    with shared_work():
        yield sw.identify


def live_cases():
    """Yield (dialect, method, antialias) of every live case."""
    for name, methods in LIVE.items():
        for method in methods:
            for antialias in sw.dialects.get(name).methods[method]:
                yield name, method, antialias


def live(dialect, method, antialias, x=X):
    """Return the framework's pixels, rounded where it returns floats or takes only floats."""
    floats = (dialect, method, antialias) in (("torch", "area", False), ("onnx", "cubic", False))
    made = resize_with(dialect, x.astype(np.float32) if floats else x, SIZE, method, antialias=antialias)
    return made if made.dtype == x.dtype else np.rint(made).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(("dialect", "method", "antialias"), list(live_cases()))
def test_the_library_is_identified(dialect, method, antialias, quick):
    found = quick(X, live(dialect, method, antialias))
    assert found.status in ("exact", "within 1"), found
    assert (dialect, method, antialias) in [
        (spec.dialect, spec.method, spec.antialias) for spec in found.groups[0].specs
    ]


@pytest.mark.parametrize("seed", [0, 2])
def test_opencv_with_ipp_is_found(seed, quick):
    import cv2

    x = picture(seed, 73, 97)
    cv2.ipp.setUseIPP(True)
    try:
        y = cv2.resize(x, SIZE[::-1], interpolation=cv2.INTER_CUBIC)
    finally:
        cv2.ipp.setUseIPP(False)
    found = quick(x, y)
    assert found.status in ("exact", "within 1")
    assert "opencv" in [spec.dialect for spec in found.groups[0].specs]


def test_truncation_of_onnxruntime_is_identified(quick):
    found = quick(X, live("onnx", "linear", False))
    assert "onnx linear, then truncated" in [spec.label for spec in found.groups[0].specs]
    assert found.status == "exact"


def test_pillow_alpha_thumbnails_and_16_bits():
    from PIL import Image

    alpha = np.concatenate([X, picture(0, 73, 97)[..., :1]], axis=-1)
    image = Image.fromarray(alpha)
    found = sw.identify(alpha, np.asarray(image.resize(SIZE[::-1], Image.Resampling.BICUBIC)))
    assert (found.status, found.best.label) == ("exact", "pillow bicubic, alpha premultiplied")
    small = Image.fromarray(X)
    small.thumbnail((13, 13))
    found = sw.identify(X, np.asarray(small))
    assert (found.status, found.best.call) == ("exact", "pillow bicubic, reducing_gap=2")
    deep = X[..., 0].astype(np.uint16) * 257
    found = sw.identify(deep, np.asarray(Image.fromarray(deep).resize(SIZE[::-1], Image.Resampling.LANCZOS)))
    assert (found.status, found.best.call) == ("exact", "pillow lanczos")


def test_float_images_of_torch_and_tensorflow():
    x = (X / 255).astype(np.float32)
    for dialect in ("torch", "tensorflow", "jax"):
        y = resize_with(dialect, x, SIZE, "bicubic", antialias=True)
        found = sw.identify(x, y)
        assert found.status == "exact", found
        assert dialect in [spec.dialect for spec in found.groups[0].specs]


WRITTEN = ["pillow", "opencv", "torch", "tensorflow", "tensorflow1", "jax", "skimage", "standard"]


@pytest.mark.parametrize("dialect", WRITTEN)
def test_the_lines_of_code_reproduce_the_pixels(dialect):
    import cv2
    import jax
    import skimage.transform
    import tensorflow as tf
    import torch
    from PIL import Image

    from sizewise.compat import pillow

    cv2.ipp.setUseIPP(False)
    names = {
        "sw": sw, "np": np, "cv2": cv2, "jax": jax, "jnp": jax.numpy, "tf": tf, "torch": torch, "skimage": skimage,
        "F": torch.nn.functional, "Image": Image, "sizewise": SimpleNamespace(compat=SimpleNamespace(pillow=pillow)),
        "tensor": torch.from_numpy(X.transpose(2, 0, 1)[None].copy()),
    }  # fmt: skip
    uint8, count = np.dtype(np.uint8), 0
    tried = list(all_candidates(X.shape[:2], SIZE, [dialect]))
    for spec, plan in sample(tried[:: 3 if dialect == "jax" else 1], 3):  # JAX compiles each
        for candidate, raw in results(spec, plan, Source(X, uint8)):
            pixels = finished(candidate, raw, uint8)
            for library, line in lines([candidate], X.shape[:2], SIZE, uint8, uint8):
                image = (
                    Image.fromarray(X)
                    if library.startswith("Pillow")
                    else jax.numpy.asarray(X)
                    if library == "JAX"
                    else X
                )
                made = eval(line, {**names, "image": image})
                made = made[0].permute(1, 2, 0).numpy() if library == "PyTorch" else np.asarray(made)
                apart = np.abs(made.astype(int) - pixels)
                assert made.dtype == uint8, (library, line)
                assert apart.max() <= 1 and (apart > 0).mean() < 0.02, (library, line, apart.max(), (apart > 0).mean())
                count += 1
    assert count > fewer(5, 3)
