"""Import paths of the tests in this folder: the modules beside them, and the scripts of docs/."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs")]
