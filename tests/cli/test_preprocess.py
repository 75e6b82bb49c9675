"""`sizewise preprocess`: show, run, compare, golden and card."""

from __future__ import annotations

import io
import json
import os
import tarfile
import warnings

import numpy as np
import pytest
from PIL import Image

from sizewise.errors import SizewiseWarning
from sizewise.preprocess import (
    CenterCrop,
    CropInside,
    Exact,
    Layout,
    Normalize,
    Preprocessor,
    Rescale,
    Resize,
    ShortestEdge,
    file_jobs,
    golden,
)

RECIPE = Preprocessor(
    [
        Resize(ShortestEdge(20), "bicubic", "pillow"),
        CenterCrop(16, 16),
        Rescale(1 / 255),
        Normalize((0.5,), (0.5,)),
        Layout("CHW"),
    ]
)


def photo(seed, size=(30, 40)):
    return np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two recipes and two images, one of them in a subfolder."""
    RECIPE.save(tmp_path / "recipe.json")
    Preprocessor([Resize(ShortestEdge(20), "bilinear", "pillow"), *RECIPE.steps[1:]]).save(tmp_path / "other.json")
    (tmp_path / "images" / "more").mkdir(parents=True)
    Image.fromarray(photo(0)).save(tmp_path / "images" / "a.png")
    Image.fromarray(photo(1)).save(tmp_path / "images" / "more" / "b.png")
    return tmp_path


def test_show(command, folder):
    code, out, err = command("preprocess", "show", folder / "recipe.json", "--size", "30x40")
    assert (code, err) == (0, "")
    assert "resize       20x26       shortest_edge edge=20, pillow bicubic" in out
    code, out, _ = command("preprocess", "show", folder / "recipe.json", "--size", "30x40", "--json")
    assert json.loads(out)["sizes"][0] == [20, 26]
    assert command("preprocess", "show", folder / "recipe.json", "--size", "30")[0] == 2


def test_run_writes_the_tree(command, folder):
    code, out, err = command("preprocess", "run", folder / "recipe.json", folder / "images", "-o", folder / "out")
    assert code == 0 and "2 of 2 files written" in err
    assert out.split() == [str(folder / "out" / name) for name in ("a.npy", "more/b.npy")]
    np.testing.assert_array_equal(np.load(folder / "out" / "more" / "b.npy"), RECIPE(photo(1)))


def test_run_writes_one_array(command, folder):
    arguments = ("preprocess", "run", folder / "recipe.json", folder / "images", "-o", folder / "all.npy")
    assert command(*arguments)[0] == 0
    np.testing.assert_array_equal(np.load(folder / "all.npy"), RECIPE([photo(0), photo(1)]))
    code, _, err = command(*arguments)
    assert code == 2 and "--overwrite replaces it" in err
    code, _, err = command(*arguments[:3], folder / "images" / "a.png", "-o", folder / "one.v2.npy")
    assert code == 0 and "1 image, shape (1, 3, " in err
    np.testing.assert_array_equal(np.load(folder / "one.v2.npy"), RECIPE([photo(0)]))
    code, _, err = command(*arguments[:3], folder / "images" / "a.png", "-o", folder / "one.png")
    assert code == 2 and "results are arrays; name a folder, or a file that ends in .npy" in err


def test_one_array_has_all_images_and_one_dtype(command, folder, monkeypatch):
    Preprocessor([CenterCrop(4, 4)]).save(folder / "crop.json")
    arguments = ("preprocess", "run", folder / "crop.json", folder / "arrays", "-o", folder / "all.npy")
    (folder / "arrays" / "deep").mkdir(parents=True)
    for index in range(file_jobs.GROUP):
        np.save(folder / "arrays" / f"{index:03}.npy", photo(0))
    np.save(folder / "arrays" / "deep" / "float.npy", photo(0).astype(np.float32))
    code, _, err = command(*arguments)
    assert code == 1 and "different shapes or dtypes" in err and not (folder / "all.npy").exists()

    def scandir(path, real=os.scandir):
        if os.path.basename(path) == "deep":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    code, _, err = command(*arguments)
    assert code == 1 and "deep': Permission denied" in err and not (folder / "all.npy").exists()


def test_run_reports_a_broken_image(command, folder):
    (folder / "images" / "broken.png").write_bytes(b"no image")
    arguments = ("preprocess", "run", folder / "recipe.json", folder / "images", "--json", "-o")
    code, out, err = command(*arguments, folder / "out")
    assert code == 1 and "broken.png': not an image in a known format" in err
    statuses = [json.loads(line)["status"] for line in out.splitlines()]
    assert statuses == ["written", "failed", "written"]
    code, out, err = command(*arguments, folder / "out", "--skip-existing")
    assert err.endswith(", 1 failed, 2 skipped\n")
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["skipped", "failed", "skipped"]
    code, out, err = command(*arguments[:4], "-o", folder / "all.npy")
    assert code == 1 and not (folder / "all.npy").exists()


def test_run_reads_arrays(command, folder):
    images = folder / "arrays"
    images.mkdir()
    np.save(images / "a.npy", photo(0))
    np.save(images / "gray.npy", photo(1)[..., 0])
    np.save(images / "batch.npy", photo(2)[None])
    np.savez(images / "b.npz", photo(3))
    (images / "cut.npy").write_bytes((images / "a.npy").read_bytes()[:500])
    code, out, err = command("preprocess", "run", folder / "recipe.json", images, "-o", folder / "out")
    assert code == 1 and out.split() == [str(folder / "out" / name) for name in ("a.npy", "gray.npy")]
    np.testing.assert_array_equal(np.load(folder / "out" / "a.npy"), RECIPE(photo(0)))
    np.testing.assert_array_equal(np.load(folder / "out" / "gray.npy"), RECIPE(photo(1)[..., 0]))
    assert "batch.npy': an array of shape (1, 30, 40, 3) is not one image" in err
    assert "b.npz': not an image in a known format; give an image that Pillow reads (PNG, JPEG" in err
    assert "cut.npy': not an array of NumPy" in err


def test_warnings_are_one_line(command, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SizewiseWarning)
        padded = Preprocessor([Resize(Exact(20, 20)), Rescale(1.0), CenterCrop(24, 24)])
    padded.save(folder / "padded.json")
    code, _, err = command("preprocess", "show", folder / "padded.json")
    assert code == 0
    text = "the crop of 24x24 is larger than the resize before it (exact 20); the result is padded"
    assert err == f"warning: {text}\n"


def test_recipes_that_contradict_themselves(command, folder):
    steps = [{"step": "resize", "rule": {"rule": "exact", "height": 20, "width": 20}}]
    steps += [{"step": "crop_inside", "height": 24, "width": 24}]
    (folder / "bad.json").write_text(json.dumps({"sizewise_preprocessor": 1, "steps": steps}))
    code, out, err = command("preprocess", "show", folder / "bad.json")
    assert (code, out) == (2, "") and "can never take the 20x20" in err and "crop of 24x24" in err


def test_run_on_a_shard(command, folder):
    with tarfile.open(folder / "shard.tar", "w") as shard:
        for name in ("a.png", "more/b.png"):
            shard.add(folder / "images" / name, name.replace("more/", ""))
    code, _, _ = command("preprocess", "run", folder / "recipe.json", folder / "shard.tar", "-o", folder / "out")
    assert code == 0
    with tarfile.open(folder / "out" / "shard.tar") as shard:
        assert shard.getnames() == ["a.npy", "b.npy"]
        result = np.load(io.BytesIO(shard.extractfile("b.npy").read()))
    np.testing.assert_array_equal(result, RECIPE(photo(1)))


def test_run_warns_of_clipped_values(command, folder):
    Image.fromarray(photo(0)[..., 0].astype(np.uint16) * 257).save(folder / "deep.png")
    code, _, err = command("preprocess", "run", folder / "recipe.json", folder / "deep.png", "-o", folder / "out")
    assert code == 0 and "warning: an image of mode I;16 has values above 255, which become white" in err


def test_compare(command, folder):
    code, out, _ = command("preprocess", "compare", folder / "recipe.json", folder / "other.json")
    assert code == 1 and "they first differ at resize" in out and "set method=bicubic" in out
    assert command("preprocess", "compare", folder / "recipe.json", folder / "recipe.json")[0] == 0
    image = folder / "images" / "a.png"
    arguments = ("preprocess", "compare", folder / "recipe.json", folder / "other.json", "--image", image)
    code, out, _ = command(*arguments, "--tolerance", "9", "--json")
    facts = json.loads(out)
    assert code == 0 and facts["agrees"] and facts["first"] == "resize" and 0 < facts["difference"]["largest"] < 9


def test_golden(command, folder):
    vectors = folder / "golden"
    assert command("preprocess", "golden", folder / "recipe.json", vectors)[0] == 0
    record = json.loads((vectors / "manifest.json").read_text())
    assert golden.verify(vectors) == []
    first = record["images"][0]
    result = np.load(vectors / first["steps"][-1]["file"])
    np.testing.assert_array_equal(result, RECIPE(np.load(vectors / first["input"]["file"])))
    assert len(first["steps"]) == len(RECIPE.steps)
    np.save(vectors / first["steps"][0]["file"], np.zeros(3))
    assert golden.verify(vectors) == [first["steps"][0]["file"]]
    assert command("preprocess", "golden", folder / "recipe.json", folder / "images")[0] == 2
    Preprocessor([CropInside(400, 400)]).save(folder / "inside.json")
    code, _, err = command("preprocess", "golden", folder / "inside.json", folder / "inside")
    assert code == 2 and "smaller than the crop of 400x400" in err and not (folder / "inside").exists()


def test_card(command, folder):
    code, out, _ = command("preprocess", "card", folder / "recipe.json")
    assert code == 0 and out.startswith("# Input recipe: recipe\n")
    text = out.partition("```json\n")[2].partition("```")[0]
    assert Preprocessor.load(json.loads(text)) == RECIPE
    card = folder / "card.md"
    written = command("preprocess", "card", folder / "recipe.json", "-o", card)
    assert written == (0, f"{card}\n", f"Wrote {str(card)!r}\n")
    assert (folder / "card.md").read_text().strip() == out.strip()


def test_card_as_a_page(command, folder):
    recipe, page = folder / "recipe.json", folder / "card.html"
    code, out, err = command("preprocess", "card", recipe, "--html", page)
    assert (code, out, err) == (0, f"{page}\n", f"Wrote {str(page)!r}\n")
    text = page.read_text(encoding="utf-8")
    assert command("preprocess", "card", recipe, "-o", folder / "other.html")[0] == 0
    assert (folder / "other.html").read_text(encoding="utf-8") == text
    assert "<h1>Input recipe: recipe</h1>" in text and 'src="http' not in text
    assert text.count('<svg viewBox="0 0 360 190"') == 3
    code, out, _ = command("preprocess", "card", recipe, "--html", page, "-o", folder / "card.md")
    assert (code, out.splitlines()) == (0, [str(page), str(folder / "card.md")])
    assert (folder / "card.md").read_text().startswith("# Input recipe")
    code, _, err = command("preprocess", "card", recipe, "--html", page, "-o", folder / "other.html")
    assert code == 2 and "--out and --html are both pages" in err
    code, _, err = command("preprocess", "card", recipe, "-o", recipe)
    assert (code, err) == (2, f"sizewise: --out {str(recipe)!r} is CONFIG itself; give it another name\n")
    # The hash is that of the golden vectors.
    command("preprocess", "golden", recipe, folder / "golden")
    record = json.loads((folder / "golden" / "manifest.json").read_text())
    assert record["images"][0]["steps"][-1]["sha256"] in text


def test_the_card_of_a_recipe_that_refuses_images(command, folder):
    Preprocessor([CropInside(1200, 1200), Layout("CHW")]).save(folder / "inside.json")
    page = folder / "card.html"
    assert command("preprocess", "card", folder / "inside.json", "--html", page)[0] == 2
    Preprocessor([CropInside(400, 480), Layout("CHW")]).save(folder / "inside.json")
    assert command("preprocess", "card", folder / "inside.json", "--html", page)[0] == 0
    code, out, _ = command("preprocess", "card", folder / "inside.json")
    assert code == 0 and "| 480x640 | 400x480 |\n| 640x480 | 400x480 |" in out and "| 64x64 | refused |" in out
    text = page.read_text(encoding="utf-8")
    assert "A photo after each step" not in text and "golden vector" not in text and text.count("<svg") == 3


def test_bad_recipes(command, folder):
    (folder / "bad.json").write_text('{"sizewise_preprocessor": 1, "steps": [{"step": "resise"}]}')
    code, _, err = command("preprocess", "show", folder / "bad.json")
    assert code == 2 and "bad.json': unknown step: 'resise'; did you mean 'resize'" in err
    code, _, err = command("preprocess", "show", folder / "missing.json")
    assert code == 1 and "No such file" in err


def test_compare_an_image_with_nan(command, folder):
    image = np.full((16, 16, 3), 0.5, np.float32)
    image[:, :8], image[0, 12] = np.nan, np.inf
    np.save(folder / "nan.npy", image)
    for name, method in (("linear", "bilinear"), ("near", "nearest")):
        Preprocessor([Resize(Exact(32, 32), method)]).save(folder / f"{name}.json")
    for other, largest in (("linear", 0.0), ("near", None)):
        arguments = (folder / "linear.json", folder / f"{other}.json", "--image", folder / "nan.npy")
        code, out, _ = command("preprocess", "compare", *arguments, "--json")
        assert (code, json.loads(out)["difference"]["largest"]) == (int(largest is None), largest)
        verdict = command("preprocess", "compare", *arguments)[1].splitlines()[0]
        assert verdict.startswith("The recipes give the same" if largest == 0 else "The results differ by up to inf")


def test_compare_says_how_far_labels_are_apart(command, folder):
    for name, method in (("image.json", "bilinear"), ("mask.json", "nearest")):
        Preprocessor([Resize(Exact(100, 100), method, "torch", None if method == "nearest" else False)]).save(
            folder / name
        )
    code, out, _ = command("preprocess", "compare", folder / "image.json", folder / "mask.json")
    assert code == 1
    assert "Labels are up to 0.4" in out and "a mask or boxes of one do not fit" in " ".join(out.split())
    _, out, _ = command("preprocess", "compare", folder / "image.json", folder / "mask.json", "--json")
    assert 0.3 < json.loads(out)["label_distance"] < 0.5
    _, out, _ = command("preprocess", "compare", folder / "image.json", folder / "image.json")
    assert "Labels" not in out
