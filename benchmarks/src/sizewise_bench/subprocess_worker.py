"""Peers in worker processes: another Python environment or another language, timed there.

Parent and worker exchange lines of JSON. A request is {"call": "version" | "enter" | "time_once" | "result", ...}; an
answer is an object, with "error" for a failure. `python -m sizewise_bench.subprocess_worker NAME` serves that peer.
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

import sizewise
from sizewise.errors import SizewiseError

from .cases import Array, Case
from .contender import Contender
from .peers import Peer, load, quiet_frameworks

Request = Mapping[str, Any]


class Worker:
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

    def ask(self, call: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer to one request; raise SizewiseError for a failure."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        with suppress(BrokenPipeError):
            stdin.write(json.dumps({"call": call, **arguments}) + "\n")
            stdin.flush()
        line = stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the process ended"}
        if "error" in answer:
            raise SizewiseError(f"a peer in a worker process failed: {answer['error']}")
        return answer

    def time_once(self) -> float:
        """Return the seconds of one run, measured by the worker."""
        return float(self.ask("time_once")["seconds"])

    def result(self) -> Array:
        """Return the pixels."""
        return decode_array(self.ask("result"))

    def close(self) -> None:
        """End the process."""
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        self.process.wait(timeout=60)


def start_peer(python: str, name: str) -> tuple[Peer, Worker]:
    """Return the peer of that file in another Python environment, and its worker process."""
    roots = [str(Path(file).parents[1]) for file in (sizewise.__file__, __file__)]
    environment = {"PYTHONPATH": os.pathsep.join(roots)}
    worker = Worker([python, "-m", f"{__package__}.subprocess_worker", name], environment)
    try:
        about = worker.ask("version")
    except SizewiseError:
        worker.close()
        raise

    def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
        answer = worker.ask("enter", case=asdict(case), threads=threads)
        if not answer["entered"]:
            return []
        return [Contender(about["name"], worker.time_once, worker.result, answer["same_pixels"], answer["tolerance"])]

    return Peer(about["name"], about["version"], contenders), worker


def encode_array(array: Array) -> dict[str, Any]:
    """Return an array as JSON values.

    >>> decode_array(encode_array(np.array([[1, 2]], np.uint8)))
    array([[1, 2]], dtype=uint8)
    """
    elements = base64.b64encode(array.tobytes()).decode()
    return {"shape": list(array.shape), "dtype": str(array.dtype), "elements": elements}


def decode_array(answer: Request) -> Array:
    """Return the array that `encode_array` encoded."""
    return np.frombuffer(base64.b64decode(answer["elements"]), answer["dtype"]).reshape(answer["shape"])


class _Service:
    """The worker's side: one peer, and its contender in the current case."""

    def __init__(self, name: str) -> None:
        quiet_frameworks()
        self.peer = load(name)
        self.contender: Contender | None = None

    def version(self, request: Request) -> dict[str, Any]:
        return {"name": self.peer.name, "version": self.peer.version}

    def enter(self, request: Request) -> dict[str, Any]:
        fields: dict[str, Any] = dict(request["case"])
        case = Case(**{**fields, "shape": tuple(fields["shape"]), "size": tuple(fields["size"])})
        # Zeros first, which cost no time: random values are generated only for a case that the peer supports.
        if not self.peer.contenders(case, np.zeros(case.source_shape, case.dtype), request["threads"]):
            return {"entered": False}
        self.contender = self.peer.contenders(case, case.source(), request["threads"])[0]
        return {"entered": True, "same_pixels": self.contender.same_pixels, "tolerance": self.contender.tolerance}

    def time_once(self, request: Request) -> dict[str, Any]:
        assert self.contender is not None
        return {"seconds": self.contender.time_once()}

    def result(self, request: Request) -> dict[str, Any]:
        assert self.contender is not None
        return encode_array(self.contender.result())


def serve(name: str, requests: IO[str], answers: IO[str]) -> None:
    """Answer one request per line for the peer of that name, until the input ends."""
    service: _Service | None = None
    for line in requests:
        request = json.loads(line)
        try:
            service = service or _Service(name)
            calls: dict[str, Callable[[Request], dict[str, Any]]] = {
                "version": service.version,
                "enter": service.enter,
                "time_once": service.time_once,
                "result": service.result,
            }
            answer = calls[request["call"]](request)
        except Exception as error:  # raised again in the parent
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin, sys.stdout)
