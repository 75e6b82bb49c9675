"""`sizewise resize`: single files and folders, options, errors and interruptions."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from photo_files import RNG, names, photo, pixels_of, write_tree
from PIL import Image, ImageOps
from samples import ALL

import sizewise as sw

SIZE_ARGUMENTS = ("--size", "6x8")


@pytest.fixture
def folder(tmp_path):
    """Return a tree with three photos."""
    return write_tree(tmp_path)


def test_one_file(command, tmp_path):
    pixels = photo(tmp_path / "a.png")
    out = tmp_path / "small.png"
    assert command("resize", tmp_path / "a.png", "-o", out, *SIZE_ARGUMENTS) == (0, f"{out}\n", "resized 1 file\n")
    np.testing.assert_array_equal(pixels_of(out), sw.resize(pixels, (6, 8)))
    assert names(tmp_path) == ["a.png", "small.png"]


def test_a_folder_in_a_pipe(command, folder):
    code, out, err = command("resize", folder / "in", "-o", folder / "out", *SIZE_ARGUMENTS)
    assert (code, out.splitlines()) == (0, [str(folder / "out" / name) for name in ("a.png", "b.png", "deep/c.png")])
    assert err.startswith("resized 3 files, ")
    assert err.endswith(" files/s\n")
    for name in ("a.png", "b.png", "deep/c.png"):
        want = sw.resize(pixels_of(folder / "in" / name), (6, 8))
        np.testing.assert_array_equal(pixels_of(folder / "out" / name), want)
    assert names(folder / "out") == ["a.png", "b.png", "deep/c.png"]


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        (["--method", "lanczos3"], {"method": "lanczos3"}),
        (["--dialect", "opencv"], {"dialect": "opencv"}),
        (["--dialect", "torch", "--method", "bicubic", "--antialias"],
         {"dialect": "torch", "method": "bicubic", "antialias": True}),
        (["--dialect", "torch", "--no-antialias", "--option", "align_corners=true"],
         {"dialect": "torch", "antialias": False, "align_corners": True}),
        (["--dialect", "pillow", "--method", "lanczos"], {"dialect": "pillow", "method": "lanczos"}),
    ],
)  # fmt: skip
def test_any_dialect_and_method(command, tmp_path, arguments, keywords):
    pixels = photo(tmp_path / "a.png")
    assert command("resize", tmp_path / "a.png", "-o", tmp_path / "o.png", *SIZE_ARGUMENTS, *arguments)[0] == 0
    np.testing.assert_array_equal(pixels_of(tmp_path / "o.png"), sw.resize(pixels, (6, 8), **keywords))


def test_dialect_pillow_equals_pillow_for_every_mode(command, tmp_path):
    source = Image.fromarray(RNG.integers(0, 256, (24, 32, 4), np.uint8))
    kinds = [source.convert(mode) for mode in ("L", "LA", "RGB", "RGBA")]
    kinds.append(Image.fromarray(RNG.integers(0, 65536, (24, 32), np.uint16)))
    for number, image in enumerate(kinds):
        image.save(tmp_path / f"{number}.png")
    arguments = ("--size", "9x13", "--dialect", "pillow", "--method", "lanczos")
    assert command("resize", tmp_path, "-o", tmp_path / "out", *arguments)[0] == 0
    for number, image in enumerate(kinds):
        theirs = np.asarray(image.resize((13, 9), Image.Resampling.LANCZOS))
        np.testing.assert_array_equal(pixels_of(tmp_path / "out" / f"{number}.png"), theirs)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation(command, tmp_path, orientation):
    exif = Image.Exif()
    exif[274], exif[315] = orientation, "A. Painter"
    photo(tmp_path / "a.jpg", exif=exif, quality=95)
    arguments = ("--size", "9x13", "--dialect", "pillow", "--method", "bicubic", "--format", "png")
    assert command("resize", tmp_path / "a.jpg", "-o", tmp_path / "out", *arguments)[0] == 0
    with Image.open(tmp_path / "a.jpg") as image:
        want = ImageOps.exif_transpose(image).resize((13, 9), Image.Resampling.BICUBIC)
    with Image.open(tmp_path / "out" / "a.png") as made:
        np.testing.assert_array_equal(np.asarray(made), np.asarray(want))
        assert (made.getexif()[274], made.getexif()[315]) == (1, "A. Painter")


@pytest.mark.parametrize(("format", "ending"), [("png", "png"), ("jpeg", "jpg"), ("webp", "webp"), ("tiff", "tif")])
@pytest.mark.parametrize("source", ["png", "jpg", "webp", "tif", "gif", "bmp"])
def test_format_conversions(command, tmp_path, source, format, ending):
    photo(tmp_path / f"a.{source}", **({"lossless": True} if source == "webp" else {}))
    assert command("resize", tmp_path, "-o", tmp_path / "out", *SIZE_ARGUMENTS, "--format", format)[0] == 0
    with Image.open(tmp_path / f"a.{source}") as image:
        want = sw.resize(np.asarray(image.convert("RGB")), (6, 8))
    made = pixels_of(tmp_path / "out" / f"a.{ending}")
    if format == "jpeg":
        assert np.abs(made.astype(int) - want).mean() < 12
    else:
        np.testing.assert_array_equal(made, want)


def test_16_bit_colors(command, tmp_path):
    cv2 = pytest.importorskip("cv2")
    pixels = RNG.integers(0, 65536, (24, 32, 3), np.uint16)
    for ending in ("png", "tiff"):
        cv2.imwrite(str(tmp_path / f"a.{ending}"), pixels)
        assert command("resize", tmp_path / f"a.{ending}", "-o", tmp_path / "out", *SIZE_ARGUMENTS)[0] == 0
        made = cv2.imread(str(tmp_path / "out" / f"a.{ending}"), cv2.IMREAD_UNCHANGED)
        np.testing.assert_array_equal(made, sw.resize(pixels, (6, 8)))
    code, _, err = command("resize", tmp_path / "a.png", "-o", tmp_path / "a.jpg", *SIZE_ARGUMENTS)
    assert code == 1
    assert "jpeg cannot store RGB of uint16; write png, tiff" in err


def test_arrays(command, tmp_path):
    array = RNG.standard_normal((5, 24, 32, 3))
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "b.npz", images=array, labels=np.arange(5), planes=array[..., 0])
    assert command("resize", tmp_path / "a.npy", "-o", tmp_path / "o.npy", *SIZE_ARGUMENTS)[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "o.npy"), sw.resize(array, (6, 8)))
    assert command("resize", tmp_path / "a.npy", "-o", tmp_path / "p.npy", *SIZE_ARGUMENTS, "--axes", "0,1")[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), sw.resize(array, (6, 8), axes=(0, 1)))
    code, out, _ = command("resize", tmp_path / "b.npz", "-o", tmp_path / "o.npz", *SIZE_ARGUMENTS, "--json")
    assert code == 0
    assert set(json.loads(out)["arrays"]) == {"images", "planes"}
    with np.load(tmp_path / "o.npz") as made:
        np.testing.assert_array_equal(made["images"], sw.resize(array, (6, 8)))
        np.testing.assert_array_equal(made["planes"], sw.resize(array[..., 0], (6, 8)))
        np.testing.assert_array_equal(made["labels"], np.arange(5))
    np.save(tmp_path / "line.npy", np.arange(5))
    code, _, err = command("resize", tmp_path / "line.npy", "-o", tmp_path / "q.npy", *SIZE_ARGUMENTS)
    assert code == 1
    assert "none of its arrays has two or more axes: it has (5,); say which to resize (--axes 0)" in err


def test_images_to_arrays_and_back(command, tmp_path):
    pixels = photo(tmp_path / "a.png")
    assert command("resize", tmp_path / "a.png", "-o", tmp_path / "a.npy", *SIZE_ARGUMENTS)[0] == 0
    assert command("resize", tmp_path / "a.npy", "-o", tmp_path / "b.png", "--scale", "1")[0] == 0
    np.testing.assert_array_equal(pixels_of(tmp_path / "b.png"), sw.resize(pixels, (6, 8)))


@pytest.mark.parametrize(
    ("fit", "size", "where"),
    [
        ("stretch", (10, 10), {"resized": [10, 10], "start": [0, 0], "output_size": [10, 10]}),
        ("contain", (8, 10), {"resized": [8, 10], "start": [0, 0], "output_size": [8, 10]}),
        ("cover", (10, 10), {"resized": [10, 13], "start": [0, -1], "output_size": [10, 10]}),
        ("letterbox", (10, 10), {"resized": [8, 10], "start": [1, 0], "output_size": [10, 10]}),
    ],
)
def test_fits(command, tmp_path, fit, size, where):
    pixels = photo(tmp_path / "a.png")
    arguments = ("--size", "10x10", "--fit", fit, "--pad", "#102030", "--json")
    code, out, _ = command("resize", tmp_path / "a.png", "-o", tmp_path / "o.png", *arguments)
    record = json.loads(out)
    assert code == 0
    assert {key: record[key] for key in where} == where
    assert record["input_size"] == [24, 32]
    resized = sw.resize(pixels, tuple(where["resized"]))
    made = pixels_of(tmp_path / "o.png")
    assert made.shape[:2] == size
    if fit == "letterbox":
        assert made[0, 0].tolist() == made[9, 9].tolist() == [0x10, 0x20, 0x30]
        np.testing.assert_array_equal(made[1:9], resized)
    else:
        np.testing.assert_array_equal(made, resized[:, 1:11] if fit == "cover" else resized)


def test_json_is_a_record_for_each_file(command, folder):
    (folder / "in" / "bad.png").write_bytes(b"no image")
    code, out, _ = command("resize", folder / "in", "-o", folder / "out", *SIZE_ARGUMENTS, "--json")
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [(Path(one["input"]).name, one["status"]) for one in records] == [
        ("a.png", "resized"), ("b.png", "resized"), ("bad.png", "failed"), ("c.png", "resized"),
    ]  # fmt: skip
    assert records[0] == {
        "input": str(folder / "in" / "a.png"), "output": str(folder / "out" / "a.png"), "status": "resized",
        "input_size": [24, 32], "resized": [6, 8], "start": [0, 0], "output_size": [6, 8], "notes": [], "error": None,
    }  # fmt: skip
    assert "not an image in a supported format" in records[2]["error"]


def test_a_broken_file_among_good_ones(command, folder):
    good = (folder / "in" / "a.png").read_bytes()
    (folder / "in" / "a2.png").write_bytes(good[: len(good) // 2])
    (folder / "in" / "a3.png").write_bytes(b"")
    for workers in ("1", "3"):
        out = folder / f"out{workers}"
        code, printed, err = command("resize", folder / "in", "-o", out, *SIZE_ARGUMENTS, "--workers", workers)
        assert code == 1
        assert names(out) == ["a.png", "b.png", "deep/c.png"]
        assert len(printed.splitlines()) == 3
        lines = err.splitlines()
        assert lines[0].startswith(f"sizewise: cannot read {str(folder / 'in' / 'a2.png')!r}: ")
        assert lines[1].startswith(f"sizewise: cannot read {str(folder / 'in' / 'a3.png')!r}: ")
        assert lines[2].startswith("resized 3 files, 2 failed, ")
        assert len(lines) == 3


def test_a_dry_run_writes_nothing(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "in" / "bad.png").write_bytes(b"no image")
    code, out, err = command("resize", "in", "-o", "out", *SIZE_ARGUMENTS, "--dry-run")
    assert code == 1
    assert out == (
        "in/a.png -> out/a.png  24x32 -> 6x8\n"
        "in/b.png -> out/b.png  24x32 -> 6x8\n"
        "in/deep/c.png -> out/deep/c.png  24x32 -> 6x8\n"
    )
    assert err.splitlines()[1:] == ["would resize 3 files, 1 failed"]
    assert not (folder / "out").exists()


def test_skip_existing_continues_a_run(command, folder):
    first = ("resize", folder / "in", "-o", folder / "out", *SIZE_ARGUMENTS)
    assert command(*first)[0] == 0
    code, out, err = command(*first)
    assert (code, out) == (2, "")
    assert err == (
        f"sizewise: 3 outputs exist already, as {str(folder / 'out' / 'a.png')!r}; "
        "--skip-existing leaves such files, --overwrite replaces them\n"
    )
    (folder / "out" / "b.png").unlink()
    (folder / "out" / "a.png").write_bytes(b"mine")
    code, out, err = command(*first, "--skip-existing")
    assert (code, out) == (0, f"{folder / 'out' / 'b.png'}\n")
    assert err == "resized 1 file, 2 skipped\n"
    assert (folder / "out" / "a.png").read_bytes() == b"mine"
    assert command(*first, "--overwrite")[0] == 0
    assert pixels_of(folder / "out" / "a.png").shape == (6, 8, 3)


def test_in_place_needs_overwrite(command, folder):
    arguments = ("resize", folder / "in", "-o", folder / "in", "--scale", "0.5")
    before = (folder / "in" / "a.png").read_bytes()
    code, _, err = command(*arguments)
    assert code == 2
    assert "is input and output; --overwrite replaces it" in err
    assert (folder / "in" / "a.png").read_bytes() == before
    assert command(*arguments, "--overwrite")[0] == 0
    assert pixels_of(folder / "in" / "a.png").shape == (12, 16, 3)
    assert names(folder) == ["in/a.png", "in/b.png", "in/deep/c.png"]


def test_metadata_kept_or_stripped(command, tmp_path):
    exif = Image.Exif()
    exif[315] = "A. Painter"
    photo(tmp_path / "a.jpg", exif=exif, comment=b"hello")
    for arguments, artist, comment in (([], "A. Painter", b"hello"), (["--metadata", "strip"], None, None)):
        assert (
            command("resize", tmp_path / "a.jpg", "-o", tmp_path / "o.jpg", *SIZE_ARGUMENTS, "--overwrite", *arguments)[
                0
            ]
            == 0
        )
        with Image.open(tmp_path / "o.jpg") as made:
            assert (made.getexif().get(315), made.info.get("comment")) == (artist, comment)


def test_notes_say_what_changed(command, tmp_path):
    (tmp_path / "in").mkdir()
    frames = [Image.new("L", (9, 9), value) for value in (0, 200)]
    frames[0].save(tmp_path / "in" / "a.gif", save_all=True, append_images=frames[1:])
    for name in ("b.png", "c.png"):
        Image.fromarray(RNG.integers(0, 256, (9, 9, 3), np.uint8)).quantize(9).save(tmp_path / "in" / name)
    code, _, err = command("resize", tmp_path / "in", "-o", tmp_path / "out", *SIZE_ARGUMENTS)
    assert code == 0
    assert err.splitlines()[:2] == [
        f"note: {tmp_path / 'in' / 'a.gif'}: only the first of 2 frames is kept",
        "note: 3 files: palette became 8-bit RGB",
    ]
    arguments = (*SIZE_ARGUMENTS, "--method", "nearest", "--overwrite")
    assert command("resize", tmp_path / "in", "-o", tmp_path / "out", *arguments)[0] == 0
    with Image.open(tmp_path / "out" / "b.png") as made:
        assert made.mode == "P"


def test_alpha_and_jpeg(command, tmp_path):
    Image.new("RGBA", (9, 9), (255, 0, 0, 0)).save(tmp_path / "a.png")
    arguments = ("resize", tmp_path / "a.png", "-o", tmp_path / "o.jpg", *SIZE_ARGUMENTS)
    code, _, err = command(*arguments)
    assert code == 1
    assert "jpeg cannot store RGBA of uint8: it has no alpha; give the color behind it (--pad white)" in err
    assert command(*arguments, "--pad", "white")[0] == 0
    assert pixels_of(tmp_path / "o.jpg").min() == 255


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --size 480x640 or --scale 0.5; neither is given"),
        (["--size", "6x8", "--scale", "2"], "give --size or --scale; both are given"),
        (["--size", "6by8"], "--size is '6by8'; write lengths like 16x16"),
        (["--size", "0x8"], "--size is 0x8; every length must be 1 to 2147483647"),
        (["--size", "100"], "--size is 100; give a height and a width, like 480x640, or --scale 0.5"),
        (["--size", "6x8x3"], "--size is 6x8x3; give a height and a width"),
        (["--size", "100", "--axes", "0,1"], "--size is 100, and --axes names 2; give one length for each"),
        (["--scale", "-1"], "--scale is -1.0; it must be a positive number"),
        (["--scale", "1e400"], "--scale is inf; it must be a positive number"),
        (["--scale", "0.5", "--fit", "cover"], "--fit cover is for --size"),
        ([*SIZE_ARGUMENTS, "--fit", "covr"], "unknown fit: 'covr'; did you mean 'cover'?"),
        ([*SIZE_ARGUMENTS, "--pad", "whit"], "--pad is 'whit'; write a "),
        ([*SIZE_ARGUMENTS, "--dialect", "pilow"], "unknown dialect: 'pilow'; did you mean 'pillow'?"),
        ([*SIZE_ARGUMENTS, "--method", "lanzcos3"], "unknown method of dialect 'standard': 'lanzcos3'; did you"),
        ([*SIZE_ARGUMENTS, "--option", "box=1"], "unknown option of dialect 'standard': 'box'"),
        ([*SIZE_ARGUMENTS, "--format", "jpg"], "unknown format: 'jpg'; did you mean 'jpeg'?"),
        ([*SIZE_ARGUMENTS, "--metadata", "stripp"], "unknown metadata: 'stripp'; did you mean 'strip'?"),
        ([*SIZE_ARGUMENTS, "--axes", "0;1"], "--axes is '0;1'; write axes like 0,1"),
        ([*SIZE_ARGUMENTS, "--axes", "0,0"], "--axes is '0,0'; name each axis once"),
        ([*SIZE_ARGUMENTS, "--quality", "101"], "Invalid value for '--quality'"),
        ([*SIZE_ARGUMENTS, "--workers", "0"], "Invalid value for '--workers'"),
        (["32x32"], "'32x32' is not a file; a size is given as --size 32x32"),
        (["32x32", *SIZE_ARGUMENTS], "'32x32' is not a file; a size is given as --size 32x32"),
    ],
)  # fmt: skip
def test_bad_arguments_are_one_line_and_nothing_is_written(command, folder, arguments, message):
    code, out, err = command("resize", folder / "in", "-o", folder / "out", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"sizewise: {message}")
    assert err.count("\n") == 1
    assert not (folder / "out").exists()


def test_name_clashes_are_refused_first(command, folder):
    Image.new("L", (9, 9)).save(folder / "in" / "a.tif")
    code, out, err = command("resize", folder / "in", "-o", folder / "out", *SIZE_ARGUMENTS, "--format", "webp")
    assert (code, out) == (2, "")
    assert "would both become" in err
    assert not (folder / "out").exists()


def test_missing_input(command, tmp_path):
    code, _, err = command("resize", tmp_path / "lost.png", "-o", tmp_path / "o.png", *SIZE_ARGUMENTS)
    assert code == 1
    assert err.startswith(f"sizewise: cannot read {str(tmp_path / 'lost.png')!r}: No such file or directory\n")


def test_names_are_escaped_when_they_are_printed(command, tmp_path):
    wild = ["a\nb.png", "c\x1b[31m.png", "d\u202egnp.png", os.fsdecode(b"e\xff.png"), "-f.png", "g [red]h[/].png"]
    for name in wild:
        photo(tmp_path / "in" / name)
    (tmp_path / "in" / "x\x1b]0;owned\x07.png").write_bytes(b"no image")
    for arguments in (["--dry-run"], ["--json"], ["--overwrite"]):
        code, out, err = command("resize", tmp_path / "in", "-o", tmp_path / "out", *SIZE_ARGUMENTS, *arguments)
        assert code == 1
        assert len(out.splitlines()) == len(wild) + (arguments == ["--json"])
        for line in (*out.splitlines(), *err.splitlines()):
            assert line.isprintable()
            line.encode()
    assert sorted(names(tmp_path / "out")) == sorted(wild)


def test_nothing_is_written_outside(command, folder):
    (folder / "outside").mkdir()
    (folder / "out").mkdir()
    os.symlink("../outside", folder / "out" / "deep")
    os.symlink("../outside/stolen.png", folder / "out" / "a.png")
    os.symlink("..", folder / "in" / "loop")
    for arguments in (["--dry-run"], ["--overwrite"]):
        code, _, err = command(
            "resize", folder / "in", "-o", folder / "out", *SIZE_ARGUMENTS, "--overwrite", *arguments
        )
        assert code == 1
        assert err.count("a link leads there") == 1
        assert "note: links to folders are not followed: 1" in err
    assert names(folder / "outside") == []
    assert not (folder / "out" / "a.png").is_symlink()


def test_decompression_bombs(command, tmp_path):
    Image.new("1", (20_000, 5_000)).save(tmp_path / "bomb.png")
    photo(tmp_path / "good.png")
    code, _, err = command("resize", tmp_path, "-o", tmp_path / "out", *SIZE_ARGUMENTS)
    assert code == 1
    assert "image size (100000000 pixels) exceeds limit of 89478485 pixels" in err
    assert "--max-pixels allows more" in err
    assert names(tmp_path / "out") == ["good.png"]
    arguments = ("--method", "nearest", "--max-pixels", "100000000", "--skip-existing")
    assert command("resize", tmp_path, "-o", tmp_path / "out", *SIZE_ARGUMENTS, *arguments)[0] == 0
    assert Image.MAX_IMAGE_PIXELS == 89478485


def test_thousands_of_files(command, tmp_path):
    total = 10_000 if ALL else 2_000
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in" / "0.npy", np.zeros((4, 4), np.uint8))
    for number in range(1, total):
        os.link(tmp_path / "in" / "0.npy", tmp_path / "in" / f"{number}.npy")
    code, out, err = command("resize", tmp_path / "in", "-o", tmp_path / "out", "--size", "2x2", "--dry-run")
    assert (code, out.count("\n"), err) == (0, total, f"would resize {total:,} files\n")
    (tmp_path / "out").mkdir()
    for number in range(total - 1_000):  # as if most were done
        os.link(tmp_path / "in" / "0.npy", tmp_path / "out" / f"{number}.npy")
    arguments = ("--size", "2x2", "--skip-existing")
    code, out, err = command("resize", tmp_path / "in", "-o", tmp_path / "out", *arguments)
    assert (code, out.count("\n")) == (0, 1_000)
    assert err.startswith(f"resized 1,000 files, {total - 1_000:,} skipped, ")
    assert len(os.listdir(tmp_path / "out")) == total


def test_other_commands_need_no_pillow(process):
    code = "import sys; sys.modules['PIL'] = None; from sizewise.cli.app import run; sys.exit(run({!r}))"
    done = process("-c", code.format(["explain", "4", "2"]))
    assert (done.returncode, done.stderr) == (0, "")
    done = process("-c", code.format(["resize", "a.png", "-o", "b.png", "--scale", "2"]))
    assert done.returncode == 2
    assert done.stderr == 'sizewise: sizewise resize needs an optional package: pip install "sizewise[cli]"\n'
