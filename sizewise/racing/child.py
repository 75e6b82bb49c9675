"""A peer in a process of its own: another Python environment, or another language, timed there and asked from here.

The two talk in lines of JSON. A request is {"call": "enter" | "lap" | "result", ...}; an answer is an object, with
"error" where something went wrong. `python -m sizewise.racing.child NAME` answers for the peer of that name.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import SizewiseError
from .cases import Array, Case
from .entrant import Entrant
from .peers import Peer, calm, load

Request = Mapping[str, Any]


class Child:
    """A process that answers requests, one line each."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **(environment or {})},
        )

    def ask(self, call: str, **words: Any) -> dict[str, Any]:
        """The answer to one request."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        with suppress(BrokenPipeError):
            stdin.write(json.dumps({"call": call, **words}) + "\n")
            stdin.flush()
        line = stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the process ended"}
        if "error" in answer:
            raise SizewiseError(f"a peer in a process of its own failed: {answer['error']}")
        return answer

    def lap(self) -> float:
        """The seconds of one run, as the process itself measured them."""
        return float(self.ask("lap")["seconds"])

    def result(self) -> Array:
        """The pixels."""
        return unpacked(self.ask("result"))

    def close(self) -> None:
        """Ends the process."""
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        self.process.wait(timeout=60)


def peer(python: str, name: str) -> tuple[Peer, Child]:
    """The peer of that file, in the environment of another Python, and the process it lives in."""
    root = str(Path(__file__).parents[2])
    child = Child([python, "-m", "sizewise.racing.child", name], {"PYTHONPATH": root})
    known = child.ask("version")

    def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
        answer = child.ask("enter", case=asdict(case), threads=threads)
        if not answer["entered"]:
            return []
        return [Entrant(known["name"], child.lap, child.result, answer["same"], answer["tolerance"])]

    return Peer(known["name"], known["version"], enter), child


def packed(array: Array) -> dict[str, Any]:
    """An array as JSON can hold it.

    >>> unpacked(packed(np.array([[1, 2]], np.uint8)))
    array([[1, 2]], dtype=uint8)
    """
    numbers = base64.b64encode(array.tobytes()).decode()
    return {"shape": list(array.shape), "dtype": str(array.dtype), "numbers": numbers}


def unpacked(answer: Request) -> Array:
    """The array that `packed` made JSON of."""
    return np.frombuffer(base64.b64decode(answer["numbers"]), answer["dtype"]).reshape(answer["shape"])


class _Here:
    """The other side: one peer, and its entrant in the case that was asked for last."""

    def __init__(self, name: str) -> None:
        calm()
        self.peer = load(name)
        self.entrant: Entrant | None = None

    def version(self, request: Request) -> dict[str, Any]:
        return {"name": self.peer.name, "version": self.peer.version}

    def enter(self, request: Request) -> dict[str, Any]:
        words: dict[str, Any] = dict(request["case"])
        case = Case(**{**words, "shape": tuple(words["shape"]), "size": tuple(words["size"])})
        # First with memory that nobody has touched: random numbers are made only where they are wanted.
        if not self.peer.enter(case, np.zeros(case.source_shape, case.dtype), request["threads"]):
            return {"entered": False}
        self.entrant = self.peer.enter(case, case.source(), request["threads"])[0]
        return {"entered": True, "same": self.entrant.same, "tolerance": self.entrant.tolerance}

    def lap(self, request: Request) -> dict[str, Any]:
        assert self.entrant is not None
        return {"seconds": self.entrant.lap()}

    def result(self, request: Request) -> dict[str, Any]:
        assert self.entrant is not None
        return packed(self.entrant.result())


def serve(name: str, requests: IO[str], answers: IO[str]) -> None:
    """Answers one request per line for the peer of that name, until there are no more."""
    here: _Here | None = None
    for line in requests:
        request = json.loads(line)
        try:
            here = here or _Here(name)
            calls: dict[str, Callable[[Request], dict[str, Any]]] = {
                "version": here.version,
                "enter": here.enter,
                "lap": here.lap,
                "result": here.result,
            }
            answer = calls[request["call"]](request)
        except Exception as error:  # told to whoever asked
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin, sys.stdout)
