"""Image codecs: depth, bands, palettes, orientation, color profiles and metadata survive a round trip."""

from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps

from sizewise.errors import FileError
from sizewise.files import decode, metadata
from sizewise.files.encode import convert_for_format, encode
from sizewise.files.formats import STORES
from sizewise.files.picture import Picture, from_array

RNG = np.random.default_rng(0)
BANDS = {"L": (), "LA": (2,), "RGB": (3,), "RGBA": (4,), "CMYK": (4,)}
KINDS = sorted({(format, *kind) for format, kinds in STORES.items() for kind in kinds if kind[0] in BANDS})


def noise(bands: str, dtype: str, size=(23, 31)) -> np.ndarray:
    shape = (*size, *BANDS[bands])
    if dtype == "bool":
        return RNG.random(shape) > 0.5
    if dtype == "float32":
        return RNG.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def saved(image: Image.Image, format: str, **arguments) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **arguments)
    return file.getvalue()


@pytest.mark.parametrize(("format", "bands", "dtype"), KINDS)
def test_round_trip_of_every_format(format, bands, dtype):
    picture = Picture(noise(bands, dtype), bands)
    back = decode.read(encode(picture, format), "x")
    assert back.kind == picture.kind
    if format == "jpeg":
        smooth = Picture(np.broadcast_to(np.uint8(100), picture.pixels.shape).copy(), bands)
        again = decode.read(encode(smooth, format), "x").pixels
        assert np.abs(again.astype(int) - smooth.pixels).max() <= 1
    else:
        np.testing.assert_array_equal(back.pixels, picture.pixels)


@pytest.mark.parametrize(("bands", "dtype"), [("RGB", "uint16"), ("RGBA", "uint16"), ("LA", "uint16"), ("L", "uint16")])
@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 300), (257, 130)])
def test_16_bits_of_any_size(bands, dtype, size):
    picture = Picture(noise(bands, dtype, size), bands)
    np.testing.assert_array_equal(decode.read(encode(picture, "png"), "x").pixels, picture.pixels)
    if bands != "LA":
        np.testing.assert_array_equal(decode.read(encode(picture, "tiff"), "x").pixels, picture.pixels)


def test_16_bits_agree_with_opencv():
    cv2 = pytest.importorskip("cv2")
    for bands in ("L", "RGB", "RGBA"):
        pixels = noise(bands, "uint16")
        order = {"L": slice(None), "RGB": [2, 1, 0], "RGBA": [2, 1, 0, 3]}[bands]
        theirs = pixels if bands == "L" else np.ascontiguousarray(pixels[..., order])
        for format in ("png", "tiff"):
            ours = encode(Picture(pixels, bands), format)
            np.testing.assert_array_equal(cv2.imdecode(np.frombuffer(ours, np.uint8), -1), theirs)
            _, written = cv2.imencode(f".{format}", theirs)
            np.testing.assert_array_equal(decode.read(written.tobytes(), "x").pixels, pixels)


def test_control_pillow_alone_loses_bits():
    file = io.BytesIO(encode(Picture(noise("RGB", "uint16"), "RGB"), "png"))
    assert np.asarray(Image.open(file)).dtype == np.uint8


def test_interlaced_and_transparent_16_bits():
    pixels = noise("RGB", "uint16")
    data = encode(Picture(pixels, "RGB"), "png")
    key = b"".join(int(number).to_bytes(2) for number in pixels[3, 4])
    chunk = len(key).to_bytes(4) + b"tRNS" + key + zlib.crc32(b"tRNS" + key).to_bytes(4)
    at = data.index(b"IDAT") - 4
    back = decode.read(data[:at] + chunk + data[at:], "x")
    assert back.bands == "RGBA"
    np.testing.assert_array_equal(back.pixels[..., :3], pixels)
    assert (back.pixels[..., 3] == 0).sum() == 1
    assert back.pixels[3, 4, 3] == 0


