"""Writer of docs/measurements/parity.md: every dialect against the installed frameworks.

Run as `python docs/make_parity.py`; it takes some minutes, mostly for JAX, which compiles each shape.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sizewise import parity
from sizewise.report.parity.text import markdown

PAGE = Path(__file__).resolve().parent / "measurements" / "parity.md"
TOP = """# Parity

Made by `python docs/make_parity.py`, which prints the output of `sizewise parity`: do not edit. Every variant of every
dialect is compared with the framework itself, on the same image sizes: integer and fractional factors, growing,
shrinking, both at once, one pixel. Options are shown if they are not the default.

- **pixels off**: for methods that pick pixels, how many picks differ, on lines of up to 300 pixels
  (`make test-indices`: of every length up to 1024);
- **bytes off**: how many uint8 values differ, if the dialect promises them bit for bit;
- **ULP**: the largest difference of float32, in units in the last place of the largest value, and the promised limit;
- **gradient**: the same for the framework's own gradient; - if it has none, or a wrong one
  ([framework faults](../explanation/framework-faults.md)).

"""


NODE = PAGE.parents[2] / "tests" / "node" / "node_modules"  # TF.js, where `make node` has installed it


def main() -> None:
    os.environ.setdefault("NODE_PATH", str(NODE))
    facts = parity.sweep(on_row=lambda row: print(row.name, file=sys.stderr))
    PAGE.write_text(TOP + markdown(facts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
