"""Results of a run: one digest of each image, in order, with those that are missing or there twice counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

Results = Iterable[tuple[int, bytes]]


def digest(result: Any) -> bytes:
    """Return the SHA-256 of an array with its shape and dtype."""
    array = np.ascontiguousarray(result)
    return hashlib.sha256(f"{array.shape}{array.dtype}".encode() + array.tobytes()).digest()


class Ordered:
    """The digests of images by index, in memory that does not grow.

    >>> found = Ordered(2)
    >>> found.add([(1, digest([1])), (0, digest([2])), (1, digest([1]))])
    >>> found.report()["missing"], found.report()["repeated"]
    (0, 1)
    """

    def __init__(self, count: int) -> None:
        self.digests, self.times = np.zeros((count, 32), np.uint8), np.zeros(count, np.int64)

    def add(self, results: Results) -> None:
        """Store the digests of results, as they come."""
        for index, found in results:
            self.digests[index] = np.frombuffer(found, np.uint8)
            self.times[index] += 1

    def report(self) -> dict[str, Any]:
        """Return the SHA-256 over all images in order, and how many are missing or there more than once."""
        total = hashlib.sha256(self.digests.tobytes()).hexdigest()
        missing, repeated = (self.times == 0).sum(), (self.times > 1).sum()
        return {"count": len(self.times), "sha256": total, "missing": int(missing), "repeated": int(repeated)}
