"""Matrices of one axis for each dialect, in loops straight from the formula of each framework.

`standard` has the filters of the textbooks; the others round where their frameworks do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from naive_filters import FILTERS, HALF
from naive_matlab import matlab


def standard(n_in: int, n_out: int, method: str, antialias: bool) -> np.ndarray:
    """Half-pixel centers; filters widened where an axis shrinks; rows normalized."""
    if n_in == n_out:
        return np.eye(n_in)
    scale = Fraction(n_in, n_out)
    if method == "nearest":
        return _picking(n_in, [math.floor((o + HALF) * scale) for o in range(n_out)])
    if method == "area":
        return _area(n_in, n_out)
    stretch = max(scale, Fraction(1)) if antialias else Fraction(1)
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        center = (o + HALF) * scale - HALF
        row = [FILTERS[method](abs(v - center) / stretch) for v in range(n_in)]
        matrix[o] = [weight / math.fsum(row) for weight in row]
    return matrix


def _area(n_in: int, n_out: int) -> np.ndarray:
    """The share of output pixel [left, right] that input pixel [v, v + 1] covers."""
    scale = Fraction(n_in, n_out)
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        left, right = o * scale, (o + 1) * scale
        for v in range(n_in):
            matrix[o, v] = float(max(min(right, Fraction(v + 1)) - max(left, Fraction(v)), Fraction(0)) / scale)
    return matrix


def _picking(n_in: int, index: Sequence[int]) -> np.ndarray:
    matrix = np.zeros((len(index), n_in))
    for o, v in enumerate(index):
        matrix[o, min(max(v, 0), n_in - 1)] = 1.0
    return matrix


# --- tfjs: Python's floats are JavaScript's numbers -----------------------------------------------------------------


def tfjs(
    n_in: int, n_out: int, method: str, antialias: bool, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    step = (n_in - 1) / (n_out - 1) if align_corners and n_out > 1 else n_in / n_out
    if method == "nearest":
        grid = [step * (o + 0.5) if half_pixel_centers else step * o for o in range(n_out)]
        return _picking(n_in, [_round_up_ties(x) if align_corners else math.floor(x) for x in grid])
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        x = step * (o + 0.5) - 0.5 if half_pixel_centers else step * o
        low, high = max(0, math.floor(x)), min(n_in - 1, math.ceil(x))
        matrix[o, low] += 1.0 - (x - low)
        matrix[o, high] += x - low
    return matrix


def _round_up_ties(x: float) -> int:
    return math.floor(Fraction(x) + HALF)


# --- tensorflow1: every step rounded to float32 ---------------------------------------------------------------------


def tensorflow1(
    n_in: int, n_out: int, method: str, antialias: bool, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    single, half = np.float32, np.float32(0.5)
    if method == "area" and n_in == 1:
        align_corners = False
    step = single(n_in - 1) / single(n_out - 1) if align_corners and n_out > 1 else single(n_in) / single(n_out)
    if method == "area":
        return _tensorflow_area(n_in, n_out, step)
    centers = [single(o) + half if half_pixel_centers else single(o) for o in range(n_out)]
    if method == "nearest":
        grid = [float(center * step) for center in centers]
        return _picking(n_in, [_round_up_ties(x) if align_corners else math.floor(x) for x in grid])
    matrix = np.zeros((n_out, n_in))
    for o, center in enumerate(centers):
        x = center * step - half if half_pixel_centers else center * step
        low, high = math.floor(x), math.ceil(x)
        fraction = x - single(low)
        if method == "bicubic":
            matrix[o] = _tensorflow_cubic(n_in, low, Fraction(round(float(fraction) * 1024), 1024), half_pixel_centers)
            continue
        matrix[o, max(low, 0)] += 1.0 - float(fraction)
        matrix[o, min(high, n_in - 1)] += float(fraction)
    return matrix


def _tensorflow_area(n_in: int, n_out: int, step: np.float32) -> np.ndarray:
    """Return the share of the step between float32 edges; an output within one pixel has the step itself."""
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        left, right = np.float32(o) * step, np.float32(o + 1) * step
        for v in range(math.floor(left), math.ceil(right)):
            within = left > v and right < v + 1
            covered = step if within else min(right, np.float32(v + 1)) - max(left, np.float32(v))
            matrix[o, min(v, n_in - 1)] += float(covered) / float(step)
    return matrix


def _tensorflow_cubic(n_in: int, low: int, t: Fraction, half_pixel_centers: bool) -> np.ndarray:
    """With half-pixel centers a slope of -1/2 inside the image, normalized; else of -3/4, and the edge repeats."""
    row = np.zeros(n_in)
    for k in (-1, 0, 1, 2):
        v = low + k
        if half_pixel_centers:
            row[min(max(v, 0), n_in - 1)] += FILTERS["bicubic"](abs(t - k)) if 0 <= v < n_in else 0.0
        else:
            row[min(max(v, 0), n_in - 1)] += float(_cubic_75(abs(t - k)))
    return row / math.fsum(row)


# --- tensorflow: the ops of tensorflow1, or a filter around float32 centers -----------------------------------------


def tensorflow(
    n_in: int, n_out: int, method: str, antialias: bool, preserve_aspect_ratio: bool, translation: None
) -> np.ndarray:
    if method in ("nearest", "area") or (method in ("bilinear", "bicubic") and not antialias):
        return tensorflow1(n_in, n_out, method, False, align_corners=False, half_pixel_centers=method != "area")
    step = np.float32(1.0 / float(np.float32(n_out) / np.float32(n_in)))
    centers = [(np.float32(o) + np.float32(0.5)) * step for o in range(n_out)]
    kernel = SCALE_AND_TRANSLATE[method]
    stretch = max(step, np.float32(1.0)) if antialias else np.float32(1.0)
    return _spread(n_in, [float(center) - 0.5 for center in centers], kernel, stretch)


def _spread(
    n_in: int, grid: list[float], kernel: Callable[[Fraction], float], stretch: np.float32 | np.float64
) -> np.ndarray:
    """A filter around every coordinate, over all pixels, normalized; distances rounded twice."""
    real = type(stretch)
    matrix = np.zeros((len(grid), n_in))
    for o, x in enumerate(grid):
        distances = [abs(real(v - x)) * (real(1.0) / stretch) for v in range(n_in)]
        row = [kernel(Fraction(float(distance))) for distance in distances]
        matrix[o] = [weight / math.fsum(row) for weight in row]
    return matrix


def _flat(kernel: Callable[[Fraction], float]) -> Callable[[Fraction], float]:
    return lambda x: 1.0 if x <= 1e-3 else kernel(x)


SCALE_AND_TRANSLATE: dict[str, Callable[[Fraction], float]] = {
    "bilinear": FILTERS["bilinear"],
    "bicubic": FILTERS["bicubic"],
    "lanczos3": _flat(FILTERS["lanczos3"]),
    "lanczos5": _flat(FILTERS["lanczos5"]),
    "gaussian": FILTERS["gaussian"],
    "mitchellcubic": FILTERS["mitchell"],
}


# --- tflite: as tensorflow1, for floats -----------------------------------------------------------------------------


def tflite(
    n_in: int, n_out: int, method: str, antialias: bool, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    return tensorflow1(n_in, n_out, method, antialias, align_corners, half_pixel_centers)


# --- jax: as arrays of float64 see it, except that nearest has float32 ----------------------------------------------


def jax(n_in: int, n_out: int, method: str, antialias: bool, translation: None) -> np.ndarray:
    if n_in == n_out:
        return np.eye(n_in)
    if method == "nearest":
        step = np.float32(n_in) * (np.float32(1.0) / np.float32(n_out))
        return _picking(n_in, [math.floor((np.float32(o) + np.float32(0.5)) * step) for o in range(n_out)])
    step = 1.0 / (n_out / n_in)
    grid = [float((o + HALF) * Fraction(step) - HALF) for o in range(n_out)]
    matrix = np.zeros((n_out, n_in))
    for o, x in enumerate(grid):
        if method == "area":
            left = o * step
            row = [max(min(left + step, v + 1) - max(left, v), 0.0) for v in range(n_in)]
            matrix[o] = np.array(row) / math.fsum(row)
        elif method == "cubic-pytorch" and not antialias:
            t = Fraction(x - math.floor(x))
            for k in (-1, 0, 1, 2):
                matrix[o, min(max(math.floor(x) + k, 0), n_in - 1)] += float(_cubic_75(abs(t - k)))
    if method == "area" or (method == "cubic-pytorch" and not antialias):
        return matrix
    kernel = SCALE_AND_TRANSLATE[
        {"linear": "bilinear", "cubic": "bicubic", "cubic-pytorch": "bicubic"}.get(method, method)
    ]
    return _spread(n_in, grid, kernel, np.float64(max(step, 1.0) if antialias else 1.0))


# --- pillow: float64, in the order of a C loop -----------------------------------------------------------------------


def pillow(n_in: int, n_out: int, method: str, antialias: bool, box: None, reducing_gap: None) -> np.ndarray:
    if n_in == n_out:
        return np.eye(n_in)
    step = n_in / n_out
    if method == "nearest":
        return _picking(n_in, _walk(n_out, step))
    kernel, support = PILLOW_FILTERS[method]
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        matrix[o] = _window(n_in, (o + 0.5) * step, support, max(step, 1.0), kernel)
    return matrix


def _walk(n_out: int, step: float) -> list[int]:
    x, index = 0.5 * step, []
    for _ in range(n_out):
        index.append(int(x))
        x += step
    return index


def _window(n_in: int, center: float, support: float, stretch: float, kernel: Callable[[float], float]) -> np.ndarray:
    """The weights of the pixels whose centers lie within the stretched filter."""
    row = np.zeros(n_in)
    first = max(int(center - support * stretch + 0.5), 0)
    last = min(int(center + support * stretch + 0.5), n_in)
    for v in range(first, last):
        row[v] = kernel((v - center + 0.5) * (1.0 / stretch))
    return row / sum(row.tolist())


def _of_distance(kernel: Callable[[Fraction], float]) -> Callable[[float], float]:
    return lambda x: kernel(abs(Fraction(x)))


def _pillow_hamming(x: float) -> float:
    if x == 0 or abs(x) >= 1:
        return float(x == 0)
    near, far = float(np.float32(0.54)), float(np.float32(0.46))
    return math.sin(math.pi * x) / (math.pi * x) * (near + far * math.cos(math.pi * x))


PILLOW_FILTERS: dict[str, tuple[Callable[[float], float], float]] = {
    "box": (lambda x: float(-0.5 < x <= 0.5), 0.5),
    "bilinear": (_of_distance(FILTERS["bilinear"]), 1.0),
    "hamming": (_pillow_hamming, 1.0),
    "bicubic": (_of_distance(FILTERS["bicubic"]), 2.0),
    "lanczos": (_of_distance(FILTERS["lanczos3"]), 3.0),
    "mks2013": (_of_distance(FILTERS["mks2013"]), 2.5),
    "mks2021": (_of_distance(FILTERS["mks2021"]), 4.5),
}


# --- torch: float64 coordinates, except that nearest has float32 ----------------------------------------------------


def torch(
    n_in: int, n_out: int, method: str, antialias: bool, align_corners: bool, recompute_scale_factor: bool
) -> np.ndarray:
    if method.startswith("nearest"):
        return _picking(n_in, _torch_nearest(n_in, n_out, method))
    if method == "area":
        return _adaptive_average(n_in, n_out)
    if n_in == n_out:
        return np.eye(n_in)
    corners = (n_in - 1) / (n_out - 1) if n_out > 1 else 0.0
    step = corners if align_corners else n_in / n_out
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        if antialias:
            kernel, support = PILLOW_FILTERS[method]
            matrix[o] = _window(n_in, (o + 0.5) * step, support, max(step, 1.0), kernel)
            continue
        x = float(o * step) if align_corners else float((o + HALF) * Fraction(step) - HALF)
        x = max(x, 0.0) if method == "bilinear" else x
        low = min(math.floor(np.float32(x)), n_in - 1)
        t = Fraction(min(max(x - low, 0.0), 1.0))
        weights = {0: 1 - t, 1: t} if method == "bilinear" else {k: _cubic_75(abs(t - k)) for k in (-1, 0, 1, 2)}
        for k, weight in weights.items():
            matrix[o, min(max(low + k, 0), n_in - 1)] += float(weight)
    return matrix


def _torch_nearest(n_in: int, n_out: int, method: str) -> list[int]:
    step = np.float32(n_in) / np.float32(n_out)
    if method == "nearest":
        return [math.floor(np.float32(o) * step) for o in range(n_out)]
    fused = [np.float32(float((o + HALF) * Fraction(float(step)) - HALF)) for o in range(n_out)]
    return [math.floor(max(x, np.float32(0)) + np.float32(0.5)) for x in fused]


def _adaptive_average(n_in: int, n_out: int) -> np.ndarray:
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        first, stop = math.floor(Fraction(o * n_in, n_out)), math.ceil(Fraction((o + 1) * n_in, n_out))
        matrix[o, first:stop] = 1 / (stop - first)
    return matrix


def _cubic_75(x: Fraction) -> Fraction:
    """Keys's cubic convolution with a = -3/4."""
    a = Fraction(-3, 4)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else Fraction(0)


