"""Writer of docs/reference/dialects.md: every dialect, as `sizewise dialects NAME` describes it.

Run as `python docs/make_dialects.py`; it needs no framework.
"""

from __future__ import annotations

from pathlib import Path

from sizewise.insight.description import everything
from sizewise.report.dialects.markdown import markdown

PAGE = Path(__file__).resolve().parent / "reference" / "dialects.md"
TOP = """# Dialects

<!-- Written by `python docs/make_dialects.py` from the dialects: do not edit. -->

What each dialect computes, as formulas, and how far it may be from its library. `sizewise dialects` prints the list,
`sizewise dialects torch` one dialect, and `--json` either for machines. The tests evaluate every formula and compare it
with the weights in use; [parity](../measurements/parity.md) measures the promised accuracy.

"""


def page() -> str:
    """Return the page."""
    return TOP + markdown(everything()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
