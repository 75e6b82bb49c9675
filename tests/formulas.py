"""Stated formulas made into matrices: expressions are evaluated as they stand, filters are those of the library."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sizewise import dialects, filters
from sizewise.dialects import _formula
from sizewise.dialects._formula import Formula

FUNCTIONS = {"floor": np.floor, "ceil": np.ceil, "min": np.minimum, "max": np.maximum}
NEAR = 3e-4  # of a pixel: how near to a border a coordinate may lie on either side of it, by its rounding


def evaluated(formula: Formula, expression: str, names: dict[str, Any]) -> Any:
    """An expression of the formula; nothing is known in it but what is documented."""
    known = {"__builtins__": {}, **FUNCTIONS, **names}
    if "step" in expression:
        known["step"] = eval(formula.step, dict(known))
    return eval(expression, known)


def matrix(formula: Formula, n_in: int, n_out: int, **names: Any) -> tuple[np.ndarray, np.ndarray]:
    """The matrix that a formula states; and for each row whether it is certain, whatever the rounding."""
    names = {"o": np.arange(n_out), "n_in": n_in, "n_out": n_out, "scale": n_out / n_in, **names}
    if formula.copied and n_in == n_out:
        return np.eye(n_in), np.ones(n_in, bool)
    x = evaluated(formula, formula.x, names) + np.zeros(n_out)
    if formula.kernel == _formula.NEAREST:
        return _picked(formula, x, names)
    if formula.kernel == _formula.MEAN:
        return _mean(x, evaluated(formula, formula.to, names) + np.zeros(n_out), n_in, formula.edges)
    stretch = float(evaluated(formula, formula.stretch, names))
    blurs = "Gaussian" in formula.kernel and n_in > n_out
    support, kernel = _blurred(n_in / n_out, formula.kernel) if blurs else _kernel(formula.kernel)
    if "1/1024" in formula.kernel:
        x = np.floor(x) + np.rint((x - np.floor(x)) * 1024) / 1024
    reach = int(np.ceil(support * stretch)) + 2
    base = np.floor(x + 0.5) if formula.kernel.startswith(_formula.NEAREST) else np.floor(x)
    v = base[:, None] + np.arange(-reach, reach + 1)
    middle = base if formula.kernel.startswith(_formula.NEAREST) else x
    distance = (v - middle[:, None]) / stretch
    weights = kernel(distance)
    total = weights.sum(axis=1, keepdims=True)
    rows = _placed(v.astype(int), weights / np.where(total == 0, 1, total), n_in, formula.edges)
    if "outside" in formula.edges.partition(";")[2]:
        crop = "extrapolation" in formula.edges
        rows[(x < 0 if crop else x < -0.5) | (x > n_in - (1 if crop else 0.5))] = 0
    return rows, _certain(formula.kernel, distance, stretch)


def _certain(kernel: str, distance: np.ndarray, stretch: float) -> np.ndarray:
    """Rows in which no pixel lies where a filter jumps, and rounding decides which side it is on."""
    jump = {"box": 0.5, "gaussian": 1.5}.get(kernel)
    if jump is None:
        return np.ones(len(distance), bool)
    return (np.abs(np.abs(distance) - jump) * stretch > NEAR).all(axis=1)


def _picked(formula: Formula, x: np.ndarray, names: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    n_in = names["n_in"]
    moved = [evaluated(formula, formula.x, {**names, "o": names["o"] + by}) for by in (-NEAR, NEAR)]
    certain = (moved[0] == x) & (moved[1] == x)
    inside = (x >= 0) & (x < n_in)
    rows = np.eye(n_in)[np.clip(x, 0, n_in - 1).astype(int)]
    if formula.edges.startswith(_formula.LEFT_OUT):
        rows[~inside] = 0
    return rows, certain


def _mean(left: np.ndarray, right: np.ndarray, n_in: int, edges: str) -> tuple[np.ndarray, np.ndarray]:
    pixel = np.tile(np.arange(-n_in - 9, 2 * n_in + 9), (len(left), 1))
    covered = np.maximum(np.minimum(right[:, None], pixel + 1) - np.maximum(left[:, None], pixel), 0.0)
    rows = _placed(pixel, covered / covered.sum(axis=1, keepdims=True), n_in, edges)
    middle = (left + right) / 2
    if "; outputs" in edges:
        rows[(middle < 0) | (middle > n_in)] = 0
    near = (np.abs(middle) < NEAR) | (np.abs(middle - n_in) < NEAR)
    return rows, ~near


def _kernel(name: str) -> tuple[float, Any]:
    cubic = re.match(r"cubic, a = (-?[0-9.]+)", name)
    if cubic:
        return 2.0, filters.Filter("cubic", 2.0, filters.cubic(0.0, -float(cubic[1])))
    if name.startswith(_formula.NEAREST):
        return 0.5, lambda distance: np.where(np.abs(distance) < 0.5, 1.0, 0.0)
    kernel = filters.get(name.partition(",")[0])
    return kernel.support, kernel


def _blurred(step: float, name: str) -> tuple[float, Any]:
    """Return a reader of an image, blurred first, around a coordinate."""
    sigma = (step - 1) / 2
    far = int(4 * sigma + 0.5)
    support, kernel = _kernel(name)
    shifts = np.arange(-far, far + 1)
    parts = np.exp(-0.5 * (shifts / sigma) ** 2)
    return support + far, lambda distance: sum(
        part * kernel(distance - shift) for part, shift in zip(parts / parts.sum(), shifts, strict=True)
    )


def _placed(pixel: np.ndarray, weights: np.ndarray, n_in: int, edges: str) -> np.ndarray:
    rows = np.zeros((len(pixel), n_in))
    if edges.startswith((_formula.LEFT_OUT, _formula.REPEATED_TWICE)):
        more = 2 if edges == _formula.REPEATED_TWICE else 0
        weights = np.where((pixel >= -more) & (pixel < n_in + more), weights, 0.0)
        total = weights.sum(axis=1, keepdims=True)
        weights, pixel = weights / np.where(total == 0, 1, total), np.clip(pixel, 0, n_in - 1)
    elif edges.startswith(_formula.REPEATED):
        pixel = np.clip(pixel, 0, n_in - 1)
    else:
        again = edges == _formula.MIRRORED
        pixel = np.pad(np.arange(n_in), 40 * n_in, mode="symmetric" if again else "reflect")[pixel + 40 * n_in]
    np.add.at(rows, (np.arange(len(pixel))[:, None], pixel), weights)
    return rows


def stated(request: dialects.Request, **names: Any) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of the first axis of a request, as its dialect states it."""
    formula = dialects.get(request.dialect).formula(request)
    if request.scale is not None:
        names["scale"] = request.scale[0]
    return matrix(formula, request.input_size[0], request.output_size[0], **names)
