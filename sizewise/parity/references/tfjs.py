"""TF.js: tf.image.resize* of the CPU backend, in a node process that ends with this one.

Node must find @tensorflow/tfjs: from the current folder, or through NODE_PATH.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference
from ..subprocess_worker import WorkerError

_NAMES = {"bilinear": "resizeBilinear", "nearest": "resizeNearestNeighbor"}
# One request per line, one answer per line.
_SERVER = """
const tf = require('@tensorflow/tfjs');
const answer = ({ name, shape, values, size, corners, half }) =>
  tf.tidy(() => Array.from(tf.image[name](tf.tensor(values, shape), size, corners, half).dataSync()));
tf.setBackend('cpu').then(() => require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let result;
  try { result = answer(JSON.parse(line)); } catch (error) { result = { error: error.message }; }
  process.stdout.write(JSON.stringify(result) + '\\n');
}));
"""


@cache
def _version() -> str | None:
    """Return the release that node finds, or None."""
    node = shutil.which("node")
    if node is None:
        return None
    code = "process.stdout.write(require('@tensorflow/tfjs/package.json').version)"
    done = subprocess.run([node, "-e", code], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@cache
def _server() -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(["node", "-e", _SERVER], text=True, **pipes)


def _resize(x: Array, request: Request) -> Array:
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    request_line = {
        "name": _NAMES[request.method],
        "shape": [1, *x.shape],
        "values": x.ravel().tolist(),
        "size": request.output_size,
        "corners": request.option("align_corners"),
        "half": request.option("half_pixel_centers"),
    }
    server.stdin.write(json.dumps(request_line) + "\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline() or '{"error": "the process of TF.js ended"}')
    if isinstance(answer, dict):
        raise WorkerError(answer["error"])
    return np.array(answer, np.float32).reshape(*request.output_size, x.shape[2])


REFERENCES = (Reference("tfjs", "", _resize, version=_version),)
