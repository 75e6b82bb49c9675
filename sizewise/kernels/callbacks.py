"""C functions that call Python's, and have an answer even where those do not come to one.

Python may raise before the first line of a function runs: an interrupt that is waiting, too deep a recursion. Then a
callback of ctypes returns whatever was in memory. And once Python ends, whoever calls it waits for ever. A few lines of
machine code around the callback see that nothing was said, and do not call any more when told so.
"""

from __future__ import annotations

import os
import time
from ctypes import addressof, c_int64
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_ORDER = "seq_cst"


@intrinsic  # type: ignore[untyped-decorator]
def _answer(context: Any, function: Any, argument: Any, missing: Any, running: Any, closed: Any) -> Any:
    """What the C function at an address writes, a void(argument, where to); `missing`, if nothing.

    `running` and `closed` are addresses: how many calls there are is kept at the one, and none is made if the other is
    not 0.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        function, argument, missing, running, closed = values
        running, closed = (builder.inttoptr(address, _WORD.as_pointer()) for address in (running, closed))
        answer = cgutils.alloca_once_value(builder, missing)
        builder.atomic_rmw("add", running, _WORD(1), _ORDER)
        with builder.if_then(builder.icmp_signed("==", builder.load_atomic(closed, _ORDER, 8), _WORD(0))):
            kind = ir.FunctionType(ir.VoidType(), [_WORD, _WORD.as_pointer()])
            builder.call(builder.inttoptr(function, kind.as_pointer()), [argument, answer])
        builder.atomic_rmw("sub", running, _WORD(1), _ORDER)
        return builder.load(answer)

    return types.int64(types.int64, types.int64, types.int64, types.int64, types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def _returned(context: Any, function: Any, argument: Any) -> Any:
    """What the C function at an address returns, an int64(argument)."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        function, argument = values
        kind = ir.FunctionType(_WORD, [_WORD])
        return builder.call(builder.inttoptr(function, kind.as_pointer()), [argument])

    return types.int64(types.int64, types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def _word(context: Any, address: Any) -> Any:
    """The 64-bit integer at an address."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(builder.inttoptr(values[0], _WORD.as_pointer()))

    return types.int64(types.int64), code


class Guard:
    """A C function int64(frame), at `address`, around one at the address `function`, a void(frame, int64 *answer).

    It returns the answer. Where there is none, it returns what another function makes of the address `failure`: the
    one whose address is found from the frame, through a pointer at the first offset of `path`, at the second.
    """

    def __init__(self, function: int, path: tuple[int, int], failure: int) -> None:
        self._process = os.getpid()
        self._running, self._closed = c_int64(0), c_int64(0)
        outer, inner, running, closed = *path, addressof(self._running), addressof(self._closed)

        def guard(frame: Any) -> Any:
            answer = _answer(function, frame, -1, running, closed)
            return _returned(_word(_word(frame + outer) + inner), failure) if answer == -1 else answer

        self._code = numba.cfunc(types.int64(types.int64), nopython=True)(guard)
        self.address: int = self._code.address

    def close(self) -> None:
        """Has it call no more, and waits for calls that are running."""
        if os.getpid() != self._process:  # a fork's copy, without the threads that run calls
            return
        self._closed.value = 1
        while self._running.value:
            time.sleep(0.001)
