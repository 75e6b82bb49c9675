"""Functions of data engines: errors of rows, and names; tests/scale runs the engines themselves."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sizewise as sw
from sizewise.errors import FileError, UnknownNameError
from sizewise.preprocess import Exact, Rescale, Resize, engines

PRE = sw.Preprocessor([Resize(Exact(4, 4)), Rescale(1 / 255)])
IMAGE = np.arange(8 * 8 * 3, dtype=np.uint8).reshape(8, 8, 3)


@pytest.mark.parametrize("engine", ["ray", "datasets"])
def test_errors_of_rows_are_returned(engine: str) -> None:
    cells = np.empty(3, object)
    cells[:] = [IMAGE, b"broken", {"bytes": None, "path": "missing.png"}]
    function = pickle.loads(pickle.dumps(engines.make_function(engine, PRE, on_error="return")))
    found = function({"image": cells})
    np.testing.assert_array_equal(found["pixel_values"][0], PRE(IMAGE))
    assert [one is None for one in found["pixel_values"]] == [False, True, True]
    assert [one is None for one in found["pixel_values_error"]] == [True, False, False]
    with pytest.raises(FileError, match="cannot decode"):
        engines.make_function(engine, PRE)({"image": cells})


def test_errors_of_items_are_returned() -> None:
    item = engines.make_function("dask", PRE, on_error="return")(b"broken")
    assert item["pixel_values"] is None
    assert "cannot decode" in item["pixel_values_error"]


def test_samples_with_results_and_errors_can_be_written(tmp_path: Path) -> None:
    webdataset = pytest.importorskip("webdataset")
    function = engines.make_function("webdataset", PRE, on_error="return")
    with webdataset.TarWriter(str(tmp_path / "a.tar")) as tar:
        for key, data in (("good", png(IMAGE)), ("bad", b"broken")):
            tar.write(function({"__key__": key, "png": data, "cls": 7}))
    good, bad = webdataset.WebDataset(str(tmp_path / "a.tar"), shardshuffle=False).decode()
    np.testing.assert_array_equal(good["pixel_values.npy"], PRE(IMAGE))
    assert "error.txt" not in good and "pixel_values.npy" not in bad
    assert "cannot decode" in bad["error.txt"] and bad["cls"] == good["cls"] == 7


def png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def test_control_another_recipe_differs() -> None:
    other = sw.Preprocessor([Resize(Exact(4, 4), "nearest"), Rescale(1 / 255)])
    assert not np.array_equal(engines.make_function("dask", other)(IMAGE), PRE(IMAGE))


def test_unknown_engines_are_rejected() -> None:
    with pytest.raises(UnknownNameError, match="unknown engine: 'spark'"):
        engines.make_function("spark", PRE)
    with pytest.raises(UnknownNameError, match="known: dask, ray"):
        engines.run_files(PRE, [], "daft")