def test_unknown_16_bit_layout_is_rejected():
    tifffile = pytest.importorskip("tifffile")
    file = io.BytesIO()
    tifffile.imwrite(file, np.moveaxis(noise("RGB", "uint16"), -1, 0), photometric="rgb", planarconfig="separate")
    with pytest.raises(FileError, match=r"cannot read 'x': its pixels have a layout \(16 bits\)"):
        decode.read(file.getvalue(), "x")


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["jpeg", "png", "webp", "tiff"])
def test_every_orientation_is_turned_upright(orientation, format):
    exif = Image.Exif()
    exif[274] = orientation
    source = Image.fromarray(noise("RGB", "uint8"))
    data = saved(source, format, exif=exif, **({"lossless": True} if format == "webp" else {}))
    upright = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
    picture = decode.read(data, "x")
    np.testing.assert_array_equal(picture.pixels, upright)
    assert decode.read_size(data, "x") == upright.shape[:2]
    assert picture.size == ((31, 23) if orientation > 4 else (23, 31))
    again = decode.read(encode(picture, "png"), "x")  # not rotated twice
    np.testing.assert_array_equal(again.pixels, upright)
    assert metadata.orientation(Image.open(io.BytesIO(encode(picture, format)))) == 1


def test_invalid_orientation_is_ignored():
    for value in (0, 9, 1000):
        exif = Image.Exif()
        exif[274] = value
        assert decode.read(saved(Image.new("RGB", (5, 3)), "png", exif=exif), "x").size == (3, 5)


def test_palettes_with_and_without_alpha():
    source = Image.fromarray(noise("RGB", "uint8")).quantize(40)
    for arguments in ({}, {"transparency": 3}, {"transparency": bytes(range(0, 160, 4))}):
        data = saved(source, "png", **arguments)
        picture = decode.read(data, "x")
        assert picture.kind == ("PA" if arguments else "P", "uint8")
        theirs = Image.open(io.BytesIO(data)).convert("RGBA" if arguments else "RGB")
        np.testing.assert_array_equal(picture.expand().pixels, np.asarray(theirs))
        back = decode.read(encode(picture, "png"), "x")
        np.testing.assert_array_equal(back.pixels, picture.pixels)
        np.testing.assert_array_equal(back.expand().pixels, picture.expand().pixels)
    tiff = decode.read(encode(decode.read(saved(source, "png"), "x"), "tiff"), "x")
    np.testing.assert_array_equal(tiff.expand().pixels, np.asarray(source.convert("RGB")))


def test_one_transparent_color_becomes_alpha():
    for mode, key in (("RGB", (1, 2, 3)), ("L", 1)):
        source = Image.new(mode, (3, 2), key)
        source.putpixel((0, 0), 200 if mode == "L" else (200, 0, 0))
        picture = decode.read(saved(source, "png", transparency=key), "x")
        assert picture.has_alpha
        assert picture.pixels[..., -1].tolist() == [[255, 0, 0], [0, 0, 0]]


def sample_metadata() -> tuple[Image.Exif, bytes, bytes]:
    exif = Image.Exif()
    exif[271], exif[315], exif[274], exif[256] = "Maker", "Ä. Painter", 6, 31
    exif.get_ifd(0x8769).update({0xA002: 31, 0xA003: 23, 0x9003: "2024:01:02 03:04:05"})
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 30.0, 1.5)})
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return exif, icc, b'<x xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/>'


@pytest.mark.parametrize("target", ["jpeg", "png", "webp", "tiff"])
@pytest.mark.parametrize("source", ["jpeg", "png", "webp", "tiff"])
def test_metadata_goes_from_any_format_to_any(source, target):
    exif, icc, xmp = sample_metadata()
    arguments = {"exif": exif.tobytes(), "icc_profile": icc}
    if source in ("jpeg", "webp"):
        arguments["xmp"] = xmp
    picture = decode.read(saved(Image.fromarray(noise("RGB", "uint8")), source, **arguments), "x")
    resized = Picture(picture.pixels[:5, :7], "RGB", metadata=picture.metadata)
    written = Image.open(io.BytesIO(encode(resized, target)))
    kept = written.getexif()
    assert written.info["icc_profile"] == icc
    assert (kept[271], kept.get(274, 1)) == ("Maker", 1)
    assert 256 not in kept or kept[256] == 7
    assert {0xA002: 7, 0xA003: 5, 0x9003: "2024:01:02 03:04:05"}.items() <= kept.get_ifd(0x8769).items()
    assert kept.get_ifd(0x8825)[2] == (52.0, 30.0, 1.5)
    if "xmp" in arguments:
        assert written.info["xmp"] == xmp.replace(b'"6"', b'"1"')

    stripped = Picture(resized.pixels, "RGB", metadata=picture.metadata.strip())
    bare = Image.open(io.BytesIO(encode(stripped, target)))
    assert bare.info["icc_profile"] == icc  # belongs to the pixels
    assert not {271, 315, 0x8769, 0x8825} & set(bare.getexif())
    assert "xmp" not in bare.info


