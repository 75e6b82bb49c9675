"""Reading of files: pixels, arrays, damaged files, and names that are not regular files."""

from __future__ import annotations

import io
import os
import zipfile

import numpy as np
import pytest
from PIL import Image

from sizewise.errors import FileError
from sizewise.files import arrays, reading

RNG = np.random.default_rng(0)


def test_pixels_of_images_and_arrays(tmp_path):
    pixels = RNG.integers(0, 256, (5, 7, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    Image.fromarray(pixels).quantize(8).save(tmp_path / "p.png")
    Image.fromarray(pixels[..., 0] > 99).save(tmp_path / "one.png")
    np.save(tmp_path / "a.npy", pixels)
    np.savez(tmp_path / "a.npz", pixels)
    for name in ("a.png", "a.npy", "a.npz"):
        np.testing.assert_array_equal(reading.read_pixels(tmp_path / name), pixels)
    assert reading.read_pixels(tmp_path / "p.png").shape == (5, 7, 3)
    np.testing.assert_array_equal(reading.read_pixels(str(tmp_path / "one.png")), (pixels[..., 0] > 99) * 255)
    cmyk = Image.fromarray(pixels).convert("CMYK")
    cmyk.save(tmp_path / "cmyk.tiff")
    np.testing.assert_array_equal(reading.read_pixels(tmp_path / "cmyk.tiff"), np.asarray(cmyk.convert("RGB")))
    np.savez(tmp_path / "two.npz", a=pixels, b=pixels)
    with pytest.raises(FileError, match="holds 2 arrays"):
        reading.read_pixels(tmp_path / "two.npz")


def test_an_empty_file_is_named_as_such(tmp_path):
    (tmp_path / "a.jpg").touch()
    with pytest.raises(FileError, match=r"a\.jpg': the file is empty"):
        reading.read(tmp_path / "a.jpg")


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", ">u2", "i4", "<f2", ">f4", "f8", "c8", "M8[s]", "S3", "i4,f8"])
def test_arrays_of_any_dtype_and_order(dtype):
    for order in "CF":
        array = np.zeros((3, 4, 2), dtype, order)
        back = arrays.read_npy(arrays.encode_npy(array), "x")
        np.testing.assert_array_equal(back, array)
        assert back.dtype == array.dtype
    assert arrays.read_npy(arrays.encode_npy(np.float64(3)), "x").shape == ()
    assert arrays.read_npy(arrays.encode_npy(np.zeros((0, 4))), "x").shape == (0, 4)


def npy(shape: str, descr: str = "'<f8'", body: bytes = b"") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy("(1000000, 1000000, 1000000)"), "ends early: .* are 8,000,000,000,000,000,000 bytes"),
        (npy("(99999999999999999999, 9)"), "ends early"),
        (npy("(4,)", body=bytes(31)), "ends early"),
        (npy("(-1, 8)"), r"its shape is \(-1, 8\)"),
        (npy("(2,)", "'|O'", bytes(16)), "Python objects"),
        (npy("__import__('os').getcwd()"), "cannot read 'x': "),
        (npy("(2,)")[:40], "cannot read 'x': "),
        (b"\x93NUMPY", "cannot read 'x': "),
        (b"\x93NUMPY\x09\x00" + bytes(100), "cannot read 'x': "),
    ],
)
def test_invalid_arrays(data, message):
    with pytest.raises(FileError, match=message):
        arrays.read_npy(data, "x")


def archive(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return file.getvalue()


def test_invalid_archives(monkeypatch):
    zeros = np.zeros(1 << 20)
    packed = arrays.encode_npz({"x": zeros})
    assert len(packed) < zeros.nbytes / 100
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100_000)
    with pytest.raises(FileError, match=r"unpack to 8,388,736, more than 2,400,000.*--max-pixels"):
        arrays.read_npz(packed, "x")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    assert arrays.read_npz(packed, "x")["x"].shape == zeros.shape
    small = arrays.encode_npz({"x": np.zeros(100)})
    lying = small.replace((928).to_bytes(4, "little"), (100).to_bytes(4, "little"))  # the declared size
    assert lying != small
    for data in (lying, small[:-5], b"PK", archive(**{"x.txt": b"hello"}), archive(**{"x.npy": npy("(9, 9)")})):
        with pytest.raises(FileError, match=r"cannot read 'a\.npz"):
            arrays.read_npz(data, "a.npz")


def test_names_that_are_not_regular_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    os.symlink("loop.png", tmp_path / "loop.png")
    os.symlink("nowhere.png", tmp_path / "lost.png")
    for name, message in (
        ("pipe.png", "not a regular file"),
        ("loop.png", "symbolic links"),
        ("lost.png", "No such file"),
        ("", "not a regular file|Is a directory"),
        ("a" * 300, "File name too long"),
        ("nul\0.png", "null"),
    ):
        with pytest.raises(FileError, match=message):
            reading.read(tmp_path / name)
    with pytest.raises(FileError, match="not a regular file"):
        reading.read("/dev/zero")


def test_empty_and_other_files(tmp_path):
    for name, data in (
        ("a.png", b""),
        ("b.png", b"hello"),
        ("c.npy", b"hello"),
        ("d.npz", b"hello"),
        ("e", b"\0" * 99),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FileError, match=f"cannot read '.*{name}': ") as caught:
            reading.read(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(1000))
    real = os.fstat
    calls = []

    def changing(number):
        found = real(number)
        calls.append(number)
        if len(calls) == 1:
            with open(path, "ab") as file:
                file.write(b"more")
        return found

    monkeypatch.setattr(os, "fstat", changing)
    with pytest.raises(FileError, match="changed while it was read"):
        reading.read_bytes(path)
    monkeypatch.setattr(os, "fstat", real)
    assert len(reading.read_bytes(path)) == 1004  # control: an unchanged file is read


def test_limit_pixels_is_restored():
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(ZeroDivisionError), reading.limit_pixels(5):
        assert Image.MAX_IMAGE_PIXELS == 5
        1 / 0
    assert before == Image.MAX_IMAGE_PIXELS
    with reading.limit_pixels(None):
        assert before == Image.MAX_IMAGE_PIXELS
