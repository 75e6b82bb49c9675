"""OpenCV's uint8, in fixed point of 11 bits (`linear_exact`: 8), in slow NumPy: what an integer path has to compute.

A row of weights belongs to one output; OpenCV keeps one entry per tap, also where several taps were clamped to the same
pixel. Horizontally they may be added up first (whole numbers), vertically not: there each product is rounded alone.
"""

from __future__ import annotations

import numpy as np

SCALE = 2048
SINGLE = np.float32


def coordinates(n_in: int, n_out: int) -> tuple[np.ndarray, np.ndarray]:
    """The pixel below each coordinate and the fraction above it, as float32."""
    step = 1 / (n_out / n_in)
    x = ((np.arange(n_out) + 0.5) * step - 0.5).astype(SINGLE)
    low = np.floor(x)
    return low.astype(np.int64), x - low


def linear_weights(t: np.ndarray) -> np.ndarray:
    return np.stack([SINGLE(1) - t, t], axis=1)


def cubic_weights(t: np.ndarray) -> np.ndarray:
    """Keys's cubic with a = -3/4, each step in float32, the last weight from the sum."""
    a, one = SINGLE(-0.75), SINGLE(1)
    far = ((a * (t + one) - 5 * a) * (t + one) + 8 * a) * (t + one) - 4 * a
    near = ((a + 2) * t - (a + 3)) * t * t + one
    other = ((a + 2) * (one - t) - (a + 3)) * (one - t) * (one - t) + one
    return np.stack([far, near, other, one - far - near - other], axis=1)


def lanczos_weights(t: np.ndarray) -> np.ndarray:
    """Eight taps: a sine at each, made from the first one's sine and cosine, over the distance squared."""
    root = np.sqrt(0.5)
    turns = [(1, 0), (-root, -root), (0, 1), (root, -root), (-1, 0), (root, root), (0, -1), (-root, root)]
    offset = (t + SINGLE(3))[:, None] - np.arange(8, dtype=SINGLE)
    y0 = -(t + SINGLE(3)).astype(np.float64) * np.pi * 0.25
    y = -offset.astype(np.float64) * np.pi * 0.25
    waves = np.stack([c * np.sin(y0) + s * np.cos(y0) for c, s in turns], axis=1)
    near = np.abs(offset) < SINGLE(1e-6)
    raw = np.where(near, SINGLE(1e30), (waves / np.where(near, 1.0, y * y)).astype(SINGLE)).astype(SINGLE)
    total = np.zeros(len(t), SINGLE)
    for column in raw.T:
        total = total + column
    return raw * (SINGLE(1) / total)[:, None]


def whole(weights: np.ndarray) -> np.ndarray:
    """float32 weights as whole numbers of 1/2048, rounded half to even."""
    return np.rint(weights * SINGLE(SCALE)).astype(np.int64)


def exact_axis(n_in: int, n_out: int) -> tuple[np.ndarray, np.ndarray]:
    """`axis` of linear_exact: fractions of 1/256 from a coordinate that stays float64."""
    x = (np.arange(n_out) + 0.5) * (1 / (n_out / n_in)) - 0.5
    low = np.floor(x)
    t = np.rint(256 * (x - low)).astype(np.int64)
    index = low.astype(np.int64)[:, None] + np.arange(2)
    return np.clip(index, 0, n_in - 1), np.stack([256 - t, t], axis=1)


def shared_axis(n_in: int, n_out: int) -> tuple[np.ndarray, np.ndarray]:
    """`axis` of area where an axis grows."""
    growth = n_out / n_in
    o = np.arange(n_out)
    low = np.floor(o * (1 / growth))
    t = ((o + 1) - (low + 1) * growth).astype(SINGLE)
    t = np.where(t <= 0, SINGLE(0), t - np.floor(t))
    index = low.astype(np.int64)[:, None] + np.arange(2)
    return np.clip(index, 0, n_in - 1), whole(linear_weights(t))


