"""The notebooks of docs/gallery: they run, and are kept without outputs, so that none can be out of date."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import notebooks  # noqa: E402

PATHS = notebooks.paths()


def pictures_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the cells that show a picture."""
    return [
        cell
        for cell in notebook.cells
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", ()))
    ]


def test_there_are_five() -> None:
    assert len(PATHS) >= 5


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("# ")
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_runs_and_says_what_it_shows(path: Path) -> None:
    notebook = notebooks.run(path)
    printed = [output.text for cell in notebook.cells for output in cell.get("outputs", ()) if output.get("text")]
    assert ": False" not in "".join(printed)  # claims are printed as ": True"
    cells = pictures_of(notebook)
    assert cells
    assert all(len(notebooks.alt(cell)) > 20 for cell in cells)
    text, pictures = notebooks.to_page(notebook, path.stem)
    assert len(pictures) == len(cells) and all(f"({name})" in text for name in pictures)
    assert max(map(len, pictures.values())) < 1_000_000


def test_control_other_sources_make_the_outputs_old(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(PATHS[0].read_bytes())
    before = notebooks.result_path(path)
    path.write_bytes(path.read_bytes() + b" ")
    assert notebooks.result_path(path) != before
