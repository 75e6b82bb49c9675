"""Writes docs/measurements/parity.md: every dialect against the frameworks installed here, compared just now.

Run as `python docs/make_parity.py`; it takes some minutes, most of them JAX's, which compiles for each shape.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sizewise import parity
from sizewise.report.parity import markdown

PAGE = Path(__file__).resolve().parent / "measurements" / "parity.md"
TOP = """# Parity

Made by `python docs/make_parity.py`, which prints what `sizewise parity` does: do not edit. Every way in which a
dialect resizes, against the framework itself, on images of the same sizes: whole and odd factors, growth, shrinks, both
at once, one pixel. Options are named where they are not the default.

- **pixels off**: of methods that pick pixels, how many other ones were picked, on lines of up to 300 pixels
  (`make indices`: on lines of every length up to 1024);
- **bytes off**: how many numbers of uint8 images differ, where the dialect promises them to the bit;
- **ULP**: how far float32 is from the framework, in units in the last place of the largest value, and what is allowed;
- **gradient**: the same of the gradient that the framework reports itself; - where it has none, or a wrong one
  ([framework-faults.md](../explanation/framework-faults.md)).

"""


NODE = PAGE.parents[2] / "tests" / "node" / "node_modules"  # TF.js, where `make node` has installed it


def main() -> None:
    os.environ.setdefault("NODE_PATH", str(NODE))
    facts = parity.sweep(done=lambda row: print(row.name, file=sys.stderr))
    PAGE.write_text(TOP + markdown(facts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
