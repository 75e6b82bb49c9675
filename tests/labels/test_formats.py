"""Label files: read, mapped and written, with everything but coordinates and sizes as before."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import label_files
import numpy as np
import pytest

import sizewise as sw
from sizewise.errors import ArgumentError, FileError
from sizewise.label_masks import Chain, Window
from sizewise.labels import cvat, files, rle, yolo
from sizewise.labels.mapping import ImageMap

HALF = ImageMap(sw.make_plan((48, 64), (24, 32)), (24, 32))
# 10 rows more above the image, and 3 columns cut off; written as one map.
WIDE = ImageMap(Chain((48, 64), [sw.make_plan((48, 64), (48, 128)), Window((48, 128), (58, 128), (-10, 3))]), (48, 128))


def same(size):
    return ImageMap(sw.make_plan(size, size), size)


def read(tmp_path, content, ending, **arguments):
    path = tmp_path / f"labels{ending}"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    (found,) = files.find([path])
    return files.read(found, files.ImageSizes((48, 64)), **arguments)


def mapped(file, mapping):
    images = tuple(
        (mapping if image.size == mapping.input_size else same(image.size)).apply(image) for image in file.images
    )
    return files.encode(file, images).decode()


CONTENTS = [
    (label_files.coco(), ".json"),
    (label_files.labelme(), ".json"),
    (label_files.cvat(), ".xml"),
    (label_files.YOLO, ".txt"),
    (label_files.POSE, ".txt"),
]


@pytest.mark.parametrize(("content", "ending"), CONTENTS, ids=["coco", "labelme", "cvat", "yolo", "pose"])
def test_the_identity_changes_nothing(tmp_path, content, ending):
    file = read(tmp_path, content, ending)
    assert file.shapes
    text = mapped(file, same((48, 64)))
    if ending == ".json":
        assert json.loads(text) == content
    elif ending == ".txt":
        assert [list(map(float, line.split())) for line in text.splitlines()] == [
            list(map(float, line.split())) for line in content.splitlines()
        ]
    else:
        assert values(ElementTree.fromstring(text)) == values(ElementTree.fromstring(content))
        assert "<!-- kept -->" in text and "<version>1.1</version>" in text


def values(element):
    """Return an XML element with numbers as numbers."""

    def value(text):
        try:
            return [round(float(number), 6) for number in text.replace(";", ",").split(",")]
        except ValueError:
            return text

    attributes = {key: value(text) for key, text in element.attrib.items()}
    return element.tag, attributes, (element.text or "").strip(), [values(child) for child in element]


def test_coco_halved(tmp_path):
    document = label_files.coco()
    written = json.loads(mapped(read(tmp_path, document, ".json"), HALF))
    box, polygons, listed, compressed, person, other = written["annotations"]
    assert written["images"][0] == {**document["images"][0], "width": 32, "height": 24}
    assert (box["bbox"], box["area"], box["note"]) == ([5.0, 10.0, 15.25, 6.125], 50.0, {"by": ["me", None]})
    assert polygons["segmentation"][0] == [0.75, 1.0, 15.0, 1.0, 15.0, 20.125]
    # Keypoints are indices: the center of pixel 10 is 10.5, which becomes 5.25, the index 4.75.
    assert person["keypoints"] == [4.75, 5.75, 2, 0, 0, 0, 16.5, 19.75, 1]
    expected = label_files.MASK[1::2, 1::2]
    assert listed["segmentation"] == {"size": [24, 32], "counts": rle.encode(expected)}
    assert (rle.decode(compressed["segmentation"]["counts"], (24, 32)) == expected).all()
    assert compressed["area"] == expected.sum() and "area" not in listed
    assert other == document["annotations"][5]


def test_other_formats_mapped(tmp_path):
    written = json.loads(mapped(read(tmp_path, label_files.labelme(imageData="aGk="), ".json"), HALF))
    assert [shape["points"] for shape in written["shapes"][:2]] == [
        [[5, 10], [20.25, 16.125]],
        [[0.5, 1], [15, 20], [2.5, 20.75]],
    ]
    assert (written["imageHeight"], written["imageWidth"], written["imageData"]) == (24, 32, None)
    image = ElementTree.fromstring(mapped(read(tmp_path, label_files.cvat(), ".xml"), HALF)).find("image")
    assert image.get("width") == "32" and image.find("box").get("xbr") == "20.25"
    assert (
        image.findall("box")[1].get("rotation") == "30.0" and image.find("skeleton/points").get("points") == "15.25,5.5"
    )
    assert float(image.find("ellipse").get("ry")) == 2
    # Normalized coordinates of a plain resize stay; margins change them.
    assert mapped(read(tmp_path, label_files.YOLO, ".txt"), HALF).splitlines()[0] == "0 0.5 0.5 0.25 0.125"
    words = mapped(read(tmp_path, label_files.POSE, ".txt"), WIDE).split()
    np.testing.assert_allclose(
        np.array(words, float),
        [
            0,
            (64 - 3) / 128,
            (24 + 10) / 58,
            32 / 128,
            6 / 58,
            (51.2 - 3) / 128,
            29.2 / 58,
            2,
            0,
            0,
            0,
            73.8 / 128,
            31.6 / 58,
            1,
        ],
    )


def test_figures_that_the_format_does_not_have(tmp_path):
    with pytest.raises(FileError, match=r"shapes\[4\]: the circle becomes an ellipse with radii of"):
        mapped(read(tmp_path, label_files.labelme(), ".json"), WIDE)
    with pytest.raises(FileError, match=r"image 'a.png', box 5: the rotated box is no rectangle after this resize"):
        mapped(read(tmp_path, label_files.cvat(), ".xml"), WIDE)


def test_yolo_predictions_keep_their_confidence(tmp_path):
    found = read(tmp_path, "3 0.5 0.5 0.25 0.125 0.87\n", ".txt")
    assert [shape.kind for shape in found.images[0].shapes] == ["box"]
    assert yolo.write(found, found.images) == "3 0.5 0.5 0.25 0.125 0.87\n"


def test_yolo_keypoints(tmp_path):
    line = "0 0.5 0.5 0.25 0.125 0.4 0.4 0.6 0.45\n"
    (image,) = read(tmp_path, line, ".txt").images
    assert [shape.kind for shape in image.shapes] == ["polygon"]
    (image,) = read(tmp_path, line, ".txt", keypoints=yolo.parse_keypoints("2x2")).images
    assert [shape.kind for shape in image.shapes] == ["box", "points"]
    with pytest.raises(FileError, match="line 1: it has 9 numbers; with these keypoints, it has 56"):
        read(tmp_path, line, ".txt", keypoints=yolo.parse_keypoints("17x3"))
    with pytest.raises(ArgumentError, match="like 17x3"):
        yolo.parse_keypoints("17")


LENGTH = 2**31 - 1
HUGE = {
    "images": [{"id": 1, "file_name": "a", "width": 4000, "height": LENGTH}],
    "annotations": [{"image_id": 1, "segmentation": {"size": [LENGTH, 4000], "counts": [LENGTH] * 4000}}],
}
BAD = [
    ("{", ".json", "not JSON"),
    ([{"bbox": [0, 0, 1, 1]}], ".json", "a list of results has no sizes of images"),
    ({"images": {}, "annotations": []}, ".json", "'images' of a COCO file must be a list of objects"),
    (
        label_files.coco(bbox=[1, 2, 3]),
        ".json",
        r"annotations\[6\].bbox: found 3 numbers; a box is \[x, y, width, height\]",
    ),
    (label_files.coco(bbox=[1, 2, 3, "4"]), ".json", r"annotations\[6\].bbox: found \[1, 2, 3, '4'\]"),
    (label_files.coco(segmentation="x"), ".json", "it must be a list of polygons"),
    (label_files.coco(segmentation=[[1, 2, 3, 4, 5]]), ".json", r"segmentation\[0\]: found 5 numbers; a polygon"),
    (
        label_files.coco(segmentation={"size": [2, 2], "counts": [4]}),
        ".json",
        r"its size is \[2, 2\]; that of the image",
    ),
    (label_files.coco(segmentation={"size": [48, 64], "counts": [4]}), ".json", "its counts sum to 4"),
    (label_files.coco(segmentation={"size": [48, 64], "counts": "~\x01"}), ".json", "not in COCO's compression"),
    (label_files.coco(segmentation={"size": [48, 64]}), ".json", "its counts are None"),
    (HUGE, ".json", "segmentation: a mask of 2147483647x4000, mapped to another, would take"),
    (label_files.coco(keypoints=[1, 2]), ".json", "found 2 numbers; keypoints are a list"),
    (label_files.coco(image_id=9), ".json", "its image_id 9 is the id of no image"),
    (
        {"images": [{"id": 1, "file_name": "a", "width": 0, "height": 2}], "annotations": []},
        ".json",
        r"images\[0\].width",
    ),
    (
        {"images": [{"id": 1, "file_name": "a", "width": 10**400, "height": 2}], "annotations": []},
        ".json",
        r"images\[0\].width: found 10+; it must be an integer from 1",
    ),
    (label_files.coco(bbox=[1, 2, 3, 10**400]), ".json", "with a number too large; a box is"),
    ({"images": [{"id": 1}], "annotations": []}, ".json", "its file_name is None"),
    (label_files.labelme(imageHeight=None), ".json", "imageHeight: found None"),
    (
        label_files.labelme(shapes=[{"shape_type": "mask", "points": []}]),
        ".json",
        "'mask', which cannot be mapped; known",
    ),
    (label_files.labelme(shapes=[{"shape_type": "point", "points": [[1, 2, 3]]}]), ".json", "a point is"),
    (label_files.labelme(shapes=[7]), ".json", "a shape is an object"),
    ("<annotations><image", ".xml", "not XML"),
    ("<annotation/>", ".xml", "its root is 'annotation'"),
    ('<!DOCTYPE a [<!ENTITY b "c">]><annotations/>', ".xml", "declares a document type"),
    ("<annotations><track/></annotations>", ".xml", "of CVAT for video"),
    (
        label_files.cvat("<cuboid/>"),
        ".xml",
        "image 'a.png', cuboid 9: shapes of this kind cannot be mapped; known: box",
    ),
    (label_files.cvat('<box xtl="1" ytl="2" xbr="3"/>'), ".xml", "box 9: it has no ybr"),
    (label_files.cvat('<points points="1;2"/>'), ".xml", "its points are '1;2'"),
    ("0 0.5 0.5 0.1\n", ".txt", "line 1: it has 4 numbers; a line is a class"),
    ("0 0.5 0.5 0.1 0.1 0.9 0.8 0.7\n", ".txt", "line 1: it has 8 numbers"),
    ("person 1 2 3 4\n", ".txt", "line 1: found 'person 1 2 3 4', not all numbers"),
    ("\n0.5 0.5 0.5 0.1 0.1\n", ".txt", "line 2: its class is '0.5'"),
    ("", ".csv", "is not named as a label file"),
]


@pytest.mark.parametrize(("content", "ending", "message"), BAD, ids=[message[:40] for _, _, message in BAD])
def test_broken_files_are_named(tmp_path, content, ending, message):
    with pytest.raises(FileError, match=message) as caught:
        read(tmp_path, content, ending)
    assert repr(str(tmp_path / f"labels{ending}")) in str(caught.value)


def test_sizes_of_yolo_images(tmp_path):
    from PIL import Image

    (tmp_path / "images" / "train").mkdir(parents=True)
    (tmp_path / "labels" / "train").mkdir(parents=True)
    Image.new("RGB", (31, 17)).save(tmp_path / "images" / "train" / "a.JPG", "jpeg")
    (tmp_path / "labels" / "classes.txt").write_text("person\n")
    (tmp_path / "labels" / "train" / "a.txt").write_text(label_files.YOLO)
    (found,) = files.find([tmp_path / "labels"])
    assert found.relative == Path("train/a.txt")
    assert files.read(found, files.ImageSizes()).images[0].size == (17, 31)
    assert files.read(found, files.ImageSizes(folder=tmp_path / "images")).images[0].size == (17, 31)
    (tmp_path / "images" / "train" / "a.JPG").unlink()
    with pytest.raises(FileError, match="give --images FOLDER or --image-size"):
        files.read(found, files.ImageSizes())
    with pytest.raises(ArgumentError, match="no label files in"):
        files.find([tmp_path / "images"])


def test_empty_files(tmp_path):
    assert read(tmp_path, "", ".txt").shapes == 0
    assert read(tmp_path, {"images": [], "annotations": []}, ".json").images == ()


def test_run_lengths():
    generator = np.random.default_rng(0)
    for size in ((1, 1), (5, 7), (40, 3)):
        for share in (0, 0.1, 0.5, 1):
            mask = generator.random(size) < share
            counts = rle.encode(mask)
            assert (rle.decode(counts, size) == mask).all()
            assert (rle.decode(rle.compress(counts), size) == mask).all()


def test_cvat_namespaced_comment_is_kept():
    tree = cvat.parse(label_files.cvat().encode(), "a.xml")
    assert len(cvat.read(tree, "a.xml").images[0].shapes) == 7
