"""OpenCV's uint8 arithmetic: float32 weights as integers in units of 1/2048 (`linear_exact`: 1/256), and their sums."""

from __future__ import annotations

import math

import numpy as np

from .. import validation
from ..sampling import require_weights_memory
from . import Arithmetic, IntegerTaps, Request, TwoPassInteger

_ONE, _BITS = np.float32(1.0), 11
_VECTORIZED = (1, 3, 4)  # channel counts with SIMD code in OpenCV
_ROOT = math.sqrt(0.5)
# Sine and cosine of -pi / 4 times i, for the taps i = 0 .. 7 of lanczos4.
_TURNS = ((1, 0), (-_ROOT, -_ROOT), (0, 1), (_ROOT, -_ROOT), (-1, 0), (_ROOT, _ROOT), (0, -1), (-_ROOT, _ROOT))


def parse_channels(given: object) -> object:
    """Return `channels` as an int, or None for 1, 3 and 4, which give the same results."""
    channels = None if given is None else validation.require_int(given, "channels", 1)
    return None if channels in _VECTORIZED else channels


def arithmetic(request: Request) -> Arithmetic:
    """Return the arithmetic of uint8 along two axes."""
    steps, channels = tuple(1.0 / scale for scale in request.scales), request.option("channels")
    exact = np.dtype(np.int32)
    # At half the size all linear methods are means of 2 x 2 pixels, except `linear_exact` with two channels.
    halves = steps == (2.0, 2.0) and request.method in ("linear", "linear_exact", "area")
    if halves and not (request.method == "linear_exact" and channels == 2):
        return _means(steps, channels is None)
    if request.method == "area" and min(steps) >= 1.0:
        if any(step != round(step) for step in steps):
            return Arithmetic(np.dtype(np.float32), np.dtype(np.uint8), order=(1, 0))
        return _means(steps, False)
    if request.method in ("linear", "area"):
        # The intermediate has 15 bits, a product with an 11-bit weight the upper 10 of 26: two more than the result.
        half = np.dtype(np.int16)
        return _two_pass(TwoPassInteger(_tables, half, half, shift=4, bits=2))
    if request.method == "cubic":  # the intermediate is an integer below 2**24
        single = np.dtype(np.float32)
        return _two_pass(TwoPassInteger(_tables, single, single, bits=2 * _BITS))
    return _two_pass(TwoPassInteger(_tables, exact, exact, bits=16 if request.method == "linear_exact" else 2 * _BITS))


def _means(steps: tuple[float, ...], halves_up: bool) -> Arithmetic:
    """Return means of blocks: the sum times a float32, rounded half to even; means of 2 x 2 may round halves up."""
    exact = np.dtype(np.int32)
    if halves_up:
        return _two_pass(TwoPassInteger(_blocks, exact, exact, bits=2, blocks=True))
    gain = float(np.float32(1.0 / round(math.prod(steps))))
    return _two_pass(TwoPassInteger(_blocks, exact, exact, gain=gain, blocks=True))


def _two_pass(two_pass: TwoPassInteger) -> Arithmetic:
    return Arithmetic(np.dtype(np.int32), np.dtype(np.uint8), two_pass=two_pass)


def _blocks(request: Request) -> tuple[IntegerTaps, IntegerTaps]:
    """Return taps that sum blocks of pixels; the last block may extend beyond the image."""
    rows, columns = (_block(n_in, n_out, round(1.0 / (scale or n_out / n_in))) for n_in, n_out, scale in request.axes)
    return rows, columns


def _block(n_in: int, n_out: int, factor: int) -> IntegerTaps:
    require_weights_memory(n_out, factor)
    return IntegerTaps(n_in, np.arange(n_out) * factor, np.ones((n_out, factor), np.int32))


def _tables(request: Request) -> tuple[IntegerTaps, IntegerTaps]:
    rows, columns = (_table(n_in, n_out, scale or n_out / n_in, request.method) for n_in, n_out, scale in request.axes)
    return rows, columns


def _table(n_in: int, n_out: int, scale: float, method: str) -> IntegerTaps:
    o, step = np.arange(n_out), 1.0 / scale
    if method == "linear_exact":  # the coordinate stays float64
        x = (o + 0.5) * step - 0.5
        t = np.rint(256 * (x - np.floor(x))).astype(np.int32)
        return IntegerTaps(n_in, np.floor(x).astype(np.int64), np.stack([256 - t, t], axis=1))
    if method == "area":
        low = np.floor(o * step)
        t = ((o + 1) - (low + 1) * scale).astype(np.float32)
        t = np.where(t <= 0, np.float32(0), t - np.floor(t))
        return IntegerTaps(n_in, low.astype(np.int64), _quantize(_linear(t)))
    x = ((o + 0.5) * step - 0.5).astype(np.float32)
    low = np.floor(x)
    weights, before = {"linear": (_linear, 0), "cubic": (_cubic, 1), "lanczos4": (_lanczos, 3)}[method]
    return IntegerTaps(n_in, low.astype(np.int64) - before, _quantize(weights(x - low)))


def _quantize(weights: np.ndarray) -> np.ndarray:
    """Return weights in units of 1/2048, rounded half to even."""
    rounded: np.ndarray = np.rint(weights * np.float32(2**_BITS)).astype(np.int32)
    return rounded


def _linear(t: np.ndarray) -> np.ndarray:
    return np.stack([_ONE - t, t], axis=1)


def _cubic(t: np.ndarray) -> np.ndarray:
    """Return cubic convolution with a = -3/4, each operation in float32, the last weight 1 minus the others."""
    a = np.float32(-0.75)
    far = ((a * (t + _ONE) - 5 * a) * (t + _ONE) + 8 * a) * (t + _ONE) - 4 * a
    near = ((a + 2) * t - (a + 3)) * t * t + _ONE
    other = ((a + 2) * (_ONE - t) - (a + 3)) * (_ONE - t) * (_ONE - t) + _ONE
    return np.stack([far, near, other, _ONE - far - near - other], axis=1)


def _lanczos(t: np.ndarray) -> np.ndarray:
    """Return eight weights: sines derived from the sine and cosine of the first tap, over the squared distance."""
    offset = (t + np.float32(3))[:, None] - np.arange(8, dtype=np.float32)
    first = -(t + np.float32(3)).astype(np.float64) * np.pi * 0.25
    y = -offset.astype(np.float64) * np.pi * 0.25
    waves = np.stack([c * np.sin(first) + s * np.cos(first) for c, s in _TURNS], axis=1)
    near = np.abs(offset) < np.float32(1e-6)
    raw = np.where(near, np.float32(1e30), (waves / np.where(near, 1.0, y * y)).astype(np.float32))
    total = np.cumsum(raw, axis=1, dtype=np.float32)[:, -1:]
    weights: np.ndarray = raw * (_ONE / total)
    return weights