# --- opencv: coordinates rounded from float64 to float32 ------------------------------------------------------------


def opencv(n_in: int, n_out: int, method: str, antialias: bool, channels: None) -> np.ndarray:
    if n_in == n_out:
        return np.eye(n_in)
    step = 1 / (n_out / n_in)
    if method == "nearest":
        return _picking(n_in, [math.floor(o * step) for o in range(n_out)])
    if method == "nearest_exact":
        return _picking(n_in, _walk(n_out, n_in / n_out))
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        for v, weight in _opencv_row(n_in, n_out, o, method):
            matrix[o, min(max(v, 0), n_in - 1)] += weight
    return matrix


def _opencv_row(n_in: int, n_out: int, o: int, method: str) -> list[tuple[int, float]]:
    """(pixel, weight) of one output; pixels may lie outside."""
    step = 1 / (n_out / n_in)
    if method == "area" and step >= 1:
        return _opencv_area(n_in, o, step)
    x = np.float32((o + 0.5) * step - 0.5)
    low = math.floor(x)
    t = float(x - np.float32(low))
    if method == "area":
        low = math.floor(o * step)
        t = float(np.float32((o + 1) - (low + 1) * (n_out / n_in)))
        t = t - math.floor(t) if t > 0 else 0.0
    if method == "cubic":
        return [(low + k, float(_cubic_75(abs(Fraction(t) - k)))) for k in (-1, 0, 1, 2)]
    if method == "lanczos4":
        raw = [FILTERS["lanczos4"](abs(Fraction(t) - k)) for k in range(-3, 5)]
        return [(low + k, weight / math.fsum(raw)) for k, weight in zip(range(-3, 5), raw, strict=True)]
    return [(low, 1 - t), (low + 1, t)]


