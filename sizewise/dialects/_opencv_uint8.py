"""OpenCV's uint8: weights in float32, as whole numbers of 1/2048 (`linear_exact`: 1/256), and how they are summed."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .. import validation
from ..sampling import require_weights_memory
from . import Arithmetic, IntegerTaps, Request, TwoPassInteger

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Single = NDArray[np.float32]

_ONE, _BITS = np.float32(1.0), 11
_LIKE_PLANES = (1, 3, 4)  # channels that OpenCV has vectors for
_ROOT = math.sqrt(0.5)
# The sine and cosine of minus a quarter turn times i, for the taps i = 0 .. 7 of lanczos4.
_TURNS = ((1, 0), (-_ROOT, -_ROOT), (0, 1), (_ROOT, -_ROOT), (-1, 0), (_ROOT, _ROOT), (0, -1), (-_ROOT, _ROOT))


def read_channels(given: object) -> object:
    """`channels` as it is kept: None for 1, 3 and 4, which are alike."""
    channels = None if given is None else validation.require_int(given, "channels", 1)
    return None if channels in _LIKE_PLANES else channels


def arithmetic(request: Request, growth: tuple[float, ...]) -> Arithmetic:
    """How two axes of uint8 that grow so much are summed."""
    steps, channels = tuple(1.0 / one for one in growth), request.option("channels")
    whole = np.dtype(np.int32)
    tables = partial(_tables, growth=growth)
    # Halved, all linear methods are means of 2 x 2 pixels, except `linear_exact` of two channels.
    halves = steps == (2.0, 2.0) and request.method in ("linear", "linear_exact", "area")
    if halves and not (request.method == "linear_exact" and channels == 2):
        return _means(growth, channels is None)
    if request.method == "area" and min(steps) >= 1.0:
        if any(step != round(step) for step in steps):
            return Arithmetic(np.dtype(np.float32), np.dtype(np.uint8), order=(1, 0))
        return _means(growth, False)
    if request.method in ("linear", "area"):
        # What is kept has 15 bits, and a product with a weight of 11 the upper 10 of 26: two more than wanted.
        half = np.dtype(np.int16)
        return _stepwise(TwoPassInteger(tables, half, half, shift=4, bits=2))
    if request.method == "cubic":  # what is kept is whole, below 2**24
        single = np.dtype(np.float32)
        return _stepwise(TwoPassInteger(tables, single, single, bits=2 * _BITS))
    return _stepwise(TwoPassInteger(tables, whole, whole, bits=16 if request.method == "linear_exact" else 2 * _BITS))


def _means(growth: tuple[float, ...], halves_up: bool) -> Arithmetic:
    """Means of blocks: their sum times a float32, rounded half to even; those of four pixels may round halves up."""
    blocks, whole = partial(_blocks, growth=growth), np.dtype(np.int32)
    if halves_up:
        return _stepwise(TwoPassInteger(blocks, whole, whole, bits=2, blocks=True))
    gain = float(np.float32(1.0 / round(math.prod(1.0 / one for one in growth))))
    return _stepwise(TwoPassInteger(blocks, whole, whole, gain=gain, blocks=True))


def _stepwise(stepwise: TwoPassInteger) -> Arithmetic:
    return Arithmetic(np.dtype(np.int32), np.dtype(np.uint8), two_pass=stepwise)


def _blocks(request: Request, growth: tuple[float, ...]) -> tuple[IntegerTaps, IntegerTaps]:
    """Blocks of pixels, added up; the last may reach beyond the image."""
    axes = zip(request.input_size, request.output_size, growth, strict=True)
    rows, columns = (_block(n_in, n_out, round(1.0 / one)) for n_in, n_out, one in axes)
    return rows, columns


def _block(n_in: int, n_out: int, factor: int) -> IntegerTaps:
    require_weights_memory(n_out, factor)
    return IntegerTaps(n_in, np.arange(n_out) * factor, np.ones((n_out, factor), np.int32))


def _tables(request: Request, growth: tuple[float, ...]) -> tuple[IntegerTaps, IntegerTaps]:
    axes = zip(request.input_size, request.output_size, growth, strict=True)
    rows, columns = (_table(n_in, n_out, one, request.method) for n_in, n_out, one in axes)
    return rows, columns


def _table(n_in: int, n_out: int, growth: float, method: str) -> IntegerTaps:
    o, step = np.arange(n_out), 1.0 / growth
    if method == "linear_exact":  # the coordinate stays float64
        x = (o + 0.5) * step - 0.5
        t = np.rint(256 * (x - np.floor(x))).astype(np.int32)
        return IntegerTaps(n_in, np.floor(x).astype(np.int64), np.stack([256 - t, t], axis=1))
    if method == "area":
        low = np.floor(o * step)
        t = ((o + 1) - (low + 1) * growth).astype(np.float32)
        t = np.where(t <= 0, np.float32(0), t - np.floor(t))
        return IntegerTaps(n_in, low.astype(np.int64), _whole(_linear(t)))
    x = ((o + 0.5) * step - 0.5).astype(np.float32)
    low = np.floor(x)
    weights, before = {"linear": (_linear, 0), "cubic": (_cubic, 1), "lanczos4": (_lanczos, 3)}[method]
    return IntegerTaps(n_in, low.astype(np.int64) - before, _whole(weights(x - low)))


def _whole(weights: Single) -> NDArray[np.int32]:
    """Rounded half to even."""
    rounded: NDArray[np.int32] = np.rint(weights * np.float32(2**_BITS)).astype(np.int32)
    return rounded


def _linear(t: Single) -> Single:
    return np.stack([_ONE - t, t], axis=1)


def _cubic(t: Single) -> Single:
    """Cubic convolution with a = -3/4, each step in float32, the last weight what the others leave of 1."""
    a = np.float32(-0.75)
    far = ((a * (t + _ONE) - 5 * a) * (t + _ONE) + 8 * a) * (t + _ONE) - 4 * a
    near = ((a + 2) * t - (a + 3)) * t * t + _ONE
    other = ((a + 2) * (_ONE - t) - (a + 3)) * (_ONE - t) * (_ONE - t) + _ONE
    return np.stack([far, near, other, _ONE - far - near - other], axis=1)


def _lanczos(t: Single) -> Single:
    """Eight taps: a sine at each, made from the first one's sine and cosine, over the distance squared."""
    offset = (t + np.float32(3))[:, None] - np.arange(8, dtype=np.float32)
    first = -(t + np.float32(3)).astype(np.float64) * np.pi * 0.25
    y = -offset.astype(np.float64) * np.pi * 0.25
    waves = np.stack([c * np.sin(first) + s * np.cos(first) for c, s in _TURNS], axis=1)
    near = np.abs(offset) < np.float32(1e-6)
    raw = np.where(near, np.float32(1e30), (waves / np.where(near, 1.0, y * y)).astype(np.float32))
    total = np.cumsum(raw, axis=1, dtype=np.float32)[:, -1:]
    weights: Single = raw * (_ONE / total)
    return weights
