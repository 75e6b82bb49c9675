"""Faults of frameworks, one file per framework: code to paste, which is run here, and the correct result."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import sizewise as sw

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "compat"))

import tfjs_node

NAMES = {
    "tfjs": "TF.js",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "onnx": "ONNX reference evaluator",
    "onnxruntime": "ONNX Runtime",
    "jax": "JAX",
    "PIL": "Pillow",
    "openvino": "OpenVINO",
    "MNN": "MNN",
}
FILES = ("tfjs", "pytorch", "tensorflow", "onnx", "jax", "pillow", "openvino", "mnn")
TIMEOUT_SECONDS = 5  # of a call that should return at once

Answer = np.ndarray | str  # text if the framework returns no array


@dataclass(frozen=True)
class Fault:
    """A call with a wrong result in a framework.

    `call` is the code, in JavaScript for TF.js and in Python for all others; its last line is the result. `right`
    computes the correct result without the faulty code; `ours` is the same resize in Sizewise.
    """

    framework: str
    kind: str  # gradient or forward
    title: str
    why: str
    call: str
    right: Callable[[], np.ndarray]
    ours: str
    endless: bool = False


@dataclass(frozen=True)
class Facts:
    """The results of a fault: of the framework, the correct one, and of Sizewise."""

    fault: Fault
    version: str
    theirs: Answer
    right: np.ndarray
    ours: np.ndarray

    @property
    def exists(self) -> bool:
        """Whether the result of the framework is wrong."""
        return not is_close(self.theirs, self.right)

    @property
    def is_ours_right(self) -> bool:
        return is_close(self.ours, self.right)


def every() -> list[Fault]:
    """Return all faults, in the order of the page."""
    return [fault for file in FILES for fault in importlib.import_module(f"{__name__}.{file}").FAULTS]


def gather(fault: Fault) -> Facts:
    """Run a fault in its framework and in Sizewise."""
    ours = np.squeeze(run("sizewise", fault.ours))
    return Facts(fault, version(fault.framework), answer(fault), fault.right(), ours)


def answer(fault: Fault) -> Answer:
    """Return the framework's result of a fault."""
    return reply(fault.framework, fault.call, TIMEOUT_SECONDS if fault.endless else 60)


def reply(framework: str, code: str, timeout: float = 60) -> Answer:
    """Return the array that a framework computes, or a text about what it does instead."""
    try:
        return np.squeeze(run(framework, code, timeout))
    except NothingError:
        return "None"
    except subprocess.TimeoutExpired as expired:
        return f"nothing: stopped after {expired.timeout} s"
    except tfjs_node.ThrownError as thrown:
        return f"throws: {str(thrown).rstrip('.')}"
    except Exception as error:
        return f"raises {type(error).__name__}: {first_line(str(error))}"


def first_line(message: str) -> str:
    """Return the first line of a message, without the names of TensorFlow's graph."""
    return re.sub(r"\{\{.*?\}\} ?| \[Op:.*", "", message.strip().splitlines()[0]).rstrip(".")


def run(framework: str, code: str, timeout: float = 60) -> np.ndarray:
    """Run the code; return the value of its last line."""
    if framework == "tfjs":
        [value] = tfjs_node.run([{"call": "evaluate", "code": code}], timeout=timeout)
        return tfjs_node.to_array(value)
    *lines, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last line must be an expression: {ast.unparse(last)}")
    names: dict[str, Any] = {"np": np, "sw": sw}
    exec(compile(ast.Module(lines, []), "<fault>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<fault>", "eval"), names)
    if value is None:
        raise NothingError
    return np.asarray(value)


class NothingError(Exception):
    """Raised if the last line is None."""


def is_close(given: Answer, right: np.ndarray) -> bool:
    """Return whether a result is correct up to rounding; if it has several rows and `right` one, all must be equal."""
    if not isinstance(given, np.ndarray):
        return False
    relative = 2e-3 if given.dtype == np.float16 else 1e-5
    return np.allclose(given.astype(np.float64), right, rtol=relative, atol=1e-6)


@cache
def version(framework: str) -> str:
    """Return the installed version of a framework."""
    if framework == "tfjs":
        return str(tfjs_node.run([{"call": "version"}])[0]["tfjs"])
    module = importlib.import_module(framework)
    told = module.version() if framework == "MNN" else module.__version__
    return re.split(r"[+-]", told)[0]


def missing(framework: str) -> str | None:
    """Return why a framework cannot run here, in one line, or None."""
    if framework == "tfjs":
        return tfjs_node.missing()
    return None if importlib.util.find_spec(framework) else f"{framework} is not installed; its faults need it"
