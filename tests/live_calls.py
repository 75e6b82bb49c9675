"""Printed calls, run in the real frameworks: an image of float32 with channels last in, and out.

Run as a script it is the process that Paddle has for itself, which does not bear TensorFlow beside it.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

NODE = Path(__file__).resolve().parent / "node"
_SERVER = """
const tf = require('@tensorflow/tfjs');
const answer = ({ call, shape, values }) => tf.tidy(() => {
  const y = new Function('tf', 'x', 'return ' + call)(tf, tf.tensor(values, shape));
  return { shape: y.shape, values: Array.from(y.dataSync()) };
});
tf.setBackend('cpu').then(() => require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let said;
  try { said = answer(JSON.parse(line)); } catch (error) { said = { error: error.message }; }
  process.stdout.write(JSON.stringify(said) + '\\n');
}));
"""


def _torch(call: str, x: np.ndarray) -> np.ndarray:
    import torch
    from torch import nn

    names = {"F": torch.nn.functional, "nn": nn, "torch": torch, "x": torch.from_numpy(x).permute(2, 0, 1)[None]}
    return eval(call, names)[0].permute(1, 2, 0).numpy()


def _cv2(call: str, x: np.ndarray) -> np.ndarray:
    import cv2

    cv2.ipp.setUseIPP(False)
    cv2.setNumThreads(1)
    y = eval(call, {"cv2": cv2, "x": x})
    return y.reshape(*y.shape[:2], x.shape[2])


def _pillow(call: str, x: np.ndarray) -> np.ndarray:
    from PIL import Image

    bands = [Image.fromarray(np.ascontiguousarray(x[:, :, band])) for band in range(x.shape[2])]
    return np.stack([np.asarray(eval(call, {"Image": Image, "x": band})) for band in bands], axis=2)


def _tensorflow(call: str, x: np.ndarray) -> np.ndarray:
    import tensorflow as tf

    names = {"tf": tf, "keras": tf.keras, "x": tf.constant(x[None])}
    return eval(call, names).numpy()[0]


def _jax(call: str, x: np.ndarray) -> np.ndarray:
    import jax
    import jax.numpy as jnp

    return np.asarray(eval(call, {"jax": jax, "jnp": jnp, "x": jnp.asarray(x)}))


def _onnx(call: str, x: np.ndarray) -> np.ndarray:
    return eval(call, {"Resize": _node(_onnxruntime), "x": x.transpose(2, 0, 1)[None]})[0].transpose(1, 2, 0)


def _onnx_reference(call: str, x: np.ndarray) -> np.ndarray:
    return eval(call, {"Resize": _node(_evaluator), "x": x.transpose(2, 0, 1)[None]})[0].transpose(1, 2, 0)


def _node(runtime: Callable[[Any], Any]) -> Callable[..., np.ndarray]:
    """Resize as a function: a model of that one node, made with onnx.helper, and run."""

    def resize(X: Any, roi: Any = None, scales: Any = None, sizes: Any = None, **attributes: Any) -> np.ndarray:
        from onnx import TensorProto, helper

        inputs = {"X": np.ascontiguousarray(X)}
        for name, given, dtype in (("roi", roi, "f4"), ("scales", scales, "f4"), ("sizes", sizes, "i8")):
            if given is not None:
                inputs[name] = np.array(given, dtype)
        names = [name if name in inputs else "" for name in ("X", "roi", "scales", "sizes")]
        node = helper.make_node("Resize", names, ["Y"], **attributes)
        infos = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in inputs.items()
        ]
        out = helper.make_tensor_value_info("Y", TensorProto.FLOAT, [None] * 4)
        model = helper.make_model(
            helper.make_graph([node], "g", infos, [out]), opset_imports=[helper.make_opsetid("", 19)], ir_version=9
        )
        return runtime(model).run(None, inputs)[0]

    return resize


def _onnxruntime(model: Any) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _evaluator(model: Any) -> Any:
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(model)


def _skimage(call: str, x: np.ndarray) -> np.ndarray:
    import skimage.transform

    return eval(call, {"skimage": skimage, "x": x})


def _sizewise(call: str, x: np.ndarray) -> np.ndarray:
    import sizewise as sw

    return eval(call, {"sw": sw, "x": x})


def missing() -> str | None:
    """Return why TF.js cannot run here, in one line, or None."""
    if shutil.which("node") is None:
        return "node is not installed"
    there = (NODE / "node_modules" / "@tensorflow" / "tfjs").is_dir() or "NODE_PATH" in os.environ
    return None if there else "TF.js is not installed; run `npm install` in tests/node"


@cache
def _server() -> subprocess.Popen[str]:
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(["node", "-e", _SERVER], text=True, cwd=NODE, **pipes)


def _tfjs(call: str, x: np.ndarray) -> np.ndarray:
    server = _server()
    asked = {"call": call, "shape": [1, *x.shape], "values": x.ravel().tolist()}
    server.stdin.write(json.dumps(asked) + "\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline() or '{"error": "node ended: is TF.js installed in tests/node?"}')
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return np.array(answer["values"], np.float32).reshape(answer["shape"])[0]


@cache
def _paddle_process() -> subprocess.Popen[bytes]:
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, __file__], **pipes)


def _paddle(call: str, x: np.ndarray) -> np.ndarray:
    process = _paddle_process()
    pickle.dump((call, x), process.stdin)
    process.stdin.flush()
    answer = pickle.load(process.stdout)
    if isinstance(answer, str):
        raise RuntimeError(answer)
    return answer


def _serve() -> None:
    """Answers with the results of Paddle's calls, as long as there are any."""
    import paddle

    answers = sys.stdout.buffer
    while True:
        try:
            call, x = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            y = eval(call, {"paddle": paddle, "x": paddle.to_tensor(x.transpose(2, 0, 1)[None].copy())})
            answer: Any = y.numpy()[0].transpose(1, 2, 0)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


RUNNERS: dict[str, Callable[[str, np.ndarray], np.ndarray]] = {
    "torch": _torch,
    "cv2": _cv2,
    "pillow": _pillow,
    "tf": _tensorflow,
    "tf1": _tensorflow,
    "keras": _tensorflow,
    "jax": _jax,
    "onnx": _onnx,
    "onnx-reference": _onnx_reference,
    "tfjs": _tfjs,
    "skimage": _skimage,
    "paddle": _paddle,
    "sizewise": _sizewise,
}


def image(size: tuple[int, ...]) -> np.ndarray:
    """Seeded noise from 0 to 1."""
    return np.random.default_rng(list(size)).random((*size, 3)).astype(np.float32)


@cache
def run(target: str, call: str, size: tuple[int, ...]) -> np.ndarray:
    """Return the result of a printed call on noise of that size."""
    return RUNNERS[target](call, image(size))


if __name__ == "__main__":
    _serve()
