"""Faults of frameworks, one file per framework: code that a reader can paste, run here, and what it should return."""

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
PATIENCE = 5  # seconds given to a call that should take none

Answer = np.ndarray | str  # a sentence where there are no numbers


@dataclass(frozen=True)
class Fault:
    """A call that a framework answers wrongly.

    `call` is the code, in JavaScript for TF.js and in Python for all others: what its last line gives is the answer.
    `right` computes what that should be, without what is at fault; `ours` is the code that asks Sizewise the same.
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
    """What each side says to a fault."""

    fault: Fault
    version: str
    theirs: Answer
    right: np.ndarray
    ours: np.ndarray

    @property
    def exists(self) -> bool:
        """Whether the framework's answer is wrong."""
        return not is_close(self.theirs, self.right)

    @property
    def is_ours_right(self) -> bool:
        return is_close(self.ours, self.right)


def every() -> list[Fault]:
    """All faults, in the order of the page."""
    return [fault for file in FILES for fault in importlib.import_module(f"{__name__}.{file}").FAULTS]


def gather(fault: Fault) -> Facts:
    """The fault run now, in its framework and in Sizewise."""
    ours = np.squeeze(run("sizewise", fault.ours))
    return Facts(fault, version(fault.framework), answer(fault), fault.right(), ours)


def answer(fault: Fault) -> Answer:
    """What the framework says to a fault."""
    return said(fault.framework, fault.call, PATIENCE if fault.endless else 60)


def said(framework: str, code: str, timeout: float = 60) -> Answer:
    """What a framework says: numbers, or in words what it does instead."""
    try:
        return np.squeeze(run(framework, code, timeout))
    except NothingError:
        return "None"
    except subprocess.TimeoutExpired as expired:
        return f"nothing: stopped after {expired.timeout} s"
    except tfjs_node.ThrownError as thrown:
        return f"throws: {str(thrown).rstrip('.')}"
    except Exception as error:
        return f"raises {type(error).__name__}: {plain(str(error))}"


def plain(message: str) -> str:
    """The first line of a message, without the names of TensorFlow's graph."""
    return re.sub(r"\{\{.*?\}\} ?| \[Op:.*", "", message.strip().splitlines()[0]).rstrip(".")


def run(framework: str, code: str, timeout: float = 60) -> np.ndarray:
    """The numbers that the last line of the code gives."""
    if framework == "tfjs":
        [said] = tfjs_node.run([{"call": "evaluate", "code": code}], timeout=timeout)
        return tfjs_node.to_array(said)
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
    """The last line gave None."""


def is_close(given: Answer, right: np.ndarray) -> bool:
    """Whether an answer is right but for rounding; where it holds several rows and `right` one, all must be that."""
    if not isinstance(given, np.ndarray):
        return False
    relative = 2e-3 if given.dtype == np.float16 else 1e-5
    return np.allclose(given.astype(np.float64), right, rtol=relative, atol=1e-6)


@cache
def version(framework: str) -> str:
    """The version of a framework that is installed here."""
    if framework == "tfjs":
        return str(tfjs_node.run([{"call": "version"}])[0]["tfjs"])
    module = importlib.import_module(framework)
    told = module.version() if framework == "MNN" else module.__version__
    return re.split(r"[+-]", told)[0]


def missing(framework: str) -> str | None:
    """What keeps a framework from being run here, in one line, or None."""
    if framework == "tfjs":
        return tfjs_node.missing()
    return None if importlib.util.find_spec(framework) else f"{framework} is not installed; its faults need it"
