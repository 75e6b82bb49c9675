"""Notebooks as pages: run by nbclient, at most once for the same sources, and written as Markdown with pictures."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "gallery"
RESULTS = ROOT / "build" / "notebooks"
MAX_SECONDS = 300


def paths() -> list[Path]:
    """Return the notebooks of the gallery."""
    return sorted(FOLDER.glob("*.ipynb"))


@cache
def sources() -> bytes:
    """Return a hash of everything that notebooks run: the library, its core, and the versions of packages."""
    files = [path for path in sorted((ROOT / "sizewise").rglob("*")) if path.suffix in (".py", ".so", ".html", ".css")]
    digest = hashlib.sha256()
    for path in [*files, ROOT / "constraints.txt"]:
        digest.update(path.read_bytes())
    return digest.digest()


def run(path: Path) -> nbformat.NotebookNode:
    """Run a notebook in a process that sees this clone, keep its outputs for `outputs`, and return it."""
    notebook = nbformat.read(path, as_version=4)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    resources = {"metadata": {"path": str(FOLDER)}}
    client = NotebookClient(notebook, timeout=MAX_SECONDS, kernel_name="python3", resources=resources)
    client.execute(env=environment, stderr=subprocess.DEVNULL)  # what frameworks log when they start
    kept = result_path(path)
    kept.parent.mkdir(parents=True, exist_ok=True)
    partial = kept.with_suffix(f".{os.getpid()}")
    nbformat.write(notebook, partial)
    partial.replace(kept)
    return notebook


def result_path(path: Path) -> Path:
    """Return where the outputs of a notebook are kept: another file for every other content or source."""
    key = hashlib.sha256(path.read_bytes() + sources()).hexdigest()[:16]
    return RESULTS / f"{path.stem}-{key}.ipynb"


def outputs(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with its outputs: those that are kept, if nothing that it runs has changed since."""
    kept = result_path(path)
    return nbformat.read(kept, as_version=4) if kept.exists() else run(path)


def all_outputs() -> dict[Path, nbformat.NotebookNode]:
    """Return every notebook with its outputs; as many as there are CPUs run at the same time."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(paths(), pool.map(outputs, paths()), strict=True))


def to_page(notebook: nbformat.NotebookNode, name: str) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as Markdown, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in joined(cell.outputs):
            data = output.get("data", {})
            if "image/png" in data:
                file = f"{name}-{len(pictures) + 1}.png"
                pictures[file] = base64.b64decode(data["image/png"])
                parts.append(f"![{alt(cell)}]({file}){{ .figure }}")
            elif "text/html" in data:
                html = re.sub(
                    r"\n\s*", " ", data["text/html"]
                ).strip()  # without empty lines, which end HTML in Markdown
                parts.append(f'<div class="output">{html}</div>')
            else:
                parts.append(f"```{{ .text .output }}\n{output.get('text') or data['text/plain']}\n```")
    return "\n\n".join(parts) + "\n", pictures


def joined(cell_outputs: Iterable[Any]) -> list[Any]:
    """Return the outputs of a cell with printed text in one piece, without what libraries write to stderr."""
    found: list[Any] = []
    for output in cell_outputs:
        if output.get("name") == "stderr":
            continue
        if found and output.get("name") == found[-1].get("name") == "stdout":
            found[-1]["text"] += output.text
        else:
            found.append(output)
    return found


def alt(cell: Any) -> str:
    """Return the description of a cell's picture: its metadata `alt`, which every cell with a picture has."""
    return str(cell.metadata["alt"])