def test_thumbnail_is_removed():
    exif, _, _ = sample_metadata()
    data = exif.tobytes()
    with_thumbnail = data + b"thumbnail" * 100
    picture = decode.read(saved(Image.new("RGB", (8, 8)), "jpeg", exif=with_thumbnail), "x")
    assert b"thumbnail" not in encode(picture, "jpeg")


def test_text_density_and_comment():
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("Title", "Ein Bild")
    png = decode.read(saved(Image.new("L", (4, 4)), "png", pnginfo=info, dpi=(300, 300)), "x")
    again = Image.open(io.BytesIO(encode(png, "png")))
    assert again.text == {"Title": "Ein Bild"}
    assert round(again.info["dpi"][0]) == 300
    jpeg = decode.read(saved(Image.new("L", (4, 4)), "jpeg", comment=b"hello", dpi=(72, 72)), "x")
    again = Image.open(io.BytesIO(encode(jpeg, "jpeg")))
    assert (again.info["comment"], again.info["dpi"]) == (b"hello", (72, 72))


@pytest.mark.filterwarnings("ignore")
def test_broken_exif_is_left_out_with_a_note():
    broken = bytearray(sample_metadata()[0].tobytes())
    broken[58], broken[177] = 63, 6  # a number instead of a date
    picture = decode.read(saved(Image.new("RGB", (4, 4)), "jpeg", exif=bytes(broken)), "x")
    assert picture.notes == ("EXIF is broken: left out",)
    assert not Image.open(io.BytesIO(encode(picture, "jpeg"))).getexif()


def test_jpeg_keeps_the_encoding_of_its_source():
    source = Image.fromarray(noise("RGB", "uint8"))
    for quality, sampling in ((35, 2), (97, 0)):
        data = saved(source, "jpeg", quality=quality, subsampling=sampling, progressive=True)
        written = Image.open(io.BytesIO(encode(decode.read(data, "x"), "jpeg")))
        assert written.quantization == Image.open(io.BytesIO(data)).quantization
        assert metadata._encoding(written)["subsampling"] == sampling
        assert written.info["progressive"]
        lower = encode(decode.read(data, "x"), "jpeg", quality=5)
        assert len(lower) < len(data) / 1.3


def test_webp_is_lossless_unless_a_quality_is_given():
    picture = Picture(noise("RGBA", "uint8"), "RGBA")
    np.testing.assert_array_equal(decode.read(encode(picture, "webp"), "x").pixels, picture.pixels)
    assert (decode.read(encode(picture, "webp", 50), "x").pixels != picture.pixels).any()


def test_tiff_is_compressed_if_its_source_is():
    pixels = np.zeros((64, 64, 3), np.uint8)
    for compression, small in (("raw", False), ("tiff_lzw", True)):
        picture = decode.read(saved(Image.fromarray(pixels), "tiff", compression=compression), "x")
        assert (len(encode(picture, "tiff")) < pixels.nbytes) == small


def test_cmyk_keeps_its_sense():
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:, :4, 0] = 200
    picture = decode.read(saved(Image.fromarray(pixels, "CMYK"), "jpeg", quality=95), "x")
    again = decode.read(encode(picture, "jpeg"), "x")
    assert np.abs(again.pixels.astype(int) - pixels).max() < 6


def test_dropped_frames_are_noted():
    frames = [Image.new("L", (4, 4), value) for value in (0, 100, 200)]
    gif = saved(frames[0], "gif", save_all=True, append_images=frames[1:])
    assert decode.read(gif, "x").notes == ("only the first of 3 frames is kept",)
    tiff = saved(Image.new("L", (4, 4), 1), "tiff", save_all=True, append_images=[Image.new("L", (4, 4), 2)])
    picture = decode.read(tiff, "x")
    assert (picture.notes, picture.pixels.max()) == (("only the first of 2 frames is kept",), 1)


