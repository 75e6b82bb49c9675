"""Worker process for a framework that cannot share this one, or for another release in another environment.

Parent and worker exchange pickles: a function of this package and its arguments, and its result or error.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from .reference import Reference


class WorkerError(RuntimeError):
    """An error that a framework raised in its worker process."""


class _Worker:
    """A process that calls one function after another; it ends with this one."""

    def __init__(self, python: str) -> None:
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [python, "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the function's result; raise WorkerError for its errors."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None
        try:
            pickle.dump((function, arguments), requests)
            requests.flush()
            has_returned, value = pickle.load(answers)
        except (BrokenPipeError, EOFError):
            raise WorkerError(f"the process of {function.__module__} ended") from None
        if not has_returned:
            raise WorkerError(value)
        return value


@cache
def _worker(python: str) -> _Worker:
    return _Worker(python)


def run_in_subprocess(reference: Reference, python: str = sys.executable) -> Reference:
    """Return the same reference, with its framework called in a process of the given Python."""

    def forward(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: _worker(python).call(function, *arguments)

    gradient = None if reference.gradient is None else forward(reference.gradient)
    return replace(reference, resize=forward(reference.resize), gradient=gradient)


def serve() -> None:
    """Answer the requests on standard input, in the worker process, until it is closed."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output that the framework prints must not mix with the answers
    while True:
        try:
            function, arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = True, function(*arguments)
        except Exception as error:  # raised again in the parent
            answer = False, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()