def axis(n_in: int, n_out: int, method: str) -> tuple[np.ndarray, np.ndarray]:
    """For one axis: pixel and whole-number weight of every tap, n_out x taps; pixels are clamped to the axis."""
    if method in ("linear_exact", "area"):
        return (exact_axis if method == "linear_exact" else shared_axis)(n_in, n_out)
    low, t = coordinates(n_in, n_out)
    weights, before = {
        "linear": (linear_weights, 0),
        "cubic": (cubic_weights, 1),
        "lanczos4": (lanczos_weights, 3),
    }[method]
    taps = whole(weights(t))
    return np.clip((low - before)[:, None] + np.arange(taps.shape[1]), 0, n_in - 1), taps


def resize(x: np.ndarray, size: tuple[int, int], method: str) -> np.ndarray:
    """uint8 images with channels last: whole sums along each row, unshifted, then down the columns by method.

    `area` by other than whole factors is not here: it is float32 sums, rounded once.
    """
    (height, width), (rows, columns) = x.shape[:2], size
    if (height, width) == size:
        return x.copy()
    halves = (height, width) == (2 * rows, 2 * columns)
    if (method in ("area", "linear") and halves) or (method == "area" and height >= rows and width >= columns):
        return means(x, size)
    index, weight = axis(width, columns, method)
    across = (x.astype(np.int64)[:, index] * weight[:, :, None]).sum(axis=2)
    index, weight = axis(height, rows, method)
    down = {"linear": down_linear, "area": down_linear, "cubic": down_cubic, "lanczos4": down_whole}
    return down.get(method, down_exact)(across, index, weight)


def means(x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Means of blocks: of 2 x 2 pixels with halves rounded up, else (and with two channels) of the float32 product."""
    (height, width, channels), (rows, columns) = x.shape, size
    blocks = x.astype(np.int64).reshape(rows, height // rows, columns, width // columns, channels)
    total, area = blocks.sum(axis=(1, 3)), height * width // (rows * columns)
    if (height, width) == (2 * rows, 2 * columns) and channels != 2:
        return ((total + 2) >> 2).astype(np.uint8)
    return np.rint(total.astype(SINGLE) * SINGLE(1 / area)).astype(np.uint8)


def down_linear(across: np.ndarray, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Each product is cut off on its own, with 4 bits less before and 16 after; both taps stay where rows coincide."""
    products = (weight[:, :, None, None] * (across[index] >> 4)) >> 16
    return np.clip((products.sum(axis=1) + 2) >> 2, 0, 255).astype(np.uint8)


def down_cubic(across: np.ndarray, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """float32 from the last row up for the first multiple of 8 numbers of a row, whole numbers for what remains."""
    rows, columns, channels = len(index), *across.shape[1:]
    lines = across[index].reshape(rows, 4, columns * channels)
    vectors = columns * channels // 8 * 8
    single, b = lines.astype(SINGLE), (weight.astype(SINGLE) * SINGLE(1 / SCALE**2))[:, :, None]
    total = single[:, 3] * b[:, 3]
    for tap in (2, 1, 0):
        total = single[:, tap] * b[:, tap] + total
    tail = ((lines * weight[:, :, None]).sum(axis=1) + 2**21) >> 22
    mixed = np.concatenate([np.rint(total)[:, :vectors], tail[:, vectors:]], axis=1)
    return np.clip(mixed, 0, 255).astype(np.uint8).reshape(rows, columns, channels)


def down_whole(across: np.ndarray, index: np.ndarray, weight: np.ndarray, bits: int = 22) -> np.ndarray:
    """Whole numbers, rounded half up once, at the end."""
    total = (across[index] * weight[:, :, None, None]).sum(axis=1)
    return np.clip((total + 2 ** (bits - 1)) >> bits, 0, 255).astype(np.uint8)


def down_exact(across: np.ndarray, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return down_whole(across, index, weight, bits=16)
