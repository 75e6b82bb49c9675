"""Entry of the pre-commit hook: one command on each of several model files."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

_MODEL = re.compile(r"\.(onnx|tflite|keras)$|(^|/)model\.json$")  # as in .pre-commit-hooks.yaml


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the command with its options, and the model files at the end of the arguments.

    >>> split_arguments(["audit", "--target", "tflite", "a.onnx", "b.tflite"])
    (['audit', '--target', 'tflite'], ['a.onnx', 'b.tflite'])
    """
    first = len(arguments)
    while first and _MODEL.search(arguments[first - 1]):
        first -= 1
    return list(arguments[:first]), list(arguments[first:])


def main(arguments: Sequence[str]) -> int:
    """Run the command on each file; return the highest exit code."""
    from .app import run

    command, files = split_arguments(arguments)
    if not files:
        given = arguments[-1] if arguments else "nothing"
        sys.stderr.write(f"{given} is no model file: they end in .onnx, .tflite, .keras or model.json\n")
        return 2
    return max(run([*command, "--", file]) for file in files)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
