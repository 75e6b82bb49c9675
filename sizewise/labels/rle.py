"""Run lengths of masks, as COCO stores them: down each column, beginning with a run of zeros."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, short_repr
from ..memory_limits import require_memory

_MAX_COUNT = 2**31  # pixels of a mask


def decode(counts: object, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the mask of run lengths, which are a list, or text in COCO's compression.

    >>> decode([2, 1, 1], (2, 2)).astype(int).tolist()
    [[0, 1], [0, 0]]
    >>> bool((decode("211", (2, 2)) == decode([2, 1, 1], (2, 2))).all())
    True
    """
    if isinstance(counts, str):
        counts = expand(counts)
    if not isinstance(counts, list) or not all(isinstance(n, int) and 0 <= n < _MAX_COUNT for n in counts):
        raise FileError(f"its counts are {short_repr(counts)}; they must be a list of integers from 0, or their text")
    if sum(counts) != size[0] * size[1]:
        raise FileError(f"its counts sum to {sum(counts):,}; a mask of {size[0]}x{size[1]} has {size[0] * size[1]:,}")
    require_memory(4 * size[0] * size[1], "a mask of {}x{}, mapped to another,", *size)
    values = np.arange(len(counts)) % 2 == 1
    return np.repeat(values, counts).reshape(size, order="F")


def encode(mask: NDArray[np.bool_]) -> list[int]:
    """Return the run lengths of a mask.

    >>> encode(np.array([[0, 1], [0, 0]], bool))
    [2, 1, 1]
    """
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    ends = np.concatenate([[0], changes, [flat.size]])
    counts: list[int] = np.diff(ends).tolist()
    return [0, *counts] if flat.size and flat[0] else counts


def expand(text: str) -> list[int]:
    """Return the run lengths in COCO's compression.

    Each character holds five bits, the lowest first, and whether more follow; from the fourth on, a run length is
    stored as the difference from the one two before it.
    """
    counts: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64 or shift > 35:
            raise FileError(f"its counts contain {character!r}, which is not in COCO's compression")
        value |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        value -= (bits & 16) << shift - 4
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
        value = shift = 0
    if shift:
        raise FileError("its counts end within a number")
    return counts


def compress(counts: Sequence[int]) -> str:
    """Return run lengths in COCO's compression.

    >>> compress([2, 1, 1]), expand(compress([5, 300, 7, 2, 90000]))
    ('211', [5, 300, 7, 2, 90000])
    """
    characters = []
    for index, count in enumerate(counts):
        value = count - (counts[index - 2] if index > 2 else 0)
        while True:
            bits, value = value & 31, value >> 5
            if value == (-1 if bits & 16 else 0):
                characters.append(chr(bits + 48))
                break
            characters.append(chr(bits + 48 + 32))
    return "".join(characters)
