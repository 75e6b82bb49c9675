"""How a test says how often it tried what, for docs/measurements/reliability.md: pytest's own `record_property`."""

from __future__ import annotations

from collections.abc import Callable

Record = Callable[[str, object], None]
