"""TF.js: tf.image.resize* of the CPU backend, in a node process that lives as long as ours.

It is installed where node finds @tensorflow/tfjs: from the folder that Sizewise is run in, or through NODE_PATH.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from typing import Any

import numpy as np

from ...dialects import Request
from ..child import ChildError
from ..reference import Array, Reference

_NAMES = {"bilinear": "resizeBilinear", "nearest": "resizeNearestNeighbor"}
# One question a line, one answer a line.
_SERVER = """
const tf = require('@tensorflow/tfjs');
const answer = ({ name, shape, values, size, corners, half }) =>
  tf.tidy(() => Array.from(tf.image[name](tf.tensor(values, shape), size, corners, half).dataSync()));
tf.setBackend('cpu').then(() => require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let said;
  try { said = answer(JSON.parse(line)); } catch (error) { said = { error: error.message }; }
  process.stdout.write(JSON.stringify(said) + '\\n');
}));
"""


@cache
def _version() -> str | None:
    """The release that node finds, or None."""
    node = shutil.which("node")
    if node is None:
        return None
    asked = "process.stdout.write(require('@tensorflow/tfjs/package.json').version)"
    done = subprocess.run([node, "-e", asked], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@cache
def _server() -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(["node", "-e", _SERVER], text=True, **pipes)


def _resize(x: Array, request: Request) -> Array:
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    asked = {
        "name": _NAMES[request.method],
        "shape": [1, *x.shape],
        "values": x.ravel().tolist(),
        "size": request.output_size,
        "corners": request.option("align_corners"),
        "half": request.option("half_pixel_centers"),
    }
    server.stdin.write(json.dumps(asked) + "\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline() or '{"error": "the process of TF.js ended"}')
    if isinstance(answer, dict):
        raise ChildError(answer["error"])
    return np.array(answer, np.float32).reshape(*request.output_size, x.shape[2])


REFERENCES = (
    Reference(
        dialect="tfjs",
        module="",
        package="@tensorflow/tfjs",
        resize=_resize,
        # Both sum in float64 and round once, but in another order. Gradients: docs/explanation/framework-faults.md.
        ulp={"nearest": 0, "bilinear": 1},
        version=_version,
    ),
)
