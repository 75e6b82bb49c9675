"""The mark by which TensorFlow's AutoGraph leaves functions and classes unconverted."""

from __future__ import annotations

from typing import TypeVar

Marked = TypeVar("Marked")


def do_not_convert(marked: Marked) -> Marked:
    """Return the same function or class, marked so that AutoGraph runs it unconverted.

    Without the mark a tf.function begins by reading and rewriting our source, which takes seconds. It is the mark of
    tf.autograph.experimental.do_not_convert, which cannot be called where TensorFlow is not loaded.
    """
    marked.autograph_info__ = None  # type: ignore[attr-defined]
    return marked
