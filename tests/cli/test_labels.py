"""`sizewise labels`, and `sizewise resize --labels`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import label_files
import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with two images, and labels of them in every format."""
    (tmp_path / "photos" / "more").mkdir(parents=True)
    (tmp_path / "yolo" / "more").mkdir(parents=True)
    Image.new("RGB", (64, 48)).save(tmp_path / "photos" / "a.png")
    Image.new("RGB", (31, 17)).save(tmp_path / "photos" / "more" / "b.png")
    (tmp_path / "coco.json").write_text(json.dumps(label_files.coco()))
    (tmp_path / "a.json").write_text(json.dumps(label_files.labelme(imageData="aGk=")))
    (tmp_path / "a.xml").write_text(label_files.cvat())
    (tmp_path / "yolo" / "a.txt").write_text(label_files.YOLO)
    (tmp_path / "yolo" / "more" / "b.txt").write_text(label_files.POSE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path):
    return json.loads(path.read_text())


def test_check_is_fine(command, folder):
    code, out, err = command("labels", "check", "yolo", "--size", "32x32", "--images", "photos")
    assert (code, err) == (0, "")
    assert out.startswith("The usual formulas are right within 0.1 output pixel, and no label has a problem\n")
    assert "2 files of YOLO: 2 images, 2 boxes, 1 polygon, 1 set of points\n" in out
    assert "48x64  32x32   0.5 x      0.666667 y\n" in out


def test_check_finds_labels_that_move(command, folder):
    code, out, _ = command("labels", "check", "coco.json", "--size", "24x32", "--dialect", "tensorflow1")
    assert code == 1
    assert "x * n_out / n_in moves 5 of 5 labels by up to 0.25 output pixel; 1 label has a problem" in " ".join(
        out.split()
    )
    assert "index: COCO stores keypoints as indices" in out
    arguments = ("labels", "check", "coco.json", "--size", "32x32", "--fit", "letterbox", "--json")
    code, out, _ = command(*arguments)
    facts = json.loads(out)
    errors = {one["name"]: one for one in facts["formulas"]}
    assert code == 1 and not facts["fine"] and facts["maps"][1]["shift"] == [7.0, 0.0]
    # 17 * 32 / 31 = 17.55 rows become 18, and the margin above them 7 instead of 7.226.
    assert errors["one factor"]["largest"] == pytest.approx((32 - 17 * 32 / 31) / 2 - 7)
    assert command(*arguments, "--tolerance", "1")[0] == 0


def test_check_finds_problems(command, folder):
    document = label_files.coco(bbox=[40, 30, -3, 4])
    boxes = ([60, 10, 30, 4], [5, 5, 0, 3], [1, 2, float("nan"), 4], [0, 0, 8, 8])
    document["annotations"] += [{"id": 20 + i, "image_id": 3, "bbox": box} for i, box in enumerate(boxes)]
    (folder / "bad.json").write_text(json.dumps(document))
    code, out, _ = command("labels", "check", "bad.json", "--size", "48x32", "--fit", "cover", "--json")
    found = {one["where"]: (one["kind"], one["amount"]) for one in json.loads(out)["problems"]}
    assert code == 1
    assert found["annotations[6].bbox"][0] == "inverted"
    assert found["annotations[7].bbox"] in (("outside", 26.0), ("lost", pytest.approx(42.0)))
    assert found["annotations[8].bbox"][0] in ("empty", "lost")
    assert found["annotations[9].bbox"][0] == "not finite"
    assert found["annotations[10].bbox"] == ("lost", 16.0)
    _, out, _ = command("labels", "check", "bad.json", "--size", "48x32", "--fit", "cover")
    assert "1 label is inverted: the right or bottom edge is before the left or top one" in out
    assert "1 label is an empty box" in out and "leave the result altogether" in out


def test_check_allows_what_files_may_have(command, folder):
    """Boxes of LabelMe have two corners in any order; an empty box at the border does not leave it."""
    shape = {"label": "a", "shape_type": "rectangle", "points": [[40, 30], [10, 5]]}
    (folder / "drawn.json").write_text(json.dumps(label_files.labelme(shapes=[shape])))
    code, out, _ = command("labels", "check", "drawn.json", "--size", "32x32", "--json")
    assert (code, json.loads(out)["problems"]) == (0, [])
    (folder / "drawn.txt").write_text("0 0 0 0 0\n")
    _, out, _ = command("labels", "check", "drawn.txt", "--image-size", "48x64", "--size", "32x32", "--json")
    assert [one["kind"] for one in json.loads(out)["problems"]] == ["empty"]


