"""Function cases: a public function, a call of it that works, and which of the bad values it accepts.

The lists name the valid values of each kind of argument; all other values of the table must be rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bad_arguments.values import VALUES

Names = frozenset[str]


@dataclass(frozen=True)
class FunctionCase:
    """A public function, arguments that it takes together, and the values that each of them takes beside those.

    `also` are errors that the function is for: an assertion that fails. `unasked` are values that an argument is not
    asked with: what it would do with them is right, and takes minutes.
    """

    call: Callable[..., Any]
    good: Callable[[], dict[str, Any]]
    takes: dict[str, Names]
    also: tuple[type[Exception], ...] = ()
    unasked: dict[str, Names] = field(default_factory=dict)


def names(*given: str | Names) -> Names:
    """Return the union of names and sets of names of values."""
    return frozenset().union(*({one} if isinstance(one, str) else one for one in given))


NOTHING: Names = frozenset()
NONE = names("None")
ANYTHING = frozenset(VALUES)
FLAG = names("True", "np.False")
POSITIVE_INTEGERS = names("1", "2", "0-d integer")  # small ones
POSITIVE = names(
    POSITIVE_INTEGERS, "0.5", "0-d"
)  # as a scale of some pixels; as one, 1e-9 leaves none, and 1e20 too many
TINY_OR_HUGE = names("2**31", "2**31 - 1", "2**63", "10**99", "1e20", "1e-9", "1e-320", "1e308")
AT_LEAST_0 = names(POSITIVE, TINY_OR_HUGE, "0")
FINITE = names(AT_LEAST_0, "-1", "-2**63", "-10**99", "-1e20")
FLOAT32 = FINITE - {"10**99", "-10**99", "1e308"}
PAIR = names("[2, 2]", "1-d integers")
SIZE = names(PAIR, "generator")
SCALE = names(POSITIVE, SIZE, "1-d floats")  # one, or two
THREADS = names(NONE, POSITIVE_INTEGERS, "2**31", "2**31 - 1", "2**63", "10**99", "10**5000")
PLANES = names("2-d", "2-d NaN")  # arrays of two axes, and of more
ARRAYS = names(PLANES, "3-d", "4-d", "33-d")
NUMBERS = names(
    ARRAYS, FINITE - {"10**99", "-10**99"}, FLAG, "NaN", "inf", "-inf", "64-d", "strided 64-d", "empty array",
    "1-d integers", "1-d floats", "long doubles", "nested", "[]", "[1]", "[1, 2, 3]", "[0, 0]", "[2, 2]", "[2, NaN]",
    "[2**31 - 1] * 2", "[2**62] * 2",
)  # fmt: skip
