"""Writes golden/tfjs-4.22.0.npz: what the real TF.js answers to every case, for machines without node.

Run as `python tests/compat/make_golden.py` after changing the cases.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tfjs_cases
import tfjs_node

VERSION = "4.22.0"
FILE = Path(__file__).parent / "golden" / f"tfjs-{VERSION}.npz"


def record(run) -> dict[str, np.ndarray]:
    """Return the arrays of the file: the table of cases, all results end to end, and the nearest indices."""
    [version] = run([{"call": "version"}])
    assert version == {"tfjs": VERSION, "backend": "cpu"}, version
    cases = tfjs_cases.cases()
    answers = tfjs_cases.truth(run, cases)
    results = [array.ravel() for forward, _, gradient in answers.values() for array in (forward, gradient)]
    indices = tfjs_cases.nearest_indices(run)
    assert (indices[:, 0] == indices[:, 1]).all(), "TF.js picks other rows than columns"
    return {"cases": table(cases), "values": np.concatenate(results), "indices": indices[:, 0].astype(np.uint8)}


def table(cases: list[tfjs_cases.Case]) -> np.ndarray:
    """Return the cases as integers: shape, size, flags."""
    rows = [(*case.shape, *case.size, case.align_corners, case.half_pixel_centers) for case in cases]
    return np.array(rows, np.uint8)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **record(tfjs_node.run))
