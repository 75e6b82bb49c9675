"""Writes docs/reference/dialects.md: every dialect, as `sizewise dialects NAME` describes it.

Run as `python docs/make_dialects.py`; it needs no framework.
"""

from __future__ import annotations

from pathlib import Path

from sizewise.insight.description import everything
from sizewise.report.dialects_page import markdown

PAGE = Path(__file__).resolve().parent / "reference" / "dialects.md"
TOP = """# Dialects

Made by `python docs/make_dialects.py`, from the dialects themselves: do not edit. `sizewise dialects` prints the list,
`sizewise dialects torch` one of them, and `--json` either for machines. The tests evaluate every formula and compare
it with what is computed; the promises are those that [parity.md](../measurements/parity.md) measures.

"""


def page() -> str:
    """The page, as it should be."""
    return TOP + markdown(everything()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