def test_map(command, folder):
    code, out, err = command("labels", "map", "coco.json", "-o", "out/half.json", "--size", "24x32")
    assert (code, out, err) == (0, "out/half.json\n", "")
    assert read(folder / "out/half.json")["annotations"][0]["bbox"] == [5.0, 10.0, 15.25, 6.125]
    code, out, err = command("labels", "map", "a.json", "yolo", "-o", "all", "--scale", "0.5", "--images", "photos")
    assert (code, out) == (0, "all/a.json\nall/a.txt\nall/more/b.txt\n")
    assert err == "note: a.json: imageData, the image itself, is left out: LabelMe reads imagePath then\n"
    assert command("labels", "map", "a.json", "-o", "all", "--scale", "0.5")[0] == 2
    assert command("labels", "map", "a.json", "-o", "all", "--scale", "0.25", "--overwrite")[0] == 0
    assert read(folder / "all/a.json")["shapes"][2]["points"] == [[1.8125, 2.0]]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("check coco.json", 2, "say which resize: --preprocess CONFIG, or --size HEIGHTxWIDTH, or --scale"),
        ("check coco.json --size 3", 2, "--size is 3; give a height and a width"),
        ("check coco.json --preprocess p.json --size 3x3", 2, "--preprocess has the whole recipe"),
        ("check gone.json --size 3x3", 1, "cannot read 'gone.json': No such file"),
        ("check yolo --size 3x3", 1, "there is no image 'a' in 'yolo'; give --images FOLDER or --image-size"),
        ("check yolo --size 3x3 --images gone", 2, "--images 'gone' is no folder"),
        ("check yolo --size 3x3 --image-size 4", 2, "--image-size is '4'; give a height and a width"),
        ("check yolo --size 3x3 --keypoints 4", 2, "keypoints are '4'"),
        ("check photos --size 3x3", 2, "no label files in 'photos'; they end with .json, .txt, .xml"),
        ("map a.json coco.json --size 3x3 -o x.json", 2, "several label files need a folder"),
        ("map a.json --size 3x3 -o x.xml", 2, "'a.json' becomes a file of the same kind"),
        ("map a.json --size 3x3 -o a.json", 2, "'a.json' is input and output"),
        ("map a.json yolo/../a.json --size 3x3 -o out", 2, "two files would become 'out/a.json'"),
        ("map a.xml --size 3x64 -o out", 1, "box 5: the rotated box is no rectangle after this resize"),
    ],
)
def test_errors(command, folder, arguments, code, message):
    found, out, err = command("labels", *arguments.split())
    assert (found, out) == (code, "")
    assert message in err
    assert not (folder / "out").exists()


def test_resize_writes_labels(command, folder):
    arguments = (
        "--size",
        "24x24",
        "--fit",
        "letterbox",
        "--labels",
        "coco.json",
        "--labels",
        "yolo",
        "--labels",
        "a.xml",
    )
    code, out, err = command("resize", "photos", "-o", "small", "--format", "jpeg", *arguments)
    assert code == 0, err
    assert out.splitlines()[-4:] == ["small/coco.json", "small/a.txt", "small/more/b.txt", "small/a.xml"]
    document = read(folder / "small/coco.json")
    assert [image["file_name"] for image in document["images"]] == ["a.jpg", "more/b.jpg"]
    for image in document["images"]:
        with Image.open(folder / "small" / image["file_name"]) as resized:
            assert resized.size == (image["width"], image["height"]) == (24, 24)
    assert document["annotations"][0]["bbox"] == [3.75, 10.5, 11.4375, 4.59375]
    assert document["annotations"][5]["bbox"] == [0.0, 5.0, 24.0, 13.0]
    assert (folder / "small/a.txt").read_text().splitlines()[0] == "0 0.5 0.5 0.25 0.09375"
    assert ElementTree.parse(folder / "small/a.xml").getroot().find("image").get("name") == "a.jpg"


@pytest.mark.parametrize("fit", ["stretch", "contain", "cover", "letterbox"])
@pytest.mark.parametrize("dialect", ["standard", "tensorflow1"])
def test_labels_are_where_the_pixels_are(command, folder, fit, dialect):
    rows, columns = np.mgrid[:90, :130] + 0.5
    middle = np.array([61.3, 40.8])
    bump = np.exp(-((columns - middle[0]) ** 2 + (rows - middle[1]) ** 2) / 2 / 6**2)
    np.save(folder / "photos" / "blob.npy", bump)
    image = {"id": 1, "file_name": "blob.npy", "height": 90, "width": 130}
    point = {"id": 1, "image_id": 1, "bbox": [*middle, 0, 0]}
    (folder / "blob.json").write_text(json.dumps({"images": [image], "annotations": [point]}))
    arguments = ("--size", "70x70", "--fit", fit, "--dialect", dialect, "--labels", "blob.json")
    assert command("resize", "photos/blob.npy", "-o", "out", *arguments)[0] == 0
    found = np.load(folder / "out" / "blob.npy")
    rows, columns = np.mgrid[: found.shape[0], : found.shape[1]] + 0.5
    centroid = np.array([(found * columns).sum(), (found * rows).sum()]) / found.sum()
    box = read(folder / "out" / "blob.json")["annotations"][0]["bbox"]
    np.testing.assert_allclose(box[:2], centroid, atol=0.01)