@pytest.mark.parametrize(
    ("picture", "format", "kind"),
    [
        (Picture(noise("L", "bool"), "L"), "jpeg", ("L", "uint8")),
        (Picture(noise("L", "uint8"), "L"), "webp", ("RGB", "uint8")),
        (Picture(noise("LA", "uint8"), "LA"), "webp", ("RGBA", "uint8")),
        (Picture(noise("LA", "uint16"), "LA"), "tiff", ("RGBA", "uint16")),
    ],
)
def test_conversion_for_formats(picture, format, kind):
    assert convert_for_format(picture, format, None).kind == kind


@pytest.mark.parametrize(
    ("bands", "dtype", "format", "message"),
    [
        ("RGBA", "uint8", "jpeg", "jpeg cannot store RGBA of uint8: it has no alpha; give the color behind it"),
        ("RGB", "uint16", "jpeg", "jpeg cannot store RGB of uint16; write png, tiff"),
        ("L", "uint16", "webp", "webp cannot store L of uint16; write png, tiff"),
        ("CMYK", "uint8", "png", "png cannot store CMYK of uint8; write jpeg, tiff"),
        ("L", "float32", "png", "png cannot store L of float32; write tiff"),
    ],
)
def test_lossy_conversion_is_rejected(bands, dtype, format, message):
    with pytest.raises(FileError, match=message):
        convert_for_format(Picture(noise(bands, dtype), bands), format, None)


def test_alpha_is_composited_over_the_background():
    picture = Picture(np.array([[[200, 100, 0, 128], [1, 2, 3, 0]]], np.uint8), "RGBA")
    flat = convert_for_format(picture, "jpeg", (255, 255, 255))
    assert flat.kind == ("RGB", "uint8")
    assert flat.pixels.tolist() == [[[227, 177, 127], [255, 255, 255]]]


def test_arrays_as_pictures():
    assert [from_array(noise(bands, "uint8"), "x").bands for bands in ("L", "LA", "RGB", "RGBA")] == [
        "L", "LA", "RGB", "RGBA",
    ]  # fmt: skip
    assert from_array(np.zeros((4, 5, 1)), "x").pixels.shape == (4, 5)
    for shape in ((4,), (2, 3, 4, 3), (4, 5, 6)):
        with pytest.raises(FileError, match=r"write \.npy"):
            from_array(np.zeros(shape), "x")


def test_decompression_bomb_is_an_error(monkeypatch, recwarn):
    data = saved(Image.new("1", (1000, 1000)), "png")
    for limit in (600_000, 400_000):  # Pillow warns about the first, and rejects the second
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        with pytest.raises(FileError, match=r"cannot read 'x': image size \(1000000 pixels\) exceeds limit"):
            decode.read(data, "x")
    assert not recwarn.list
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000_000)
    assert decode.read(data, "x").size == (1000, 1000)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", ["png", "jpeg", "webp", "tiff", "gif", "bmp"])
def test_truncated_files_are_errors_or_complete(format):
    source = Image.fromarray(noise("RGB", "uint8", (40, 50)))
    data = saved(source, format)
    want = decode.read(data, "x").pixels
    rejected = 0
    for length in range(0, len(data), max(1, len(data) // 60)):
        try:
            pixels = decode.read(data[:length], "x").pixels
        except FileError as error:
            assert str(error).startswith("cannot read 'x': ")
            assert "\n" not in str(error)
            rejected += 1
        else:
            np.testing.assert_array_equal(pixels, want)
    assert rejected > 50


@pytest.mark.filterwarnings("ignore")  # from Pillow, about damaged metadata
@pytest.mark.parametrize("format", ["png", "jpeg", "webp", "tiff", "gif", "bmp"])
def test_damaged_files_raise_file_error_or_decode(format):
    arguments = {} if format in ("gif", "bmp") else {"exif": sample_metadata()[0]}
    data = bytearray(saved(Image.fromarray(noise("RGB", "uint8", (12, 12))), format, **arguments))
    rng = np.random.default_rng(1)
    for _ in range(150):
        damaged = data.copy()
        for at in rng.integers(0, len(data), 3):
            damaged[at] = rng.integers(0, 256)
        try:
            picture = decode.read(bytes(damaged), "x")
            target = format if format in STORES else "png"
            encode(convert_for_format(picture, target, (0, 0, 0)), target)
        except FileError as error:
            assert "\n" not in str(error)
