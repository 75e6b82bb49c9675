"""Pillow images of other modes than RGB, and rotated ones, through the image processors of transformers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")
sys.path.insert(0, str(Path(__file__).parent))

from huggingface_runs import image, pixels, processor, small  # noqa: E402

from sizewise.errors import FileError  # noqa: E402
from sizewise.preprocess import Decode, Preprocessor  # noqa: E402
from sizewise.preprocess.readers import huggingface  # noqa: E402
from sizewise.preprocess.readers._huggingface_classes import CLASSES, TORCHVISION_ONLY  # noqa: E402

CONVERTING = [name for name, (_, defaults) in CLASSES.items() if defaults.get("do_convert_rgb")]
MODES = ("1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV", "LAB", "I;16", "I", "F")


def picture(mode: str) -> Any:
    """Return a photo of a mode, with varied alpha where it has one."""
    rgb = Image.fromarray(image((97, 131)))
    alpha = Image.fromarray(image((97, 131), 1)[..., 0])
    if mode == "RGBA":
        rgb.putalpha(alpha)
        return rgb
    if mode in ("LA", "La", "PA"):
        gray = rgb.convert("L" if mode != "PA" else "P").convert("LA" if mode != "PA" else "PA")
        gray.putalpha(alpha)
        return gray.convert(mode)
    if mode in ("I;16", "I", "F"):
        values = np.arange(97 * 131).reshape(97, 131) * 5
        return Image.fromarray(values.astype({"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode]))
    if mode == "LAB":
        return Image.frombytes("LAB", (131, 97), image((97, 131)).tobytes())
    return rgb.convert(mode)


@pytest.mark.filterwarnings("ignore:an image of mode .* has values above 255:sizewise.errors.SizewiseWarning")
@pytest.mark.parametrize("backend", huggingface.BACKENDS)
@pytest.mark.parametrize("mode", MODES)
def test_converted_images_have_the_pixels_of_transformers(mode: str, backend: str) -> None:
    real = processor("CLIP", backend, **small("CLIP"))
    given = picture(mode)
    try:
        expected = pixels(real, [given])
    except ValueError:  # a mode that Pillow does not convert
        with pytest.raises(FileError, match="conversion"):
            Preprocessor.load(real)(given)
        return
    np.testing.assert_array_equal(Preprocessor.load(real)([given]), expected)


@pytest.mark.parametrize("backend", huggingface.BACKENDS)
def test_transparent_palettes_are_over_white(backend: str) -> None:
    given = picture("P")
    given.info["transparency"] = int(np.bincount(np.asarray(given).ravel()).argmax())
    real = processor("CLIP", backend, **small("CLIP"))
    result = Preprocessor.load(real)([given])
    np.testing.assert_array_equal(result, pixels(real, [given]))
    assert not np.array_equal(result, pixels(real, [picture("P")]))


@pytest.mark.parametrize("name", CONVERTING)
def test_classes_that_convert_put_white_behind(name: str) -> None:
    config = {"image_processor_type": f"{name}ImageProcessor"}
    for backend in ("torchvision",) if name in TORCHVISION_ONLY else huggingface.BACKENDS:
        assert huggingface.read(config, backend)[0] == Decode(background=(255, 255, 255))
        assert huggingface.read({**config, "do_convert_rgb": False}, backend)[0] == Decode()


@pytest.mark.parametrize("mode", ["L", "LA", "RGBA", "CMYK"])
def test_without_conversion_transformers_takes_rgb_only(mode: str) -> None:
    """Here such images become RGB: gray values in each channel, without alpha."""
    real = processor("ViT", "pil", **small("ViT"))
    with pytest.raises(ValueError, match=r"mean must have|Unable to infer"):
        pixels(real, [picture(mode)])
    expected = pixels(real, [picture(mode).convert("RGB")])
    np.testing.assert_array_equal(Preprocessor.load(real)([picture(mode)]), expected)


def test_the_orientation_of_files_is_ignored(tmp_path: Path) -> None:
    """transformers ignores it in Pillow images, and heeds it in files; here both ignore it, unless decode says exif."""
    path = tmp_path / "rotated.png"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(image((97, 131))).save(path, exif=exif)
    real = processor("CLIP", "pil", size={"height": 60, "width": 50}, do_center_crop=False)
    pre = Preprocessor.load(real)
    with Image.open(path) as opened:
        np.testing.assert_array_equal(pre([opened]), pixels(real, [opened]))
    np.testing.assert_array_equal(pre([path]), pre([image((97, 131))]))
    upright = Preprocessor([Decode(orientation="exif", background=(255,)), *pre.steps[1:]])
    np.testing.assert_array_equal(upright([path]), pixels(real, [str(path)]))
    assert not np.array_equal(upright([path]), pre([path]))
