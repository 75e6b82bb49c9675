"""Runs the real TF.js in node: a list of requests in, their answers out, in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "node"


class ThrownError(RuntimeError):
    """TF.js threw this."""


def missing() -> str | None:
    """Return why TF.js cannot be run here, in one line, or None if it can."""
    if shutil.which("node") is None:
        return "node is not installed; the live comparison with TF.js needs it (the golden files still run)"
    if not (FOLDER / "node_modules" / "@tensorflow" / "tfjs").is_dir():
        return "TF.js is not installed; run `npm install` in tests/node to compare with it (the golden files still run)"
    return None


def run(requests: list[dict], *, timeout: float = 300) -> list[dict]:
    """Return the answers to the requests (see tests/node/run.js), after at most `timeout` seconds."""
    process = subprocess.run(
        ["node", "run.js"], cwd=FOLDER, input=json.dumps(requests), capture_output=True, text=True, timeout=timeout
    )
    if process.returncode:
        raise RuntimeError(f"node failed: {process.stderr.strip()}")
    return json.loads(process.stdout)


def to_tensor(array: np.ndarray) -> dict:
    """An array as run.js reads it."""
    dtype = "int32" if array.dtype.kind == "i" else "float32"
    return {"shape": list(array.shape), "dtype": dtype, "values": array.ravel().tolist()}


def to_array(answer: dict) -> np.ndarray:
    """An answer of run.js as an array; a null is a NaN."""
    if "error" in answer:
        raise ThrownError(answer["error"])
    return np.array(answer["values"], np.dtype(answer["dtype"])).reshape(answer["shape"])
