"""Kernel calls: a kernel with its tables, for arrays of one shape and dtype, run on one thread or in bands of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..thread_count import default_threads, is_main_thread
from . import fallback, thread_pool
from .packing import LANES, Array

if TYPE_CHECKING:
    from .layout import Layout

FastPath = Callable[[Array, Array], None]  # fills the second from the first
Types = tuple[str, str, str, str]  # of x, of out, of the sums, of the rows kept between two passes

# Work is counted as in `costs`.
MIN_PARALLEL_WORK = 1_100_000  # below which a second thread costs more than it saves
WAKEUP_WORK = 900_000  # done by the caller while a worker wakes up: 30 us, on virtual machines up to 100
MIN_BAND_WORK = 450_000  # below which a band would cost more than the balance it brings
MAX_BAND_WORK = 100_000_000  # after which a kernel returns, so that Ctrl-C is seen: 2 to 12 ms


def kernel_name(kind: str, types: Types) -> str:
    """Return the name by which the native core knows a kernel of these types."""
    return " ".join(filter(None, (kind, *types)))


class KernelCall:
    """A kernel with all its arguments but the arrays and the rows.

    `sizes` are the elements of contiguous arrays; the native core checks the tables against them, once, here.
    """

    __slots__ = (
        "_arguments",
        "_bands",
        "_fallback",
        "_is_bfloat16",
        "kind",
        "layout",
        "min_rows",
        "n_rows",
        "native",
        "work",
    )

    def __init__(
        self, kind: str, types: Types, tables: tuple[Array, ...], parameter: float, layout: Layout, n_rows: int,
        sizes: tuple[int, int], work: float, min_rows: int,
    ) -> None:  # fmt: skip
        self.kind, self.layout, self.n_rows, self.work, self.min_rows = kind, layout, n_rows, work, min_rows
        self._bands: dict[int, thread_pool.Bands] = {}
        self._is_bfloat16 = types[0] == "bfloat16"  # which no buffer holds: passed as uint16
        module = _core.native()
        name = kernel_name(kind, types)
        self._arguments = (name, tables, parameter, n_rows, sizes[1])
        self.native = None if module is None else module.Call(name, layout, tables, parameter, n_rows, *sizes)
        if module is None:
            self._fallback = fallback.Kernel(kind, types, tables, parameter)

    def run(self, x: Array, out: Array, n_threads: int | None = None, layout: Layout | None = None) -> None:
        """Fill `out` from `x`: contiguous arrays, or flat ones whose rows lie as `layout` says."""
        if self._is_bfloat16:
            x, out = x.view(np.uint16), out.view(np.uint16)
        if layout is None and self.work < 2 * MIN_PARALLEL_WORK:
            if self.native is not None:
                self.native.fill(x, out)
            else:
                self._fallback(x.reshape(-1), out.reshape(-1), self.layout, 0, self.n_rows)
            return
        bands = self.bands(n_threads or default_threads())
        if self.native is not None:
            self.native.run(x, out, layout, *bands, is_main_thread())
            return
        kernel, source, target = self._fallback, x.reshape(-1), out.reshape(-1)
        rows = self.layout if layout is None else layout
        thread_pool.run_bands(lambda first, last: kernel(source, target, rows, first, last), bands)

    def fast_path(self) -> FastPath | None:
        """Return the shortest way to fill contiguous arrays of these dtypes and shapes on the default threads."""
        if self.native is None or self._is_bfloat16:
            return None
        return self.native.fill if self.work < 2 * MIN_PARALLEL_WORK else self.run

    def window_fill(self, layout: Layout, x_size: int) -> FastPath | None:
        """Return a function that fills a contiguous result on this thread, from a window of a contiguous array.

        `layout` says where the rows of the window lie in the `x_size` elements of that array.
        """
        module = _core.native()
        if module is None or self._is_bfloat16:
            return None
        name, tables, parameter, n_rows, out_size = self._arguments
        fill: FastPath = module.Call(name, layout, tables, parameter, n_rows, x_size, out_size).fill
        return fill

    def bands(self, n_threads: int) -> thread_pool.Bands:
        """Return the bands of rows for at most `n_threads` threads: as many as pay off."""
        bands = self._bands.get(n_threads)
        if bands is None:
            n_useful = max(1, min(n_threads, int(self.work // MIN_PARALLEL_WORK)))
            rows = self.n_rows / self.work
            min_rows, max_rows = (max(self.min_rows, int(work * rows)) for work in (MIN_BAND_WORK, MAX_BAND_WORK))
            bands = thread_pool.split_rows(self.n_rows, n_useful, LANES, min_rows, max_rows, int(WAKEUP_WORK * rows))
            self._bands = {**self._bands, n_threads: bands}
        return bands
