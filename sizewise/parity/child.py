"""A framework in a process of its own: one that cannot share ours, or another release in another environment.

The two talk in pickles: a function of this package and its arguments there, what it returned or raised back.
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


class ChildError(RuntimeError):
    """What a framework raised in a process of its own, in words."""


class _Child:
    """A process that calls functions, one after the other, as long as ours lives."""

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
        """What the function returns there."""
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None and answers is not None
        try:
            pickle.dump((function, arguments), questions)
            questions.flush()
            returned, value = pickle.load(answers)
        except (BrokenPipeError, EOFError):
            raise ChildError(f"the process of {function.__module__} ended") from None
        if not returned:
            raise ChildError(value)
        return value


@cache
def _child(python: str) -> _Child:
    return _Child(python)


def elsewhere(reference: Reference, python: str = sys.executable) -> Reference:
    """The same framework, called in a process of its own, by the Python of any environment.

    >>> from .reference import of
    >>> elsewhere(of("torch"), "python3").package
    'torch'
    """

    def there(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: _child(python).call(function, *arguments)

    gradient = None if reference.gradient is None else there(reference.gradient)
    return replace(reference, resize=there(reference.resize), gradient=gradient)


def serve() -> None:
    """The other side: answers on standard output what is asked on standard input, until nobody asks any more."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the framework itself prints is no answer
    while True:
        try:
            function, arguments = pickle.load(questions)
        except EOFError:
            return
        try:
            answer = True, function(*arguments)
        except Exception as error:  # told to whoever asked
            answer = False, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()