def test_resize_reports_labels_outside_of_the_result(command, folder):
    code, _, err = command(
        "resize", "photos", "-o", "small", "--size", "32x32", "--fit", "cover", "--labels", "coco.json"
    )
    assert code == 0
    assert "note: coco.json: 3 labels reach out of the image, not clipped; labels check names them\n" in err
    box = read(folder / "small/coco.json")["annotations"][5]["bbox"]
    assert box[0] < 0 and box[2] > 32


def test_resize_reports_images_without_labels(command, folder):
    document = label_files.coco()
    document["images"][1] |= {"height": 31, "width": 17}
    document["images"].append({"id": 9, "file_name": "gone.png", "height": 2, "width": 2})
    (folder / "coco.json").write_text(json.dumps(document))
    code, _, err = command("resize", "photos", "-o", "small", "--size", "24x24", "--labels", "coco.json")
    assert code == 1
    assert "note: coco.json: 1 image was not resized, and is left out: gone.png\n" in err
    assert (
        "'coco.json': the labels of 'more/b.png' are left out: its labels are for 31x17, and the image is 17x31" in err
    )
    written = read(folder / "small/coco.json")
    assert [image["id"] for image in written["images"]] == [3]
    assert {annotation["image_id"] for annotation in written["annotations"]} == {3}
    # The images are there; the labels are written again.
    arguments = ("--size", "24x24", "--labels", "coco.json", "--skip-existing", "--json")
    code, out, _ = command("resize", "photos", "-o", "small", *arguments)
    assert code == 1 and json.loads(out.splitlines()[-1])["left_out"][1]["reason"] == "it was not resized"
    assert read(folder / "small/coco.json") == written


def test_labels_of_other_images_are_an_error(command, folder):
    (folder / "c.txt").write_text(label_files.YOLO)
    code, out, err = command("resize", "photos/a.png", "-o", "small", "--size", "24x24", "--labels", "c.txt")
    assert (code, out) == (1, "")
    assert err == "sizewise: no labels match an image: 'c.txt' has labels of 'c'; the image is 'a.png'\n"
    assert not (folder / "small").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--labels", "bad.json"), "not JSON"),
        (("--labels", "c.txt"), "no labels match an image: 'c.txt' has labels of 'c'; the first image is 'a.png'"),
        (("--labels", "coco.json", "--draft"), "--draft rounds the part of a JPEG"),
        (("--labels", "coco.json", "--labels", "photos/../coco.json"), "two files would become 'small/coco.json'"),
    ],
)
def test_nothing_is_written_with_broken_labels(command, folder, arguments, message):
    (folder / "bad.json").write_text("{")
    (folder / "c.txt").write_text(label_files.YOLO)
    code, out, err = command("resize", "photos", "-o", "small", "--size", "24x24", *arguments)
    assert code and not out and message in err
    assert not (folder / "small").exists()


def test_preprocess_run_writes_labels_of_images_that_opencv_decodes(command, folder):
    (folder / "recipe.json").write_text(json.dumps({"ultralytics": {"imgsz": 32}}))
    exif = Image.Exif()
    exif[0x0112] = 6  # stored on its side
    Image.new("RGB", (48, 64)).save(folder / "photos" / "a.png", exif=exif)
    arguments = ("preprocess", "run", "recipe.json", "photos", "--labels", "coco.json", "--labels", "yolo", "-o", "out")
    code, out, err = command(*arguments)
    assert code == 0, err
    assert out.splitlines()[-3:] == ["out/coco.json", "out/a.txt", "out/more/b.txt"]
    document = read(folder / "out/coco.json")
    assert document["images"][0]["file_name"] == "a.npy"
    assert document["annotations"][0]["bbox"] == [5.0, 14.0, 15.25, 6.125]
    assert np.load(folder / "out" / "a.npy").shape[-2:] == (32, 32)
    code, _, err = command("preprocess", "run", "recipe.json", "photos", "--labels", "coco.json", "-o", "all.npy")
    assert code == 2 and "give a folder for --labels" in err
