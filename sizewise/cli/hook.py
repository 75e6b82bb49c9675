"""Entry of the pre-commit hook: one command on each of several model files."""

from __future__ import annotations

import sys
from collections.abc import Sequence

ENDINGS = (".onnx", ".tflite", ".keras", "model.json")


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the command with its options, and the model files at the end of the arguments.

    >>> split_arguments(["audit", "--target", "tflite", "a.onnx", "b.tflite"])
    (['audit', '--target', 'tflite'], ['a.onnx', 'b.tflite'])
    """
    first = len(arguments)
    while first and arguments[first - 1].endswith(ENDINGS):
        first -= 1
    return list(arguments[:first]), list(arguments[first:])


def main(arguments: Sequence[str]) -> int:
    """Run the command on each file; return the highest exit code."""
    from .app import run

    command, files = split_arguments(arguments)
    return max((run([*command, file]) for file in files), default=0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