def _opencv_area(n_in: int, o: int, step: float) -> list[tuple[int, float]]:
    left, right = o * step, o * step + step
    cell = min(step, n_in - left)
    last = min(math.floor(right), n_in - 1)
    first = min(math.ceil(left), last)
    row = [(first - 1, (first - left) / cell)] if first - left > 1e-3 else []
    row += [(v, 1 / cell) for v in range(first, last)]
    return row + ([(last, min(right - last, 1.0, cell) / cell)] if right - last > 1e-3 else [])


# --- skimage: a blur, and then the interpolation, each with its own mirrored borders --------------------------------


def skimage(n_in: int, n_out: int, method: str, antialias: bool) -> np.ndarray:
    step = n_in / n_out
    interpolation = np.zeros((n_out, n_in))
    for o in range(n_out):
        x = (o + 0.5) * step - 0.5
        low = math.floor(x + 0.5) if method == "nearest" else math.floor(x)
        t = 0.0 if method == "nearest" else x - low
        interpolation[o, _reflected(low, n_in)] += 1 - t
        interpolation[o, _reflected(low + 1, n_in)] += t
    return interpolation @ _blur(n_in, (step - 1) / 2) if antialias and step > 1 else interpolation


def _blur(n: int, sigma: float) -> np.ndarray:
    """Gaussian weights up to four sigma, made to sum to 1."""
    reach = int(4 * sigma + 0.5)
    raw = {k: math.exp(-0.5 * (k / sigma) ** 2) for k in range(-reach, reach + 1)}
    matrix = np.zeros((n, n))
    for v in range(n):
        for k, weight in raw.items():
            matrix[v, _reflected(v + k, n)] += weight / math.fsum(raw.values())
    return matrix


def _reflected(index: int, n: int) -> int:
    """The pixel that is seen at an index outside, with a mirror on the first and the last pixel."""
    while n > 1 and not 0 <= index < n:
        index = -index if index < 0 else 2 * (n - 1) - index
    return index if n > 1 else 0


MATRICES: dict[str, Callable[..., np.ndarray]] = {
    "standard": standard,
    "tfjs": tfjs,
    "tensorflow1": tensorflow1,
    "tensorflow": tensorflow,
    "tflite": tflite,
    "jax": jax,
    "pillow": pillow,
    "pillow@12": pillow,
    "torch": torch,
    "opencv": opencv,
    "skimage": skimage,
    "matlab": matlab,
}
